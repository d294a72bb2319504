"""The opening of the overview, as a model writes it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import wikikit
from fake_messages import KEY, FakeMessages
from wikikit import NOTE, Wiki


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    made = wikikit.make(tmp_path, monkeypatch)
    made.put("raw/tea.md", NOTE)
    made.ok("ingest", "raw/tea.md", "--model", "offline")
    return made


@pytest.fixture
def server(wiki: Wiki) -> Iterator[FakeMessages]:
    with FakeMessages() as running:
        wiki.env |= {"ANTHROPIC_BASE_URL": running.url, "ANTHROPIC_API_KEY": KEY}
        yield running


def test_a_model_writes_it_from_the_pages_and_titles_become_links(
    wiki: Wiki, server: FakeMessages
) -> None:
    server.reply('{"overview": "This wiki is about Tea <b>."}')
    wiki.ok("overview", "--model", "mine")
    assert "Tea" in server.requests[0].text
    assert "This wiki is about [[Tea]] \\<b>." in wiki.read("wiki/overview.md")


def test_one_that_says_nothing_is_asked_for_again_and_then_refused(
    wiki: Wiki, server: FakeMessages
) -> None:
    before = wiki.head
    server.reply('{"overview": " "}')
    server.reply('{"overview": ""}')
    done = wiki.run("overview", "--model", "mine")
    assert done.code == 5 and "overview: it says nothing" in done.err
    assert len(server.requests) == 2 and wiki.head == before
