"""The opening of the overview, as a model writes it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import wikikit
from fake_messages import KEY, FakeMessages
from wikikit import NOTE, Wiki, answer, claim


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
    wiki.ok("tidy", "--overview", "--model", "mine")
    assert "Tea" in server.requests[0].text
    assert "This wiki is about [[tea-md|Tea]] \\<b>." in wiki.read("wiki/overview.md")


def test_one_that_says_nothing_is_asked_for_again_and_then_refused(
    wiki: Wiki, server: FakeMessages
) -> None:
    before = wiki.head
    server.reply('{"overview": " "}')
    server.reply('{"overview": ""}')
    done = wiki.run("tidy", "--overview", "--model", "mine")
    assert done.code == 5 and "overview: it says nothing" in done.err
    assert len(server.requests) == 2 and wiki.head == before


BREWING = {
    "Kettle": "The Kettle heats the Teapot.",
    "Teapot": "The Teapot stands by the Kettle and holds loose leaves.",
    "Strainer": "The Strainer catches what the Teapot lets through.",
}
SAILING = {
    "Dinghy": "The Dinghy has one Mast.",
    "Mast": "The Mast of the Dinghy carries the Jib.",
    "Jib": "The Jib is set before the Mast.",
}


@pytest.fixture
def themed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    made = wikikit.make(tmp_path, monkeypatch)
    for name, facts in (("brewing", BREWING), ("sailing", SAILING)):
        claims = [claim(of, text, lines=(n, n)) for n, (of, text) in enumerate(facts.items(), 1)]
        made.learn(f"raw/{name}.md", "\n".join(facts.values()) + "\n", answer(claims))
    return made


def opening(made: Wiki) -> str:
    return made.read("wiki/overview.md").partition("# Overview\n\n")[2].partition("\n## ")[0]


def test_themes_are_told_with_their_main_pages_and_what_they_say(themed: Wiki) -> None:
    themed.ok("tidy", "--overview", "--model", "offline")
    text = opening(themed)
    first, *items = [line for line in text.split("\n") if line]
    assert first.startswith(
        "This wiki holds 8 pages and 6 claims from 2 sources. Its themes are [["
    )
    heads = [item for item in items if item.startswith("- **[[")]
    assert len(heads) == 2 and all("]]** and 2 more pages: About " in head for head in heads)
    for facts in (BREWING, SAILING):
        at = [n for n, item in enumerate(items) if any(f"[[{name}]]" in item for name in facts)]
        assert at == list(range(at[0], at[0] + 3))
    assert "  - [[Jib]]: About Jib." in items
    themed.ok("tidy", "--overview", "--model", "offline")
    assert opening(themed) == text
    wikikit.check(themed)


def test_themes_stand_below_what_an_agent_wrote(themed: Wiki, tmp_path: Path) -> None:
    told = tmp_path / "told.md"
    told.write_text("It is about boats and tea. Begin with the Kettle.")
    themed.ok("tidy", "--overview", "--text", str(told))
    text = opening(themed)
    assert text.startswith("It is about boats and tea. Begin with the [[Kettle]].\n\n- **[[")
    assert "This wiki holds" not in text


def test_a_model_is_shown_the_themes(themed: Wiki) -> None:
    with FakeMessages() as running:
        themed.env |= {"ANTHROPIC_BASE_URL": running.url, "ANTHROPIC_API_KEY": KEY}
        running.reply('{"overview": "Boats.\\n\\nTea."}')
        themed.ok("tidy", "--overview", "--model", "mine")
        asked = running.requests[0].text
    assert asked.count("Theme of 3 pages:") == 2 and "- Jib: About Jib." in asked
    assert opening(themed).startswith("Boats.\n\nTea.\n\n- **[[")


def test_an_empty_wiki_says_how_to_begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = wikikit.make(tmp_path, monkeypatch)
    made.ok("tidy", "--overview", "--model", "offline")
    assert opening(made).startswith("This wiki is empty.")
