"""An answer as Markdown, and as the file that `wiki apply` takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, Field

from llmwiki.core.question_text import MAX_BYTES
from llmwiki.core.text import normalise
from llmwiki.models.agent_jobs import ParsedAnswer
from llmwiki.query.save_answer import NoteRequest
from llmwiki.query.split_answer import split
from llmwiki.version import SIGNED

if TYPE_CHECKING:
    from llmwiki.query.answer_by_model import CheckedAnswer

MAX_ANSWER = 100_000
"""Characters of the answer's Markdown."""


class AnswerFile(BaseModel, extra="forbid", frozen=True):
    """What an agent writes and `wiki apply` takes. Unknown keys are refused."""

    question: Annotated[str, Field(min_length=1, max_length=MAX_BYTES)]
    title: Annotated[str, Field(max_length=300)] = ""
    """Of the page; empty: the question."""
    answer: Annotated[str, Field(min_length=1, max_length=MAX_ANSWER)]
    """Markdown; each sentence or list item ends with its citations, `[[Page#^c-…]]`."""


def read_answer(
    handed_in: ParsedAnswer, *, model: str, allowed: frozenset[str] = frozenset()
) -> NoteRequest:
    """The answer, ready to be filed. Raises ModelOutputError, saying what is wrong with it."""
    answer = handed_in.valid(AnswerFile)
    statements = split(answer.answer)
    return NoteRequest(
        question=normalise(answer.question),
        statements=tuple(each for each in statements if each.kind == "sentence"),
        title=normalise(answer.title),
        by=SIGNED,
        model=model or "agent",
        allowed_secrets=allowed,
    )


def markdown(answered: CheckedAnswer) -> str:
    """The answer as Markdown, each statement with the citations that were known."""
    blocks = []
    for each in answered.blocks:
        words = (w for said in each for w in (said.statement.text, *(c.handle for c in said.cited)))
        blocks.append(each[0].statement.marker + " ".join(words))
    out = ""
    for before, block in zip(["", *blocks], blocks, strict=False):
        is_list = _is_item(before) and _is_item(block)
        out += ("\n" if is_list else "\n\n") * bool(out) + block
    return out


def _is_item(block: str) -> bool:
    return block.lstrip(" \t>").startswith(("- ", "* ", "+ ")) or block.lstrip()[:1].isdigit()
