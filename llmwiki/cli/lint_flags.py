"""The options of `wiki lint`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click

from llmwiki.app.judgement import JudgementOptions
from llmwiki.app.lint import LintOptions
from llmwiki.app.lint_reports import FORMATS
from llmwiki.cli.colour import ALWAYS, AUTO, NEVER
from llmwiki.cli.options import YES, filled, option, options, together


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


def flags_of(form: str, given: dict[str, Any]) -> Flags:
    """The options as click gives them, and the format that they come to."""
    judge = filled(JudgementOptions, given)
    asked = filled(LintOptions, given, judge=judge, with_examples=form == "sarif")
    return Flags(asked, form, **given)


how = together(
    options(LintOptions, "fail_on"),
    option(
        "--format",
        "form",
        type=click.Choice(FORMATS),
        default="text",
        show_default=True,
        help="How findings are printed.",
    ),
    option(
        "--json",
        "as_json",
        is_flag=True,
        excludes=("--format",),
        help="The same as --format json.",
    ),
    click.option("-o", "--output", metavar="FILE", help="Write the report into FILE."),
    options(LintOptions, "baseline"),
    option(
        "--write-baseline",
        metavar="FILE",
        excludes=(
            "PATHS",
            "--select",
            "--ignore",
            "--staged",
            "--changed",
            "--at",
            "--baseline",
            "--fix",
        ),
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
    option(
        "--dry-run",
        is_flag=True,
        needs=("--fix",),
        help="With --fix: only print what would change.",
    ),
    option(
        "--allow-detached",
        is_flag=True,
        needs=("--fix",),
        help="With --fix: commit although no branch is checked out.",
    ),
)
"""The options of `--fix`."""


judging = together(
    options(JudgementOptions, model=YES),
    option(
        "--estimate",
        is_flag=True,
        excludes=("--format", "--json"),
        help="Print what --llm would take; call no model, no lint.",
    ),
    option(
        "--prepare",
        is_flag=True,
        excludes=("--llm", "--estimate", "--format", "--json"),
        help="Write the claims as jobs for an agent; no lint.",
    ),
    option(
        "--part",
        metavar="K",
        needs=("--prepare",),
        help="With --prepare: print only part K, or K/N.",
    ),
)
"""The options of judgement by a model or an agent."""
