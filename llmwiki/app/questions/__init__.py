"""The kinds of questions that a model or an agent is asked in parts: a file each, a row here.

A file has all of its kind: rules, shape, schema and parts, how an answer lands or is kept, what is
reported of it. `desk.py` asks, prepares and measures any of them.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from llmwiki.core.errors import InputError

if TYPE_CHECKING:
    from llmwiki.app.questions.question import Question


class QuestionRow(NamedTuple):
    """Where a kind is found, before it is loaded."""

    place: str
    """Its file in this folder and its class: `tidy_memory:MemoryTidying`."""
    schema: str
    """What the field `schema` of an agent's answer says."""
    lands: bool = True
    """Whether an answer may change pages; else it is asked of any Markdown, too."""
    shows_notes: bool = False
    """Whether its jobs hold words of notes, and go when a note is forgotten."""


QUESTIONS: Mapping[str, QuestionRow] = {
    "judgement": QuestionRow("judge_claims:ClaimJudging", "llmwiki.findings/1", lands=False),
    "tidy": QuestionRow("tidy_wiki:WikiTidying", "llmwiki.tidying/1"),
    "memory-tidy": QuestionRow("tidy_memory:MemoryTidying", "llmwiki.notes/1", shows_notes=True),
    "edges": QuestionRow("infer_edges:EdgeReading", "llmwiki.edges/1", lands=False),
    "learned": QuestionRow("learn_from_talk:Learning", "llmwiki.learned/1", shows_notes=True),
}
"""By name, which is also that of the folder below the git directory in which its jobs wait."""


def kind_of(name: str) -> type[Question[Any, Any, Any]]:
    """The class of a kind, loaded now. Raises InputError where there is none."""
    if name not in QUESTIONS:
        raise InputError("no such question", where=name, fix=f"One of: {', '.join(QUESTIONS)}.")
    module, _, title = QUESTIONS[name].place.partition(":")
    kind: type[Question[Any, Any, Any]] = getattr(
        importlib.import_module(f"{__name__}.{module}"), title
    )
    return kind
