"""Recall in the course of a talk: what a pronoun stands for, and what was told later."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import wikikit
from fake_messages import FakeMessages
from wikikit import Wiki, answer, claim

import llmwiki
from llmwiki.app.callbacks import Callbacks
from llmwiki.chat.session import ChatOptions, conversation
from llmwiki.chat.turn import Conversation

FACTS = {
    "Heron buoy": ("The Heron buoy lies in 12 metres of water.", "Its battery lasts nine weeks."),
    "Osprey buoy": ("The Osprey buoy measures wave height.", "It was painted yellow in May."),
    "Field boat": ("The field boat is moored at berth seven.", "Its engine was changed in June."),
    "Brine sensor": ("The brine sensor costs 340 euros.", "It is calibrated with sea water."),
    "Tide office": ("The tide office opens at nine.", "Joss Verne holds the key of it."),
}
FOLLOWED: tuple[tuple[str, str, str, str], ...] = (
    ("How deep is the water at the Heron buoy?", "Heron buoy", "How long does its battery last?",
     "nine weeks"),
    ("What does the Osprey buoy measure?", "Osprey buoy", "When was it painted?", "yellow in May"),
    ("Where is the field boat moored?", "Field boat", "And its engine, when was that changed?",
     "changed in June"),
    ("What does the brine sensor cost?", "Brine sensor", "With what is it calibrated?",
     "sea water"),
    ("When does the tide office open?", "Tide office", "Who holds the key of it?", "Joss Verne"),
    ("How long does the battery of the Heron buoy last?", "Heron buoy",
     "And how deep does it lie?", "12 metres"),
    ("When was the Osprey buoy painted?", "Osprey buoy", "What does that one measure?",
     "wave height"),
    ("When was the engine of the field boat changed?", "Field boat", "Where is it moored?",
     "berth seven"),
    ("How is the brine sensor calibrated?", "Brine sensor", "What does it cost?", "340 euros"),
    ("Who holds the key of the tide office?", "Tide office", "When does it open?",
     "opens at nine"),
)  # fmt: skip


def grown(made: Wiki) -> None:
    for title, facts in FACTS.items():
        name = title.lower().replace(" ", "-")
        claims = [claim(title, fact, lines=(2 * n + 3, 2 * n + 3)) for n, fact in enumerate(facts)]
        text = f"# {title}\n\n" + "\n\n".join(facts) + "\n"
        made.learn(f"raw/{name}.md", text, answer(claims))


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch, grown)


@pytest.fixture
def server(wiki: Wiki, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeMessages]:
    with FakeMessages("Yes.") as running:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", running.url)
        monkeypatch.setenv("LLMWIKI_MODEL", "some-model")
        yield running


def asked(talk: Conversation, typed: str) -> None:
    list(talk.take(typed))


def handle(wiki: Wiki, title: str) -> str:
    return next(
        f"[[{Path(path).stem}#^{each.id}]]"
        for path, each in wiki.claims().values()
        if Path(path).stem == title
    )


def test_pronouns_stand_for_what_the_last_answers_cite(wiki: Wiki, server: FakeMessages) -> None:
    found = 0
    for question, title, follow_up, words in FOLLOWED:
        opened = llmwiki.Wiki.open(wiki.root)
        with conversation(opened, ChatOptions(), Callbacks(), None) as talk:
            server.reply(f"So it is {handle(wiki, title)}.")
            asked(talk, question)
            server.reply("Yes.")
            asked(talk, follow_up)
        found += words in server.requests[-1].text
    assert found >= 8, found


def test_what_a_person_told_stands_before_what_a_document_says(
    wiki: Wiki, server: FakeMessages
) -> None:
    wiki.ok("remember", "The field boat is moored at berth nine since June.")
    opened = llmwiki.Wiki.open(wiki.root)
    with conversation(opened, ChatOptions(), Callbacks(), None) as talk:
        asked(talk, "Where is the field boat moored?")
    text = server.requests[-1].text
    assert 0 < text.index("berth nine") < text.index("berth seven")
