"""wiki mcp: serve the wiki over standard input and output."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import IO, TYPE_CHECKING

import click

if TYPE_CHECKING:
    from llmwiki.app.wiki import Wiki


@click.command()
@click.option("--read-only", is_flag=True, help="Offer no tool that writes.")
@click.option("--review", is_flag=True, help="Let all that is written wait on a branch.")
@click.pass_context
def command(ctx: click.Context, read_only: bool, review: bool) -> int:
    """Serve the wiki to an agent or editor: the Model Context Protocol on stdin and stdout.

    A host starts this command itself; docs/mcp.md has the entry that tells it to. Typed in a
    terminal it waits for JSON. Tools that look up write nothing; one that writes makes one commit
    and names what takes it back. The setting `mcp.writes` (`commit`, `review`, `off`) says the same
    for all who serve this wiki as the options do for once; the stricter counts. The process ends
    with its standard input.

    \b
    Examples:
      wiki mcp --read-only
      wiki -C ~/notes mcp
    """
    limit = "off" if read_only else "review" if review else "commit"
    if sys.stdin.isatty():
        click.echo("wiki: waiting for messages of a host, see docs/mcp.md", err=True)
    _serve(ctx, limit)
    return 0


def _serve(ctx: click.Context, limit: str) -> None:
    """Serves until standard input ends; what runs then still is cut off, as safely as ever."""
    from llmwiki.interfaces.mcp.server import McpServer

    source, sink = _streams()

    def write(line: bytes) -> None:
        sink.write(line)
        sink.flush()

    try:
        has_ended = McpServer(_opener(ctx), write, limit).serve(source)
    except BrokenPipeError:
        has_ended = False
    if not has_ended:
        ctx.close()
        os._exit(0)


def _opener(ctx: click.Context) -> Callable[[], Wiki]:
    """Opens the wiki when it is asked for first, and again while there is none."""
    held: list[Wiki] = []

    def opened() -> Wiki:
        if not held:
            # Loaded with the first call: a host waits for the first answer, which needs no wiki.
            from llmwiki.interfaces.cli.command_context import open_wiki

            # The call runs in a thread of its own, which knows nothing of the command.
            with ctx.scope(cleanup=False):
                held.append(open_wiki().aside().session())
            ctx.call_on_close(held[0].close)
        return held[0]

    return opened


def _streams() -> tuple[IO[bytes], IO[bytes]]:
    """Standard input and output, for this server alone.

    Whatever else prints, prints on stderr from here on; programs that are started read nothing.
    """
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return source, sink
