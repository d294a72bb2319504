"""wiki lint: what is wrong in the wiki, and how to mend it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from llmwiki.app.lint_reports import FORMATS, render
from llmwiki.app.lint_scope import JudgementOptions, LintOptions
from llmwiki.core.text import counted, normalise
from llmwiki.interfaces.cli import progress
from llmwiki.interfaces.cli.command_context import open_wiki, say, say_err
from llmwiki.interfaces.cli.command_options import (
    YES,
    files_here,
    filled,
    option,
    options,
    together,
)
from llmwiki.interfaces.cli.commands.asking import PREPARE, job_lines
from llmwiki.interfaces.cli.safe_text import clean, is_coloured

if TYPE_CHECKING:
    from llmwiki import FixResult, JudgementResult, Wiki


FOUND = 1


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
    click.option("-q", "--quiet", is_flag=True, help="Only the findings, a line each."),
    click.option(
        "--all",
        "print_all",
        is_flag=True,
        help="As text: each finding, where there are more than 200 (in notes of another tool 20).",
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
    PREPARE,
    option(
        "--parts",
        type=click.IntRange(1),
        metavar="N",
        needs=("--prepare",),
        help="With --prepare: of N parts at most.",
    ),
)
"""The options of judgement by a model or an agent."""


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATHS]…", shell_complete=files_here)
@options(LintOptions, "select", "ignore", "staged", "guard", "changed", "at", "now")
@how
@mending
@judging
@click.option("--explain", metavar="CODE", help="Say what a rule means, by code or name.")
@click.option("--list", "as_list", is_flag=True, help="List all rules.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    explain: str | None,
    as_list: bool,
    as_json: bool,
    **given: Any,
) -> int:
    """Find what is wrong in the wiki.

    No model, no key and no network, unless --llm asks for it. The whole wiki is looked at, as far
    as it changed since the last time; PATHS are files or folders, and only what stands in them is
    reported. Exit code 1: there is a finding at least as bad as --fail-on says.

    \b
    Examples:
      wiki lint
      wiki lint wiki/concepts --select WK1,orphan
      wiki lint --staged
      wiki lint --explain broken-wikilink
      wiki lint --format sarif > lint.sarif

    A line `<!-- wiki: ignore=WK101 -->` on a page silences a rule on the next line, at the end of
    a line on that line; ignore-file on the whole page.
    """
    if explain is not None or as_list:
        from llmwiki.app.lint import explain_rule, list_rules

        say(list_rules() if explain is None else explain_rule(explain))
        return 0
    given["form"] = "json" if as_json else given["form"]
    judge = filled(JudgementOptions, given)
    asked = filled(LintOptions, given, judge=judge)
    if asked.staged and os.environ.get("LLMWIKI_ROOT"):
        # In a hook of our own landing the working folder is a scratch tree without a repository.
        ctx.find_root().obj = os.environ["LLMWIKI_ROOT"]
    wiki = open_wiki(yes=given["yes"], quiet=given["quiet"])
    if given["prepare"]:
        say("\n".join(job_lines(wiki.prepare_parts("judgement", given["parts"], asked))))
        return 0
    if given["fix"]:
        dry_run = given["dry_run"]
        for done in wiki.fix(asked, dry_run=dry_run, allow_detached=given["allow_detached"]):
            for line in mended_lines(done, dry_run=dry_run):
                say_err(f"wiki: {line}")
            if done.diff:
                click.echo(clean(done.diff), nl=False)
        if dry_run:
            return 0
    return _report(wiki, asked, given)


def _report(wiki: Wiki, asked: LintOptions, given: Mapping[str, Any]) -> int:
    result = wiki.lint(asked)
    progress.clear()
    judged, is_quiet, baseline = result.judged, given["quiet"], given["write_baseline"]
    for line in judged_lines(judged, quiet=is_quiet) if judged else ():
        say_err(f"wiki: {line}")
    if baseline is not None:
        wiki.write_baseline(baseline, result.found)
        say_err(f"wiki: {baseline} holds {len(result.found)} findings")
        return 0
    if result.gone and not asked.narrowed and not is_quiet:
        gone = counted(result.gone, "finding")
        verb = "is" if result.gone == 1 else "are"
        say_err(f"wiki: {gone} of the baseline {verb} gone; write it again")
    code = FOUND if result.fails else 0
    form = given["form"]
    coloured = form == "text" and is_coloured()
    how_much = {"brief": is_quiet, "whole": given["print_all"]}
    report = render(result.report, form, exit_code=code, coloured=coloured, **how_much)
    click.echo(report, nl=False, color=coloured)
    if judged and judged.asked and judged.asked.run and judged.asked.run.failure:
        raise judged.asked.run.failure
    return code


_SHOWN = 20
"""Pages that are left alone and named."""
_TOLD = 5
"""Findings of a judge that do not count and are named."""


def mended_lines(done: FixResult, *, dry_run: bool) -> Iterator[str]:
    """What became of --fix, a sentence each."""
    for path in done.left[:_SHOWN]:
        yield f"{normalise(path)} has uncommitted edits and is left as it is"
    if len(done.left) > _SHOWN:
        yield f"and {len(done.left) - _SHOWN} more"
    outcome = done.outcome
    if not done.is_any:
        yield f"there is nothing{' else' if done.left else ''} to be mended by --fix"
    elif dry_run or outcome is None:
        return
    elif outcome.commit is None:
        yield "the pages have changed since they were linted; run it again"
    else:
        count = len(outcome.pages_changed)
        pages = counted(count, "page") if count else "catalogue and log"
        codes = f" ({', '.join(done.codes)})" if done.codes else ""
        yield f"{outcome.commit[:10]}  mended {pages}{codes}"


def judged_lines(result: JudgementResult, *, quiet: bool) -> Iterator[str]:
    """What a model judged, a sentence each."""
    asked = result.asked
    if asked is not None and asked.run is not None and not quiet:
        left_out = [each for part in asked.results for each in part.left_out]
        for each in left_out[:_TOLD]:
            yield f"a finding ({each.what}) does not count: {each.reason}"
        if len(left_out) > _TOLD:
            yield f"and {len(left_out) - _TOLD} more do not count"
        run, cost = asked.run, ""
        if run.cost is not None:
            cost = f", USD {run.cost:.4f} (estimate)"
        yield f"{asked.model}: {run.answered} answers, {run.usage.total} tokens{cost}"
    if result.not_judged:
        yield result.not_judged
