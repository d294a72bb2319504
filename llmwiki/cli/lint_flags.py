"""The options of `wiki lint`, and which of them do not go together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeVar

import click

from llmwiki.cli.colour import ALWAYS, AUTO, NEVER
from llmwiki.cli.lint_judge import JudgementOptions
from llmwiki.lint.select import FAIL_ON

_Function = TypeVar("_Function", bound=Callable[..., Any])

FORMATS = ("text", "json", "sarif", "github", "gitlab")


@dataclass(frozen=True, slots=True)
class Flags:
    """The options of one call that say what is linted and what is reported."""

    paths: tuple[str, ...]
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    fail_on: str | None
    form: str
    output: str | None
    baseline: str | None
    write_baseline: str | None
    staged: bool
    changed: str | None
    revision: str | None
    now: date | None
    fresh: bool
    colour: str
    quiet: bool
    fix: bool
    dry_run: bool
    allow_detached: bool
    judge: JudgementOptions

    @property
    def narrowed(self) -> bool:
        """Whether only a part of what is found is asked for."""
        return bool(self.paths or self.staged or self.changed or self.select or self.ignore)


def _day(_ctx: click.Context, _option: click.Parameter, value: str | None) -> date | None:
    if value is None:
        return None
    try:
        return date.fromisoformat(value)
    except ValueError as error:
        raise click.BadParameter(f"{value!r} is no date such as 2026-11-20.") from error


def which(function: _Function) -> _Function:
    """The options that say which rules run on which state of the wiki."""
    for option in (
        click.option("--fresh", is_flag=True, help="Look at every file of a large wiki too."),
        click.option(
            "--now",
            metavar="DATE",
            callback=_day,
            help="The day on which age is measured. Default: the date of the newest commit.",
        ),
        click.option("--at", "revision", metavar="REV", help="The wiki as it was in this commit."),
        click.option(
            "--changed",
            metavar="REV",
            help="Report only files that differ from this commit, edits included.",
        ),
        click.option(
            "--staged",
            is_flag=True,
            help="Lint what the next commit would hold, and report only files that are staged.",
        ),
        click.option(
            "--ignore",
            multiple=True,
            metavar="CODES",
            help="Leave these rules out, instead of lint.ignore.",
        ),
        click.option(
            "--select",
            multiple=True,
            metavar="CODES",
            help="Run only these rules: codes, their beginnings (WK1) or names, with commas"
            " between them. Instead of lint.select.",
        ),
    ):
        function = option(function)
    return function


def how(function: _Function) -> _Function:
    """The options that say how it is reported."""
    for option in (
        click.option("-q", "--quiet", is_flag=True, help="Only the findings, a line each."),
        click.option(
            "--color",
            "colour",
            type=click.Choice([AUTO, ALWAYS, NEVER]),
            default=AUTO,
            help="Colours in text. Default: on a terminal.",
        ),
        click.option(
            "--write-baseline",
            metavar="FILE",
            help="Write all findings into FILE as known, and report none.",
        ),
        click.option(
            "--baseline",
            metavar="FILE",
            help="Leave out the findings in FILE, instead of lint.baseline.",
        ),
        click.option("-o", "--output", metavar="FILE", help="Write the report into FILE."),
        click.option("--json", "as_json", is_flag=True, help="The same as --format json."),
        click.option(
            "--format",
            "form",
            type=click.Choice(FORMATS),
            default="text",
            show_default=True,
            help="How findings are printed.",
        ),
        click.option(
            "--fail-on",
            type=click.Choice(FAIL_ON),
            help="The mildest finding that ends in exit code 1. Default: warning, or lint.fail_on.",
        ),
    ):
        function = option(function)
    return function


def mending(function: _Function) -> _Function:
    """The options of `--fix`."""
    for option in (
        click.option(
            "--allow-detached",
            is_flag=True,
            help="With --fix: commit although no branch is checked out.",
        ),
        click.option("--dry-run", is_flag=True, help="With --fix: only print what would change."),
        click.option(
            "--fix", is_flag=True, help="Mend what can be mended beyond doubt, in one commit."
        ),
    ):
        function = option(function)
    return function


def refuse_contradictions(ctx: click.Context, flags: Flags) -> None:
    """Raises UsageError for options that exclude each other."""
    if flags.staged and flags.revision:
        raise click.UsageError("--staged and --at exclude each other.", ctx)
    if flags.judge.is_job and flags.form != "text":
        raise click.UsageError("--prepare and --estimate print text: no --format, no --json.", ctx)
    if flags.staged and flags.changed:
        raise click.UsageError("--staged and --changed exclude each other.", ctx)
    if (flags.dry_run or flags.allow_detached) and not flags.fix:
        raise click.UsageError("--dry-run and --allow-detached go with --fix.", ctx)
    if flags.fix and (flags.staged or flags.revision or flags.write_baseline):
        raise click.UsageError("--fix mends the wiki as it is now.", ctx)
    if flags.write_baseline and (flags.narrowed or flags.revision or flags.baseline):
        raise click.UsageError(
            "--write-baseline takes everything as it is: leave out what narrows it.", ctx
        )
