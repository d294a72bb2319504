"""wiki rename: give a page another title."""

from __future__ import annotations

import click

from llmwiki.app.to_json.page_moves import rename_json
from llmwiki.cli.context import open_wiki, say_json
from llmwiki.cli.options import ALLOW_DETACHED, AS_JSON, PAGE, REVIEW
from llmwiki.cli.page_moves import tell_move


@click.command()
@click.argument("page", metavar="PAGE", type=PAGE)
@click.argument("title", metavar="TITLE")
@click.option("--dry-run", is_flag=True, help="Say what would change; write nothing.")
@REVIEW
@ALLOW_DETACHED
@AS_JSON
@click.pass_context
def command(
    ctx: click.Context,
    page: str,
    title: str,
    dry_run: bool,
    review: bool,
    allow_detached: bool,
    as_json: bool,
) -> int:
    """Give a page another title, and lead every link to it, in one commit.

    PAGE is a title, an alias, a file name or a path. The file gets the name of the title; the old
    title stays as an alias. Links show what they showed. A link that may mean two pages is left as
    it is and named. Pages of sources keep their names: quotes go by them.

    \b
    Examples:
      wiki rename RSC "React Server Components"
      wiki rename --dry-run wiki/concepts/Tee.md Tea
    """
    done = open_wiki(ctx).rename(
        page, title, dry_run=dry_run, allow_detached=allow_detached, review=review
    )
    if as_json:
        say_json(rename_json(done, dry_run=dry_run))
    else:
        tell_move(done, dry_run=dry_run)
    return 0
