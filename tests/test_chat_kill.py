"""kill -9 at any moment of a turn: transcript and wiki are whole, and the session goes on."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import wikikit
from fake_messages import FakeMessages, call
from longform import seldom
from wikikit import Wiki

from llmwiki.chat import visible_history
from llmwiki.chat.transcript import SessionFile
from llmwiki.git.store.private_files import PrivateFiles

HOT = "Green tea is steeped at 80 degrees for two minutes."
# After how many requests, and how many seconds later.
MOMENTS = [(n % 4, n // 4 / 40) for n in range(100)]
SHORT = ((2, 0.1),)


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(
        tmp_path, monkeypatch, lambda made: wikikit.learn_tea(made, {"Green tea": HOT})
    )


@pytest.fixture
def server(wiki: Wiki) -> Iterator[FakeMessages]:
    with FakeMessages() as running:
        wiki.env["ANTHROPIC_BASE_URL"] = running.url
        wiki.env["LLMWIKI_MODEL"] = "some-model"
        yield running


@pytest.mark.parametrize("moment", seldom(MOMENTS, [m for m in MOMENTS if m not in SHORT]))
def test_a_killed_conversation_goes_on(
    wiki: Wiki, server: FakeMessages, moment: tuple[int, float]
) -> None:
    requests, seconds = moment
    server.use("I look.", call("t1", "wiki_search", {"words": "tea"}))
    server.use(call("t2", "remember", {"text": "The pot is blue."}))
    server.use(call("t3", "append_page", {"page": "Green tea", "text": "It is drunk hot."}))
    server.reply("It is noted, and that took a while to say.")
    process = wiki.spawn("chat", "--allow-writes", "--no-memory", "note what there is to note")
    end = time.monotonic() + 120
    while len(server.requests) < requests and process.poll() is None and time.monotonic() < end:
        time.sleep(0.002)
    time.sleep(seconds)
    process.kill()
    process.communicate()
    server._queue.clear()
    server.answer = "On."
    files = PrivateFiles(wiki.root / ".git/llmwiki")
    kept = [name for name in files.names("sessions") if name.endswith(".jsonl")]
    if requests:
        (name,) = kept
        with SessionFile.open(files, name[len("sessions/") : -len(".jsonl")]) as session:
            shown = visible_history.effective(session.messages)
            assert session.broken <= 1 and shown[0].text.startswith("note what")
            landed = session.landed
        done = wiki.ok("chat", "--continue", "--json", "go on").json
        assert done["answer"] == "On."
        assert "note what there is to note" in json.dumps(server.requests[-1].body)
    else:
        assert wiki.ok("chat", "go on").out == "On.\n"
        landed = ()
    wiki.run("recover")
    heads = wiki.git("rev-list", "HEAD").split()
    assert all(row.commit in heads for row in landed)
    assert wiki.git("status", "--porcelain") == ""
    wikikit.check(wiki, dangling=True)
