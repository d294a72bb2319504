"""What is typed in a conversation beside messages, and citations as a person reads them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import wikikit
from fake_messages import FakeMessages, call
from wikikit import Wiki

import llmwiki
from llmwiki.chat.citations import NumberedCitations, opened
from llmwiki.chat.open_session import ChatOptions, conversation
from llmwiki.chat.turn import Conversation
from llmwiki.core.callbacks import Callbacks
from llmwiki.interfaces.cli.commands.chat.print_turn import TurnPrinter
from llmwiki.interfaces.cli.commands.chat.slash_commands import COMMANDS, SlashCommands

HOT = "Green tea is steeped at 80 degrees for two minutes."
BLACK = "Black tea is steeped at 95 degrees for four minutes."
SKILL = "---\nname: brew-tea\ndescription: Brews tea. Use it when tea is asked for.\n---\n\nBoil.\n"
POTS = """---
title: Pots
type: concept
---

# Pots

Lead.

## Clay

Red.

## Iron

Black.
"""


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(
        tmp_path,
        monkeypatch,
        lambda made: wikikit.learn_tea(made, {"Green tea": HOT, "Black tea": BLACK}),
    )


@pytest.fixture
def server(wiki: Wiki, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeMessages]:
    with FakeMessages() as running:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", running.url)
        monkeypatch.setenv("LLMWIKI_MODEL", "some-model")
        yield running


def held(wiki: Wiki, ask: Any = None, **options: Any) -> Any:
    return conversation(llmwiki.Wiki.open(wiki.root), ChatOptions(**options), Callbacks(), ask)


def said(talk: Conversation, capsys: pytest.CaptureFixture[str], line: str) -> str:
    capsys.readouterr()
    SlashCommands(talk).run(line)
    return "".join(capsys.readouterr())


def answered(talk: Conversation, typed: str) -> list[str]:
    """Takes a turn as a terminal prints it; the citations by their numbers."""
    citations = NumberedCitations(lambda: talk.shown_text)
    printer = TurnPrinter(citations=citations)
    for event in talk.take(typed):
        printer.hear(event)
    return citations.handles


def handles(wiki: Wiki) -> dict[str, str]:
    """`Green tea` to the citation of its claim."""
    return {
        name: f"[[{Path(path).stem}#^{each.id}]]"
        for path, each in wiki.claims().values()
        for name in ("Green tea", "Black tea")
        if each.text.startswith(name)
    }


def test_citations_are_numbered_and_can_be_opened(
    wiki: Wiki, server: FakeMessages, capsys: pytest.CaptureFixture[str]
) -> None:
    green, black = (handles(wiki)[name] for name in ("Green tea", "Black tea"))
    server.reply(f"Two minutes {green}, four {black}.\n\nSo {green}; `{black}` [[Oolong]].")
    with held(wiki) as talk:
        found = answered(talk, "How long is tea steeped?")
        assert found == [green, black], "what was not shown has no number"
        out = capsys.readouterr().out
        assert "Two minutes [1], four [2]." in out and f"So [1]; `{black}` [?]." in out
        commands = SlashCommands(talk)
        assert commands.cited == found, "as the transcript has them, too"
        listed = said(talk, capsys, "/open").splitlines()
        assert listed[0].startswith(f"[1] {green}  Green tea is steeped at 80")
        assert len(listed) == 2
        shown = said(talk, capsys, "/open 2")
        assert shown.startswith(f"{black}\nBlack tea is steeped")
        assert "> " in shown and "raw/" in shown
        for wrong in ("/open 3", "/open 0", "/open x", "/open -1", "/open 99999999999"):
            with pytest.raises(llmwiki.InputError, match="no citation"):
                commands.run(wrong)


def test_parts_of_pages_and_lines_of_sources_are_opened(wiki: Wiki) -> None:
    made = llmwiki.Wiki.open(wiki.root)
    wiki.put("wiki/concepts/Pots.md", POTS)
    wiki.git("add", "-A")
    wiki.git("commit", "-q", "-m", "a person writes")
    assert opened(made, "[[Pots#Clay]]").split() == ["##", "Clay", "Red."]
    assert opened(made, "[[Pots]]").startswith("# Pots\n\nLead.")
    assert opened(made, "[[Pots#Nothing]]").startswith("# Pots")
    source = next(path for path in wiki.files() if path.startswith("wiki/sources/"))
    lines = opened(made, f"[[{Path(source).stem}#L1-L2]]")
    assert lines.split("\n")[1].startswith("> 1")


def test_memory_and_skills_are_listed(
    wiki: Wiki, server: FakeMessages, capsys: pytest.CaptureFixture[str]
) -> None:
    with held(wiki) as talk:
        assert "holds nothing" in said(talk, capsys, "/memory")
        said(talk, capsys, "/remember The pot is blue.")
        assert said(talk, capsys, "/memory") == "- The pot is blue.\n"
        before = said(talk, capsys, "/skills")
        wiki.put("wiki/skills/brew-tea/SKILL.md", SKILL)
        wiki.put(".agents/skills/brew-tea/SKILL.md", SKILL.replace("Brews", "Spills"))
        wiki.put("raw/skills/odd/SKILL.md", "---\na: [\n---\n")
        (wiki.root / "raw/skills/away").symlink_to(wiki.root / "wiki/skills/brew-tea")
        shown = said(talk, capsys, "/skills")
        assert "Brews tea. Use it" in shown and "Spills" not in shown and "away" not in shown
        assert "odd  (raw/skills/odd/SKILL.md)  not used: the frontmatter is not YAML" in shown
        assert len(shown) > len(before)
        assert {f"/{name}" for name in COMMANDS} <= set(said(talk, capsys, "/help").split())


def test_the_model_is_told_what_the_person_took_back_and_brought_back(
    wiki: Wiki, server: FakeMessages
) -> None:
    with held(wiki, lambda _call: 1) as talk:
        server.use(call("t1", "remember", {"text": "The pot is blue."}))
        server.reply("Noted.")
        answered(talk, "Keep it.")
        commands = SlashCommands(talk)
        server.answer = "Yes."
        for line, told in (("/undo", "took back"), ("/redo", "brought back")):
            commands.run(line)
            answered(talk, "Is the pot noted?")
            assert f"[The person {told} " in server.requests[-1].text
        assert f"took back {talk.file.landed[-1].commit[:10]}" not in server.requests[-1].text
        assert f", in {talk.file.landed[-1].commit[:10]}.]" in server.requests[-1].text
        before = server.requests[-1].text.count("[The person ")
        answered(talk, "Go on.")
    assert server.requests[-1].text.count("[The person ") == before == 2


def test_a_preference_that_is_remembered_stands_in_the_next_prompt(
    wiki: Wiki, server: FakeMessages
) -> None:
    with held(wiki) as talk:
        for text in ("I prefer short answers.", "The pot is blue."):
            SlashCommands(talk).run(f"/remember {text}")
    server.reply("Yes.")
    with held(wiki) as talk:
        answered(talk, "Is it so?")
    system = server.requests[-1].system
    assert "told by person" in system and "I prefer short answers." in system
    assert "The pot is blue." not in system
