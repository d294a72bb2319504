"""What the commands have in common whose questions a model or an agent answers in parts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from llmwiki.app.desk import AskOptions
from llmwiki.core.text import counted
from llmwiki.interfaces.cli.context import open_wiki, say, say_as, say_err
from llmwiki.interfaces.cli.options import AS_JSON, YES, filled, option, options, together

if TYPE_CHECKING:
    from collections.abc import Callable

    from llmwiki import DeskJobs, DeskRun, Forecast, Outcome
    from llmwiki.app.questions import QuestionName

_OF_A_MODEL = ("--model", "--dry-run", "--estimate")
JOBS = together(
    option(
        "--prepare",
        is_flag=True,
        excludes=_OF_A_MODEL,
        help="Write the parts as jobs for an agent, and stop.",
    ),
    option(
        "--part",
        metavar="K",
        needs=("--prepare",),
        excludes=("--json",),
        help="With --prepare: print only part K, or K/N, of the jobs.",
    ),
    option(
        "--estimate",
        is_flag=True,
        excludes=("--json",),
        help="Print what a model would take; call none.",
    ),
)
"""The options of a question that is prepared or measured instead of asked."""
ASKING = together(JOBS, options(AskOptions), YES, AS_JSON, click.pass_context)
"""The options of a command that asks one question."""


def run(
    ctx: click.Context,
    kind: QuestionName,
    lines: Callable[[Any], Iterable[str]],
    *,
    yes: bool,
    as_json: bool,
    **given: Any,
) -> int:
    """Asks a question, or prepares or measures it; `lines` are those of the result of a part."""
    wiki = open_wiki(ctx, yes=yes)
    asked = filled(AskOptions, given)
    if given["estimate"]:
        say(forecast_text(wiki.measure_parts(kind, asked)))
        return 0
    if given["prepare"]:
        jobs = wiki.prepare_parts(kind, given["part"])
        if as_json:
            say_as(kind, jobs, exit_code=0)
        else:
            say_jobs(jobs)
        return 0
    report = wiki.ask_parts(kind, asked)
    if as_json:
        say_as(kind, report)
    elif report.run is None:
        say(wiki.measure_parts(kind, asked).waits)
    else:
        said = [line for result in report.results for line in lines(result)]
        say("\n".join([*said, *run_lines(report)]))
    if report.failure:
        say_err(f"wiki: {report.failure}")
    return report.exit_code


def say_jobs(jobs: DeskJobs) -> None:
    """The job that was asked for; or the files of all, and what is in them."""
    if jobs.text:
        say(jobs.text)
    elif not jobs.files:
        say(jobs.waits)
    else:
        kinds = [f"  {count:4}  {_KINDS.get(kind, kind)}" for kind, count in jobs.questions.items()]
        files = [f"  {name}" for name in jobs.files]
        say("\n".join([jobs.waits, *kinds, "Read each file, and answer as it says:", *files]))


_KINDS = {
    "one": "pages that may be one",
    "conflict": "claims in conflict",
    "lead": "leads that do not fit",
    "near": "pages that nothing links",
}


def forecast_text(told: Forecast) -> str:
    """What a model would take, or why there is nothing to ask."""
    if told.takes is None:
        return told.waits
    about = "about " if told.is_rough else ""
    calls = f"{about}{counted(told.takes.calls, 'call')}"
    return f"{told.waits}\n{told.model}: {calls}, {told.takes.told()}"


def outcome_word(outcome: Outcome) -> str:
    """The commit of a part, or why there is none, in one width."""
    word = "planned" if outcome.differences else "nothing"
    return f"{outcome.commit[:10] if outcome.commit else word:10}"


def run_lines(report: DeskRun[Any]) -> list[str]:
    """How far a model came, and what it took."""
    run = report.run
    if run is None:
        return []
    cost = "" if run.cost is None else f", USD {run.cost:.4f} (estimate)"
    told = f"{run.answered} of {counted(report.parts, 'part')} answered by {report.model}"
    return [f"{told}: {run.usage.total} tokens{cost}"]
