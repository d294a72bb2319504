"""wiki show: print one page."""

from __future__ import annotations

import click

from llmwiki.app.as_json import show_json
from llmwiki.cli.context import open_wiki, say, say_json


@click.command()
@click.argument("name", metavar="PAGE")
@click.option("--at", "revision", metavar="REV", help="The page as it was in this commit.")
@click.option("--json", "as_json", is_flag=True, help="Print claims and evidence as JSON.")
@click.pass_context
def command(ctx: click.Context, name: str, revision: str | None, as_json: bool) -> int:
    """Print one page as it was committed.

    PAGE is its title, an alias, its path, or the id of a claim on it (c-…); case does not count.

    \b
    Examples:
      wiki show "Green tea"
      wiki show wiki/index.md
      wiki show "green tea" --at HEAD~20
    """
    shown = open_wiki(ctx).show(name, at=revision)
    if as_json and shown.page is not None:
        say_json(show_json(shown.page))
    else:
        say(shown.text.rstrip("\n"))
    return 0
