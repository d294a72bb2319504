"""An agent's answer as a file: its schema, and the way from there to a synthesis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from llmwiki.core.errors import ModelOutputError
from llmwiki.core.text import normalise
from llmwiki.query.answer_schema import ANSWER_SCHEMA
from llmwiki.query.note import NoteRequest
from llmwiki.query.question import MAX_BYTES
from llmwiki.query.statements import split
from llmwiki.version import __version__

MAX_ANSWER = 100_000
"""Characters of the answer's Markdown."""
_TOLD_PROBLEMS = 5


class AnswerFile(BaseModel):
    """What an agent writes and `wiki apply` takes. Unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_: Literal["llmwiki.answer/1"] = Field(alias="schema")
    question: Annotated[str, Field(min_length=1, max_length=MAX_BYTES)]
    title: Annotated[str, Field(max_length=300)] = ""
    """Of the page; empty: the question."""
    answer: Annotated[str, Field(min_length=1, max_length=MAX_ANSWER)]
    """Markdown; each sentence or list item ends with its citations, `[[Page#^c-…]]`."""


def read_answer(
    data: Mapping[str, object], *, where: str, model: str, allowed: frozenset[str] = frozenset()
) -> NoteRequest:
    """The answer, ready to be filed. Raises ModelOutputError, saying what is wrong with it."""
    try:
        answer = AnswerFile.model_validate(data)
    except ValidationError as failure:
        errors = failure.errors(include_url=False, include_input=False, include_context=False)
        told = [
            f"{'.'.join(str(part) for part in error['loc']) or 'the object'}: {error['msg']}"
            for error in errors[:_TOLD_PROBLEMS]
        ]
        raise ModelOutputError(
            f"it is no {ANSWER_SCHEMA}: {'; '.join(told)}",
            where=where,
            fix="Mend the file and run `wiki apply` again.",
        ) from None
    statements = split(answer.answer)
    return NoteRequest(
        question=normalise(answer.question),
        statements=tuple(each for each in statements if each.kind == "sentence"),
        title=normalise(answer.title),
        by=f"llmwiki/{__version__}",
        model=model or "agent",
        allowed_secrets=allowed,
    )
