"""What the commands that look into the wiki share: their options, the question, the empty wiki."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from llmwiki.app.search import MAX_BYTES
from llmwiki.cli.context import tell
from llmwiki.cli.options import AS_JSON, AS_OF, AT, FRESH, together
from llmwiki.core.text import cut

NO_MATCH = 1
"""The exit code where nothing was found."""
EMPTY = "this wiki is empty"
START = "Put documents into raw/ and run `wiki ingest raw/`."


looking = together(
    AT,
    AS_OF,
    FRESH,
    click.option("--explain", is_flag=True, help="Say what each part of a score gave."),
    AS_JSON,
)
"""The options of every command that looks into the wiki."""


def question_of(words: Sequence[str]) -> str:
    """The question of the command line; `-` alone reads it from standard input."""
    if list(words) == ["-"]:
        return sys.stdin.buffer.read(4 * MAX_BYTES).decode("utf-8", "replace")
    return " ".join(words)


def nothing_found(pages: int, question: str, *, some_stand: bool = False) -> None:
    """Says on stderr that nothing was found, and in an empty wiki how to start.

    `some_stand`: words of the question do stand somewhere.
    """
    if not pages:
        tell(f"wiki: {EMPTY}\n  {START}")
        return
    shown = cut(question, 60)
    said = "no passage that was asked for holds" if some_stand else "the wiki says nothing of"
    tell(f"wiki: {said}: {shown}\n  wiki/index.md lists its pages.")
