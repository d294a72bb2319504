"""wiki split: give claims a page of their own."""

from __future__ import annotations

from typing import Any

import click

from llmwiki.cli.context import open_wiki
from llmwiki.cli.options import PAGE
from llmwiki.cli.page_moves import MOVE_OPTIONS, move


@click.command()
@click.argument("page", metavar="PAGE", type=PAGE)
@click.argument("claims", nargs=-1, required=True, metavar="CLAIM...")
@click.option("--to", "title", required=True, metavar="TITLE", help="The page they go to.")
@MOVE_OPTIONS
def command(
    ctx: click.Context, page: str, claims: tuple[str, ...], title: str, **options: Any
) -> int:
    """Move claims of PAGE to a page of their own, in one commit.

    CLAIM is the id of a claim, c-…, as `wiki show PAGE` prints it. The page of that TITLE is made
    where there is none. Claims keep their ids and their evidence, and every link to them leads to
    their new page. All else stays on PAGE.

    \b
    Examples:
      wiki show Mercury
      wiki split Mercury --to "Mercury (planet)" c-9f3a1c22k7 c-2b7m0q4xza
    """
    return move(open_wiki(ctx).split, page, title, claims, **options)
