"""wiki watch: sources are ingested as they arrive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from llmwiki.app.ingest_types import IngestOptions
from llmwiki.app.shapes.reading import IngestJson
from llmwiki.app.watch import SETTLE, WatchOptions
from llmwiki.cli import landings
from llmwiki.cli.context import open_wiki, say, say_json, tell
from llmwiki.cli.options import ALLOW_DETACHED, ALLOW_SECRET, QUIET, REVIEW, YES, filled, max_cost
from llmwiki.cli.results import summary_line
from llmwiki.cli.sizes import MAX_SIZE
from llmwiki.core.text import counted

if TYPE_CHECKING:
    from llmwiki import OperationReport


@click.command()
@click.option("--inbox", metavar="DIR", help="Read what is dropped into DIR instead of raw/.")
@click.option("--once", is_flag=True, help="Read what is there and whole, and end: for cron.")
@click.option(
    "--settle",
    type=click.FloatRange(0.5, 3_600),
    default=SETTLE,
    show_default=True,
    metavar="SECONDS",
    help="A file is whole when it stayed as it is for so long.",
)
@click.option("--model", help="Model to read with; `offline` for the embedded extractor.")
@max_cost("Wait for tomorrow (UTC) before a call could pass this sum a day; needs prices.")
@REVIEW
@YES
@MAX_SIZE
@ALLOW_SECRET
@ALLOW_DETACHED
@QUIET
@click.option("--json", "as_json", is_flag=True, help="Print each source as a JSON line.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    inbox: str | None,
    once: bool,
    settle: float,
    max_cost: float | None,
    yes: bool,
    quiet: bool,
    as_json: bool,
    **given: Any,
) -> int:
    """Ingest what is dropped into raw/, or into an inbox, as soon as it is whole: a line a commit.

    It runs in the foreground until Ctrl-C or SIGTERM ends it; nothing stays behind. Hidden files
    and what editors and browsers write for the time being are left alone. While git is at work or
    a merge is not ended, and while another command holds the wiki, it waits. A source that cannot
    be read is told once, and tried again when it changes.

    With a limit for the day (--max-cost, or `max_cost` below [watch] in your own settings) it waits
    for tomorrow before a call of a model could pass it. `wiki schedule` prints what runs it, and
    other daily jobs, by themselves. See docs/watching.md.

    \b
    Examples:
      wiki watch
      wiki watch --inbox ~/Documents/inbox --model offline
      wiki watch --once --max-cost 0.50
    """
    options = WatchOptions(filled(IngestOptions, given), inbox, once, settle, max_cost)

    def told(report: OperationReport) -> None:
        if as_json:
            say_json(IngestJson.of(operations=[report]), on_one_line=True)
        elif report.status == "failed" or not quiet:
            say(summary_line(report))

    report = open_wiki(ctx, yes=yes, quiet=quiet).watch(options, on=told, landed=landings.tell_end)
    if quiet:
        return report.exit_code
    if not (report.ingested or report.failed or as_json):
        tell("wiki: nothing new")
    elif report.failed:
        tell(f"wiki: {counted(report.ingested, 'source')} ingested, {report.failed} failed")
    return report.exit_code
