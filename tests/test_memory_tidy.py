"""The memory read once more: what says the same is joined, what is outdated leads on by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fake_messages import KEY, FakeMessages
from test_memory import agreed, claude, observe, standing, texts, wiki
from wikikit import Wiki

__all__ = ["agreed", "wiki"]

TOLD = {
    "one": "Remember that the office is in Ghent.",
    "two": "We decided to move the office to Bruges, street 12.",
    "three": "We have decided to move the office to Bruges.",
    "four": "I prefer tea. From now on, ship on Fridays.",
    "five": "Remember that Ann does not lead the team.",
    "six": "Remember that Ann leads the team.",
    "seven": "Note: the safe is red. Note: the door is blue. Note: the lamp is green.",
}

SECRET = f"The key is sk-ant-api03-{'a1B2' * 20}."


@pytest.fixture
def told(agreed: Wiki) -> Wiki:
    """One whose memory holds what says the same twice, and what no longer holds."""
    for day, (name, text) in enumerate(TOLD.items(), start=1):
        observe(agreed, claude(agreed, name, f"2026-09-{day:02d}", text))
    return agreed


def ids(wiki: Wiki) -> dict[str, str]:
    """The ids of the standing notes, by the first word that only one of them has."""
    rows = wiki.ok("memory", "list", "--json").json["notes"]
    words = {"Ghent": "ghent", "12": "moved", "have": "moved_again", "prefer": "tea",
             "ship": "ship", "does not": "not_ann", "leads": "ann", "red": "safe", "blue": "door",
             "green": "lamp"}  # fmt: skip
    return {name: row["id"] for word, name in words.items() for row in rows if word in row["text"]}


def prepared(wiki: Wiki) -> dict[str, Any]:
    """An empty answer to the only part."""
    job = wiki.ok("memory", "tidy", "--prepare", "--json").json
    (file,) = job["files"]
    text = Path(file).read_text()
    part = next(line for line in text.splitlines() if '"part"' in line).split('"')[3]
    return {"schema": "llmwiki.notes/1", "part": part}


def step(old: str, new: str, *, same: bool = False) -> dict[str, str]:
    return {"note": old, "into" if same else "by": new, "why": "Both are of one thing."}


def test_notes_that_say_the_same_are_joined_and_outdated_ones_lead_on(told: Wiki) -> None:
    wiki, note = told, ids(told)
    before, pages = wiki.count(), texts(wiki)
    answer = {
        **prepared(wiki),
        "same": [step(note["moved_again"], note["moved"], same=True)],
        "outdated": [{**step(note["ghent"], note["moved"]), "why": SECRET}],
    }
    done = wiki.apply(answer, "--json").operation
    assert "a1B2a1B2" not in wiki.git("log", "-1")
    assert (done["status"], done["refused"], wiki.count()) == ("tidied", [], before + 1)
    assert wiki.git("log", "-1", "--format=%s").strip() == (
        "wiki memory: tidied: 1 note joined and 1 note replaced"
    )
    assert len(standing(wiki)) == len(TOLD) + 1
    story = wiki.ok("memory", "why", note["moved"], "--json").json["notes"][0]
    assert [said["turn"] for said in story["sentences"]] == [1, 1]
    assert {each["id"] for each in story["earlier"]} == {note["ghent"], note["moved_again"]}
    assert wiki.run("lint").code == 0
    assert wiki.apply(answer).code == 2  # It was answered.
    again = {**answer, "part": prepared(wiki)["part"]}
    head = wiki.head
    refused = wiki.apply(again, "--json").operation
    assert (refused["status"], wiki.head, len(refused["refused"])) == ("skipped", head, 2)
    assert wiki.ok("memory", "tidy", "--prepare").out.startswith("Nothing to ask")
    wiki.ok("undo")
    assert texts(wiki) == pages


WRONG = [
    ("moved", "moved_again", True, "does not say all"),  # It lacks the number.
    ("not_ann", "ann", True, "does not say all"),
    ("ghent", "moved", True, "two kinds"),
    ("tea", "tea", True, "both are one"),
    ("moved", "ghent", False, "was not told before"),
    ("ghent", "tea", False, "changes places with its like"),
    ("tea", "ship", False, "changes places with its like"),
    ("ghent", "lamp", False, "share no word"),
    ("ghent", "n-0000000000", False, "was shown"),
]


def test_what_does_not_count(told: Wiki) -> None:
    note, head = ids(told), told.head
    rows = [(step(note[old], note.get(new, new), same=same), same) for old, new, same, _ in WRONG]
    answer = {
        **prepared(told),
        "same": [row for row, same in rows if same],
        "outdated": [row for row, same in rows if not same],
    }
    done = told.apply(answer, "--json").operation
    assert len(done["refused"]) == len(WRONG) and told.head == head
    for refused, (*_, reason) in zip(done["refused"], WRONG, strict=True):
        assert reason in refused["reason"]


def test_three_of_four_notes_go_on_standing_after_one_answer(told: Wiki) -> None:
    """Even for a model that strikes all it can."""
    wiki, note = told, ids(told)
    wiki.ok("remember", "The office, safe, door, lamp and team are gone.")
    last = wiki.ok("memory", "list", "gone", "--json").json["notes"][0]["id"]
    names = ("ghent", "safe", "door", "lamp", "ann", "not_ann", "moved")
    rows = [step(note[name], last) for name in names]
    done = wiki.apply({**prepared(wiki), "outdated": rows}, "--json").operation
    assert len(standing(wiki)) == 9 >= 0.75 * 11 and len(done["refused"]) == 5
    assert all("go on standing" in each["reason"] for each in done["refused"])


def test_a_model_tidies_and_is_not_asked_again(told: Wiki) -> None:
    wiki, note = told, ids(told)
    one = step(note["ghent"], note["moved"])
    answer = {"same": [], "outdated": [one], "end": True}
    with FakeMessages() as server:
        wiki.env |= {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": KEY}
        head = wiki.head
        for _ in range(2):
            server.reply(json.dumps(answer))
        shown = wiki.ok("memory", "tidy", "--model", "mine", "--dry-run").out
        assert "The office is in Ghent. → We decided" in shown and wiki.head == head
        done = wiki.ok("memory", "tidy", "--model", "mine", "--json").json
        assert done["results"][0]["steps"][0]["how"] == "outdated"
        assert wiki.trailer("Wiki-Model") == "mine" and wiki.trailer("Wiki-Op") == "memory"
        server.reply(json.dumps({**answer, "outdated": []}))
        wiki.ok("memory", "tidy", "--model", "mine")
        asked = len(server.requests)
        assert wiki.ok("memory", "tidy", "--model", "mine").out.startswith("Nothing to ask")
        assert len(server.requests) == asked == 3
    wiki.env.pop("ANTHROPIC_API_KEY")
    assert wiki.run("memory", "tidy", "--model", "offline").code == 2
    assert wiki.run("memory", "tidy", "--prepare", "--model", "mine").code == 2
