"""What the commands have in common whose questions a model or an agent answers in parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from llmwiki.app.questions import kind_of
from llmwiki.app.questions.desk import AskOptions
from llmwiki.core.text import counted
from llmwiki.interfaces.cli.command_context import open_wiki, say_err, told
from llmwiki.interfaces.cli.command_options import AS_JSON, YES, filled, option, options, together

if TYPE_CHECKING:
    from llmwiki import DeskJobs, DeskRun

PREPARE = option(
    "--prepare",
    is_flag=True,
    excludes=("--model", "--dry-run", "--llm"),
    help="Write the parts as jobs for an agent, and stop.",
)
ASKING = together(PREPARE, options(AskOptions), YES, AS_JSON)
"""The options of a command that asks one question."""


@click.command()
@ASKING
def tidy(**given: Any) -> int:
    """Read the wiki a second time, and mend what only a reader sees.

    Pages are written one source after another; what lies between them is found here: pages that
    may be one, claims that cannot both hold, leads that do not fit their claims. Lint and retrieval
    raise the questions, a model or an agent answers, and each answer is checked: pages are merged
    only on claims of both, a lead holds no number that no claim has. What does not count is told
    with the reason; the rest of a part lands as one commit, which `wiki undo` takes back.

    \b
    Examples:
      wiki tidy --prepare
      wiki tidy --model claude-sonnet-5 --max-cost 0.50
    """
    return run("tidy", **given)


def run(name: str, *, yes: bool, **given: Any) -> int:
    """Asks a question, or prepares it."""
    wiki, kind = open_wiki(yes=yes), kind_of(name)
    asked = filled(AskOptions, given)
    if given["prepare"]:
        jobs = wiki.prepare_parts(name, asked.parts)
        return told(kind.json, jobs, job_lines(jobs, kind.kinds), exit_code=0)
    report = wiki.ask_parts(name, asked)
    told(kind.json, report, run_lines(report))
    if report.failure:
        say_err(f"wiki: {report.failure}")
    return report.exit_code


def job_lines(jobs: DeskJobs, called: Mapping[str, str] | None = None) -> Iterator[str]:
    """The files of the jobs, and what is in them, by what their kinds are `called`."""
    yield jobs.waits
    if jobs.files:
        for kind, count in jobs.questions.items():
            yield f"  {count:4}  {(called or {})[kind]}"
        yield "Read each file, and answer as it says:"
        yield from (f"  {name}" for name in jobs.files)


def run_lines(report: DeskRun[Any]) -> Iterator[str]:
    """What a model answered, how far it came, and what it took."""
    run = report.run
    if run is None:
        yield report.waits
        return
    yield from report.lines
    cost = "" if run.cost is None else f", USD {run.cost:.4f} (estimate)"
    done = f"{run.answered} of {counted(report.parts, 'part')} answered by {report.model}"
    yield f"{done}: {run.usage.total} tokens{cost}"
