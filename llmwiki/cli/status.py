"""wiki status: what the wiki holds and what is unfinished."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from llmwiki.cli.context import open_wiki, say, say_json
from llmwiki.cli.results import told_offline

if TYPE_CHECKING:
    from llmwiki import WikiStatus


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> int:
    """Pages, claims, sources (new, changed, ingested, missing), and what is unfinished.

    \b
    Examples:
      wiki status
      wiki status --json
    """
    found = open_wiki(ctx).status()
    if as_json:
        from llmwiki.app.shapes.operations import StatusJson

        say_json(StatusJson.of(found))
        return 0
    for line in _stopped(found):
        say(line)
    kinds = ", ".join(f"{count} {kind or 'other'}" for kind, count in sorted(found.pages.items()))
    say(f"Pages     {sum(found.pages.values())}" + (f" ({kinds})" if kinds else ""))
    say(f"Claims    {found.claims}" + (f", {found.struck} struck" if found.struck else ""))
    say(
        f"Sources   {len(found.ingested)} ingested{_silent(found)}, {len(found.new)} new,"
        f" {len(found.changed)} changed, {len(found.missing)} missing,"
        f" {len(found.retracted)} retracted"
    )
    for line in _listed(found):
        say(line)
    if found.last:
        say(f"Last      {found.last}")
    if found.clone:
        say(f"Clone     {found.clone}: older operations may not be known here")
    for job in found.jobs:
        say(f"Job       {job}")
    for branch in found.reviews:
        say(f"Review    {branch} waits: wiki review show")
    for path in () if found.unfinished else found.dirty:
        say(f"Dirty     {path} has changes that are not committed")
    for line in _next(found):
        say(line)
    return 0


def _next(found: WikiStatus) -> Iterator[str]:
    if found.new or found.changed:
        yield "Next      wiki ingest raw/"
    if found.to_read_again:
        yield f"Next      wiki ingest --again: {told_offline(len(found.to_read_again))}"


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
        ("empty", found.empty),
        ("changed", found.changed),
        ("no claims", found.without_claims),
        ("missing", found.missing),
        ("unread", found.unread),
        ("mailbox", found.mailboxes),
    ):
        yield from (f"  {title:9} {path}" for path in paths[:20])
        if len(paths) > 20:
            yield f"  {title:9} and {len(paths) - 20} more (see --json)"
    if found.empty:
        yield "            nothing can be read from an empty file: fill it, or remove it"
    if found.missing:
        yield f"            {_way_back(found)}"
