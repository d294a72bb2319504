"""What the commands that look into the wiki share: the question, the index, the empty wiki."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from llmwiki.cli.context import tell
from llmwiki.query.question import MAX_BYTES, as_question

if TYPE_CHECKING:
    from llmwiki.index.open_index import Index
    from llmwiki.repo.repository import Repository
    from llmwiki.retrieval.context import Context
    from llmwiki.retrieval.rank import Ranking

_Function = TypeVar("_Function", bound=Callable[..., Any])

BUDGET = 8000
"""Tokens of a context where nobody says otherwise; an estimate. As `retrieval.context` has it."""
RANKED = 30
"""Pages that a context is made from at most."""
EMPTY = "this wiki is empty"
START = "Put documents into raw/ and run `wiki ingest raw/`."


def looking(function: _Function) -> _Function:
    """The options of every command that looks into the wiki."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print the result as JSON."),
        click.option("--explain", is_flag=True, help="Say what each part of a score gave."),
        click.option(
            "--fresh", is_flag=True, help="Look for edits in the work tree of a large wiki too."
        ),
        click.option("--at", "revision", metavar="REV", help="The wiki as it was in this commit."),
    ):
        function = option(function)
    return function


def question_of(words: Sequence[str]) -> str:
    """The question of the command line; `-` alone reads it from standard input.

    Raises InputError where there is none, PolicyError where it is too long.
    """
    if list(words) == ["-"]:
        data = sys.stdin.buffer.read(4 * MAX_BYTES)
        return as_question(data.decode("utf-8", "replace"))
    return as_question(" ".join(words))


class QueryContext(NamedTuple):
    """What a look into the wiki gave."""

    context: Context
    ranking: Ranking
    pages: int
    """How many the wiki has."""


@contextmanager
def searched(repo: Repository, revision: str | None, fresh: bool) -> Iterator[Index]:
    """The index, open: of the wiki as it is or as it was in a commit."""
    from llmwiki.index.open_index import open_corpus

    with open_corpus(repo, at=revision, fresh=fresh, notice=notice) as corpus:
        yield corpus


def look(
    repo: Repository, question: str, budget: int, revision: str | None, fresh: bool
) -> QueryContext:
    """The context of a question, from the wiki as it is or as it was in a commit."""
    with searched(repo, revision, fresh) as corpus:
        from llmwiki.retrieval.context import assemble
        from llmwiki.retrieval.rank import rank

        ranking = rank(corpus, question, limit=RANKED)
        context = assemble(corpus, ranking, corpus.read, question, budget=budget)
        return QueryContext(context, ranking, corpus.pages)


def nothing_found(pages: int, question: str) -> None:
    """Says on stderr that nothing was found, and in an empty wiki how to start."""
    if not pages:
        tell(f"wiki: {EMPTY}\n  {START}")
        return
    shown = question if len(question) <= 60 else question[:59] + "…"
    tell(f"wiki: the wiki says nothing of: {shown}\n  wiki/index.md lists its pages.")


def notice(sentence: str) -> None:
    """A sentence of the index's, on stderr."""
    tell(f"wiki: {sentence}")
