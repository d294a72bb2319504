"""wiki split: give claims a page of their own."""

from __future__ import annotations

import click

from llmwiki.app.to_json.page_moves import split_json
from llmwiki.cli.context import open_wiki, say_json
from llmwiki.cli.options import ALLOW_DETACHED, AS_JSON, PAGE, REVIEW
from llmwiki.cli.page_moves import tell_move


@click.command()
@click.argument("page", metavar="PAGE", type=PAGE)
@click.argument("claims", nargs=-1, required=True, metavar="CLAIM...")
@click.option("--to", "title", required=True, metavar="TITLE", help="The page they go to.")
@click.option("--dry-run", is_flag=True, help="Say what would change; write nothing.")
@REVIEW
@ALLOW_DETACHED
@AS_JSON
@click.pass_context
def command(
    ctx: click.Context,
    page: str,
    claims: tuple[str, ...],
    title: str,
    dry_run: bool,
    review: bool,
    allow_detached: bool,
    as_json: bool,
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
    done = open_wiki(ctx).split(
        page, title, claims, dry_run=dry_run, allow_detached=allow_detached, review=review
    )
    if as_json:
        say_json(split_json(done, dry_run=dry_run))
    else:
        tell_move(done, dry_run=dry_run)
    return 0
