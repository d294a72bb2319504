"""Tools of the wiki for every model, in a conversation and over a protocol the same: each declared
in its own file, with whom it serves, and a row here."""

from __future__ import annotations

from llmwiki.app.tools import reading_tools, writing_tools
from llmwiki.core.tool_declaration import Tool

TOOLS: tuple[Tool, ...] = (
    reading_tools.search,
    reading_tools.context,
    reading_tools.read,
    reading_tools.why,
    writing_tools.remember,
    writing_tools.ingest,
)
"""Those of MCP together stay below 1,500 tokens (a test). Where a conversation has no room for all,
the last ones are left out."""
