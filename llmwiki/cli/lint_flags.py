"""The options of `wiki lint`, and which of them do not go together."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

import click

from llmwiki.app.judgement import JudgementOptions
from llmwiki.app.lint import FAIL_ON, LintOptions
from llmwiki.app.lint_formats import FORMATS
from llmwiki.cli.colour import ALWAYS, AUTO, NEVER
from llmwiki.cli.options import AT, YES, filled, max_cost, together


@dataclass(frozen=True, slots=True)
class Flags:
    """The options of one call."""

    asked: LintOptions
    """What is linted, and which findings are reported."""
    form: str
    output: str | None
    write_baseline: str | None
    colour: str
    quiet: bool
    print_all: bool
    fix: bool
    dry_run: bool
    allow_detached: bool
    estimate: bool
    prepare: bool
    part: str | None
    yes: bool


def flags_of(form: str, options: dict[str, Any]) -> Flags:
    """The options as click gives them, and the format that they come to."""
    judge = filled(JudgementOptions, options)
    asked = filled(LintOptions, options, judge=judge, with_examples=form == "sarif")
    return Flags(asked, form, **options)


def _day(_ctx: click.Context, _option: click.Parameter, value: str | None) -> date | None:
    if value is None:
        return None
    try:
        return date.fromisoformat(value)
    except ValueError as error:
        raise click.BadParameter(f"`{value}` is no date such as 2026-11-20.") from error


which = together(
    click.option(
        "--select",
        multiple=True,
        metavar="CODES",
        help="Run only these rules: codes, their beginnings (WK1) or names, with commas"
        " between them. Instead of lint.select.",
    ),
    click.option(
        "--ignore",
        multiple=True,
        metavar="CODES",
        help="Leave these rules out, instead of lint.ignore.",
    ),
    click.option(
        "--staged",
        is_flag=True,
        help="Lint what the next commit would hold, and report only files that are staged.",
    ),
    click.option(
        "--guard",
        is_flag=True,
        help="With --staged: only what the staged pages bring against the rules of evidence and"
        " safety, as the hook of `wiki init` asks.",
    ),
    click.option(
        "--changed",
        metavar="REV",
        help="Report only files that differ from this commit, edits included.",
    ),
    AT,
    click.option(
        "--now",
        metavar="DATE",
        callback=_day,
        help="The day on which age is measured. Default: the date of the newest commit.",
    ),
    click.option("--fresh", is_flag=True, help="Look at every file of a large wiki too."),
)
"""The options that say which rules run on which state of the wiki."""


how = together(
    click.option(
        "--fail-on",
        type=click.Choice(FAIL_ON),
        help="The mildest finding that ends in exit code 1. Default: warning, or lint.fail_on.",
    ),
    click.option(
        "--format",
        "form",
        type=click.Choice(FORMATS),
        default="text",
        show_default=True,
        help="How findings are printed.",
    ),
    click.option("--json", "as_json", is_flag=True, help="The same as --format json."),
    click.option("-o", "--output", metavar="FILE", help="Write the report into FILE."),
    click.option(
        "--baseline",
        metavar="FILE",
        help="Leave out the findings in FILE, instead of lint.baseline.",
    ),
    click.option(
        "--write-baseline",
        metavar="FILE",
        help="Write all findings into FILE as known, and report none.",
    ),
    click.option(
        "--color",
        "colour",
        type=click.Choice([AUTO, ALWAYS, NEVER]),
        default=AUTO,
        help="Colours in text. Default: on a terminal.",
    ),
    click.option("-q", "--quiet", is_flag=True, help="Only the findings, a line each."),
    click.option(
        "--all",
        "print_all",
        is_flag=True,
        help="Print each finding as text, where there are more than 200 too.",
    ),
)
"""The options that say how it is reported."""


mending = together(
    click.option(
        "--fix", is_flag=True, help="Mend what can be mended beyond doubt, in one commit or more."
    ),
    click.option("--dry-run", is_flag=True, help="With --fix: only print what would change."),
    click.option(
        "--allow-detached",
        is_flag=True,
        help="With --fix: commit although no branch is checked out.",
    ),
)
"""The options of `--fix`."""


judging = together(
    click.option("--llm", is_flag=True, help="Let a model judge the claims too."),
    click.option("--model", help="With --llm: the model that judges."),
    YES,
    max_cost("With --llm: stop before a call could pass this sum; 0: call no model."),
    click.option(
        "--estimate", is_flag=True, help="Print what --llm would take; call no model, no lint."
    ),
    click.option("--prepare", is_flag=True, help="Write the claims as jobs for an agent; no lint."),
    click.option("--part", metavar="K", help="With --prepare: print only part K, or K/N."),
)
"""The options of judgement by a model or an agent."""


def refuse_contradictions(ctx: click.Context, flags: Flags) -> None:
    """Raises UsageError for options that exclude each other."""
    asked, judge = flags.asked, flags.asked.judge
    is_job = flags.estimate or flags.prepare
    if flags.prepare and (judge.llm or flags.estimate):
        raise click.UsageError("--prepare is for an agent; --llm and --estimate are not.")
    if flags.part and not flags.prepare:
        raise click.UsageError("--part goes with --prepare.")
    if (judge.model or judge.max_cost is not None) and not (judge.llm or flags.estimate):
        raise click.UsageError("--model and --max-cost go with --llm.")
    if asked.guard and (not asked.staged or judge.llm or is_job):
        raise click.UsageError("--guard goes with --staged, and with no model or agent.", ctx)
    beside = [name for name in ("at", "changed") if asked.staged and getattr(asked, name)]
    if beside:
        raise click.UsageError(f"--staged and --{beside[0]} exclude each other.", ctx)
    if is_job and flags.form != "text":
        raise click.UsageError("--prepare and --estimate print text: no --format, no --json.", ctx)
    if (flags.dry_run or flags.allow_detached) and not flags.fix:
        raise click.UsageError("--dry-run and --allow-detached go with --fix.", ctx)
    if flags.fix and (asked.staged or asked.at or flags.write_baseline):
        raise click.UsageError("--fix mends the wiki as it is now.", ctx)
    if flags.write_baseline and (asked.narrowed or asked.at or asked.baseline):
        raise click.UsageError(
            "--write-baseline takes everything as it is: leave out what narrows it.", ctx
        )
