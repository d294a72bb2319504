"""wiki search: the pages that words lead to."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, NamedTuple

import click

from llmwiki.cli.asking import looking, nothing_found, question_of, searched
from llmwiki.cli.context import opened, say, say_json
from llmwiki.cli.explain import decimal, hit_json, hit_lines, term_lines, terms_json
from llmwiki.core.page_kinds import KINDS
from llmwiki.core.text import normalise

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from llmwiki.index.corpus import Card
    from llmwiki.retrieval.rank import Ranking, SearchHit

NO_MATCH = 1
_WIDTH = 80
_SHOWN_LINES = 2


class SearchRow(NamedTuple):
    """One page that was found."""

    hit: SearchHit
    text: str
    """Its description, or the passage that fits best."""
    line: int | None
    """Where that passage stands in the page, from 1; None for a description."""


@click.command()
@click.argument("words", nargs=-1, metavar="WORDS…")
@click.option(
    "--limit",
    type=click.IntRange(min=1, max=1000),
    default=10,
    show_default=True,
    metavar="N",
    help="Pages at most.",
)
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(KINDS),
    help="Only pages of this kind; may be repeated.",
)
@looking
@click.pass_context
def command(
    ctx: click.Context,
    words: tuple[str, ...],
    limit: int,
    kinds: tuple[str, ...],
    revision: str | None,
    fresh: bool,
    explain: bool,
    as_json: bool,
) -> int:
    """Find the pages that words, names or a whole question lead to, best first.

    No model and no embeddings: words, titles and links decide, and the same wiki and words give
    the same list. `-` reads the words from standard input. Exit code 1: nothing found.

    \b
    Examples:
      wiki search green tea
      wiki search "who wrote the transformer paper" --kind entity
      wiki search caching --at HEAD~20 --explain
    """
    asked = question_of(words)
    with opened(ctx, reads_only=True) as repo, searched(repo, revision, fresh) as corpus:
        from llmwiki.retrieval.rank import rank

        wanted = frozenset(kinds) or None
        ranking = rank(corpus, asked, limit=limit, kinds=wanted)
        weights = {term.text: term.idf for term in ranking.terms}
        rows = [_row(hit, corpus.read, weights) for hit in ranking.hits]
        pages = corpus.pages
    if as_json:
        say_json(_json(asked, ranking, rows, explain=explain))
    elif explain:
        say(term_lines(ranking))
    for number, row in enumerate(rows, start=1):
        if not as_json:
            say(_shown(number, row, explain=explain))
    if not rows:
        nothing_found(pages, asked)
    return 0 if rows else NO_MATCH


def _row(hit: SearchHit, read: Callable[[Card], str], weights: Mapping[str, int]) -> SearchRow:
    if hit.card.description:
        return SearchRow(hit, hit.card.description, None)
    from llmwiki.query.snippet import best_passage

    passage = best_passage(hit.card.path, hit.card.title, read(hit.card), weights)
    return SearchRow(hit, passage.text if passage else "", passage.line if passage else None)


def _shown(number: int, row: SearchRow, *, explain: bool) -> str:
    card = row.hit.card
    head = f"{number:2}  "
    indent = " " * len(head)
    tail = f"  {card.type or 'page'}  {decimal(row.hit.score)}"
    room = _WIDTH - len(head) - len(tail)
    title = card.title if len(card.title) <= room else card.title[: room - 1] + "…"
    lines = [f"{head}{title:{room}}{tail}", f"{indent}{normalise(card.path)}"]
    text = textwrap.wrap(row.text, _WIDTH - len(indent))
    if len(text) > _SHOWN_LINES:
        last = textwrap.wrap(text[_SHOWN_LINES - 1], _WIDTH - len(indent) - 2)[0]
        text[_SHOWN_LINES - 1] = last + " …"
    lines += [indent + line for line in text[:_SHOWN_LINES]]
    if explain:
        lines += [f"{indent}{line}" for line in hit_lines(row.hit)]
    return "\n".join(lines)


def _json(
    question: str, ranking: Ranking, rows: Sequence[SearchRow], *, explain: bool
) -> dict[str, object]:
    told: dict[str, object] = {
        "schema": "llmwiki.search/1",
        "question": question,
        "exit_code": 0 if rows else NO_MATCH,
        "results": [
            {
                "path": row.hit.card.path,
                "type": row.hit.card.type,
                "title": row.hit.card.title,
                "description": row.hit.card.description,
                "text": row.text,
                "line": row.line,
                "score": row.hit.score,
                **(hit_json(row.hit) if explain else {}),
            }
            for row in rows
        ],
    }
    return told | (terms_json(ranking) if explain else {})
