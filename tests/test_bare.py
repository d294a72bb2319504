"""A bare repository: its files are those of HEAD, and operations land as commits alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import gitkit
import pytest
import wikikit
from wikikit import NOTE, Wiki, answer, claim

GREEN = claim("Tea", "Green tea is steeped at 80 degrees.", "Green tea is steeped at 80 degrees")


@pytest.fixture
def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Wiki, Wiki]:
    """A wiki, and a bare clone of it."""
    wiki = wikikit.make(
        tmp_path, monkeypatch, lambda made: made.learn("raw/tea.md", NOTE, answer([GREEN]))
    )
    gitkit.git(tmp_path, "clone", "-q", "--bare", str(wiki.root), "bare.git")
    return wiki, Wiki(tmp_path / "bare.git")


READS = {
    "search": ("search", "green tea", "--json"),
    "show": ("show", "Tea"),
    "query": ("query", "How hot is green tea steeped?", "--model", "offline"),
    "context": ("context", "green tea"),
    "why": ("why", "green tea", "--json"),
    "log": ("log",),
    "a page's log": ("log", "Tea"),
    "lint": ("lint",),
    "diff": ("diff", "HEAD~1..HEAD"),
    "status": ("status",),
}


def test_reading_commands_answer_as_in_a_work_tree(pair: tuple[Wiki, Wiki]) -> None:
    wiki, bare = pair
    for name, command in READS.items():
        assert bare.ok(*command).out == wiki.ok(*command).out, name


def test_a_graph_is_drawn_into_a_named_file_only(pair: tuple[Wiki, Wiki], tmp_path: Path) -> None:
    _wiki, bare = pair
    told = bare.ok("graph", "--json").json
    assert told["files"] == [] and not (bare.root / "graph").exists()


def test_operations_land_and_are_undone(pair: tuple[Wiki, Wiki], tmp_path: Path) -> None:
    wiki, bare = pair
    before = set(bare.root.iterdir())
    (tmp_path / "new.md").write_text("# Mate\n\nMate is an infusion of a holly.\n")
    bare.ok("ingest", str(tmp_path / "new.md"), "--model", "offline")
    bare.ok("rename", "Tea", "Green tea")
    assert {"raw/new.md", "wiki/concepts/Green tea.md"} <= bare.files().keys()
    assert "holly" in bare.ok("search", "mate").out
    bare.ok("undo")
    assert bare.ok("diff").out.startswith("HEAD → HEAD")
    assert {each.name for each in set(bare.root.iterdir()) - before} <= {"llmwiki"}
    wiki.git("pull", "-q", str(bare.root), "main")
    wikikit.check(wiki)


KILLED = """
import os, sys
from llmwiki.app.wiki import Wiki
from llmwiki.git import failpoints
failpoints.armed = lambda name: os._exit(9) if name == sys.argv[1] else None
Wiki.open(".").remember("Tea is nice.")
"""


@pytest.mark.parametrize(("point", "told"), [("record.made", "Dropped"), ("ref.moved", "Finished")])
def test_a_landing_that_was_killed_is_ended(pair: tuple[Wiki, Wiki], point: str, told: str) -> None:
    _wiki, bare = pair
    before = bare.head
    done = subprocess.run([sys.executable, "-c", KILLED, point], cwd=bare.root, check=False)
    assert done.returncode == 9 and (bare.head != before) == (told == "Finished")
    assert told in bare.ok("recover").out
    assert bare.git("for-each-ref", "refs/llmwiki") == ""
    bare.ok("remember", "Tea is nice.")


def test_what_needs_a_work_tree_says_so(pair: tuple[Wiki, Wiki]) -> None:
    _wiki, bare = pair
    for args in (("init",), ("ingest", "raw/tea.md")):
        done = bare.run(*args)
        assert done.code == 3 and "bare" in done.err and "clone" in done.err, done


def test_a_wiki_below_the_top_and_none_at_all(tmp_path: Path, pair: tuple[Wiki, Wiki]) -> None:
    wiki, _bare = pair
    (wiki.root / "docs").mkdir()
    for name in (".llmwiki.toml", "raw", "wiki"):
        wiki.git("mv", name, f"docs/{name}")
    wiki.git("commit", "-qm", "moved", "--no-verify")
    gitkit.git(tmp_path, "clone", "-q", "--bare", str(wiki.root), "below.git")
    below = Wiki(tmp_path / "below.git")
    assert "80 degrees" in below.ok("search", "green tea").out
    below.ok("remember", "Tea is nice.")
    assert any(path.startswith("docs/wiki/daily/") for path in below.files())
    gitkit.git(tmp_path, "init", "-q", "--bare", "empty.git")
    done = Wiki(tmp_path / "empty.git").run("search", "tea")
    assert done.code == 3 and "bare repository" in done.err
