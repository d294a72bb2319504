"""The web in a conversation: off where nobody turned it on, asked for where others have spoken."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import wikikit
from fake_messages import FakeMessages, call
from webkit import Reply, Site, site
from wikikit import Wiki

import llmwiki
from llmwiki.chat.open_session import ChatOptions, conversation
from llmwiki.chat.tools.tool_context import ToolContext
from llmwiki.chat.tools.web import search_tool
from llmwiki.chat.turn_events import AskedCall, TurnEnded
from llmwiki.core.callbacks import Callbacks
from llmwiki.core.errors import InputError, PolicyError, ProviderError

AT = ToolContext(None, session="s", turn=1)  # type: ignore[arg-type]
TEA = "<h1>Tea</h1><p>Green tea is a tea that is steeped at 80 degrees for two minutes.</p>"


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeMessages]:
    with FakeMessages() as running:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", running.url)
        monkeypatch.setenv("LLMWIKI_MODEL", "some-model")
        yield running


@pytest.fixture
def web() -> Iterator[Site]:
    with site() as served:
        yield served


def turns(wiki: Wiki, *typed: str, ask: Any = None) -> TurnEnded:
    options = ChatOptions(no_memory=True)
    with conversation(llmwiki.Wiki.open(wiki.root), options, Callbacks(), ask) as talk:
        for words in typed:
            *_, ended = talk.take(words)
    assert isinstance(ended, TurnEnded)
    return ended


def test_it_is_off_and_no_repository_turns_it_on(wiki: Wiki, server: FakeMessages) -> None:
    wiki.put(".llmwiki.toml", "format = 3\n[chat]\nweb_fetch = true\nweb_search = 'brave'\n")
    server.answer = "Hello."
    turns(wiki, "hello")
    names = [tool["name"] for tool in server.requests[0].body["tools"]]
    assert not [name for name in names if name.startswith("web")]


def test_an_address_that_was_typed_is_read_and_taints_what_follows(
    wiki: Wiki, server: FakeMessages, web: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLMWIKI_CHAT_WEB_FETCH", "true")
    tea, other = web.html("/tea", TEA), web.html("/other", TEA)
    server.use(call("t1", "web_fetch", {"url": tea}))
    server.use(
        call("t2", "web_fetch", {"url": other}), call("t3", "web_fetch", {"url": tea + "?a"})
    )
    server.use(call("t4", "remember", {"text": "Obey."}))
    server.reply("Two minutes.")
    ended = turns(wiki, f"What does {tea}, say?")
    assert [each.status for each in ended.calls] == ["done", "refused", "refused", "refused"]
    assert [path for path, _ in web.asked] == ["/tea"]
    (result,) = server.requests[1].body["messages"][-1]["content"]
    assert result["content"].startswith(f"{tea}\n") and "80 degrees" in result["content"]


def test_any_other_address_is_asked_for_with_all_of_it(
    wiki: Wiki, server: FakeMessages, web: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLMWIKI_CHAT_WEB_FETCH", "true")
    url = web.html("/tea", TEA)
    asked: list[AskedCall] = []

    def person(call: AskedCall) -> bool:
        asked.append(call)
        return len(asked) == 2

    other = web.html("/other", TEA)
    for number, named in enumerate((url, url)):
        server.use(call(f"t{number}", "web_fetch", {"url": named}))
    server.reply("So.")
    server.use(call("t2", "web_fetch", {"url": other}))
    server.reply("So.")
    ended = turns(wiki, "look it up", "look elsewhere", ask=person)
    assert [each.shown for each in asked] == [url, other], "what was refused is not asked again"
    assert len(web.asked) == 1 and ended.calls[0].status == "done"


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:{port}/tea",
        "http://[::ffff:127.0.0.1]:{port}/tea",
        "http://localhost:{port}/tea",
        "http://2130706433:{port}/tea",
        "file:///etc",
    ],
)
def test_this_machine_and_its_network_are_not_asked(
    wiki: Wiki, server: FakeMessages, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("LLMWIKI_CHAT_WEB_FETCH", "true")
    with site(exempt=False) as web:
        named = url.format(port=web.port)
        server.use(call("t1", "web_fetch", {"url": named}))
        server.use(call("t2", "web_fetch", {"url": f"{named}?again"}))
        server.reply("No.")
        asked: list[AskedCall] = []
        ended = turns(wiki, f"read {named}", ask=lambda each: asked.append(each) or True)
        assert [each.status for each in ended.calls] == ["failed", "failed"]
        assert web.asked == [] and asked == []


ROWS = [{"title": "Tea <b>pages</b>", "url": "https://tea.example/", "description": "About tea."}]
ANSWERS: dict[str, Any] = {
    "brave": {"web": {"results": ROWS}},
    "searxng": {"results": [{**ROWS[0], "content": "About tea."}]},
}
KEYS = {"BRAVE_API_KEY": "key-1"}
QUERIES = ["/search?count=10&q=green+tea", "/search?format=json&q=green+tea"]


@pytest.mark.parametrize("name", sorted(ANSWERS))
def test_a_provider_is_asked_as_it_wants_to_be(name: str) -> None:
    with site(exempt=False) as web:
        tool = search_tool(name, f"{web.url}/search", KEYS)
        for known in QUERIES:
            web.pages[known] = Reply(json.dumps(ANSWERS[name]).encode())
        found = tool.run(AT, **tool.checked({"words": "green tea"}))
        ((asked, headers),) = web.asked
    assert found.brief == "1 page" and found.text.startswith("- Tea pages <https://tea.example/>\n")
    assert "About tea." in found.text and asked in QUERIES
    assert (headers.get("X-Subscription-Token") == "key-1") is (name == "brave")


def test_what_a_search_refuses() -> None:
    with pytest.raises(InputError, match="may be brave"):
        search_tool("google", "", {})
    with pytest.raises(InputError, match="BRAVE_API_KEY"):
        search_tool("brave", "", {})
    with pytest.raises(InputError, match="where that is"):
        search_tool("searxng", "", {})
    with site(exempt=False) as web:
        tool = search_tool("searxng", f"{web.url}/s", {})
        with pytest.raises(PolicyError):
            tool.run(AT, words="sk-ant-api03-" + "Ab3dE6gH9jK2mN5pQ8sT" * 4)
        assert web.asked == []
        for body in (b"<html>", b"[]", b'{"results": 7}', b'{"results": [7]}'):
            web.pages["/s?format=json&q=tea"] = Reply(body)
            with pytest.raises(ProviderError, match="answer is none"):
                tool.run(AT, words="tea")
        web.pages["/s?format=json&q=tea"] = Reply(b"", 302, {"Location": "https://evil.example/"})
        with pytest.raises(PolicyError, match="leads on"):
            tool.run(AT, words="tea")
