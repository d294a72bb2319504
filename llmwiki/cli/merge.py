"""wiki merge: make one page of two."""

from __future__ import annotations

from typing import Any

import click

from llmwiki.cli.context import open_wiki
from llmwiki.cli.options import PAGE
from llmwiki.cli.page_moves import MOVE_OPTIONS, move


@click.command()
@click.argument("page", metavar="PAGE", type=PAGE)
@click.argument("into", metavar="INTO", type=PAGE)
@MOVE_OPTIONS
def command(ctx: click.Context, page: str, into: str, **options: Any) -> int:
    """Make one page of two that are about one thing, in one commit.

    What stands on PAGE comes to INTO, whose title, lead and description stand; PAGE goes, and its
    title and aliases become aliases of INTO. Claims keep their ids and their evidence; two that say
    the same become one with the evidence of both. Every link to PAGE leads to INTO, and shows what
    it showed. A lead that a person wrote on PAGE becomes a section of INTO.

    Branches of git are merged with `git merge`.

    \b
    Examples:
      wiki merge --dry-run RSC "React Server Components"
      wiki merge RSC "React Server Components"
    """
    return move(open_wiki(ctx).merge, page, into, **options)
