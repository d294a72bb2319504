"""wiki export: bundles for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from llmwiki.app.export import FORMATS, ExportOptions
from llmwiki.core.text import counted
from llmwiki.interfaces.cli.command_context import here, open_wiki, say_err, told
from llmwiki.interfaces.cli.command_options import AS_JSON, filled, options

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from llmwiki import ExportResult, OmittedFile


_REASONS = 20
_NAMED = 3


@click.command()
@click.argument("form", metavar="FORMAT", type=click.Choice(FORMATS))
@click.argument("directory", metavar="DIR")
@options(ExportOptions)
@AS_JSON
def export(form: str, directory: str, **given: Any) -> int:
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
    done = open_wiki().export(form, here() / directory, filled(ExportOptions, given))
    return told("export", done, _lines(done, directory))


def _lines(done: ExportResult, directory: str) -> Iterator[str]:
    what = ", ".join(
        (counted(done.pages, "page"), counted(done.claims, "claim"),
         counted(done.documents, "document"))
    )  # fmt: skip
    yield f"{done.commit[:10]}  exported  {what} → {Path(directory).as_posix()}"
    yield f"  {done.written} of {done.files - 1} files written, {len(done.removed)} removed"
    _print_left_out(done.left_out)


def _print_left_out(left_out: Iterable[OmittedFile]) -> None:
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
