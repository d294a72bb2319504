"""wiki search: the pages and sources in which words stand."""

from __future__ import annotations

from typing import Any

import click

from llmwiki.app.search import KINDS
from llmwiki.cli.asking import (
    NO_MATCH,
    SAYS_NOTHING,
    looking,
    nothing_found,
    question_of,
    term_lines,
)
from llmwiki.cli.cleaning import AUTO, wanted
from llmwiki.cli.context import open_wiki, say, say_json, tell
from llmwiki.cli.hits import hit_text
from llmwiki.core.text import listed


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
            click.echo(hit_text(number, row, found, explain=explain), color=wanted(AUTO))
        for note in found.notes if found.rows else ():
            tell(f"wiki: {note}")
    if not found.rows:
        said = f"no passage that was asked for holds: {found.question}"
        if found.nowhere:
            said = SAYS_NOTHING + listed(found.nowhere)
        nothing_found(found.pages, said)
    return 0 if found.rows else NO_MATCH
