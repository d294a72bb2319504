"""What a model reads in a conversation: the sections of the prompt, and what stands behind a
message."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import wikikit
from fake_messages import FakeMessages, call
from wikikit import Wiki

import llmwiki
from llmwiki.chat import acts_between_turns
from llmwiki.chat.open_session import ChatOptions, attached, conversation
from llmwiki.chat.turn import Conversation
from llmwiki.chat.turn_events import AskedCall, Consent, TurnEnded
from llmwiki.core.callbacks import Callbacks
from llmwiki.interfaces.cli.commands.chat.slash_commands import SlashCommands

HOT = "Green tea is steeped at 80 degrees for two minutes."
ASKED = "How long is green tea steeped?"
MORNING = 1_796_025_600.0
"""Monday, 30 November 2026, 08:00 UTC."""


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    monkeypatch.setenv("TZ", "UTC")
    return wikikit.make(
        tmp_path, monkeypatch, lambda made: wikikit.learn_tea(made, {"Green tea": HOT})
    )


@pytest.fixture
def server(wiki: Wiki, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeMessages]:
    with FakeMessages("Yes.") as running:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", running.url)
        monkeypatch.setenv("LLMWIKI_MODEL", "some-model")
        yield running


def held(wiki: Wiki, ask: Any = None, **options: Any) -> Any:
    opened = llmwiki.Wiki.open(wiki.root)
    return conversation(opened, ChatOptions(**options), Callbacks(), ask)


def turn(talk: Conversation, typed: str) -> TurnEnded:
    *_, last = talk.take(typed)
    assert isinstance(last, TurnEnded)
    return last


def handle_of(wiki: Wiki, words: str) -> str:
    (note,) = llmwiki.Wiki.open(wiki.root).memory.notes(words=words)
    return f"[[{Path(note.path).stem}#^{note.id}]]"


def test_a_session_says_the_day_and_what_the_wiki_holds(wiki: Wiki, server: FakeMessages) -> None:
    now = MORNING
    with held(wiki) as talk:
        talk.now = lambda: now
        talk.day = "Monday, 30 November 2026"
        turn(talk, ASKED)
        system = server.requests[-1].system
        assert "Today is " in system and f"The wiki: {wiki.root.name} (" in system
        assert "(2 pages: 1 concept, 1 source)." in system
        now += 86_400
        turn(talk, "And tomorrow?")
        assert "[It is Tuesday, 1 December 2026 now.]" in server.requests[-1].text
        assert server.requests[-1].system == system, "the prefix of a session stays the same"
        turn(talk, "And then?")
        last = server.requests[-1].body["messages"][-1]
        assert "It is " not in json.dumps(last), "the day is told once"


def test_notes_stand_with_their_handles_and_are_not_recalled_again(
    wiki: Wiki, server: FakeMessages
) -> None:
    wiki.ok("remember", "Answer in two sentences about green tea.", "--kind", "preference")
    wiki.ok("remember", "Green tea is bought from Mara.")
    with held(wiki) as talk:
        turn(talk, "Who is green tea bought from, and how shall answers about green tea be?")
    request = server.requests[-1]
    handle = handle_of(wiki, "two sentences")
    (line,) = [each for each in request.system.splitlines() if handle in each]
    assert line.startswith("- told by person, ") and ", preference: Answer in two" in line
    assert "frontmatter" not in request.system and "generated" not in request.system
    assert "two sentences" not in request.text.replace(ASKED, "")
    assert "bought from Mara" in request.text, "what does not stand there is recalled"


def test_the_prompt_is_printed_by_section(
    wiki: Wiki, server: FakeMessages, capsys: pytest.CaptureFixture[str]
) -> None:
    with held(wiki) as talk:
        SlashCommands(talk).run("/prompt")
        printed = capsys.readouterr()
    heads = [line for line in printed.out.splitlines() if line.startswith("--- ")]
    assert [head.split(",")[0] for head in heads][:3] == [
        "--- identity",
        "--- instructions",
        "--- toolPolicies",
    ]
    assert "Whom to follow" in printed.out and "tokens of the next request" in printed.err


def test_a_page_is_read_without_hashes_and_with_whole_handles(
    wiki: Wiki, server: FakeMessages
) -> None:
    ident = next(iter(wiki.claims()))
    server.use(call("t1", "wiki_read", {"name": "Green tea"}))
    with held(wiki) as talk:
        ended = turn(talk, "Please read that page of green tea")
        turn(talk, ASKED)
    read = server.requests[1].body["messages"][-1]["content"][0]["content"]
    assert f" [[Green tea#^{ident}]]" in read and "generated:" not in read
    assert ended.stop == "end_turn"
    assert len(server.requests[-1].body["messages"][-1]["content"]) == 1, "it is visible already"


def test_a_handle_that_was_shown_works_where_it_is_written(
    wiki: Wiki, server: FakeMessages
) -> None:
    ident = next(iter(wiki.claims()))
    server.use(call("t1", "append_page", {"page": "Green tea", "text": f"As told [[#^{ident}]]."}))
    server.reply("Done.")
    with held(wiki, allow_writes=True) as talk:
        ended = turn(talk, "Please add that to the page of green tea")
    assert len(ended.commits) == 1
    assert f"As told [[Green tea#^{ident}]]." in wiki.read("wiki/concepts/Green tea.md")
    assert wiki.run("lint").code == 0


def test_with_tools_each_request_begins_with_the_one_before(
    wiki: Wiki, server: FakeMessages
) -> None:
    with held(wiki, lambda _call: True) as talk:
        for number in range(30):
            if number % 3 == 0:
                server.use(call(f"a{number}", "wiki_search", {"words": f"tea {number}"}))
                server.use(call(f"b{number}", "wiki_context", {"question": f"tea {number}?"}))
            if number % 7 == 0:
                text = {"text": f"Tea number {number} is good."}
                server.use(call(f"c{number}", "remember", text))
            server.reply(f"Answer {number}.")
            turn(talk, f"{ASKED} {number}")
    bodies = [json.loads(json.dumps(request.body)) for request in server.requests]
    assert len(bodies) >= 50
    for body in bodies:
        for message in (*body["messages"], {"content": body["system"]}):
            for block in message["content"]:
                block.pop("cache_control", None)
    for before, after in pairwise(bodies):
        assert before["system"] == after["system"] and before["tools"] == after["tools"]
        assert after["messages"][: len(before["messages"])] == before["messages"]


def test_a_correction_strikes_the_note_that_it_names(wiki: Wiki, server: FakeMessages) -> None:
    wiki.ok("memory", "commit", "always")
    wiki.ok("remember", "The regatta is on Wednesday 18 November.")
    given = {
        "text": "The regatta is on Thursday 19 November.",
        "words": "no, it is Thursday 19 November",
        "replaces": handle_of(wiki, "regatta"),
    }
    server.use(call("t1", "remember", given))
    server.reply("Noted.")
    with held(wiki) as talk:
        ended = turn(talk, "Well, no, it is Thursday 19 November.")
    assert [each.status for each in ended.calls] == ["done"], ended.calls
    (note,) = llmwiki.Wiki.open(wiki.root).memory.notes(words="regatta")
    assert note.text == given["text"] and note.told_by == "person"
    assert wiki.run("lint").code == 0
    asked: list[AskedCall] = []
    server.use(call("t2", "forget", {"note": handle_of(wiki, "regatta")}))
    server.reply("Struck.")

    def yes(asked_call: AskedCall) -> bool:
        asked.append(asked_call)
        return True

    with held(wiki, yes) as talk:
        assert len(turn(talk, "Forget the regatta").commits) == 1
    assert given["text"] in asked[0].shown and not asked[0].may_last
    assert llmwiki.Wiki.open(wiki.root).memory.notes(words="regatta") == ()
    assert wiki.run("lint").code == 0


@pytest.mark.parametrize(
    ("text", "words", "why"),
    [
        ("The regatta is on Friday 20 November.", "no, it is Thursday 19 November", "20"),
        ("The regatta is on Wednesday 18 November.", "no, it is Thursday 19 November", "nothing"),
        ("The regatta is not on Thursday 19 November.", "it is Thursday 19 November", "yes"),
    ],
)
def test_a_correction_says_what_was_typed(
    wiki: Wiki, server: FakeMessages, text: str, words: str, why: str
) -> None:
    wiki.ok("remember", "The regatta is on Wednesday 18 November at noon.")
    given = {"text": text, "words": words, "replaces": handle_of(wiki, "regatta")}
    server.use(call("t1", "remember", given))
    server.reply("Noted.")
    with held(wiki) as talk:
        ended = turn(talk, "Well, no, it is Thursday 19 November.")
    assert [each.status for each in ended.calls] == ["failed"] and why in ended.calls[0].brief


def test_a_note_is_asked_for_each_time_and_a_plan_once(wiki: Wiki, server: FakeMessages) -> None:
    asked: list[AskedCall] = []
    says = [Consent.YES, Consent.ALWAYS, Consent.YES]

    def person(asked_call: AskedCall) -> int:
        asked.append(asked_call)
        return says.pop(0)

    def note(number: int) -> Any:
        return call(f"n{number}", "remember", {"text": f"The boat {number} is blue."})

    server.use(note(1), note(2), note(3))
    server.use(note(4))
    server.use(note(5))
    server.reply("Done.")
    with held(wiki, person) as talk:
        ended = turn(talk, "Note what you like of the boats")
        assert [each.status for each in ended.calls] == ["done"] * 5
    assert [each.name for each in asked] == ["3 writes", "remember", "remember"]
    assert not any(each.may_last for each in asked) and "nothing that you typed" in asked[1].shown
    assert all(f"boat {number}" in asked[0].shown for number in (1, 2, 3))
    says = [Consent.NO]
    server.use(note(6), note(7))
    server.reply("Done.")
    with held(wiki, person) as talk:
        ended = turn(talk, "Note more of the boats")
    assert [each.status for each in ended.calls] == ["refused"] * 2
    assert not says, "a permission does not outlive its session"


def test_undo_goes_back_turn_by_turn_and_redo_brings_it_back(
    wiki: Wiki, server: FakeMessages
) -> None:
    with held(wiki, lambda _call: True) as talk:
        for number in (1, 2):
            server.use(call(f"n{number}", "remember", {"text": f"The boat {number} is blue."}))
            server.reply("Noted.")
            turn(talk, f"Note boat {number}")

        def notes() -> list[str]:
            found = llmwiki.Wiki.open(wiki.root).memory.notes(words="boat")
            return sorted(note.text for note in found)

        one, two = notes()
        acts_between_turns.undo(talk)
        assert notes() == [one]
        acts_between_turns.undo(talk)
        assert notes() == [] and acts_between_turns.undo(talk) == ()
        assert len(acts_between_turns.redo(talk)) == 1 and notes() == [one]
        acts_between_turns.redo(talk)
        assert notes() == [one, two] and acts_between_turns.redo(talk) == ()
        acts_between_turns.undo(talk)
        assert notes() == [one], "what was brought back can be taken back"


# --- pictures ------------------------------------------------------------------------------


@pytest.fixture
def pot(tmp_path: Path) -> Path:
    image = pytest.importorskip("PIL.Image")
    place = tmp_path / "pot.png"
    image.new("RGB", (64, 48), "blue").save(place)
    return place


def kinds(server: FakeMessages) -> list[str]:
    return [block["type"] for block in server.requests[-1].body["messages"][0]["content"]]


def test_a_picture_is_shown_as_one_and_kept_by_its_name(
    wiki: Wiki, server: FakeMessages, pot: Path
) -> None:
    with held(wiki, no_memory=True) as talk:
        files = [attached("pot.png", pot.parent)] * 5
        list(talk.take("What colour is it?", files))
        assert kinds(server).count("image") == 4, "four at most"
        assert "ATTACHMENT_POLICY" not in server.requests[-1].text, "the words say what is meant"
        list(talk.take("Please save it", files[:1]))
        assert "It is to be kept: do not digest it" in server.requests[-1].text
        turn(talk, "And the lid?")
        before, after = (request.body["messages"] for request in server.requests[-2:])
        for block in (block for m in (*before, *after) for block in m["content"]):
            block.pop("cache_control", None)
        assert after[: len(before)] == before, "it is sent again as it was"
        kept = talk.file.files.path(talk.file.name).read_text()
        assert len(kept) < 5_000 and "[picture pot.png]" in kept
        server.reply("## Current Work\nA pot was looked at.")
        for number in range(4):
            turn(talk, f"more {number} " + "word " * 300)
        talk.condense()
        assert "[picture pot.png]" in server.requests[-1].text
        ident = talk.file.id
    with held(wiki, session=ident, no_memory=True) as again:
        turn(again, "Go on")


def test_a_model_that_sees_no_pictures_is_told_their_names(
    wiki: Wiki, server: FakeMessages, pot: Path
) -> None:
    server.status(400, message="this model does not support image input")
    with held(wiki, no_memory=True) as talk:
        told = list(talk.take("これを分析して", [attached("pot.png", pot.parent)]))
        assert isinstance(told[-1], TurnEnded) and told[-1].answer == "Yes."
        assert any("sees no pictures" in getattr(each, "text", "") for each in told)
    assert "image" not in kinds(server) and "[picture pot.png]" in server.requests[-1].text
    assert "画像の分析" in server.requests[-1].text
