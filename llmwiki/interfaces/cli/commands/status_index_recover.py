"""wiki status, index, recover, resolve, schema: how things stand, and what keeps them
so; the merge driver of git."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from llmwiki.core.text import cut
from llmwiki.interfaces.cli.command_context import (
    open_wiki,
    say,
    say_err,
    say_json,
    told,
    wants_json,
)
from llmwiki.interfaces.cli.command_options import AS_JSON, option
from llmwiki.interfaces.cli.print_ingest import offline_note
from llmwiki.interfaces.cli.safe_text import first_of

if TYPE_CHECKING:
    from llmwiki import IndexReport, Recovery, ResolveResult, WikiStatus


@click.command()
@option(
    "--check",
    is_flag=True,
    excludes=("--rebuild",),
    help="Compare it with one made anew; exit 1 if it differs.",
)
@click.option("--rebuild", "anew", is_flag=True, help="Make it anew.")
@AS_JSON
def index(check: bool, anew: bool) -> int:
    """Bring the search index up to date.

    Every command does so when it needs to; nothing is lost if the file is deleted. It lies in the
    git directory, one for each work tree, and is never committed.

    \b
    Examples:
      wiki index
      wiki index --check
    """
    held = open_wiki().index(check=check, rebuild=anew)
    told("index", held, _index_lines(held))
    return 1 if held.differences else 0


def _index_lines(held: IndexReport) -> Iterator[str]:
    edits = f", {held.uncommitted} with uncommitted edits" if held.uncommitted else ""
    commit = held.commit[:12] if held.commit else "no commit"
    yield f"{held.pages} pages, {held.words} words{edits}, at {commit}"
    for line in held.differences or ():
        yield f"{line}: run `wiki index --rebuild`"
    if held.differences == ():
        yield "The index equals one made anew."


@click.command()
@AS_JSON
def recover() -> int:
    """Finish or drop an operation that was cut off by a crash or a kill.

    An operation that had reached its commit is brought into the work tree; one that had not is
    dropped without trace. Every writing command does this first. Files that you have changed
    since keep your bytes.
    """
    done = open_wiki().recover()
    told("recover", done, _recovered(done))
    return 3 if done.outcome == "unfinished" else 0


def _recovered(done: Recovery) -> Iterator[str]:
    what = done.operation or "an operation"
    yield {
        "clean": "Nothing to recover.",
        "finished": f"Finished {what}: commit {done.commit}.",
        "dropped": f"Dropped {what}: it had not reached its commit; nothing of it is left.",
        "unfinished": f"{what} cannot be finished yet: {', '.join(done.failed)}.",
    }[done.outcome]
    for path in done.kept:
        yield f"  kept as you have it: {path}"


@click.command()
@click.argument("name", required=False, metavar="[NAME]")
def schemas(name: str | None) -> int:
    """Print the JSON Schema of what a command prints with --json; without a NAME, list them.

    NAME is what stands in `"schema": "llmwiki.NAME/1"`. Within a version no key goes or changes
    its meaning.
    """
    from llmwiki.app.json_output.make_json import commands, schema

    if name is not None:
        say_json(schema(name))
        return 0
    for each, printed_by in commands().items():
        say(f"{each:<12} {printed_by}")
    return 0


@click.command()
@AS_JSON
def status() -> int:
    """Pages, claims, sources (new, changed, ingested, missing), and what is unfinished.

    \b
    Examples:
      wiki status
      wiki status --json
    """
    found = open_wiki().status()
    return told("status", found, _status_lines(found))


def _status_lines(found: WikiStatus) -> Iterator[str]:
    yield from _stopped(found)
    kinds = ", ".join(f"{count} {kind or 'other'}" for kind, count in sorted(found.pages.items()))
    yield f"Pages     {sum(found.pages.values())}" + (f" ({kinds})" if kinds else "")
    yield f"Claims    {found.claims}" + (f", {found.struck} struck" if found.struck else "")
    states = ("new", "changed", "refused", "missing", "retracted")
    counts = [f"{count} {state}" for state in states if (count := len(getattr(found, state)))]
    yield f"Sources   {', '.join([f'{len(found.ingested)} ingested{_silent(found)}', *counts])}"
    yield from _listed(found)
    if found.last:
        yield f"Last      {found.last}"
    if found.clone:
        yield f"Clone     {found.clone}: older operations may not be known here"
    for job in found.jobs:
        yield f"Job       {job}"
    for branch in found.reviews:
        yield f"Review    {branch} waits: wiki review show"
    for path in () if found.unfinished else found.dirty:
        yield f"Dirty     {path} has changes that are not committed"
    yield from _next(found)


def _next(found: WikiStatus) -> Iterator[str]:
    if found.new or found.changed:
        yield "Next      wiki ingest raw/"
    if found.to_read_again:
        yield f"Next      wiki ingest --again: {offline_note(len(found.to_read_again))}"


def _way_back(found: WikiStatus) -> str:
    """What to do where a file of raw/ is gone."""
    file = shlex.quote(found.missing[0])
    return (
        f"git log --oneline -- {file} names the commit that read it:"
        f" git checkout COMMIT -- {file} brings it back, wiki undo COMMIT takes back what it gave"
    )


def _silent(found: WikiStatus) -> str:
    return f" ({len(found.without_claims)} without claims)" if found.without_claims else ""


def _stopped(found: WikiStatus) -> Iterator[str]:
    """What was begun and is not finished, here or in git."""
    if found.unfinished:
        yield f"Cut off   {found.unfinished}: run `wiki recover` before anything else"
    if found.in_progress:
        way = f": run `wiki resolve` ({len(found.unmerged)} unmerged)" if found.unmerged else ""
        yield f"Stopped   {found.in_progress} is in progress{way}"


def _listed(found: WikiStatus) -> Iterator[str]:
    """The sources that want attention, at most 20 of each sort."""
    for title, paths in (
        ("new", found.new),
        ("refused", [f"{path}: {why}" for path, why in found.refused.items()]),
        ("empty", found.empty),
        ("changed", found.changed),
        ("no claims", found.without_claims),
        ("missing", found.missing),
        ("unread", found.unread),
    ):
        yield from first_of(paths, 20, f"  {title:9} ")
        if paths and title == "empty":
            yield "            nothing can be read from an empty file: fill it, or remove it"
        if paths and title == "missing":
            yield f"            {_way_back(found)}"


# --- a merge of git that stopped -----------------------------------------------------------

_WORDING = 200
"""Characters of a wording that are shown."""


@click.command()
@click.option("--dry-run", is_flag=True, help="Say what would be merged; write nothing.")
@AS_JSON
def resolve(dry_run: bool) -> int:
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
    done = open_wiki().resolve(dry_run=dry_run)
    told("resolve", done, _resolved(done, "would be " if dry_run else ""), dry_run=dry_run)
    if not wants_json():
        if done.left:
            say_err("wiki: mend what is left and `git add` it; both versions are in git")
        elif done.in_progress:
            say_err(f"wiki: {done.in_progress} is in progress; go on with `{done.way_on}`")
    return 1 if done.left else 0


def _resolved(done: ResolveResult, would: str) -> Iterator[str]:
    """What was done, or would be, and what is left."""
    for word, paths in (("merged", done.merged), ("removed", done.removed)):
        for path in paths:
            yield f"{would}{word}  {path}"
    for path, both in done.worded:
        yield f"both    {path}: both sides worded it: {both.name}"
        yield f"        stands: {_short(both.kept)}"
        yield f"        beside: {_short(both.dropped)}"
    for item in done.left:
        yield f"left    {item.path}: {item.why}"
    if not (done.left or done.merged or done.removed):
        yield "No page is left to merge."


def _short(text: str) -> str:
    return cut(" ".join(text.split()), _WORDING) or "(nothing)"


@click.command(hidden=True)
@click.argument("base", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("ours", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("theirs", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("path")
def merge_driver(base: Path, ours: Path, theirs: Path, path: str) -> int:
    """Merge three versions of a page; the result replaces OURS.

    `wiki init` puts it into this clone's git configuration as the driver `llmwiki`.
    """
    from llmwiki.app.status_and_recovery import merge_files

    for both in merge_files(base, ours, theirs, path):
        say_err(f"wiki: {path}: both sides worded it, and both stand: {both.name}")
    return 0
