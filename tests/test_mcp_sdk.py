"""The official SDK as the client: it gets what `wiki mcp` says by hand."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest
import wikikit
from mcpkit import call, request, said, talk
from wikikit import NOTE, answer, claim

GREEN = "Green tea is steeped at 80 degrees for two minutes."


async def _asked(mcp: Any, client: Any, note: str) -> dict[str, Any]:
    """What a client gets for one request of each kind."""
    tools = await client.list_tools()
    resources = await client.list_resources()
    page = await client.read_resource("wiki://page/Green%20tea")
    found = await client.call_tool("wiki_context", {"question": "How is green tea steeped?"})
    refused = await client.call_tool("wiki_read", {"name": "../secret"})
    noted = await client.call_tool("wiki_remember", {"text": note})
    with pytest.raises(mcp.MCPError) as unknown:
        await client.call_tool("no_such_tool", {})
    return {
        "tools": [tool.name for tool in tools.tools],
        "resources": [str(each.uri) for each in resources.resources],
        "page": page.contents[0].text,
        "found": found.content[0].text,
        "refused": (refused.is_error, refused.content[0].text),
        "unknown": unknown.value.code,
        "noted": noted.content[0].text,
    }


@pytest.mark.parametrize("mode", ("legacy", "2026-07-28"))
def test_the_sdk_gets_the_same_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    # Here, for it takes a second to load.
    mcp = pytest.importorskip("mcp")
    wiki = wikikit.make(tmp_path, monkeypatch)
    wiki.learn("raw/tea.md", NOTE, answer([claim("Green tea", GREEN, lines=(5, 5))]))
    note = f"Asked by the SDK, {mode}."
    by_hand = {
        each["id"]: each
        for each in talk(
            wiki.root,
            request(1, "resources/read", uri="wiki://page/Green%20tea"),
            call(2, "wiki_context", question="How is green tea steeped?"),
        )
    }

    async def over_pipes() -> dict[str, Any]:
        server = mcp.StdioServerParameters(
            command=sys.executable,
            args=["-m", "llmwiki", "mcp"],
            cwd=wiki.root,
            env=dict(os.environ),
        )
        async with mcp.Client(server, mode=mode) as client:
            return await _asked(mcp, client, note)

    got = asyncio.run(over_pipes())
    assert got["tools"] == [
        *("wiki_search", "wiki_context", "wiki_read", "wiki_why"),
        *("wiki_remember", "wiki_ingest"),
    ]
    assert got["resources"] == ["wiki://page/overview", "wiki://page/index"]
    assert got["page"] == by_hand[1]["result"]["contents"][0]["text"]
    assert GREEN in got["found"] and got["found"] == said(by_hand[2])
    assert got["refused"][0] and "leads out of the wiki" in got["refused"][1]
    assert got["unknown"] == -32602
    assert f"commit {wiki.git('rev-parse', 'HEAD')[:10]}." in got["noted"]
    assert note in wiki.read(got["noted"].split()[2])
