"""The official SDK as the client: over pipes and over HTTP it gets what `wiki mcp` says by hand."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import wikikit
from mcpkit import call, request, said, talk
from wikikit import NOTE, Wiki, answer, claim

mcp = pytest.importorskip("mcp")
httpx2 = pytest.importorskip("httpx2")

GREEN = "Green tea is steeped at 80 degrees for two minutes."
TOKEN = "a token that a test chose"
MODES = ("legacy", "2026-07-28")
HEAD = {
    "authorization": f"Bearer {TOKEN}",
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
}


@dataclass
class Served:
    """A wiki, and the server of it that listens."""

    wiki: Wiki
    url: str
    process: subprocess.Popen[str]


def _start(root: Path, *args: str, env: dict[str, str] | None = None) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "llmwiki", "mcp", "--http", "--port", "0", *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=root,
        env={**os.environ, **(env or {})},
    )


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        wiki = wikikit.make(tmp_path_factory.mktemp("served"), monkeypatch)
        wiki.learn("raw/tea.md", NOTE, answer([claim("Green tea", GREEN, lines=(5, 5))]))
        process = _start(wiki.root, env={"WIKI_MCP_TOKEN": TOKEN})
        assert process.stdout and process.stderr
        url = process.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:") and url.endswith("/mcp")
        yield Served(wiki, url, process)
        process.send_signal(signal.SIGINT)
        assert process.wait(15) == 0
        assert process.stdout.read() == "", "a token that was chosen is not printed"
        process.stdout.close()
        process.stderr.close()


async def _asked(client: Any, note: str) -> dict[str, Any]:
    """What a client gets for one request of each kind."""
    tools = await client.list_tools()
    resources = await client.list_resources()
    prompt = await client.get_prompt("ask", {"question": "How hot?"})
    page = await client.read_resource("wiki://page/Green%20tea")
    found = await client.call_tool("wiki_context", {"question": "How is green tea steeped?"})
    refused = await client.call_tool("wiki_read", {"name": "../secret"})
    noted = await client.call_tool("wiki_remember", {"text": note})
    with pytest.raises(mcp.MCPError) as unknown:
        await client.call_tool("no_such_tool", {})
    return {
        "tools": [tool.name for tool in tools.tools],
        "resources": [str(each.uri) for each in resources.resources],
        "prompt": prompt.messages[0].content.text,
        "page": page.contents[0].text,
        "found": found.content[0].text,
        "refused": (refused.is_error, refused.content[0].text),
        "unknown": unknown.value.code,
        "noted": noted.structured_content,
    }


async def _over_http(url: str, mode: str, note: str) -> dict[str, Any]:
    from mcp.client.streamable_http import streamable_http_client

    async with (
        httpx2.AsyncClient(headers={"authorization": HEAD["authorization"]}) as http,
        mcp.Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        return await _asked(client, note)


async def _over_pipes(root: Path, mode: str, note: str) -> dict[str, Any]:
    server = mcp.StdioServerParameters(
        command=sys.executable, args=["-m", "llmwiki", "mcp"], cwd=root, env=dict(os.environ)
    )
    async with mcp.Client(server, mode=mode) as client:
        return await _asked(client, note)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("way", ["http", "pipes"])
def test_the_sdk_gets_the_same_answers_either_way(served: Served, way: str, mode: str) -> None:
    root, note = served.wiki.root, f"Asked over {way}, {mode}."
    by_hand = {
        each["id"]: each
        for each in talk(
            root,
            request(1, "resources/read", uri="wiki://page/Green%20tea"),
            call(2, "wiki_context", question="How is green tea steeped?"),
        )
    }
    asked = _over_http(served.url, mode, note) if way == "http" else _over_pipes(root, mode, note)
    got = asyncio.run(asked)
    assert got["tools"] == [
        *("wiki_search", "wiki_context", "wiki_read", "wiki_why"),
        *("wiki_remember", "wiki_ingest"),
    ]
    assert got["resources"] == ["wiki://page/overview", "wiki://page/index"]
    assert "How hot?" in got["prompt"]
    assert got["page"] == by_hand[1]["result"]["contents"][0]["text"]
    assert GREEN in got["found"] and got["found"] == said(by_hand[2])
    assert got["refused"][0] and "leads out of the wiki" in got["refused"][1]
    assert got["unknown"] == -32602
    assert got["noted"]["commit"] == served.wiki.git("rev-parse", "HEAD").strip()
    assert note in served.wiki.read(got["noted"]["page"])


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({"authorization": ""}, 401),
        ({"authorization": f"Bearer {TOKEN}x"}, 401),
        ({"host": "rebound.example"}, 421),
        ({"origin": "https://elsewhere.example"}, 403),
        ({"content-type": "text/plain"}, 400),
        ({}, 200),
    ],
)
def test_who_may_call(served: Served, changed: dict[str, str], status: int) -> None:
    body = request(1, "initialize", protocolVersion="2025-11-25", capabilities={})
    body["params"]["clientInfo"] = {"name": "test", "version": "1"}
    with httpx2.Client() as http:
        got = http.post(served.url, headers={**HEAD, **changed}, json=body)
        assert got.status_code == status
        assert status != 200 or got.json()["result"]["serverInfo"]["name"] == "llmwiki"
        # Nobody but a session that began with a handshake is remembered.
        stray = http.post(served.url, headers=HEAD, json=request(2, "tools/list"))
        assert stray.status_code == 400


def test_read_only_offers_nothing_that_writes_and_a_token_is_made(wiki: Wiki) -> None:
    # Only Linux has all of 127.0.0.0/8.
    bind = "127.0.0.2" if sys.platform == "linux" else "127.0.0.1"
    process = _start(wiki.root, "--read-only", "--bind", bind)
    assert process.stdout and process.stderr
    with process.stdout, process.stderr:
        url, shown = (process.stdout.readline().strip() for _ in range(2))
        name, _, value = shown.partition(": ")
        body = request(1, "tools/call", name="wiki_remember", arguments={"text": "x"})
        body["params"]["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        modern = {
            **HEAD,
            name.lower(): value,
            "mcp-protocol-version": "2026-07-28",
            "mcp-method": "tools/call",
            "mcp-name": "wiki_remember",
        }
        got = httpx2.post(url, headers=modern, json=body).json()
        assert got["error"]["code"] == -32602 and "Unknown tool" in got["error"]["message"]
        process.send_signal(signal.SIGTERM)
        assert process.wait(15) == 143


def test_who_never_asks_keeps_nobody_out(wiki: Wiki) -> None:
    hasty = (
        "import llmwiki.interfaces.http_server as timed; timed.HEAD_SECONDS = 0.3;"
        "from llmwiki.interfaces.cli import main; main()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", hasty, "serve", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=wiki.root,
    )
    assert process.stdout
    url = httpx2.URL(process.stdout.readline().strip())
    with contextlib.ExitStack() as held:
        held.callback(process.wait)
        held.callback(process.kill)
        held.callback(process.stdout.close)
        silent = held.enter_context(socket.create_connection((url.host, url.port or 0), 10))
        silent.sendall(b"GET / HTTP/1.1\r\n")
        assert silent.recv(1) == b"", "so many as are answered at one time would keep others out"
        assert httpx2.get(url.copy_with(query=None)).status_code in (401, 403)


def test_heads_that_are_never_finished_keep_nobody_out(wiki: Wiki) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "llmwiki", "mcp", "--http", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=wiki.root,
    )
    assert process.stdout
    url = httpx2.URL(process.stdout.readline().strip())
    held: list[socket.socket] = []

    def hold(most: int, head: bytes) -> None:
        """The oldest are let go, and new ones come."""
        for _ in range(most):
            one = socket.create_connection((url.host, url.port or 0), 10)
            one.sendall(head)
            held.append(one)
            if len(held) > 300:
                held.pop(0).close()

    try:
        # The second is a whole one: it gets a refusal, and says nothing more.
        for head in (b"GET / HTTP/1.1\r\nHost: ", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"):
            hold(300, head)
            for _ in range(15):
                hold(20, head)
                assert httpx2.get(url.copy_with(query=None)).status_code in (401, 403)
    finally:
        for one in held:
            one.close()
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("args", "token", "code", "words"),
    [
        (("--port", "1"), "", 2, "--port goes with --http"),
        (("--http",), "short", 2, "16 or more printable"),
        (("--http", "--bind", "192.0.2.1"), "", 7, "--read-only, or --allow-writes"),
        (("--http", "--bind", "192.0.2.1", "--read-only"), "", 3, "cannot listen there"),
    ],
)
def test_what_it_refuses(
    wiki: Wiki, args: tuple[str, ...], token: str, code: int, words: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "llmwiki", "mcp", *args],
        cwd=wiki.root,
        env={**os.environ, "WIKI_MCP_TOKEN": token},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert words in done.stderr and "Traceback" not in done.stderr
