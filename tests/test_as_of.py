"""`--as-of DATE`: what the wiki held on a day, to the byte."""

from __future__ import annotations

from pathlib import Path

import pytest
import wikikit
from wikikit import NOTE, Wiki, claim

DAY = 86_400
GREEN = claim("Tea", "Green tea is steeped at 80 degrees.", "Green tea is steeped at 80 degrees")
MATE = "# Mate\n\nMate is an infusion of a holly.\n\nA gourd of calabash holds it.\n"


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    made = wikikit.make(tmp_path, monkeypatch)
    made.env["TZ"] = "UTC"
    return made


def history(wiki: Wiki) -> None:
    """One commit a day from 2026-09-21 on, and a side branch that is merged late."""
    start = wikikit.NOW - wikikit.NOW % DAY
    wiki.put("raw/tea.md", NOTE)
    wiki.ok("ingest", "raw/tea.md", "--model", "offline", at=start + DAY)
    main = wiki.git("branch", "--show-current").strip()
    wiki.git("checkout", "-q", "-b", "side")
    wiki.ok("remember", "A samovar boils water.", at=start + 2 * DAY)
    wiki.git("checkout", "-q", main)
    wiki.put("raw/mate.md", MATE)
    wiki.ok("ingest", "raw/mate.md", "--model", "offline", at=start + 3 * DAY)
    when = f"{start + 4 * DAY} +0000"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_COMMITTER_DATE", when)
        wiki.git("merge", "-q", "--no-edit", "side")
        wiki.put(".llmwiki.toml", wiki.read(".llmwiki.toml") + "\n[retrieval]\nsources = false\n")
        wiki.git("commit", "-qam", "a setting")


QUESTIONS = (
    ("query", "How is green tea steeped?", "--model", "offline"),
    ("query", "What holds a gourd of calabash?", "--model", "offline"),
    ("context", "mate and tea in hot water"),
    ("search", "samovar water", "--explain"),
)


def test_answers_are_those_of_a_checkout_of_that_day(wiki: Wiki, tmp_path: Path) -> None:
    history(wiki)
    main = [
        row.split() for row in wiki.git("log", "--first-parent", "--format=%H %cs").splitlines()
    ]
    for number, day in enumerate(("2026-09-22", "2026-09-23", "2026-09-24", "2026-09-25")):
        commit = next(oid for oid, date in main if date <= day)
        clone = tmp_path / f"clone{number}"
        wiki.git("clone", "-q", str(wiki.root), str(clone))
        then = Wiki(clone)
        then.git("checkout", "-q", "--detach", commit)
        for question in QUESTIONS:
            here, there = wiki.run(*question, "--as-of", day), then.run(*question)
            assert (here.code, here.out) == (there.code, there.out), (day, question)


def test_a_side_branch_counts_from_the_day_it_was_merged(wiki: Wiki) -> None:
    history(wiki)
    assert wiki.run("search", "samovar", "--as-of", "2026-09-24").code == 1
    assert wiki.run("search", "samovar", "--as-of", "2026-09-25").code == 0


def test_what_is_no_day_or_before_all_days(wiki: Wiki) -> None:
    for args in (["1999-01-01"], ["tomorrow"], ["2026-09-30", "--at", "HEAD"]):
        assert wiki.run("search", "tea", "--as-of", *args).code == 2
    assert wiki.run("query", "tea", "--as-of", "2026-09-30", "--save").code == 2


def test_days_are_named_alike_everywhere(wiki: Wiki) -> None:
    wiki.put("raw/tea.md", NOTE)
    wiki.ok("ingest", "raw/tea.md", "--model", "offline")
    for day in ("today", "0d"):
        assert "Tea" in wiki.ok("search", "tea", "--as-of", day).out
        wiki.ok("log", "--since", day)
    for command in (("search", "tea", "--as-of"), ("log", "--since")):
        assert "is no day\n  Such as yesterday" in wiki.run(*command, "tomorrow").err
    told = wiki.run("context", "green tea", "--budget", "10")
    assert told.code == 1 and "found no room: --budget" in told.err
