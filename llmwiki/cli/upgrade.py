"""wiki upgrade: an older wiki in the grammar of today."""

from __future__ import annotations

import click

from llmwiki.app.shapes.operations import UpgradeJson
from llmwiki.cli.context import open_wiki, say, say_json
from llmwiki.cli.options import ALLOW_DETACHED, AS_JSON
from llmwiki.core.options import FORMAT
from llmwiki.core.text import counted


@click.command()
@click.option("--dry-run", is_flag=True, help="Say what would change; write nothing.")
@ALLOW_DETACHED
@AS_JSON
@click.pass_context
def command(ctx: click.Context, dry_run: bool, allow_detached: bool, as_json: bool) -> int:
    """Bring the pages of an older wiki into the format of this version, in one commit.

    Commands that read work on older wikis; those that write ask for this first. The pages say what
    they said: no claim, quote or sentence of yours changes. Two clones upgrade each their own
    branch, and merge then; a second run changes nothing.

    \b
    Examples:
      wiki upgrade --dry-run
      wiki upgrade
    """
    outcome = open_wiki(ctx).upgrade(dry_run=dry_run, allow_detached=allow_detached)
    if as_json:
        say_json(UpgradeJson.of(outcome, dry_run=dry_run))
        return 0
    pages = counted(len(outcome.differences), "page")
    if outcome.commit:
        say(f"{outcome.commit[:10]}  format {FORMAT}: {pages} rewritten")
    elif outcome.differences:
        say(f"would rewrite {pages} in format {FORMAT}")
    else:
        say(f"The wiki has format {FORMAT} already.")
    return 0
