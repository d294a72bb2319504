"""wiki export, wiki import: bundles for other programs, and pages of other tools."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from llmwiki.app.export import FORMATS, ExportOptions
from llmwiki.app.import_ import FORMS, ImportOptions
from llmwiki.core.text import counted
from llmwiki.interfaces.cli.context import here, open_wiki, say, say_as, say_err
from llmwiki.interfaces.cli.options import AS_JSON, filled, options

if TYPE_CHECKING:
    from collections.abc import Iterable

    from llmwiki import ExportResult, ImportResult, OmittedFile


_REASONS = 20
_NAMED = 3


@click.command()
@click.argument("form", metavar="FORMAT", type=click.Choice(FORMATS))
@click.argument("directory", metavar="DIR")
@options(ExportOptions)
@AS_JSON
@click.pass_context
def export(ctx: click.Context, /, form: str, directory: str, as_json: bool, **given: Any) -> int:
    """Write the wiki into DIR in the format FORMAT, for other programs.

    okf: a bundle of the Open Knowledge Format 0.2. Each page is a concept with its claims and
    quotes, links are Markdown links, each document lies in references/, and each folder has an
    index.md of the form that the format asks for. What is committed is exported, nothing else: the
    same commit gives the same bytes. A later export into the same DIR brings it up to date. One
    that would hold what looks like a key or a password is refused (exit code 7).

    \b
    Examples:
      wiki export okf ../bundle
      wiki export okf graph/okf
    """
    done = open_wiki(ctx).export(form, here(ctx) / directory, filled(ExportOptions, given))
    if as_json:
        return say_as("export", done)
    _print_export(done, directory)
    return 0


def _print_export(done: ExportResult, directory: str) -> None:
    what = ", ".join(
        (counted(done.pages, "page"), counted(done.claims, "claim"),
         counted(done.documents, "document"))
    )  # fmt: skip
    say(f"{done.commit[:10]}  exported  {what} → {Path(directory).as_posix()}")
    say(f"  {done.written} of {done.files - 1} files written, {len(done.removed)} removed")
    print_left_out(done.left_out)


def print_left_out(left_out: Iterable[OmittedFile]) -> None:
    """Says what was not taken along, and why: a line a reason."""
    by_reason: dict[str, list[str]] = {}
    for each in left_out:
        by_reason.setdefault(each.reason, []).append(each.path)
    for reason, paths in list(by_reason.items())[:_REASONS]:
        more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
        say_err(f"wiki: left out: {', '.join(paths[:_NAMED])}{more}: {reason}")
    if len(by_reason) > _REASONS:
        rest = sum(len(paths) for paths in list(by_reason.values())[_REASONS:])
        say_err(f"wiki: left out: and {counted(rest, 'file')} more; --json names all")


_SHOWN = 10


@click.command()
@click.argument("form", metavar="FORMAT", type=click.Choice(FORMS))
@click.argument("directory", metavar="DIR")
@options(ImportOptions)
@AS_JSON
@click.pass_context
def import_(ctx: click.Context, /, form: str, directory: str, as_json: bool, **given: Any) -> int:
    """Take the pages in DIR into the wiki, in one commit, which `wiki undo` takes back.

    FORMAT says whose they are: okf (a bundle of the Open Knowledge Format), or obsidian (a vault,
    or any folder of Markdown). Each page is copied to raw/imports/NAME/ and read as a source
    without a model: what it says is filed under the page that its title or an alias has here, or
    under a new one, with its line for evidence and marked as reported by NAME. Nothing that is
    here is overwritten, and a second import of the same folder changes nothing.

    \b
    Examples:
      wiki import okf ../bundle
      wiki import --dry-run obsidian ~/notes
      wiki import --name research obsidian ../their-wiki/wiki
    """
    done = open_wiki(ctx).import_(form, here(ctx) / directory, filled(ImportOptions, given))
    if as_json:
        say_as("import", done)
    else:
        _print_import(done)
    return 0


def _print_import(done: ImportResult) -> None:
    outcome = done.outcome
    if not outcome.differences:
        say(f"Nothing new in {done.name}: {counted(len(done.pages), 'page')} looked at.")
    else:
        verb = "would import" if done.dry_run else "imported"
        start = f"{outcome.commit[:10]}  " if outcome.commit else ""
        read = sum(page.status == "read" for page in done.pages)
        created, changed = len(outcome.pages_created), len(outcome.pages_changed)
        say(f"{start}{verb}  {counted(read, 'page')} of {done.name} ({done.form})")
        say(f"  {counted(created, 'page')} new here, {changed} changed")
        if done.second_hand:
            say(f"  {counted(done.second_hand, 'claim')} second-hand, with the page's line alone")
    for note in done.notes[:_SHOWN]:
        say(f"  look at  {note}")
    if len(done.notes) > _SHOWN:
        say(f"  and {len(done.notes) - _SHOWN} more such notes; --json names all")
    print_left_out(done.left_out)
    if outcome.commit and not outcome.branch:
        say_err(f"wiki: to take it back: wiki undo {outcome.id}")
