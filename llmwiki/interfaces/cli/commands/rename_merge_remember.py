"""wiki rename, merge, remember: what a person changes directly, one commit each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from llmwiki.changes.rename_and_merge_pages import MoveOptions
from llmwiki.core.errors import InputError
from llmwiki.core.page_and_note_kinds import NOTE_KINDS, SPEAKERS
from llmwiki.interfaces.cli.command_context import open_wiki, say_err, told
from llmwiki.interfaces.cli.command_options import (
    ALLOW_DETACHED,
    ALLOW_SECRET,
    AS_JSON,
    filled,
    options,
    together,
)
from llmwiki.interfaces.cli.safe_text import first_of

if TYPE_CHECKING:
    from llmwiki import PageMoveResult


_MOVING = together(options(MoveOptions), AS_JSON)
"""The options of both."""

_DONE = {"rename": "renamed", "merge": "merged"}
_SHOWN = 10
"""Pages and links that are named; of more the number is said."""


@click.command()
@click.argument("page", metavar="PAGE")
@click.argument("title", metavar="TITLE")
@_MOVING
def rename(page: str, title: str, **given: Any) -> int:
    """Give a page another title, and lead every link to it, in one commit.

    PAGE is a title, an alias, a file name or a path. The file gets the name of the title; the old
    title stays as an alias. Links show what they showed. A link that may mean two pages is left as
    it is and named. The page of a document gets the title alone: quotes go by its file's name.

    \b
    Examples:
      wiki rename RSC "React Server Components"
      wiki rename --dry-run wiki/concepts/Tee.md Tea
    """
    chosen = filled(MoveOptions, given)
    return _said(open_wiki().rename(page, title, chosen), chosen)


@click.command()
@click.argument("page", metavar="PAGE")
@click.argument("into", metavar="INTO")
@_MOVING
def merge(page: str, into: str, **given: Any) -> int:
    """Make one page of two that are about one thing, in one commit.

    What stands on PAGE comes to INTO, whose title, lead and description stand; PAGE goes, and its
    title and aliases become aliases of INTO. Claims keep their ids and their evidence; two that say
    the same become one with the evidence of both. Every link to PAGE leads to INTO, and shows what
    it showed. A lead that a person wrote on PAGE becomes a section of INTO.
    Pages of documents are not merged: of two that are one document, `wiki retract` takes one out.

    Branches of git are merged with `git merge`.

    \b
    Examples:
      wiki merge --dry-run RSC "React Server Components"
      wiki merge RSC "React Server Components"
    """
    chosen = filled(MoveOptions, given)
    return _said(open_wiki().merge(page, into, chosen), chosen)


def _said(done: PageMoveResult, chosen: MoveOptions) -> int:
    """Prints what became of the pages; 0."""
    dry_run = chosen.dry_run
    return told(done.kind, done, _move_lines(done, dry_run=dry_run), dry_run=dry_run)


def _move_lines(done: PageMoveResult, *, dry_run: bool) -> Iterator[str]:
    outcome = done.outcome
    if not outcome.differences:
        yield "Nothing to change: that is how it is already."
        return
    what = done.page if done.source == done.page else f"{done.source} → {done.page}"
    verb = "would be " if dry_run else ""
    start = f"{outcome.commit[:10]}  " if outcome.commit else ""
    yield f"{start}{verb}{_DONE[done.kind]}  {what}"
    paths = {each.path for each in outcome.differences} - {done.source, done.page}
    changed = "  would change  " if dry_run else "  changed  "
    yield from first_of(sorted(paths), _SHOWN, changed)
    for gone, stays in sorted(done.joins.items()):
        yield f"  joined  ^{gone} to ^{stays}: they say the same"
    for note in done.notes:
        yield f"  look at  {note}"
    for link in done.left[:_SHOWN]:
        say_err(f"wiki: left as it is: the link in {link.path}:{link.line}: {link.why}")
    if len(done.left) > _SHOWN:
        say_err(
            f"wiki: and {len(done.left) - _SHOWN} more links; `wiki lint` lists those that break"
        )


@click.command()
@click.argument("text", metavar="TEXT")
@click.option(
    "--kind",
    type=click.Choice(NOTE_KINDS),
    default="fact",
    show_default=True,
    help="What kind of note it is.",
)
@click.option(
    "--by",
    "told_by",
    type=click.Choice(SPEAKERS),
    default="person",
    show_default=True,
    help="Who says it.",
)
@click.option(
    "--key",
    metavar="KEY=VALUE",
    default="",
    help="What it is about, and what holds: the earlier note of this key is struck.",
)
@click.option("--session", default="", help="Name of the conversation it comes from.")
@ALLOW_SECRET
@ALLOW_DETACHED
@AS_JSON
def remember(text: str, key: str, **given: Any) -> int:
    """Add a note to the wiki's memory, in one commit.

    A note needs no source: it is what a person or an agent said. A person's preferences and
    procedures stand on wiki/memory.md, which every conversation begins with, all else on the page
    of its day. The same words twice are one note. A note that holds what looks like a key or a
    password is refused (exit code 7).

    \b
    Examples:
      wiki remember "The club meets on Tuesdays."
      wiki remember "The club meets on Fridays." --key meeting=Fridays
      wiki remember "Sell the old dinghy" --kind decision --by agent
    """
    about, sign, value = key.partition("=")
    if key and not (about.strip() and sign and value.strip()):
        raise InputError(
            f"--key is {key[:40]!r}; it names no value", fix="Such as: --key day=Tuesday"
        )
    outcome = open_wiki().remember(text, key=about, value=value, **given)
    line = "That is remembered already."
    if outcome.commit:
        pages = ", ".join((*outcome.pages_created, *outcome.pages_changed))
        line = f"{outcome.commit[:10]}  remembered on {pages}"
    return told("remember", outcome, [line])
