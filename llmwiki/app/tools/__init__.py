"""Tools of the wiki for every model, in a conversation and over a protocol the same: each declared
in its own file, with whom it serves, and a row here."""

from __future__ import annotations

from llmwiki.app.tools import look_up, writing
from llmwiki.core.tool import Tool

TOOLS: tuple[Tool, ...] = (
    look_up.search,
    look_up.context,
    look_up.read,
    look_up.why,
    writing.remember,
    writing.ingest,
)
"""Those of MCP together stay below 1,500 tokens (a test). Where a conversation has no room for all,
the last ones are left out."""
