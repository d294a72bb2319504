"""wiki resolve: merge the pages that a stopped merge left; and the merge driver of git."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from llmwiki.cli.context import open_wiki, say, say_as, tell
from llmwiki.cli.options import AS_JSON

if TYPE_CHECKING:
    from llmwiki import ResolveResult


_SHOWN = 200
"""Characters of a wording that are shown."""


@click.command()
@click.argument("what", nargs=-1, metavar="[WHAT]...")
@click.option(
    "--take",
    type=click.Choice(["ours", "theirs"]),
    help="Whose wording shall stand where both sides worded one thing differently.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be merged; write nothing.")
@AS_JSON
@click.pass_context
def command(
    ctx: click.Context, what: tuple[str, ...], take: str | None, dry_run: bool, as_json: bool
) -> int:
    """Merge, claim by claim, the pages that a stopped merge, rebase or cherry-pick left.

    For a clone without the merge driver (`wiki init` sets it), and for what git asks no driver
    about: pages that one side took out and the other changed. What is merged is staged; finish
    with git (`git merge --continue`). Index, overview and log follow with the next operation.

    Where both sides worded one thing differently, both wordings stand in the page, between git's
    conflict marks, and both are shown. --take decides: for all, or for WHAT, each a claim's id, a
    page's path or another name that is shown. Sides are named as git names them: in a rebase, ours
    is the branch that is rebased onto. You can also edit the page and `git add` it.

    Left to you, exit code 1: what nobody has decided, pages that you have begun to mend, and files
    that are no pages.

    \b
    Example:
      git merge colleague/main    stops with conflicts in wiki/
      wiki resolve                merges, and shows what both sides worded
      wiki resolve --take theirs c-9f3a1c22k7
      wiki resolve --take ours
      git merge --continue
    """
    done = open_wiki(ctx).resolve(what, take=take, dry_run=dry_run)
    if as_json:
        say_as("resolve", done, dry_run=dry_run)
        return 1 if done.left else 0
    return _tell(done, dry_run)


def _tell(done: ResolveResult, dry_run: bool) -> int:
    """Says what was done and what is left; the exit code."""
    for word, paths in (("merged", done.merged), ("removed", done.removed)):
        for path in paths:
            say(f"{'would be ' if dry_run else ''}{word}  {path}")
    for item in done.left:
        say(f"left    {item.path}: {item.why}")
        if item.dispute:
            ours, theirs = _unlike(item.dispute.ours, item.dispute.theirs)
            say(f"        ours:   {ours}")
            say(f"        theirs: {theirs}")
    if done.left:
        if any(item.dispute for item in done.left):
            tell("wiki: choose with `wiki resolve --take ours` or `--take theirs`, for all or for"
                 " what you name after it")  # fmt: skip
        tell("wiki: or mend what is left and `git add` it; both versions are in git")
        return 1
    if not (done.merged or done.removed):
        say("No page is left to merge.")
    if done.in_progress:
        tell(f"wiki: {done.in_progress} is in progress; go on with `{done.way_on}`")
    return 0


def _unlike(ours: str, theirs: str) -> tuple[str, str]:
    """The beginnings of the lines that only one side has."""
    sides = [[line.strip() for line in text.split("\n")] for text in (ours, theirs)]
    alone = [[line for line in one if line not in other] for one, other in (sides, sides[::-1])]
    first, second = (" ".join(lines)[:_SHOWN] or "(nothing)" for lines in alone)
    return first, second


@click.command(hidden=True)
@click.argument("base", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("ours", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("theirs", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("path")
def merge_driver(base: Path, ours: Path, theirs: Path, path: str) -> int:
    """Merge three versions of a page; the result replaces OURS. Exit 1 where a person must look.

    `wiki init` puts it into this clone's git configuration as the driver `llmwiki`.
    """
    from llmwiki.app.upkeep import merge_files

    undecided = merge_files(base, ours, theirs, path)
    for dispute in undecided:
        tell(f"wiki: {path}: both sides worded it, and both stand between marks: {dispute.name}")
    return 1 if undecided else 0
