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
SAYS_NOTHING = "the wiki says nothing of: "
START = "Put documents into raw/ and run `wiki ingest raw/`."


explained = together(
    click.option("--explain", is_flag=True, help="Say what each part of a score gave."), AS_JSON
)
looking = together(AT, AS_OF, FRESH, explained)
"""The options of every command that looks into the wiki."""


def question_of(words: Sequence[str]) -> str:
    """The question of the command line; `-` alone reads it from standard input."""
    if list(words) == ["-"]:
        return sys.stdin.buffer.read(4 * MAX_BYTES).decode("utf-8", "replace")
    return " ".join(words)


def nothing_found(pages: int, said: str) -> None:
    """Tells what was said of nothing found; in an empty wiki, how to start."""
    if pages:
        tell(f"wiki: {cut(said, 100)}\n  wiki/index.md lists its pages.")
    else:
        tell(f"wiki: {EMPTY}\n  {START}")
