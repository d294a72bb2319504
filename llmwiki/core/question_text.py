"""A question as it may be asked: one line of text, bounded."""

from __future__ import annotations

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.core.text import normalise

MAX_BYTES = 8_000
"""Of a question in UTF-8: two pages of text. What is longer is a document, not a question."""
BUDGET = 8_000
"""Tokens of its context where nobody says otherwise; an estimate."""


def as_question(
    text: str, such_as: str = 'query "What is a claim?"', *, what: str = "the question"
) -> str:
    """The question in its normal form; `such_as` is a command that asks one, for who asks none.

    `what` is what an error calls it.

    Raises InputError where there is none, PolicyError where it is longer than `MAX_BYTES`.
    """
    size = len(text.encode("utf-8", "replace"))
    if size > MAX_BYTES:
        raise PolicyError(
            f"{what} is longer than {MAX_BYTES:,} bytes",
            fix="Ask in a few sentences; a document is read with `wiki ingest`.",
        )
    question = normalise(text)
    if not any(character.isalnum() for character in question):
        raise InputError("there is no question", fix=f"Such as: wiki {such_as}")
    return question
