"""wiki merge: make one page of two."""

from __future__ import annotations

import click

from llmwiki.app.to_json.page_moves import merge_json
from llmwiki.cli.context import open_wiki, say_json
from llmwiki.cli.options import ALLOW_DETACHED, AS_JSON, PAGE, REVIEW
from llmwiki.cli.page_moves import tell_move


@click.command()
@click.argument("page", metavar="PAGE", type=PAGE)
@click.argument("into", metavar="INTO", type=PAGE)
@click.option("--dry-run", is_flag=True, help="Say what would change; write nothing.")
@REVIEW
@ALLOW_DETACHED
@AS_JSON
@click.pass_context
def command(
    ctx: click.Context,
    page: str,
    into: str,
    dry_run: bool,
    review: bool,
    allow_detached: bool,
    as_json: bool,
) -> int:
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
    done = open_wiki(ctx).merge(
        page, into, dry_run=dry_run, allow_detached=allow_detached, review=review
    )
    if as_json:
        say_json(merge_json(done, dry_run=dry_run))
    else:
        tell_move(done, dry_run=dry_run)
    return 0
