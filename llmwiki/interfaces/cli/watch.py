"""wiki watch: sources are ingested as they arrive."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from llmwiki.app.ingest_types import IngestOptions
from llmwiki.app.watch import WatchOptions
from llmwiki.core.text import counted
from llmwiki.interfaces.cli import landings
from llmwiki.interfaces.cli.context import open_wiki, say, say_as, say_err
from llmwiki.interfaces.cli.options import QUIET, YES, filled, options
from llmwiki.interfaces.cli.results import summary_line

if TYPE_CHECKING:
    from llmwiki import OperationReport


@click.command()
@options(WatchOptions, settle=options(IngestOptions, "model"))
@options(IngestOptions, "review", "max_cost", "allow_secret", "allow_detached", review=YES)
@QUIET
@click.option("--json", "as_json", is_flag=True, help="Print each source as a JSON line.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    yes: bool,
    quiet: bool,
    as_json: bool,
    **given: Any,
) -> int:
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
    watched = filled(WatchOptions, given)
    chosen = replace(watched, ingest=filled(IngestOptions, given))

    def say_done(report: OperationReport) -> None:
        if as_json:
            say_as("ingest", operations=[report], on_one_line=True)
        elif report.status == "failed" or not quiet:
            say(summary_line(report))

    report = open_wiki(ctx, yes=yes, quiet=quiet).watch(
        chosen, on=say_done, landed=landings.print_end
    )
    if quiet:
        return report.exit_code
    if not (report.ingested or report.failed or as_json):
        say_err("wiki: nothing new")
    elif report.failed:
        say_err(f"wiki: {counted(report.ingested, 'source')} ingested, {report.failed} failed")
    return report.exit_code
