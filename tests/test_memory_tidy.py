"""The memory read once more: what says the same is joined, what is outdated leads on by name."""

from __future__ import annotations

import json
from pathlib import Path

from fake_messages import KEY, FakeMessages
from test_memory import agreed, claude, observe, standing, texts, wiki
from wikikit import Wiki

__all__ = ["agreed", "wiki"]

TOLD = {
    "ghent": "Remember that the office is in Ghent.",
    "moved": "We decided to move the office to Bruges, street 12.",
    "again": "We have decided to move the office to Bruges.",
    "tea": "I prefer tea.",
    "not_ann": "Remember that Ann does not lead the team.",
    "ann": "Remember that Ann leads the team.",
    "safe": "Note: the safe is red.",
}
SECRET = f"The key is sk-ant-api03-{'a1B2' * 20}."


def told(wiki: Wiki) -> dict[str, str]:
    """Ids of the notes of a memory that says the same twice, and what no longer holds."""
    for day, (name, text) in enumerate(TOLD.items(), start=1):
        observe(wiki, claude(wiki, name, f"2026-09-{day:02d}", text))
    rows = wiki.ok("memory", "list", "--json").json["notes"]
    by_text = {row["text"].casefold().rstrip("."): row["id"] for row in rows}
    return {
        name: next(by_text[each] for each in by_text if each in text.casefold())
        for name, text in TOLD.items()
    }


def step(old: str, new: str, how: str, why: str = "Both are of one thing.") -> dict[str, str]:
    return {"note": old, "into": new, "how": how, "why": why}


def test_an_agent_tidies_and_nothing_is_lost(agreed: Wiki) -> None:
    wiki, note = agreed, told(agreed)
    pages, head = texts(wiki), wiki.head
    (file,) = wiki.ok("memory", "tidy", "--prepare", "--json").json["files"]
    job = Path(file).read_text()
    part = next(line for line in job.splitlines() if '"part"' in line).split('"')[3]
    wrong = {
        ("moved", "again", "same"): "does not say all",  # It lacks the number.
        ("not_ann", "ann", "same"): "does not say all",
        ("ghent", "moved", "same"): "two kinds",
        ("tea", "tea", "same"): "twice",
        ("moved", "ghent", "outdated"): "not the later",
        ("tea", "safe", "outdated"): "two kinds",
        ("ghent", "n-0000000000", "outdated"): "was shown",
    }
    rows = [step(note[old], note.get(new, new), how) for old, new, how in wrong]
    answer = {"schema": "llmwiki.notes/1", "part": part, "steps": rows}
    refused = wiki.apply(answer, "--dry-run", "--json").operation["refused"]
    for each, reason in zip(refused, wrong.values(), strict=True):
        assert reason in each["reason"]
    right = [
        step(note["again"], note["moved"], "same"),
        step(note["ghent"], note["moved"], "outdated", SECRET),
        step(note["ann"], note["safe"], "outdated"),  # Of seven notes two may go.
    ]
    done = wiki.apply({**answer, "steps": right}, "--json").operation
    assert "go on standing" in done["refused"][0]["reason"] and len(standing(wiki)) == 5
    assert "a1B2a1B2" not in wiki.git("log", "-1") and wiki.git("rev-parse", "HEAD~1") != ""
    assert wiki.git("log", "-1", "--format=%s").endswith("1 note joined and 1 note replaced\n")
    story = wiki.ok("memory", "why", note["moved"], "--json").json["notes"][0]
    assert {each["id"] for each in story["earlier"]} == {note["ghent"], note["again"]}
    assert len(story["sentences"]) == 2 and wiki.run("lint").code == 0
    wiki.ok("undo")
    assert texts(wiki) == pages and wiki.head != head


def test_a_model_tidies_and_is_not_asked_again(agreed: Wiki) -> None:
    wiki, note = agreed, told(agreed)
    answer = {"steps": [step(note["ghent"], note["moved"], "outdated")], "end": True}
    with FakeMessages() as server:
        wiki.env |= {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": KEY}
        for each in (answer, answer, {**answer, "steps": []}):
            server.reply(json.dumps(each))
        tidy, head = ("memory", "tidy", "--model", "mine"), wiki.head
        assert "office is in Ghent. → We decided" in wiki.ok(*tidy, "--dry-run").out
        assert wiki.head == head
        assert wiki.ok(*tidy, "--json").json["results"][0]["steps"][0]["how"] == "outdated"
        assert wiki.trailer("Wiki-Model") == "mine" and wiki.trailer("Wiki-Op") == "memory"
        wiki.ok(*tidy)
        assert wiki.ok(*tidy).out.startswith("Nothing to ask") and len(server.requests) == 3
