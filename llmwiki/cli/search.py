"""wiki search: the pages and sources in which words stand."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

import click

from llmwiki.app.search import KINDS, SearchResult, SearchRow
from llmwiki.cli.asking import (
    NO_MATCH,
    SAYS_NOTHING,
    decimal,
    hit_lines,
    looking,
    nothing_found,
    question_of,
    term_lines,
)
from llmwiki.cli.cleaning import AUTO, clean, wanted
from llmwiki.cli.context import WIDTH, open_wiki, say, say_json, tell
from llmwiki.core.text import cut, listed, normalise

_INDENT = 4
_SHOWN_LINES = 3
_WRAPPED = 30
"""Characters that lines lose where words are wrapped."""


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
    """Find the pages and sources in which words stand, best first, each with its best passage.

    Words, names, a whole question; `E.22`, `C++` or `foo_bar()` as they stand; "a phrase"; the
    beginning of a word, `postg*`; `type:concept`, `tag:tea`, `path:notes` keep such pages only. No
    model and no embeddings: the same wiki and words give the same list. `-` reads the words from
    standard input. Exit code 1: nothing found.

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
    else:
        if explain:
            say(term_lines(found.ranking))
        for number, row in enumerate(found.rows, start=1):
            lines = [*_lines(number, row, found), *(map(clean, hit_lines(row)) if explain else ())]
            click.echo(f"\n{' ' * _INDENT}".join(lines), color=wanted(AUTO))
        for note in found.notes if found.rows else ():
            tell(f"wiki: {note}")
    if not found.rows:
        said = f"no passage that was asked for holds: {found.question}"
        if found.nowhere:
            said = SAYS_NOTHING + listed(found.nowhere)
        nothing_found(found.pages, said)
    return 0 if found.rows else NO_MATCH


def _lines(number: int, row: SearchRow, found: SearchResult) -> Iterator[str]:
    """What is printed of a page, safe to print; all but the first line are to be indented."""
    tail = f"  {row.type or 'page'}  {decimal(row.found.score)}"
    room = WIDTH - _INDENT - len(tail)
    yield clean(f"{number:2}".ljust(_INDENT) + f"{cut(row.shown_title, room):{room}}{tail}")
    where = normalise(row.place)
    _, sign, ident = row.handle.partition("#^")
    if sign:
        has_room = _INDENT + len(f"{where}  {row.handle}") <= WIDTH
        where += f"  {row.handle if has_room else ident.rstrip(']')}"
    yield clean(where)
    text = found.excerpt(row, _SHOWN_LINES * (WIDTH - _INDENT) - _WRAPPED)
    for line in textwrap.wrap(text, WIDTH - _INDENT, break_on_hyphens=False):
        yield _marked(clean(line), found) if wanted(AUTO) else clean(line)
    if row.updated_by:
        yield clean(f"updated by {' and '.join(row.updated_by)}")


def _marked(line: str, found: SearchResult) -> str:
    return "".join(click.style(t, bold=True) if held else t for t, held in found.pieces(line))
