"""wiki resolve: merge the pages that a stopped merge left."""

from __future__ import annotations

import click

from llmwiki.app.as_json import resolve_json
from llmwiki.cli.context import open_wiki, say, say_json, tell


@click.command()
@click.option("--dry-run", is_flag=True, help="Say what would be merged; write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.pass_context
def command(ctx: click.Context, dry_run: bool, as_json: bool) -> int:
    """Merge, claim by claim, the pages that a stopped merge, rebase or cherry-pick left.

    For a clone without the merge driver (`wiki init` sets it), and for what git asks no driver
    about: pages that one side took out and the other changed. What is merged is staged; finish
    with git (`git merge --continue`). Index, overview and log follow with the next operation.

    Left to you, exit code 1: pages of which both sides worded one thing differently, pages that
    you have begun to mend, and files that are no pages.

    \b
    Example:
      git merge colleague/main    stops with conflicts in wiki/
      wiki resolve
      git merge --continue
    """
    done = open_wiki(ctx).resolve(dry_run=dry_run)
    if as_json:
        say_json(resolve_json(done, dry_run=dry_run))
        return 1 if done.left else 0
    for word, paths in (("merged", done.merged), ("removed", done.removed)):
        for path in paths:
            say(f"{'would be ' if dry_run else ''}{word}  {path}")
    for item in done.left:
        say(f"left    {item.path}: {item.why}")
        if item.dropped:
            say(f"        not kept: {item.dropped[:200]}")
    if done.left:
        tell("wiki: mend what is left and `git add` it; both versions are in git")
        return 1
    if not (done.merged or done.removed):
        say("No page is left to merge.")
    if done.in_progress:
        tell(f"wiki: {done.in_progress} is in progress; go on with `{done.way_on}`")
    return 0
