"""The kinds of questions that a model or an agent is asked in parts: a file each, a row here.

A file has all of its kind: rules, shape, schema and parts, how an answer lands or is kept, what is
reported of it. `desk.py` asks, prepares and measures any of them.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from llmwiki.core.errors import InputError
from llmwiki.core.quick_to_load import NamedTuple

if TYPE_CHECKING:
    from llmwiki.app.questions.question import Question


class QuestionRow(NamedTuple):
    """Where a kind is found, before it is loaded."""

    place: str
    """Its file in this folder and its class: `tidy_memory:MemoryTidying`."""
    schema: str
    """What the field `schema` of an agent's answer says."""
    command: str
    """The command that asks it, behind `wiki`, and takes `--prepare`."""
    help: str = ""
    """What `wiki help COMMAND` says: the command is made of this row. Empty: it has a file, for it
    does more than to ask."""
    lands: bool = True
    """Whether an answer may change pages; else it is asked of any Markdown, too."""
    shows_notes: bool = False
    """Whether its jobs hold words of notes, and go when a note is forgotten."""


_TIDY = """Read the wiki a second time, and mend what only a reader sees.

Pages are written one source after another; what lies between them is found here: pages that
may be one, claims that cannot both hold, leads that do not fit their claims. Lint and retrieval
raise the questions, a model or an agent answers, and each answer is checked: pages are merged
only on claims of both, a lead holds no number that no claim has. What does not count is told
with the reason; the rest of a part lands as one commit, which `wiki undo` takes back.

\b
Examples:
  wiki tidy --prepare
  wiki tidy --model claude-sonnet-5 --max-cost 0.50
"""
_MEMORY_TIDY = """Find notes that say the same in other words, and notes that no longer hold.

A model or an agent reads the notes that stand; each step of its answer is checked. No note is
written anew and none is taken away: one that says no more than another, or that a later one
has overtaken, is struck and leads to it, and of 100 notes 75 go on standing after one answer.
What a person told gives way only to what a person told. A part lands as one commit, which
`wiki undo` takes back; what has not changed since is not asked again.

\b
Examples:
  wiki memory tidy --prepare
  wiki memory tidy --model claude-sonnet-5 --max-cost 0.20
"""
_EDGES = """Let a model or an agent find edges that no text shows.

Read are the pages that are new or have changed since they were read, those of the highest rank
first; the edges are kept beside the repository, and `wiki graph` shows them from then on.

\b
Examples:
  wiki graph infer --model claude-sonnet-5 --max-cost 0.50
  wiki graph infer --prepare
"""

QUESTIONS: Mapping[str, QuestionRow] = {
    "judgement": QuestionRow(
        "judge_claims:ClaimJudging", "llmwiki.findings/1", "lint", lands=False
    ),
    "tidy": QuestionRow("tidy_wiki:WikiTidying", "llmwiki.tidying/1", "tidy", _TIDY),
    "memory-tidy": QuestionRow(
        "tidy_memory:MemoryTidying",
        "llmwiki.notes/1",
        "memory tidy",
        _MEMORY_TIDY,
        shows_notes=True,
    ),
    "edges": QuestionRow(
        "infer_edges:EdgeReading", "llmwiki.edges/1", "graph infer", _EDGES, lands=False
    ),
    "learned": QuestionRow(
        "learn_from_talk:Learning",
        "llmwiki.learned/1",
        "memory observe --transcript FILE",
        shows_notes=True,
    ),
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
