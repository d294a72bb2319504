"""wiki mcp: serve the wiki over standard input and output, or over HTTP."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import IO, TYPE_CHECKING

import click

from llmwiki.cli.groups import CommandGroup
from llmwiki.cli.listening import names, place
from llmwiki.cli.options import option

if TYPE_CHECKING:
    from llmwiki.app.wiki import Wiki


class _McpGroup(CommandGroup):
    """The server, and the command beside it, which is loaded when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return ["entry"]

    def has(self, name: str) -> bool:
        return name == "entry"

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name != "entry":
            return None
        from llmwiki.cli.mcp.entry import command

        return command


@click.group(cls=_McpGroup, invoke_without_command=True)
@click.option("--read-only", is_flag=True, help="Offer no tool that writes.")
@click.option("--review", is_flag=True, help="Let all that is written wait on a branch.")
@click.option("--http", is_flag=True, help="Serve over HTTP instead, until Ctrl-C.")
@place(4243, ("--http",))
@names(("--http",))
@option(
    "--allow-writes",
    needs=("--http",),
    is_flag=True,
    help="With --http: let machines other than this one write.",
)
@click.pass_context
def command(
    ctx: click.Context,
    read_only: bool,
    review: bool,
    http: bool,
    port: int,
    bind: str,
    hosts: tuple[str, ...],
    allow_writes: bool,
) -> int:
    """Serve the wiki to an agent or editor: the Model Context Protocol on stdin and stdout.

    A host starts this command itself; `wiki mcp entry HOST` prints what tells it to. Typed in a
    terminal it waits for JSON. wiki_search, wiki_context, wiki_read and wiki_why write nothing;
    wiki_remember and wiki_ingest make one commit each and name what takes it back. The setting
    `mcp.writes` (`commit`, `review`, `off`) says the same for all who serve this wiki as the
    options do for once; the stricter counts. The process ends with its standard input.

    With --http it listens on this machine (Streamable HTTP), and prints the address and the token
    that every request must bring; WIKI_MCP_TOKEN in the environment chooses the token. Needs the
    extra `mcp`. An address that other machines reach demands --read-only, or --allow-writes.

    \b
    Examples:
      wiki mcp entry claude
      wiki mcp --read-only
      wiki mcp --http --port 0
      wiki -C ~/notes mcp
    """
    if ctx.invoked_subcommand is not None:
        return 0
    limit = "off" if read_only else "review" if review else "commit"
    if http:
        from llmwiki.cli.mcp.http import serve

        serve(
            ctx,
            _opener(ctx),
            limit,
            bind=bind,
            port=port,
            hosts=hosts,
            allow_writes=allow_writes,
        )
        return 0
    if sys.stdin.isatty():
        click.echo(
            "wiki: waiting for messages of a host; `wiki mcp entry HOST` prints its entry", err=True
        )
    _serve(ctx, limit)
    return 0


def _serve(ctx: click.Context, limit: str) -> None:
    """Serves until standard input ends; what runs then still is cut off, as safely as ever."""
    from llmwiki.mcp.dispatch import Dispatcher
    from llmwiki.mcp.server import McpServer

    source, sink = _streams()

    def write(line: bytes) -> None:
        sink.write(line)
        sink.flush()

    try:
        has_ended = McpServer(Dispatcher(_opener(ctx), limit), write).serve(source)
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
            from llmwiki.cli.context import open_wiki

            held.append(open_wiki(ctx).aside().session())
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
