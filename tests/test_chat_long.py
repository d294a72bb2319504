"""Hours of conversation in one go: a scripted model that uses tools, is slow, wrong, cut off and
refuses, and a person who condenses, rewinds, forks, undoes and comes back."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
import wikikit
from fake_messages import FakeMessages, call
from longform import LONG
from wikikit import Wiki

import llmwiki
from llmwiki.chat import visible_history
from llmwiki.chat.open_session import ChatOptions, conversation
from llmwiki.chat.transcript import SessionFile
from llmwiki.chat.turn import Conversation
from llmwiki.chat.turn_events import AskedCall, TurnEnded
from llmwiki.core.callbacks import Callbacks
from llmwiki.interfaces.cli.commands.chat.slash_commands import SlashCommands

HOT = "Green tea is steeped at 80 degrees for two minutes."
TURNS = 240 if LONG else 14
"""Two hours of a person who types a line each half minute."""
ANSWER = "Green tea is steeped for two minutes, as the wiki has it. " * 20
ENDINGS = {"end_turn", "max_tokens", "refusal", "limit", "error"}


class ScriptedModel:
    """Fills the server's queue with what the next turn meets."""

    def __init__(self, server: FakeMessages, chance: random.Random) -> None:
        self.server, self.chance = server, chance
        self.done: Counter[str] = Counter()
        self.number = 0

    def plan(self) -> None:
        kinds: list[Callable[[], None]] = [
            self.talks, self.looks, self.looks, self.writes, self.writes, self.errs,
            self.is_slow, self.is_wrong, self.is_cut_off, self.refuses, self.is_too_long,
        ]  # fmt: skip
        self.server._queue.clear()
        kind = self.chance.choice(kinds)
        self.done[kind.__name__] += 1
        kind()

    def id(self) -> str:
        self.number += 1
        return f"t{self.number}"

    def talks(self) -> None:
        self.server.reply(ANSWER)

    def looks(self) -> None:
        self.server.use(
            "I look.",
            call(self.id(), "wiki_search", {"words": "tea"}),
            call(self.id(), "wiki_context", {"question": "How long is tea steeped?"}),
        )
        self.server.use(call(self.id(), "wiki_read", {"page": "Green tea"}))
        self.talks()

    def writes(self) -> None:
        self.server.use(call(self.id(), "remember", {"text": f"Pot {self.number} is blue."}))
        self.server.use(
            call(self.id(), "append_page", {"page": "Green tea", "text": f"Cup {self.number}."})
        )
        self.talks()

    def errs(self) -> None:
        self.server.use(
            call(self.id(), "no_such_tool", {}),
            call(self.id(), "wiki_read", {"page": "Nowhere"}),
            call(self.id(), "wiki_search", {"words": 7}),
            call(self.id(), "edit_page", {"page": "Green tea", "old": "80 degrees", "new": "9"}),
        )
        self.talks()

    def is_slow(self) -> None:
        self.server.fault("stall", at=4, seconds=0.3, answer=ANSWER)
        self.talks()

    def is_wrong(self) -> None:
        kind = self.chance.choice(["bad_json", "html", "bad_utf8", "eof"])
        self.server.fault(kind, at=3, answer=ANSWER)
        self.talks()

    def is_cut_off(self) -> None:
        for at in (2, 4):
            self.server.fault("drop", at=at, answer=ANSWER)
        self.talks()

    def refuses(self) -> None:
        self.server.reply("I cannot", stop_reason="refusal")

    def is_too_long(self) -> None:
        self.server.reply(ANSWER, stop_reason="max_tokens")


def act(talk: Conversation, chance: random.Random) -> None:
    """Something that a person does between two turns."""
    commands = SlashCommands(talk)
    lines = [
        "/condense",
        "/undo",
        "/restore",
        "/memory",
        "/open",
        "/cost",
        "/search tea",
        "/sessions",
    ]
    if talk.typed:
        lines.append(f"/rewind {chance.choice(talk.typed)[0]}")
    acts = [m.act for m in talk.file.messages if m.act and m.kind != "words"]
    if acts:
        lines.append(f"/restore {chance.choice(acts)}")
    commands.run(chance.choice(lines))


def test_a_long_talk_stays_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wiki = wikikit.make(tmp_path, monkeypatch, lambda m: wikikit.learn_tea(m, {"Green tea": HOT}))
    chance = random.Random(7)
    endings: Counter[str] = Counter()
    with FakeMessages(ANSWER) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("LLMWIKI_MODEL", "some-model")
        model = ScriptedModel(server, chance)

        def person(_call: AskedCall) -> bool:
            return chance.random() < 0.8

        ident, left = "", TURNS
        while left:
            options = ChatOptions(session=ident)
            opened = llmwiki.Wiki.open(wiki.root)
            with conversation(opened, options, Callbacks(), person) as talk:
                ident = talk.file.id
                talk.window.size = 24_000
                for _ in range(min(left, chance.randrange(1, 12))):
                    left -= 1
                    model.plan()
                    *_, ended = talk.take(f"Question {left}: how long?")
                    assert isinstance(ended, TurnEnded) and ended.stop in ENDINGS, ended
                    assert ended.error is None or ended.error.exit_code in (4, 5, 7), ended
                    endings[ended.stop] += 1
                    server._queue.clear()
                    if chance.random() < 0.2:
                        act(talk, chance)
                    assert_whole(wiki, talk)
        assert any("tools" in request.body for request in server.requests)
        asked = len(server.requests)
    wikikit.check(wiki, dangling=True)
    assert sum(endings.values()) == TURNS
    with capsys.disabled():
        if LONG:
            print(f"\n{TURNS} turns, {asked} requests: {dict(endings)}; {dict(model.done)}")


def assert_whole(wiki: Wiki, talk: Conversation) -> None:
    """The transcript reads as it stands in memory, calls have one result, all is committed."""
    again = SessionFile.read(talk.file.files, talk.file.id)
    assert again.broken == 0 and again.landed == talk.file.landed
    assert visible_history.effective(again.messages) == talk.shown
    uses = [use.id for message in talk.shown for use in message.uses]
    results = [r.id for message in talk.shown for r in message.results]
    assert len(set(uses)) == len(uses) and len(set(results)) == len(results)
    assert set(results) <= set(uses)
    assert wiki.git("status", "--porcelain") == ""
