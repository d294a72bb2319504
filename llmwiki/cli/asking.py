"""What the commands that look into the wiki share: options, the question, scores, no answer."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from llmwiki.app.search import MAX_BYTES
from llmwiki.cli.context import tell
from llmwiki.cli.hits import decimal
from llmwiki.cli.options import AS_JSON, AS_OF, AT, together
from llmwiki.core.text import counted, cut

if TYPE_CHECKING:
    from llmwiki import Context, Ranking


NO_MATCH = 1
"""The exit code where nothing was found."""
EMPTY = "this wiki is empty"
SAYS_NOTHING = "the wiki says nothing of: "
START = "Put documents into raw/ and run `wiki ingest raw/`."


explained = together(
    click.option("--explain", is_flag=True, help="Say what each part of a score gave."), AS_JSON
)
looking = together(AT, AS_OF, explained)
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


def term_lines(ranking: Ranking) -> str:
    """The question as it was understood: terms, titles, coverage."""
    terms = []
    for term in ranking.terms:
        many = "nowhere" if not term.df else counted(term.df, "page")
        terms.append(f"{term.text} ({many}{'' if term.whole or not term.df else ', looked up'})")
    lines = [f"terms     {', '.join(terms) or 'none'}"]
    if ranking.titles:
        lines.append(f"titles    {', '.join(ranking.titles)}")
    lines.append(f"coverage  {decimal(ranking.coverage)} of the question on one page")
    return "\n".join(lines) + "\n"


def explain_context(context: Context) -> str:
    """What each passage of a context scored, and how much room there was."""
    lines = [
        f"context   about {context.tokens} of {context.budget} tokens,"
        f" {len(context.shown)} passages of {len(context.pages)} pages,"
        f" {context.left_out} found no room"
    ]
    for shown in context.shown:
        parts = " + ".join(f"{name} {decimal(value)}" for name, value in shown.parts if value)
        lines.append(f"{decimal(shown.score)}  {shown.passage.handle}\n       {parts}")
    return "\n".join(lines)
