"""The programs that start this server: where each keeps its entry, and what it makes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

NAME = "llmwiki"
"""Of the entry."""


@dataclass(frozen=True, slots=True)
class McpHost:
    """One program."""

    name: str
    """What `wiki mcp install` calls it."""
    title: str
    file: str
    """The file with its entry, from the top of the work tree."""
    section: str
    """The object, or table, that holds the entries."""
    lacks: str
    """What to know: what it asks, what of this server it does not show."""
    form: Literal["json", "toml"] = "json"
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


HOSTS: tuple[McpHost, ...] = (
    McpHost(
        "claude",
        "Claude Code",
        ".mcp.json",
        "mcpServers",
        "asks once whether to trust the file; prompts are /mcp__llmwiki__ask and so on",
        has_type=True,
    ),
    McpHost(
        "codex",
        "Codex",
        ".codex/config.toml",
        "mcp_servers",
        "reads the file in a trusted project only; start it in the project's top folder;"
        " it shows no prompts",
        form="toml",
    ),
    McpHost(
        "cursor",
        "Cursor",
        ".cursor/mcp.json",
        "mcpServers",
        "asks before the first start of the server",
        folder="${workspaceFolder}",
    ),
    McpHost(
        "gemini",
        "Gemini CLI",
        ".gemini/settings.json",
        "mcpServers",
        "reads the file in a trusted folder only; start it in the project's top folder",
    ),
    McpHost(
        "vscode",
        "VS Code",
        ".vscode/mcp.json",
        "servers",
        "asks before the first start of the server; tools show in agent mode only",
        has_type=True,
        folder="${workspaceFolder}",
    ),
)
HOSTS_BY_NAME = {host.name: host for host in HOSTS}
