"""wiki lint: what is wrong in the wiki, and how to mend it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from llmwiki.app.desk import AskOptions
from llmwiki.app.lint import LintOptions
from llmwiki.app.lint_reports import render
from llmwiki.cli import lint_text, progress
from llmwiki.cli.cleaning import clean
from llmwiki.cli.colour import wanted
from llmwiki.cli.context import open_wiki, say, tell
from llmwiki.cli.lint_flags import (
    Flags,
    flags_of,
    how,
    judging,
    mending,
)
from llmwiki.cli.options import options
from llmwiki.core.text import counted

if TYPE_CHECKING:
    from llmwiki import LintResult, Wiki

FOUND = 1


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATHS]…")
@options(LintOptions, "select", "ignore", "staged", "guard", "changed", "at", "now", "fresh")
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
      wiki lint --format sarif -o lint.sarif

    A line `<!-- wiki: ignore=WK101 -->` on a page silences a rule on the next line, at the end of
    a line on that line; ignore-file on the whole page.
    """
    if explain is not None or as_list:
        from llmwiki.app.lint import explain_rule, list_rules

        say(list_rules() if explain is None else explain_rule(explain))
        return 0
    given["output"] = None if given["output"] == "-" else given["output"]
    form = given.pop("form")
    flags = flags_of("json" if as_json else form, given)
    if flags.asked.staged and os.environ.get("LLMWIKI_ROOT"):
        # In a hook of our own landing the working folder is a scratch tree without a repository.
        ctx.find_root().obj = os.environ["LLMWIKI_ROOT"]
    wiki = open_wiki(ctx, yes=flags.yes, quiet=flags.quiet)
    if flags.prepare or flags.estimate:
        _say_job(wiki, flags)
        return 0
    if flags.fix:
        _mend(wiki, flags)
        if flags.dry_run:
            return 0
    return _report(wiki, flags)


def _say_job(wiki: Wiki, flags: Flags) -> None:
    """Says what an agent is to judge, or what a model would take."""
    from llmwiki.cli.questions import forecast_text, say_jobs

    judge = flags.asked.judge
    if flags.estimate:
        options = AskOptions(judge.model, judge.max_cost)
        say(forecast_text(wiki.measure_parts("judgement", options, flags.asked)))
    else:
        say_jobs(wiki.prepare_parts("judgement", flags.part, flags.asked))


def _mend(wiki: Wiki, flags: Flags) -> None:
    for done in wiki.fix(flags.asked, dry_run=flags.dry_run, allow_detached=flags.allow_detached):
        for line in lint_text.mended(done, dry_run=flags.dry_run):
            tell(f"wiki: {line}")
        if done.diff:
            click.echo(clean(done.diff), nl=False)


def _report(wiki: Wiki, flags: Flags) -> int:
    result = wiki.lint(flags.asked)
    progress.clear()
    judged = result.judged
    for line in lint_text.judged(judged, quiet=flags.quiet) if judged else ():
        tell(f"wiki: {line}")
    if flags.write_baseline is not None:
        wiki.write_baseline(flags.write_baseline, result)
        tell(f"wiki: {flags.write_baseline} holds {len(result.found)} findings")
        return 0
    if result.gone and not flags.asked.narrowed and not flags.quiet:
        gone = counted(result.gone, "finding")
        verb = "is" if result.gone == 1 else "are"
        tell(f"wiki: {gone} of the baseline {verb} gone; write it again")
    code = FOUND if result.fails else 0
    _put_out(wiki, flags, result, code)
    if judged is not None and judged.failure is not None:
        raise judged.failure
    return code


def _put_out(wiki: Wiki, flags: Flags, result: LintResult, code: int) -> None:
    coloured = flags.form == "text" and flags.output is None and wanted(flags.colour)
    how_much = {"brief": flags.quiet, "whole": flags.print_all}
    report = render(result.report, flags.form, exit_code=code, coloured=coloured, **how_much)
    if flags.output is None:
        click.echo(report, nl=False, color=coloured)
    else:
        wiki.write_report(flags.output, report)
        if not flags.quiet:
            tell(f"wiki: {result.report.summary()}")
    if flags.form == "github" and (place := os.environ.get("GITHUB_STEP_SUMMARY")):
        from llmwiki.app.lint_reports import append_summary

        try:
            append_summary(place, result.report)
        except OSError as error:
            tell(f"wiki: the job's summary cannot be written: {error.strerror}")
