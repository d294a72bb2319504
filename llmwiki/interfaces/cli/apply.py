"""wiki apply: what an agent read or answered becomes a commit."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from llmwiki.app.apply import MAX_ANSWER, AgentAnswer, ApplyOptions
from llmwiki.interfaces.cli.context import open_wiki, say, say_as
from llmwiki.interfaces.cli.options import AS_JSON, QUIET, files_here, filled, options
from llmwiki.interfaces.cli.results import print_notes, summary_line

if TYPE_CHECKING:
    from llmwiki import AcceptedAnswer


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…", shell_complete=files_here)
@options(ApplyOptions)
@QUIET
@AS_JSON
@click.pass_context
def command(
    ctx: click.Context, /, files: tuple[str, ...], quiet: bool, as_json: bool, **given: Any
) -> int:
    """Check what an agent has written, and commit it.

    FILE holds it as JSON; `-` reads one from standard input.

    The answer to a job that `wiki ingest PATH --prepare` printed: the source is found by its
    hash, every quote is looked for in its text, and a claim without a quote that stands there is
    refused and named. An answer to one of several segments is kept until the others have come;
    then all land as one commit.

    The texts of the pictures of a source, where `wiki ingest PATH --prepare` asked for them
    first (llmwiki.transcription/1): they are kept, and the command for the next job is printed.

    The answer to a question (llmwiki.answer/1): every citation is looked up in the wiki, and the
    sentences whose citations stand are filed as a synthesis.

    The answer to any other job that a command wrote with `--prepare`: what is to be answered, and
    what becomes of it, stands in the job. Each part of it is checked against what the wiki holds;
    what counts is committed, kept beside the repository or waits for a yes, and what does not is
    named with the reason.

    \b
    Examples:
      wiki apply /tmp/extraction-3f9c2a71.json --model NAME
      wiki apply - --dry-run < answer.json
    """
    wiki = open_wiki(ctx, quiet=quiet)
    answers = [
        AgentAnswer("-", sys.stdin.buffer.read(MAX_ANSWER + 1)) if name == "-" else name
        for name in files
    ]
    report = wiki.apply(answers, filled(ApplyOptions, given, collect=as_json))
    if as_json:
        print_notes(report.operations)
        say_as("ingest", report)
        return report.exit_code
    for judged in () if quiet else report.judged:
        say(_judged_lines(judged))
    for operation in report.operations:
        if operation.status == "failed" or not quiet:
            say(summary_line(operation, with_pages=True))
    return report.exit_code


def _judged_lines(answer: AcceptedAnswer) -> str:
    told = [
        f"{f.path}{f':{f.line}' if f.line else ''} {f.code} {f.message}" for f in answer.findings
    ]
    told += [f"does not count ({each.what}): {each.reason}" for each in answer.left_out]
    count, refused = len(answer.findings), len(answer.left_out)
    counts = "1 finding counts" if count == 1 else f"{count} findings count"
    counts += f", {refused} do{'es' if refused == 1 else ''} not"
    if answer.outdated:
        verb = "is" if answer.outdated == 1 else "are"
        counts += f", {answer.outdated} {verb} about what has changed since"
    return "\n".join([*told, f"judged    part {answer.part}: {counts}; nothing is committed"])
