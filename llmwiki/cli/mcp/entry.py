"""wiki mcp entry: what makes a host start the server, for its settings or its own command."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import NamedTuple

import click

from llmwiki.cli.context import open_wiki, say, tell

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

    def entry(self, subfolder: str) -> dict[str, object]:
        """What starts the server for the wiki in `subfolder` of the work tree, `` for its top."""
        place = "/".join(part for part in (self.folder, subfolder) if part)
        args = ["-C", place, "mcp"] if place else ["mcp"]
        entry: dict[str, object] = {"type": "stdio"} if self.has_type else {}
        return entry | {"command": "wiki", "args": args}


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


@click.command("entry")
@click.argument("host", type=click.Choice(list(_HOSTS)))
@click.pass_context
def command(ctx: click.Context, host: str) -> int:
    """Print the entry that makes a host start `wiki mcp` in this project.

    HOST is claude, codex, cursor, gemini or vscode. The entry is printed as a new file of the host
    would hold it, and names no folder of this machine; where the host has a command of its own that
    writes it, that is told as well. Nothing is written. The host must find `wiki` on its PATH.

    \b
    Examples:
      wiki mcp entry claude
      wiki mcp entry cursor > .cursor/mcp.json
    """
    wiki, chosen = open_wiki(ctx), _HOSTS[host]
    subfolder = "" if wiki.root == wiki.top else wiki.root.relative_to(wiki.top).as_posix()
    entry = chosen.entry(subfolder)
    if chosen.file.endswith(".toml"):
        lines = [f"{key} = {json.dumps(value)}" for key, value in entry.items()]
        say("\n".join([f"[{chosen.section}.{NAME}]", *lines]))
    else:
        say(json.dumps({chosen.section: {NAME: entry}}, indent=2, ensure_ascii=False))
    place = f"{chosen.title} reads it from {chosen.file} in {wiki.top}"
    args = shlex.join(["wiki", *(str(each) for each in _words(entry["args"]))])
    tell(f"{place}, or run there: {chosen.command} {args}" if chosen.command else place)
    return 0


def _words(value: object) -> list[object]:
    return value if isinstance(value, list) else []
