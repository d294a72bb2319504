"""wiki search: the pages and sources in which words stand."""

from __future__ import annotations

import textwrap
from typing import Any

import click

from llmwiki.app.search import KINDS, SearchResult, SearchRow
from llmwiki.cli.asking import NO_MATCH, looking, nothing_found, question_of
from llmwiki.cli.cleaning import clean
from llmwiki.cli.colour import AUTO, wanted
from llmwiki.cli.context import WIDTH, open_wiki, say, say_json, tell
from llmwiki.cli.explain import decimal, hit_lines, term_lines
from llmwiki.core.text import cut, normalise

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
    elif explain:
        say(term_lines(found.ranking))
    for number, row in enumerate(found.rows, start=1):
        if not as_json:
            shown = _shown(number, row, found, explain=explain)
            click.echo(shown, color=wanted(AUTO))
    if not as_json:
        for word, near in sorted(found.instead.items()):
            tell(f"wiki: nothing says {cut(word, 60)}; this is for {near}")
    if not found.rows:
        stand = any(term.text not in found.nowhere for term in found.ranking.terms)
        nothing_found(found.pages, found.question, some_stand=stand)
    return 0 if found.rows else NO_MATCH


def _shown(number: int, row: SearchRow, found: SearchResult, *, explain: bool) -> str:
    head = f"{number:2}  "
    indent = " " * len(head)
    tail = f"  {row.type or 'page'}  {decimal(row.found.score)}"
    room = WIDTH - len(head) - len(tail)
    lines = [f"{head}{cut(row.shown_title, room):{room}}{tail}"]
    where, (page, sign, ident) = f"{indent}{normalise(row.place)}", row.handle.partition("#^")
    cited = f"  {page}{sign}{ident}" if sign else ""
    short = f"  {ident.rstrip(']')}" if sign else ""
    lines.append(where + (cited if len(where + cited) <= WIDTH else short))
    text = found.excerpt(row, _SHOWN_LINES * (WIDTH - len(indent)) - _WRAPPED)
    shown = map(clean, textwrap.wrap(text, WIDTH - len(indent), break_on_hyphens=False))
    marked = [_marked(line, found) if wanted(AUTO) else line for line in shown]
    later = [f"updated by {' and '.join(row.updated_by)}"] if row.updated_by else []
    scored = hit_lines(row) if explain else []
    lines = [clean(line) for line in lines]
    lines += [indent + line for line in marked]
    return "\n".join((*lines, *(indent + clean(line) for line in (*later, *scored))))


def _marked(line: str, found: SearchResult) -> str:
    return "".join(click.style(t, bold=True) if held else t for t, held in found.pieces(line))
