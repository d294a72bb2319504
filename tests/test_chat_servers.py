"""Conversations with servers that take less, and say less, than the Messages API."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import wikikit
from fake_messages import FakeMessages, call
from wikikit import Wiki

HOT = "Green tea is steeped at 80 degrees for two minutes."
ASKED = "How long is green tea steeped?"
SERVERS: dict[str, dict[str, Any]] = {
    "strict": {},
    "strict, without anything that can be lacked": {
        "unsupported": ("output_config", "cache_control")
    },
    "lax": {"is_lax": True},
    "ollama": {"is_lax": True, "no_tools": (400, "tiny-model does not support tools")},
    "vllm": {
        "no_tools": (400, '"auto" tool choice requires --enable-auto-tool-choice'),
    },
    "llama.cpp": {
        "no_tools": (500, "tools param requires --jinja flag"),
        "unsupported": ("cache_control",),
    },
}


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(
        tmp_path, monkeypatch, lambda made: wikikit.learn_tea(made, {"Green tea": HOT})
    )


@pytest.mark.parametrize("name", SERVERS)
def test_a_conversation_with_a_server(wiki: Wiki, name: str) -> None:
    """One that takes no tools is told from its first refusal, and asked without them."""
    kind = SERVERS[name]
    with FakeMessages(**kind) as server:
        wiki.env |= {"ANTHROPIC_BASE_URL": f"{server.url}/v1/", "LLMWIKI_MODEL": "tiny-model"}
        if "no_tools" not in kind:
            server.use("I look.", call("call_0", "wiki_search", {"words": "tea"}))
        server.reply("Two minutes.")
        first = wiki.ok("chat", "--json", ASKED).json
        between = len(server.requests)
        if "no_tools" not in kind:
            server.use(call("call_0", "list_dir", {}))
        server.reply("In the folder.")
        second = wiki.ok("chat", "--json", "--session", first["session"], "And where?").json
        offered = ["tools" in request.body for request in server.requests]
        begun = offered[:between], offered[between:]
    assert (first["answer"], second["answer"]) == ("Two minutes.", "In the folder.")
    assert first["stop"] == second["stop"] == "end_turn"
    if "no_tools" in kind:
        for each in begun:
            assert each == sorted(each, reverse=True) and set(each) == {True, False}
        return
    assert [each["status"] for each in [*first["calls"], *second["calls"]]] == ["done"] * 2
    results = [
        block["content"]
        for message in server.requests[-1].body["messages"]
        for block in message["content"]
        if block["type"] == "tool_result"
    ]
    assert "[[Green tea#^c-" in results[0] and "wiki/" in results[1], "two calls had one id"
