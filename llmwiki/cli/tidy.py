"""wiki tidy: a second reading of the wiki itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from llmwiki.app.shapes.tidy import TidyJson
from llmwiki.app.tidy import TidyOptions
from llmwiki.cli.context import open_wiki, say, say_json, tell
from llmwiki.cli.options import ALLOW_DETACHED, AS_JSON, YES, filled, max_cost, together
from llmwiki.core.errors import InputError
from llmwiki.core.text import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from llmwiki import Outcome, TidyJobs, TidyReport, TidyResult
    from llmwiki.app.part_answers import AnsweredParts

_KINDS = {
    "one": "pages that may be one",
    "conflict": "claims in conflict",
    "lead": "leads that do not fit",
    "near": "pages that nothing links",
}
OPTIONS = together(
    click.option("--model", help="Model to ask."),
    max_cost(),
    click.option("--parts", type=click.IntRange(min=1), metavar="N", help="Ask N parts at most."),
    click.option("--dry-run", is_flag=True, help="Check every answer and write nothing."),
    YES,
    ALLOW_DETACHED,
    AS_JSON,
    click.pass_context,
)
"""Of the commands whose questions a model answers part after part."""


@click.command()
@click.option("--prepare", is_flag=True, help="Write the questions as jobs for an agent, and stop.")
@OPTIONS
def command(ctx: click.Context, /, prepare: bool, yes: bool, as_json: bool, **options: Any) -> int:
    """Read the wiki a second time, and mend what only a reader sees.

    Pages are written one source after another; what lies between them is found here: pages that
    may be one, claims that cannot both hold, leads that no longer fit their claims, pages that
    belong together and that nothing links. Lint and graph raise the questions, a model or an agent
    answers, and each answer is checked: pages are merged only on claims of both, claims move only
    to a page that they name, a lead holds no number that no claim has. What does not count is told
    with the reason; the rest of a part lands as one commit, which `wiki undo` takes back.

    \b
    Examples:
      wiki tidy --prepare
      wiki tidy --model claude-sonnet-5 --max-cost 0.50
    """
    wiki = open_wiki(ctx, yes=yes)
    if prepare:
        refuse_model(options)
        jobs = wiki.prepare_tidying()
        if as_json:
            say_json(TidyJson.of(jobs, exit_code=0, parts=len(jobs.files)))
        else:
            say(_job_lines(jobs))
        return 0
    report = wiki.tidy(filled(TidyOptions, options))
    if as_json:
        say_json(TidyJson.of(report))
    else:
        say("\n".join(_report_lines(report)))
    return ended(report)


def _job_lines(jobs: TidyJobs) -> str:
    if not jobs.files:
        return "Nothing to ask: no page looks like another, and every lead fits."
    asked = [f"  {count:4}  {_KINDS[kind]}" for kind, count in jobs.questions.items()]
    total = sum(jobs.questions.values())
    return "\n".join(
        [
            f"{counted(total, 'question')} in {counted(len(jobs.files), 'part')}",
            *asked,
            "Read each file, and answer as it says:",
            *(f"  {name}" for name in jobs.files),
        ]
    )


def _report_lines(report: TidyReport) -> list[str]:
    if not report.parts:
        return ["Nothing to ask: no page looks like another, and every lead fits."]
    lines = [line for result in report.results for line in _result_lines(result)]
    return [*lines, *run_lines(report)]


def _result_lines(result: TidyResult) -> list[str]:
    lines = [f"{outcome_word(result.outcome)}  {result.title or 'no answer changes the wiki'}"]
    lines += [f"            changed  {path}" for path in result.outcome.pages_changed]
    lines += [f"            refused  {e.what}: {e.reason}" for e in result.left_out]
    return lines


def refuse_model(options: Mapping[str, Any]) -> None:
    """Raises InputError where a job for an agent is asked for, and a model too."""
    if options["model"] or options["dry_run"]:
        raise InputError("--prepare asks no model", fix="Leave out --model and --dry-run.")


def outcome_word(outcome: Outcome) -> str:
    """The commit of a part, or why there is none, in one width."""
    word = "planned" if outcome.differences else "nothing"
    return f"{outcome.commit[:10] if outcome.commit else word:10}"


def run_lines(report: AnsweredParts) -> list[str]:
    """How far a model came, and what it took."""
    run = report.run
    if run is None:
        return []
    cost = "" if run.cost is None else f", USD {run.cost:.4f} (estimate)"
    told = f"{run.answered} of {counted(report.parts, 'part')} answered by {report.model}"
    return [f"{told}: {run.usage.total} tokens{cost}"]


def ended(report: AnsweredParts) -> int:
    """Tells what kept a part from being answered; the exit code."""
    if report.failure:
        tell(f"wiki: {report.failure}")
    return report.exit_code
