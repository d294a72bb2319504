"""wiki ingest, apply, watch: sources in, one commit each; what an agent read of them."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any

import click

from llmwiki.app.apply import MAX_ANSWER, AgentAnswer, ApplyOptions
from llmwiki.app.ingest.named_sources import SourceStream
from llmwiki.app.ingest.options_and_report import (
    ENDINGS,
    IngestOptions,
    IngestReport,
    left_out_text,
)
from llmwiki.app.ingest.watch import WatchOptions
from llmwiki.core.errors import InputError
from llmwiki.core.text import counted
from llmwiki.interfaces.cli import print_landings
from llmwiki.interfaces.cli.command_context import open_wiki, say, say_as, say_err, wants_json
from llmwiki.interfaces.cli.command_options import (
    AS_JSON,
    QUIET,
    YES,
    as_json,
    files_here,
    filled,
    option,
    options,
)
from llmwiki.interfaces.cli.print_ingest import (
    job_list,
    offline_note,
    print_notes,
    silent_lines,
    summary,
    summary_line,
)
from llmwiki.interfaces.cli.stopping import Terminated

if TYPE_CHECKING:
    from llmwiki import AcceptedAnswer, OperationReport, SourceEstimate, Wiki


@click.command()
@click.argument("paths", nargs=-1, metavar="PATH…", shell_complete=files_here)
@option("--name", help="File name below raw/ for standard input (PATH `-`).")
@options(
    IngestOptions,
    model=option(
        "--prepare",
        is_flag=True,
        excludes=("--dry-run", "--estimate"),
        help="Write the jobs for an agent to read; no commit.",
    ),
    again=option(
        "--estimate",
        is_flag=True,
        excludes=("--dry-run",),
        help="Print tokens and cost; call no model.",
    ),
    max_cost=YES,
)
@QUIET
@AS_JSON
@click.pass_context
def command(
    ctx: click.Context,
    /,
    paths: tuple[str, ...],
    name: str | None,
    prepare: bool,
    estimate: bool,
    yes: bool,
    quiet: bool,
    **given: Any,
) -> int:
    """Read sources into the wiki: files, folders, addresses, or `-` for standard input.

    Each source becomes claims with verbatim quotes, merged into the pages they are about, in one
    commit. A source that has not changed since it was read is skipped. With --again it is read once
    more: what the new reading says as well keeps its place, and nothing that an earlier one had
    goes; without PATH, all sources are meant that were read without a model. Files from outside
    raw/ are copied there; such a file again is a new version of the same source.

    Files are read whose names have no ending or one of these: {endings}. What a picture or a
    scan shows a model or an agent reads. See docs/sources.md. A file that cannot be read is told
    once and ends in exit code 2; met again in a folder, unchanged, it is told in one line and the
    exit code is 0. Named itself, it is tried.

    An address (http or https) is fetched and kept in raw/web/, where --allow-network, or
    `allow = true` below [fetch] in your own settings, lets it; the same address again is a new
    version of the same source.

    Who reads: without a key a reader that calls no model; with
    ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for a local server, a model; with --prepare and
    `wiki apply`, the coding agent you work with.

    \b
    Examples:
      wiki ingest raw/
      wiki ingest raw/paper.md
      wiki ingest https://example.org/history.html --allow-network
      wiki ingest ~/Downloads/report.pdf --dry-run
      wiki ingest --again raw/paper.md
      pandoc notes.org -t markdown | wiki ingest - --name notes.md
    """
    if not paths and not given["again"]:
        raise click.MissingParameter(ctx=ctx, param=ctx.command.params[0])
    files = [path for path in paths if path != "-"]
    chosen = filled(IngestOptions, given, collect=wants_json())
    wiki = open_wiki(yes=yes, quiet=quiet)
    stream = _stream(name, "-" in paths)
    if prepare:
        jobs = wiki.prepare(files, chosen, stream=stream)
        if jobs:
            say(job_list(jobs))
        return 0
    if estimate:
        _say_estimate(wiki, files, chosen, stream)
        return 0
    with _Told(quiet) as told:
        report = wiki.ingest(files, chosen, stream=stream, started=told.start, on=told.print_report)
    if wants_json():
        print_notes(report.operations)
        say_as("ingest", report)
    elif not quiet:
        _say_report(report)
    for hint in () if quiet else _hints(report):
        say_err(f"wiki: {hint}")
    return report.exit_code


command.help = str(command.help).replace("{endings}", ", ".join(sorted(ENDINGS - {""})))


def _say_report(report: IngestReport) -> None:
    """What a batch came to; one source is told already."""
    if report.named > 1:
        say(summary(report.operations, report.named))
    if report.left_out:
        say(left_out_text(report.left_out))


def _hints(report: IngestReport) -> Iterator[str]:
    """What could not be read before, and how sources may be read better."""
    if broken := report.unreadable:
        named = ", ".join(broken[:3]) + (", …" if len(broken) > 3 else "")
        yield f"{counted(len(broken), 'file')} as unreadable as before: {named} (`wiki status`)"
    silent = silent_lines(report.operations)
    if silent:
        yield silent
    if report.to_read_again:
        named = shlex.join(report.to_read_again) if report.named == 1 else ""
        count = offline_note(len(report.to_read_again))
        yield f"{count}: wiki ingest --again {named}".rstrip()


def _stream(name: str | None, is_piped: bool) -> SourceStream | None:
    """Standard input as a source, where it is named."""
    if is_piped and not name:
        raise InputError(
            "standard input needs a file name", where="-", fix="Say one: --name notes.md"
        )
    if name and not is_piped:
        raise InputError("--name goes with PATH `-` only", where=name)
    return SourceStream(name, sys.stdin.buffer) if name else None


class _Told:
    """Tells of each source when it is done.

    Where the user stops a batch, it says what is done.
    """

    def __init__(self, is_quiet: bool) -> None:
        self._is_mute = wants_json()
        self._is_quiet = is_quiet
        self._done = 0
        self._named = 1

    def start(self, named: int) -> None:
        """Takes how many sources there are."""
        self._named = named

    def print_report(self, report: OperationReport) -> None:
        """Takes what became of one."""
        from llmwiki.pages.tombstones import RETRACTED

        self._done += 1
        is_alone = self._named == 1
        # What was retracted stays in its folder, and nobody wants to hear of it each time.
        is_news = is_alone or (report.is_news and not report.note.startswith(RETRACTED))
        is_news = is_news and (report.status == "failed" or not self._is_quiet)
        text = report.diff + summary_line(report, with_pages=is_alone) if is_news else ""
        if text and not self._is_mute:
            say(text)

    def __enter__(self) -> _Told:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        del kind, trace
        if isinstance(error, (KeyboardInterrupt, Terminated)) and self._named > 1:
            say_err(f"wiki: {self._done} of {self._named} done; the same command goes on")


def _say_estimate(
    wiki: Wiki, files: list[str], options: IngestOptions, stream: SourceStream | None
) -> None:
    done = wiki.estimate(files, options, stream=stream, on=_say_source)
    if done.total is None:
        say("The reader without a model reads: no tokens, no cost.")
        return
    rest = ", and what reading the text of the pictures takes" if done.is_partial else ""
    say(f"Total for {done.model}: {done.total.told()}{rest}")


def _say_source(one: SourceEstimate) -> None:
    if one.pictures:
        say(
            f"{one.path}: {one.pictures} pictures to be read first: {one.takes.calls} calls,"
            f" {one.takes.told('at most')};"
            " reading the text they give is not known yet and comes on top"
        )
    else:
        say(f"{one.path}: {one.takes.calls} calls, {one.takes.told()}")


# --- what an agent has written ------------------------------------------------------------


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…", shell_complete=files_here)
@options(ApplyOptions)
@QUIET
@AS_JSON
def apply(files: tuple[str, ...], quiet: bool, **given: Any) -> int:
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
    wiki = open_wiki(quiet=quiet)
    answers = [
        AgentAnswer("-", sys.stdin.buffer.read(MAX_ANSWER + 1)) if name == "-" else name
        for name in files
    ]
    report = wiki.apply(answers, filled(ApplyOptions, given, collect=wants_json()))
    if wants_json():
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


# --- as they arrive -----------------------------------------------------------------------


@click.command()
@options(WatchOptions, settle=options(IngestOptions, "model"))
@options(IngestOptions, "review", "max_cost", "allow_secret", "allow_detached", review=YES)
@QUIET
@as_json("Print each source as a JSON line.")
def watch(yes: bool, quiet: bool, **given: Any) -> int:
    """Ingest what is dropped into raw/, or into an inbox, as soon as it is whole: a line a commit.

    It runs in the foreground until Ctrl-C or SIGTERM ends it; nothing stays behind. Hidden files
    and what editors and browsers write for the time being are left alone. While git is at work or
    a merge is not ended, and while another command holds the wiki, it waits. A source that cannot
    be read is told once, and tried again when it changes. Before a call of a model could pass
    --max-cost in all, it ends.

    \b
    Examples:
      wiki watch
      wiki watch --inbox ~/Documents/inbox --model offline
      wiki watch --once --max-cost 0.50
    """
    watched, is_json = filled(WatchOptions, given), wants_json()
    chosen = replace(watched, ingest=filled(IngestOptions, given))

    def say_done(report: OperationReport) -> None:
        if is_json:
            say_as("ingest", operations=[report], on_one_line=True)
        elif report.status == "failed" or not quiet:
            say(summary_line(report))

    report = open_wiki(yes=yes, quiet=quiet).watch(
        chosen, on=say_done, landed=print_landings.print_end
    )
    if quiet:
        return report.exit_code
    if not (report.ingested or report.failed or is_json):
        say_err("wiki: nothing new")
    elif report.failed:
        say_err(f"wiki: {counted(report.ingested, 'source')} ingested, {report.failed} failed")
    return report.exit_code
