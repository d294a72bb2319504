"""A small client of `wiki mcp`: over real pipes, and to a server in this process."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from llmwiki.app.wiki import Wiki
from llmwiki.interfaces.mcp.server import McpServer

LEGACY = "2025-06-18"
MODERN = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
HELLO = {
    "protocolVersion": LEGACY,
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
Message = dict[str, Any]


def request(ident: int | str, method: str, **params: Any) -> Message:
    return {"jsonrpc": "2.0", "id": ident, "method": method, "params": params}


def modern(ident: int, method: str, **params: Any) -> Message:
    return request(ident, method, **params, _meta=META)


def call(ident: int | str, tool: str, **arguments: Any) -> Message:
    return request(ident, "tools/call", name=tool, arguments=arguments)


def cancelled(ident: int) -> Message:
    params = {"requestId": ident}
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}


def lines(*messages: object) -> bytes:
    return b"".join(
        each if isinstance(each, bytes) else json.dumps(each).encode() + b"\n" for each in messages
    )


def talk(root: Path, *messages: object, limit: str = "commit") -> list[Any]:
    """What a server in this process answers to these messages, behind a handshake."""
    with Wiki.open(root).aside() as wiki:
        return raw_talk(wiki, request("hello", "initialize", **HELLO), *messages, limit=limit)[1:]


def raw_talk(wiki: Wiki | None, *messages: object, limit: str = "commit") -> list[Any]:
    """The same without a handshake."""
    said = io.BytesIO()

    def opened() -> Wiki:
        assert wiki is not None
        return wiki

    server = McpServer(opened, said.write, limit)
    stream = io.BytesIO(lines(*messages))
    server.serve(stream)
    # Calls may take longer than the moment that a host leaves them.
    with server._idle:
        assert server._idle.wait_for(lambda: not (server._calls or server._running), 60)
    return [json.loads(line) for line in said.getvalue().splitlines()]


def said(answer: Message) -> str:
    """The text of a tool's answer."""
    assert "result" in answer, answer
    (content,) = answer["result"]["content"]
    assert content["type"] == "text"
    return str(content["text"])


class Host:
    """A process that serves, and its pipes."""

    def __init__(
        self,
        root: Path,
        *args: str,
        env: Mapping[str, str] | None = None,
        within: Sequence[str] = (),
    ) -> None:
        """`within` is a command that runs the one behind it."""
        self.process = subprocess.Popen(
            [*within, sys.executable, "-m", "llmwiki", "mcp", *args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=root,
            env={**os.environ, **(env or {})},
        )
        self._last = 0

    def __enter__(self) -> Host:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()

    def send(self, *messages: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(lines(*messages))
        self.process.stdin.flush()

    def answer(self) -> Message:
        assert self.process.stdout is not None
        value = json.loads(self.process.stdout.readline())
        assert isinstance(value, dict)
        return value

    def ask(self, method: str, **params: Any) -> Message:
        self._last += 1
        self.send(request(self._last, method, **params))
        answer = self.answer()
        assert answer["id"] == self._last
        return answer

    def hello(self) -> Message:
        return self.ask("initialize", **HELLO)

    def tool(self, tool: str, **arguments: Any) -> Message:
        return self.ask("tools/call", name=tool, arguments=arguments)
