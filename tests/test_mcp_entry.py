"""`wiki mcp entry`: what is printed starts the server, and the host's own command says the same."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import wikikit
from mcpkit import HELLO, lines, request
from wikikit import Wiki

HOSTS = {
    "claude": "mcpServers",
    "codex": "mcp_servers",
    "cursor": "mcpServers",
    "gemini": "mcpServers",
    "vscode": "servers",
}


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch)


def entry(wiki: Wiki, host: str, *args: str) -> tuple[dict[str, Any], str]:
    done = wiki.run(*args, "mcp", "entry", host)
    assert done.code == 0, done.err
    told = tomllib.loads(done.out) if host == "codex" else json.loads(done.out)
    return told[HOSTS[host]]["llmwiki"], done.err


@pytest.mark.parametrize("host", HOSTS)
def test_what_is_printed_starts_the_server_and_nothing_is_written(wiki: Wiki, host: str) -> None:
    before = wiki.git("status", "--porcelain")
    found, told = entry(wiki, host)
    assert found["command"] == "wiki" and found["args"][-1] == "mcp"
    assert str(wiki.root) not in json.dumps(found), "the entry may be committed"
    assert wiki.git("status", "--porcelain") == before
    args = [arg.replace("${workspaceFolder}", str(wiki.root)) for arg in found["args"]]
    served = subprocess.run(
        [sys.executable, "-m", "llmwiki", *args],
        input=lines(request(1, "initialize", **HELLO)),
        capture_output=True,
        cwd=wiki.root,
        check=True,
    )
    assert json.loads(served.stdout)["result"]["serverInfo"]["name"] == "llmwiki"
    assert ("or run there: " in told) is (host in ("claude", "codex", "gemini"))


def test_a_host_that_there_is_not_is_refused(wiki: Wiki) -> None:
    assert wiki.run("mcp", "entry", "notepad").code == 2
    assert wiki.run("mcp", "entry").code == 2
