"""wiki rename: give a page another title."""

from __future__ import annotations

from typing import Any

import click

from llmwiki.cli.context import open_wiki
from llmwiki.cli.options import PAGE
from llmwiki.cli.page_moves import MOVE_OPTIONS, move


@click.command()
@click.argument("page", metavar="PAGE", type=PAGE)
@click.argument("title", metavar="TITLE")
@MOVE_OPTIONS
def command(ctx: click.Context, page: str, title: str, **options: Any) -> int:
    """Give a page another title, and lead every link to it, in one commit.

    PAGE is a title, an alias, a file name or a path. The file gets the name of the title; the old
    title stays as an alias. Links show what they showed. A link that may mean two pages is left as
    it is and named. Pages of sources keep their names: quotes go by them.

    \b
    Examples:
      wiki rename RSC "React Server Components"
      wiki rename --dry-run wiki/concepts/Tee.md Tea
    """
    return move(open_wiki(ctx).rename, page, title, **options)
