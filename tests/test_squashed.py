"""A forge's squash of a branch: one commit that holds several operations."""

from __future__ import annotations

from pathlib import Path

import pytest
import wikikit
from wikikit import NOTE, Wiki

MATE = "# Mate\n\nMate is an infusion of a holly of South America.\n"


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    """A wiki whose last commit is GitHub's squash of two ingests."""
    made = wikikit.make(tmp_path, monkeypatch)
    main = made.git("branch", "--show-current").strip()
    made.git("checkout", "-q", "-b", "topic")
    made.put("raw/tea.md", NOTE)
    made.put("raw/mate.md", MATE)
    made.ok("ingest", "raw/")
    told = made.git("log", "--reverse", "--format=* %B", f"{main}..topic")
    made.git("checkout", "-q", main)
    made.git("merge", "-q", "--squash", "topic")
    message = f"Two drinks (#7)\n\n{told}---------\n\nCo-authored-by: Bo <bo@example.org>\n"
    made.git("commit", "-q", "-m", message)
    return made


def test_all_its_operations_are_listed_counted_and_linted(wiki: Wiki) -> None:
    told = wiki.ok("log", "--json", "-n", "2").json["operations"]
    assert [row["kind"] for row in told] == ["ingest", "ingest"]
    assert sorted(row["title"] for row in told) == ["Mate", "Tea"]
    assert {row["source"].split()[0] for row in told} == {"raw/tea.md", "raw/mate.md"}
    assert {row["commit"] for row in told} == {wiki.head}
    wiki.ok("lint", "--fail-on", "warning")


def test_they_are_undone_together_which_is_said(wiki: Wiki) -> None:
    ids = [row["id"] for row in wiki.ok("log", "--json", "-n", "2").json["operations"]]
    for name in ids:
        shown = wiki.ok("undo", name, "--dry-run")
        assert all(ident in shown.err for ident in ids)
    assert sorted(wiki.ok("undo", ids[0], "--json").json["undone"]) == sorted(ids)
    assert not wiki.claims()
    wiki.ok("lint", "--fail-on", "warning")


def test_one_that_was_picked_is_listed_once(wiki: Wiki) -> None:
    wiki.ok("remember", "Tea at five.")
    note = wiki.head
    wiki.git("revert", "--no-edit", note)
    wiki.git("cherry-pick", note)
    ids = [row["id"] for row in wiki.ok("log", "--json").json["operations"]]
    assert len(ids) == len(set(ids)) == 4
