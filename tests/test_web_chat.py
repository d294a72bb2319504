"""A conversation in the browser: turns by forms, questions on the page, sessions shared."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
import servekit
import wikikit
from fake_messages import FakeMessages, call
from servekit import GREEN, HOST, Answer, Visitor
from wikikit import Wiki

import llmwiki
from llmwiki.app.page_html import rendered_answer
from llmwiki.app.types import ReaderText
from llmwiki.chat.background_turn import BackgroundTurn
from llmwiki.chat.session import ChatOptions, open_session, session_files
from llmwiki.core.callbacks import Callbacks
from llmwiki.core.errors import InternalError
from llmwiki.interfaces.web.site import Addresses

OWN = f"http://{HOST}"


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch, servekit.grow)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeMessages]:
    with FakeMessages() as running:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", running.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-test-0123456789abcdef")
        monkeypatch.setenv("LLMWIKI_MODEL", "some-model")
        yield running


@pytest.fixture
def visitor(wiki: Wiki) -> Iterator[Visitor]:
    with llmwiki.Wiki.open(wiki.root).session() as opened:
        yield Visitor(opened)


def post(visitor: Visitor, to: str, origin: str | None = OWN, **fields: str) -> Answer:
    body = urlencode({"form": "form", **fields}).encode()
    return visitor.ask(to, "POST", body, origin=origin)


def said(visitor: Visitor, to: str, message: str, **fields: str) -> tuple[str, Answer]:
    """The address of the session, and its view after a message."""
    sent = post(visitor, to, message=message, **fields)
    assert sent.status == 303, sent.words
    place = sent.headers["location"].partition("#")[0]
    return place, visitor.get(place)


def test_a_turn_without_scripts_cites_and_is_gone_on_with(
    wiki: Wiki, visitor: Visitor, server: FakeMessages
) -> None:
    (ident,) = (each for each, (_path, claim) in wiki.claims().items() if claim.text == GREEN)
    server.reply(
        f"**Two** minutes [[Green tea#^{ident}]]. "
        "<script>alert(1)</script> [[No such#^c-0000000000]]"
    )
    assert "some-model answers, at your cost" in visitor.get("/chat").words
    place, view = said(visitor, "/chat", "How long is green tea steeped?")
    assert "<strong>Two</strong> minutes" in view.text
    assert f"/source/tea-md?claim={ident}&amp;quote=1#L5" in view.text
    assert f'href="/wiki/concepts/Green%20tea#{ident}"' in view.text
    assert "<script>alert" not in view.text
    assert "No such leads to nothing" in view.words
    server.reply("Four minutes.")
    _, view = said(visitor, place, "And black tea?")
    assert view.words.index("How long is green") < view.words.index("Four minutes.")
    assert "How long is green tea steeped?" in visitor.get("/chat").words
    # The terminal goes on with the same session, and the page shows it.
    wiki.env |= {"ANTHROPIC_BASE_URL": server.url, "LLMWIKI_MODEL": "some-model"}
    server.reply("From the terminal.")
    wiki.ok("chat", "--session", place.rpartition("/")[2], "And white?")
    assert "From the terminal." in visitor.get(place).words
    assert "Passages of the wiki" not in visitor.get("/chat").words
    assert "2 turns" not in visitor.get("/chat").words


def test_what_needs_a_yes_is_asked_on_the_page(
    wiki: Wiki, visitor: Visitor, server: FakeMessages
) -> None:
    # What the first message recalls is text of others: from then on a write is asked for.
    head = wiki.head
    writes = [call("t1", "remember", {"text": "Prefers loose leaf."})]
    server.reply(writes)
    server.reply("It was not noted.")
    place, view = said(visitor, "/chat", "How is green tea steeped? And note what I prefer.")
    question = re.search(r'name="question" value="([^"]+)"', view.text)
    assert question and "Prefers loose leaf." in view.words
    told = visitor.ask(f"{place}/live").text
    assert '"call"' not in told and told.endswith('{"kind": "look", "text": ""}\n')
    assert post(visitor, place, message="Go on").status == 409
    other = post(visitor, f"{place}/decide", action="yes", question="another")
    assert (other.status, wiki.head) == (404, head)
    assert post(visitor, f"{place}/decide", action="no", question=question[1]).status == 303
    view = visitor.get(place)
    assert "not done" in view.words and "It was not noted." in view.words
    assert wiki.head == head
    server.reply([call("t3", "remember", {"text": "Prefers leaves in a pot."})])
    server.reply("Noted.")
    _, view = said(visitor, place, "Note the pot, then.")
    question = re.search(r'name="question" value="([^"]+)"', view.text)
    assert question
    post(visitor, f"{place}/decide", action="yes", question=question[1])
    view = visitor.get(place)
    assert wiki.head != head
    assert "wrote" in view.words and "Undo what this turn wrote" in view.words
    assert post(visitor, f"{place}/decide", action="undo").status == 303
    assert "Undo what" not in visitor.get(place).words
    assert not list((wiki.root / "wiki/daily").glob("*.md"))


def test_who_may_talk(wiki: Wiki, visitor: Visitor, server: FakeMessages) -> None:
    for origin in (None, "null", "http://evil.example"):
        assert post(visitor, "/chat", origin, message="x").status == 403
    assert post(visitor, "/chat", form="wrong", message="x").status == 403
    assert post(visitor, "/chat", message=" ").status == 400
    assert post(visitor, "/chat/none", message="x").status == 404
    assert visitor.ask("/chat/..%2fx").status == 404
    assert not server.requests
    refused = post(visitor, "/chat", message="/undo now")
    assert refused.status == 400 and "in a terminal only" in refused.words
    assert "/undo now" in refused.text
    # A session that another process has open.
    server.reply("One.")
    place, _ = said(visitor, "/chat", "First")
    with open_session(session_files(visitor.wiki), place.rpartition("/")[2]):
        taken = post(visitor, place, message="Second")
        assert taken.status == 409 and "Another process has this session open" in taken.words
        assert ">Second</textarea>" in taken.text
        # What was pasted into a message that was not taken stays somebody else's words.
        taken = post(visitor, place, message="Third " + "y" * 300, live="1", pasted="y" * 300)
        assert re.search(r'name="pasted" hidden>y{300}</textarea>', taken.text)
    # What is pasted, and without scripts what is long, is text of others.
    server.reply("Two.")
    said(visitor, place, "Short. " + "x" * 300, live="1", pasted="x" * 300)
    assert visitor.ask(f"{place}/live").text.count('"look"') == 1
    lines = "".join(p.read_text() for p in wiki.root.glob(".git/llmwiki/sessions/*.jsonl"))
    assert re.search(r'"text":"x{300}","origin":"pasted"', lines)
    with llmwiki.Wiki.open(wiki.root).aside().session() as opened:
        closed = Visitor(opened, read_only=True)
        assert closed.ask("/chat").status == closed.ask(place).status == 404
        assert post(closed, "/chat", message="x").status == 405
        assert "/chat" not in closed.get("/").text


def test_without_a_model_it_quotes_and_says_so(wiki: Wiki, visitor: Visitor) -> None:
    assert "No model is configured" in visitor.get("/chat").words
    place, view = said(visitor, "/chat", "How is green tea steeped?")
    assert GREEN in view.words and "/source/tea-md?claim=" in view.text
    said(visitor, place, "remember that I like loose leaf")
    (day,) = (wiki.root / "wiki/daily").glob("*.md")
    assert "loose leaf" in day.read_text()
    _, view = said(visitor, place, "Note: the jug is red.")
    assert "Learned, and waiting" in view.text and "<code>wiki memory review</code>" in view.text
    _, view = said(visitor, place, "Is the jug red?")
    assert "of this conversation)</p>" in view.text


def test_an_answer_of_citations_alone_takes_no_quadratic_time() -> None:
    cited = [f"[[Tea#^c-{number:010}]]" for number in range(3_000)]
    text = "\n\n".join(" ".join(cited[at : at + 500]) for at in range(0, 3_000, 500))
    begun = time.process_time()
    html, found = rendered_answer(f"{text} {cited[0]}", ReaderText(text, {}), Addresses(), "a")
    assert time.process_time() - begun < 4
    assert len(found) == 3_000 and html.count('href="#a-1"') == 2


def test_a_turn_that_breaks_off_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_given: object) -> object:
        raise ZeroDivisionError

    monkeypatch.setattr("llmwiki.chat.background_turn.conversation", broken)
    turn = BackgroundTurn("How deep?", (), can_ask=False)
    with pytest.raises(ZeroDivisionError):
        turn.run(None, ChatOptions(), Callbacks())  # type: ignore[arg-type]
    assert turn.is_over
    with pytest.raises(InternalError):
        turn.wait_opened()
