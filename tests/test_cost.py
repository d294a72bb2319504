"""A long ingest that is stopped pays nothing twice; prices that can be copied."""

from __future__ import annotations

import json
import re
import signal
import threading
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import wikikit
from fake_messages import KEY, FakeMessages, Request
from longform import seldom
from wikikit import Wiki, answer

from llmwiki.models.model_settings import resolve_settings

PRICES = """
[model.prices."mine"]
input = 3.0
output = 15.0
"""


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch)


@pytest.fixture
def server(wiki: Wiki) -> Iterator[FakeMessages]:
    with FakeMessages(read) as running:
        wiki.env |= {
            "ANTHROPIC_BASE_URL": running.url,
            "ANTHROPIC_API_KEY": KEY,
            "LLMWIKI_MODEL": "mine",
        }
        yield running


def source_of(request: Request) -> dict[str, Any]:
    found = re.search(r"^Job: (.*)$", request.text, re.MULTILINE)
    assert found
    return json.loads(found[1])["source"]  # type: ignore[no-any-return]


def read(request: Request) -> dict[str, Any]:
    """One claim about the first line of a segment that says anything."""
    said = re.search(r"^L(\d+): (Thing \d+ of \w+ is one of many\.)$", request.text, re.MULTILINE)
    assert said
    line, words = int(said[1]), said[2]
    claim = wikikit.claim(words.partition(" is ")[0], words, lines=(line, line))
    told = answer([claim], document={"title": "Things", "summary": "On things."})
    return {**{k: v for k, v in told.items() if k != "schema"}, "source": source_of(request)}


def priced(wiki: Wiki) -> None:
    place = wiki.root.parent / "home/config/llmwiki"
    place.mkdir(parents=True)
    (place / "config.toml").write_text(PRICES)


def things(name: str, count: int) -> str:
    return "".join(f"Thing {n} of {name} is one of many.\n\n" for n in range(count))


def test_the_example_file_of_prices_is_one() -> None:
    place = Path(__file__).parent.parent / "docs/prices.example.toml"
    table = tomllib.loads(place.read_text())["model"]
    prices = resolve_settings({}, table).prices
    assert len(prices) > 4 and all(0 < p.input < p.output for p in prices.values())
    assert re.search(r"read on\n# 20\d\d-\d\d-\d\d:", place.read_text())


def test_a_long_ingest_that_is_stopped_twice_pays_nothing_twice(
    wiki: Wiki, server: FakeMessages
) -> None:
    """A slow model that is wrong in one of ten answers; a long source and many short ones."""
    priced(wiki)
    parallel = 2
    wiki.env |= {
        "LLMWIKI_INGEST_PARALLEL": str(parallel),
        "LLMWIKI_INGEST_SEGMENT_BYTES": "1000",
    }
    wiki.put("raw/a-book.md", things("book", 500))
    for number in range(6):
        wiki.put(f"raw/note-{number:02}.md", things(f"note{number}", 3))
    guard, answered, asked = threading.Lock(), Counter[str](), 0
    enough = threading.Event()
    stop_at = [7, 14]

    def slow(request: Request) -> dict[str, Any]:
        nonlocal asked
        with guard:
            asked += 1
            is_wrong, is_enough = asked % 10 == 0, asked in stop_at
        threading.Event().wait(0.05)
        if is_enough:
            enough.set()
            threading.Event().wait(1.0)
        if is_wrong:
            return {}
        with guard:
            answered[json.dumps(source_of(request))] += 1
        return read(request)

    server.answer = slow
    total = wiki.ok("ingest", "raw", "--estimate").out.splitlines()[-1]
    calls = 18 + 6
    for _stop in stop_at:
        running = wiki.spawn("ingest", "raw")
        assert enough.wait(60)
        running.send_signal(signal.SIGKILL)
        running.communicate(timeout=30)
        enough.clear()
        time.sleep(1.2)  # An answer that nobody waits for any more is over.
    done = wiki.ok("ingest", "raw", "--json").json["operations"]
    assert {each["status"] for each in done} <= {"ingested", "skipped"}
    assert len(answered) > calls / 2

    # Only what was under way when it was stopped is asked again.
    again = sum(count - 1 for count in answered.values())
    assert again <= len(stop_at) * parallel
    # It said before at most what it says after.
    most = float(re.search(r"at most USD ([\d.]+)", total)[1])  # type: ignore[index]
    paid = re.findall(r"Wiki-Tokens: in=\d+ out=(\d+)\n *Wiki-Cost: USD ([\d.]+)", wiki.git("log"))
    assert 0 < sum(float(cost) for _tokens, cost in paid) < most and len(paid) == 7
    # What was paid before it was stopped counts with the commit that it led to.
    landed = [s for s in answered if json.loads(s)["segment"][1] > 1]
    tokens = sorted(int(count) for count, _cost in paid)
    assert len(landed) == 18 and tokens[-1] > 0.9 * tokens[0] * len(landed)
    wikikit.check(wiki)
    assert not list((wiki.root / ".git/llmwiki/paid").rglob("*.json"))


@pytest.mark.parametrize("size", seldom([20, 60], [20]))
def test_a_run_that_is_killed_before_it_lands_pays_nothing_twice(
    wiki: Wiki, server: FakeMessages, size: int
) -> None:
    wiki.env["LLMWIKI_INGEST_SEGMENT_BYTES"] = "1000"
    wiki.put("raw/note.md", things("note", size))
    killed = wiki.spawn("ingest", "raw/note.md", env={"LLMWIKI_FAILPOINT": "lock.taken=kill"})
    killed.communicate(timeout=60)
    asked = len(server.requests)
    assert killed.returncode == -signal.SIGKILL and (asked == 1) == (size == 20)
    wiki.ok("ingest", "raw/note.md")
    assert len(server.requests) == asked
    wiki.ok("ingest", "--again", "raw/note.md")
    assert len(server.requests) == 2 * asked, "what has landed is forgotten"


def test_an_answer_that_is_refused_is_asked_for_again(wiki: Wiki, server: FakeMessages) -> None:
    wiki.put("raw/note.md", things("note", 1))
    server.answer = lambda request: json.loads(json.dumps(read(request)).replace("many", "few"))
    assert wiki.run("ingest", "raw/note.md").code != 0
    server.answer = read
    wiki.ok("ingest", "raw/note.md")
