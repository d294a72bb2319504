"""wiki search: the pages that words lead to."""

from __future__ import annotations

import textwrap
from typing import Any

import click

from llmwiki.app.search import KINDS, SearchRow
from llmwiki.cli.asking import NO_MATCH, looking, nothing_found, question_of
from llmwiki.cli.context import WIDTH, open_wiki, say, say_json
from llmwiki.cli.explain import decimal, hit_lines, term_lines
from llmwiki.core.text import cut, normalise

_SHOWN_LINES = 2


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
    ctx: click.Context, /, words: tuple[str, ...], explain: bool, as_json: bool, **options: Any
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
    found = open_wiki(ctx).search(question_of(words), **options)
    if as_json:
        from llmwiki.app.shapes.asking import search_json

        say_json(search_json(found, explain=explain))
    elif explain:
        say(term_lines(found.ranking))
    for number, row in enumerate(found.rows, start=1):
        if not as_json:
            say(_shown(number, row, explain=explain))
    if not found.rows:
        nothing_found(found.pages, found.question)
    return 0 if found.rows else NO_MATCH


def _shown(number: int, row: SearchRow, *, explain: bool) -> str:
    card = row.hit.card
    head = f"{number:2}  "
    indent = " " * len(head)
    tail = f"  {card.type or 'page'}  {decimal(row.hit.score)}"
    room = WIDTH - len(head) - len(tail)
    title = cut(row.shown_title, room)
    lines = [f"{head}{title:{room}}{tail}", f"{indent}{normalise(card.path)}"]
    text = textwrap.wrap(row.text, WIDTH - len(indent))
    if len(text) > _SHOWN_LINES:
        last = textwrap.wrap(text[_SHOWN_LINES - 1], WIDTH - len(indent) - 2)[0]
        text[_SHOWN_LINES - 1] = last + " …"
    lines += [indent + line for line in text[:_SHOWN_LINES]]
    if row.updated_by:
        lines.append(f"{indent}updated by {' and '.join(row.updated_by)}")
    if explain:
        lines += [f"{indent}{line}" for line in hit_lines(row.hit)]
    return "\n".join(lines)
