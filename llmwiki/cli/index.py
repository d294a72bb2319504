"""wiki index: the index that search reads, looked at, checked and made anew."""

from __future__ import annotations

import click

from llmwiki.app.shapes.upkeep import IndexJson
from llmwiki.cli.context import open_wiki, say, say_json
from llmwiki.cli.options import option


@click.command()
@option(
    "--check",
    is_flag=True,
    excludes=("--rebuild",),
    help="Compare it with one made anew; exit 1 if it differs.",
)
@click.option("--rebuild", "anew", is_flag=True, help="Make it anew.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.pass_context
def command(ctx: click.Context, check: bool, anew: bool, as_json: bool) -> int:
    """Bring the search index up to date.

    Every command does so when it needs to; nothing is lost if the file is deleted. It lies in the
    git directory, one for each work tree, and is never committed.

    \b
    Examples:
      wiki index
      wiki index --check
    """
    held = open_wiki(ctx).index(check=check, rebuild=anew)
    if as_json:
        say_json(IndexJson.of(held))
    else:
        edits = f", {held.uncommitted} with uncommitted edits" if held.uncommitted else ""
        commit = held.commit[:12] if held.commit else "no commit"
        say(f"{held.pages} pages, {held.words} words{edits}, at {commit}")
        for line in held.differences or ():
            say(f"{line}: run `wiki index --rebuild`")
        if held.differences == ():
            say("The index equals one made anew.")
    return 1 if held.differences else 0
