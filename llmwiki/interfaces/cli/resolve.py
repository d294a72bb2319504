"""wiki resolve: merge the pages that a stopped merge left; and the merge driver of git."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from llmwiki.core.text import cut
from llmwiki.interfaces.cli.context import open_wiki, say, say_as, say_err
from llmwiki.interfaces.cli.options import AS_JSON

if TYPE_CHECKING:
    from llmwiki import ResolveResult


_SHOWN = 200
"""Characters of a wording that are shown."""


@click.command()
@click.option("--dry-run", is_flag=True, help="Say what would be merged; write nothing.")
@AS_JSON
@click.pass_context
def command(ctx: click.Context, dry_run: bool, as_json: bool) -> int:
    """Merge, claim by claim, the pages that a stopped merge, rebase or cherry-pick left.

    For a clone without the merge driver (`wiki init` sets it), and for what git asks no driver
    about: pages that one side took out and the other changed. What is merged is staged; finish
    with git (`git merge --continue`). Index, overview and log follow with the next operation.

    Where both sides worded one thing differently, one wording stands, and the other beside it,
    after "The other side of a merge:"; both are shown, and lint reports it until you have taken
    one of them out.

    Left to you, exit code 1: pages that you have begun to mend, and files that are no pages.

    \b
    Example:
      git merge colleague/main    stops with conflicts in wiki/
      wiki resolve                merges, and shows what both sides worded
      git merge --continue
    """
    done = open_wiki(ctx).resolve(dry_run=dry_run)
    if as_json:
        say_as("resolve", done, dry_run=dry_run)
        return 1 if done.left else 0
    return _print(done, dry_run)


def _print(done: ResolveResult, dry_run: bool) -> int:
    """Says what was done and what is left; the exit code."""
    for word, paths in (("merged", done.merged), ("removed", done.removed)):
        for path in paths:
            say(f"{'would be ' if dry_run else ''}{word}  {path}")
    for path, both in done.worded:
        say(f"both    {path}: both sides worded it: {both.name}")
        say(f"        stands: {_short(both.kept)}")
        say(f"        beside: {_short(both.dropped)}")
    for item in done.left:
        say(f"left    {item.path}: {item.why}")
    if done.left:
        say_err("wiki: mend what is left and `git add` it; both versions are in git")
        return 1
    if not (done.merged or done.removed):
        say("No page is left to merge.")
    if done.in_progress:
        say_err(f"wiki: {done.in_progress} is in progress; go on with `{done.way_on}`")
    return 0


def _short(text: str) -> str:
    return cut(" ".join(text.split()), _SHOWN) or "(nothing)"


@click.command(hidden=True)
@click.argument("base", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("ours", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("theirs", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("path")
def merge_driver(base: Path, ours: Path, theirs: Path, path: str) -> int:
    """Merge three versions of a page; the result replaces OURS.

    `wiki init` puts it into this clone's git configuration as the driver `llmwiki`.
    """
    from llmwiki.app.upkeep import merge_files

    for both in merge_files(base, ours, theirs, path):
        say_err(f"wiki: {path}: both sides worded it, and both stand: {both.name}")
    return 0
