"""Conversations and an ingest at the same time, and kill -9: nothing is lost, all is whole."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import pytest
import wikikit
from longform import LONG, seldom
from test_memory import BRUGES, GHENT, claude, observe, standing
from wikikit import Wiki

HOLDS = {
    "office": "The office is in Bruges now.",
    "I prefer tea.": "I prefer tea.",
    "We decided to ship on Friday.": "We decided to ship on Friday.",
}
ORDERS: list[dict[str, str]] = []
"""What the wiki holds after the jobs in each order: worked out once a process."""
MOMENTS = range(50)
"""Of a kill, in fiftieths of the time that one command takes."""


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    made = wikikit.make(tmp_path, monkeypatch)
    made.ok("memory", "commit", "always")
    return made


def jobs(wiki: Wiki) -> list[list[str]]:
    """Two conversations that are learned from, and an ingest."""
    wiki.put("raw/depot.md", "# Depot\n\nThe depot is in Antwerp.\n")
    one = claude(wiki, "one", "2026-09-01", GHENT, "I prefer tea.")
    two = claude(wiki, "two", "2026-09-02", BRUGES, "We decided to ship on Friday.")
    observing = [["memory", "observe", "--transcript", path] for path in (one, two)]
    return [*observing, ["ingest", "raw/depot.md", "--model", "offline"]]


def held(wiki: Wiki) -> dict[str, str]:
    """The pages of the wiki, without what tells the order of things."""
    return {path: page.text for path, page in wiki.pages().items()}


def in_turn(wiki: Wiki) -> Iterator[dict[str, str]]:
    """What the wiki holds after the three jobs, for each order of them."""
    start = wiki.head
    for order in permutations(range(3)):
        wiki.git("reset", "-q", "--hard", start)
        named = jobs(wiki)
        for job in (named[n] for n in order):
            wiki.ok(*job)
        yield held(wiki)


def is_whole(wiki: Wiki) -> None:
    """Tree, log and index agree, and nothing is left over."""
    assert wiki.status == "" and wiki.run("lint").code == 0
    wikikit.check(wiki, dangling=True)
    assert wiki.run("index", "--check").code == 0


@pytest.mark.parametrize("seed", seldom(range(200), range(1, 200)))
def test_two_conversations_and_an_ingest_at_once(wiki: Wiki, seed: int) -> None:
    """In any order nothing is lost, and what holds is what was told last."""
    start, dice, named = wiki.head, random.Random(seed), jobs(wiki)
    dice.shuffle(named)
    running = []
    for job in named:
        running.append(wiki.spawn(*job))
        time.sleep(dice.choice((0.0, 0.05, 0.2)) if LONG else 0.0)
    for process in running:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, (out, err)
    assert standing(wiki) == HOLDS
    # A commit for each turn that taught something, one for the document.
    assert int(wiki.git("rev-list", "--count", f"{start}..HEAD")) == 5
    is_whole(wiki)
    if LONG:
        together = held(wiki)
        wiki.git("reset", "-q", "--hard", start)
        ORDERS.extend([] if ORDERS else in_turn(wiki))
        assert together in ORDERS


@pytest.mark.soak
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_observation_goes_on(wiki: Wiki, moment: int) -> None:
    """What landed stays, and the same command again does the rest, once."""
    one, two, _ = jobs(wiki)
    (wiki.root / "raw/depot.md").unlink()
    observe(wiki, one[-1])
    begun = time.monotonic()
    wiki.spawn("memory", "observe", "--dry-run", "--transcript", two[-1]).communicate()
    lasts = 1.5 * (time.monotonic() - begun)
    process = wiki.spawn(*two)
    time.sleep(lasts * moment / len(MOMENTS))
    process.kill()
    process.communicate()
    wiki.run("recover")
    assert wiki.status == ""
    observe(wiki, two[-1])
    assert standing(wiki) == HOLDS
    is_whole(wiki)
    assert observe(wiki, two[-1])["learned"] == []
