"""wiki mcp: serve the wiki over standard input and output; print its entry."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import click

from llmwiki.interfaces.cli.command_group import CommandGroup

if TYPE_CHECKING:
    from llmwiki.app.wiki import Wiki


@click.group(cls=CommandGroup, invoke_without_command=True)
@click.option("--read-only", is_flag=True, help="Offer no tool that writes.")
@click.option("--review", is_flag=True, help="Let all that is written wait on a branch.")
@click.pass_context
def command(
    ctx: click.Context,
    read_only: bool,
    review: bool,
) -> int:
    """Serve the wiki to an agent or editor: the Model Context Protocol on stdin and stdout.

    A host starts this command itself; `wiki mcp entry HOST` prints what tells it to. Typed in a
    terminal it waits for JSON. Tools that look up write nothing; one that writes makes one commit
    and names what takes it back. The setting `mcp.writes` (`commit`, `review`, `off`) says the same
    for all who serve this wiki as the options do for once; the stricter counts. The process ends
    with its standard input.

    \b
    Examples:
      wiki mcp entry claude
      wiki mcp --read-only
      wiki -C ~/notes mcp
    """
    if ctx.invoked_subcommand is not None:
        return 0
    limit = "off" if read_only else "review" if review else "commit"
    if sys.stdin.isatty():
        click.echo(
            "wiki: waiting for messages of a host; `wiki mcp entry HOST` prints its entry", err=True
        )
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
            from llmwiki.interfaces.cli.context import open_wiki

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


NAME = "llmwiki"
"""Of the entry."""


class _Host(NamedTuple):
    """A program that starts servers."""

    title: str
    file: str
    """The file with its entries, from the top of the work tree."""
    section: str
    """The object, or table, that holds the entries."""
    command: str = ""
    """What of its own puts an entry there; the program and its arguments stand behind it."""
    has_type: bool = False
    """Whether an entry says that it is served over standard input and output."""
    folder: str = ""
    """What it puts in place of the folder of the project; empty: it starts servers there."""

    def entry(self, subfolder: str) -> dict[str, Any]:
        """What starts the server for the wiki in `subfolder` of the work tree, `` for its top."""
        place = "/".join(part for part in (self.folder, subfolder) if part)
        args = ["-C", place, "mcp"] if place else ["mcp"]
        return {**({"type": "stdio"} if self.has_type else {}), "command": "wiki", "args": args}


_HOSTS: Mapping[str, _Host] = {
    "claude": _Host(
        "Claude Code",
        ".mcp.json",
        "mcpServers",
        f"claude mcp add --scope project {NAME} --",
        has_type=True,
    ),
    "codex": _Host("Codex", ".codex/config.toml", "mcp_servers", f"codex mcp add {NAME} --"),
    "cursor": _Host("Cursor", ".cursor/mcp.json", "mcpServers", folder="${workspaceFolder}"),
    "gemini": _Host(
        "Gemini CLI", ".gemini/settings.json", "mcpServers", f"gemini mcp add -s project {NAME}"
    ),
    "vscode": _Host(
        "VS Code", ".vscode/mcp.json", "servers", has_type=True, folder="${workspaceFolder}"
    ),
}


@command.command("entry")
@click.argument("host", type=click.Choice(list(_HOSTS)))
@click.pass_context
def entry(ctx: click.Context, host: str) -> int:
    """Print the entry that makes a host start `wiki mcp` in this project.

    The entry is printed as a new file of the host would hold it, and names no folder of this
    machine; where the host has a command of its own that writes it, that is told as well. Nothing
    is written. The host must find `wiki` on its PATH.

    \b
    Examples:
      wiki mcp entry claude
      wiki mcp entry cursor > .cursor/mcp.json
    """
    import json
    import shlex

    from llmwiki.interfaces.cli.context import open_wiki, say, say_err

    wiki, chosen = open_wiki(ctx), _HOSTS[host]
    subfolder = "" if wiki.root == wiki.top else wiki.root.relative_to(wiki.top).as_posix()
    entry = chosen.entry(subfolder)
    if chosen.file.endswith(".toml"):
        lines = [f"{key} = {json.dumps(value)}" for key, value in entry.items()]
        say("\n".join([f"[{chosen.section}.{NAME}]", *lines]))
    else:
        say(json.dumps({chosen.section: {NAME: entry}}, indent=2, ensure_ascii=False))
    place = f"{chosen.title} reads it from {chosen.file} in {wiki.top}"
    args = shlex.join(["wiki", *entry["args"]])
    say_err(f"{place}, or run there: {chosen.command} {args}" if chosen.command else place)
    return 0
