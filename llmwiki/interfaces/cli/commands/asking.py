"""Commands that ask a model or an agent in parts: made of rows of `QUESTIONS`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from llmwiki.app.questions import QUESTIONS, kind_of
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


def add_asking(group: click.Group, command: str = "") -> None:
    """Gives a group the commands that rows of `QUESTIONS` tell below `command`."""
    for name, row in QUESTIONS.items():
        above, _, last = row.command.rpartition(" ")
        if row.help and above == command:
            group.add_command(_asking(name, last, row.help))


def _asking(name: str, command: str, told: str) -> click.Command:
    @click.command(command, help=told)
    @ASKING
    def ask(**given: Any) -> int:
        return _run(name, **given)

    return ask


def _run(name: str, *, yes: bool, **given: Any) -> int:
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
