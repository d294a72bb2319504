"""A sparse checkout: what it leaves out of the work tree is not gone."""

from __future__ import annotations

from pathlib import Path

import gitkit
import pytest
import wikikit
from wikikit import NOTE, Wiki, answer, claim

GREEN = claim("Tea", "Green tea is steeped at 80 degrees.", "Green tea is steeped at 80 degrees")
MATE = "# Mate\n\nMate is an infusion of a holly.\n"
PAGE = "wiki/concepts/Tea.md"
WITHOUT_RAW = {
    "cone": ("set", "--cone", "wiki"),
    "patterns": ("set", "--no-cone", "/*", "!/raw/"),
    "sparse index": ("set", "--cone", "--sparse-index", "wiki"),
}


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch, two_sources)


def two_sources(made: Wiki) -> None:
    made.learn("raw/tea.md", NOTE, answer([GREEN]))
    made.learn("raw/more/mate.md", MATE, answer([claim("Mate", "Mate is an infusion of a holly.")]))
    made.put("raw/brand/SOUL.md", "Write plainly.\n")
    made.git("add", "raw/brand")
    made.git("commit", "-q", "-m", "a voice")


def sparse(wiki: Wiki, *args: str) -> list[str]:
    """Leaves files out; those that the index marks so."""
    wiki.git("sparse-checkout", *args)
    return marked(wiki)


def marked(wiki: Wiki) -> list[str]:
    rows = wiki.git("ls-files", "-t", "-z").split("\0")
    return sorted(row[2:] for row in rows if row.startswith("S "))


@pytest.mark.parametrize("how", WITHOUT_RAW)
def test_sources_that_are_left_out_are_not_missing(wiki: Wiki, how: str) -> None:
    before = {name: wiki.ok(name).out for name in ("lint", "status")}
    hidden = sparse(wiki, *WITHOUT_RAW[how])
    assert "raw/tea.md" in hidden and not (wiki.root / "raw/tea.md").exists()
    assert {name: wiki.ok(name).out for name in before} == before
    assert "3 quotes checked" in before["lint"] or "2 quotes checked" in before["lint"]
    assert (
        "80 degrees" in wiki.ok("query", "How hot is green tea steeped?", "--model", "offline").out
    )
    assert marked(wiki) == hidden and wiki.status == ""


@pytest.mark.parametrize("how", WITHOUT_RAW)
def test_writing_keeps_what_is_left_out(wiki: Wiki, how: str, tmp_path: Path) -> None:
    hidden = sparse(wiki, *WITHOUT_RAW[how])
    held = {path: oid for path, oid in wiki.files().items() if path in hidden}
    wiki.ok("remember", "Tea is nice.")
    wiki.ok("undo")
    (tmp_path / "new.md").write_text("# New\n\nA tea of the north is a kind of tea.\n")
    told = wiki.ok("ingest", str(tmp_path / "new.md"), "--model", "offline", "--json").operation
    assert told["source"] == "raw/new.md"
    assert {path: wiki.files()[path] for path in hidden} == held
    assert set(hidden) <= set(marked(wiki)) and wiki.status == ""
    wikikit.check(wiki)


def test_a_copy_of_a_source_that_is_left_out_is_no_renaming(wiki: Wiki, tmp_path: Path) -> None:
    sparse(wiki, *WITHOUT_RAW["cone"])
    (tmp_path / "copy.md").write_text(NOTE)
    head = wiki.head
    assert "raw/tea.md" in wiki.ok("ingest", str(tmp_path / "copy.md")).out
    assert wiki.head == head


def test_a_new_source_does_not_take_the_name_of_one_that_is_left_out(
    wiki: Wiki, tmp_path: Path
) -> None:
    sparse(wiki, *WITHOUT_RAW["cone"])
    before = wiki.files()["raw/tea.md"]
    (tmp_path / "tea.md").write_text("# Tea\n\nWhite tea is a kind of tea.\n")
    told = wiki.ok("ingest", str(tmp_path / "tea.md"), "--model", "offline", "--json").operation
    assert told["source"].startswith("raw/tea-") and wiki.files()["raw/tea.md"] == before
    text = b"# Tea\n\nRed tea is a kind of tea.\n"
    piped = wiki.ok("ingest", "-", "--name", "tea.md", "--model", "offline", "--json", stdin=text)
    assert piped.operation["source"].startswith("raw/tea-")
    assert wiki.files()["raw/tea.md"] == before


def test_naming_what_is_left_out_says_so(wiki: Wiki) -> None:
    sparse(wiki, *WITHOUT_RAW["cone"])
    for name in ("raw/tea.md", "raw/", "raw/more"):
        done = wiki.run("ingest", name)
        assert done.code == 3 and "git sparse-checkout add raw" in done.err, (name, done)
    wiki.git("sparse-checkout", "add", "raw/more")
    assert "unchanged" in wiki.ok("ingest", "raw/more").out


def test_pages_that_are_left_out_are_found_and_nothing_is_written_over_them(wiki: Wiki) -> None:
    wiki.ok("search", "green tea")
    hidden = sparse(wiki, "set", "--no-cone", "/*", "!/wiki/concepts/", "!/wiki/log.md")
    assert PAGE in hidden and "wiki/log.md" in hidden
    for fresh in (False, True):
        if fresh:
            for name in sorted((wiki.root / ".git" / "llmwiki").glob("index.db*")):
                name.unlink()
        rows = wiki.ok("search", "green tea", "--json").json["results"]
        assert PAGE in [row["path"] for row in rows], fresh
        assert wiki.ok("lint").out.endswith("no issues found\n"), fresh
        assert "Claims    2" in wiki.ok("status").out
        assert wiki.ok("index", "--check").code == 0
    wiki.ok("rename", "Tea", "Green tea")
    assert not (wiki.root / "wiki/concepts").exists() and wiki.status == ""
    wiki.ok("undo")
    assert marked(wiki) == hidden and wiki.status == ""


@pytest.mark.parametrize("how", ["--cone", "--no-cone", "--sparse-index"])
def test_an_operation_writes_no_file_that_is_left_out(wiki: Wiki, how: str) -> None:
    """The catalogue is rendered, and a new page made, in folders that nobody has checked out."""
    patterns = ("/*", "!/raw/", "!/wiki/", "/wiki/daily/") if how == "--no-cone" else ("src",)
    hidden = sparse(wiki, "set", how, *patterns)
    assert PAGE in hidden and "wiki/index.md" in hidden
    late = claim("Late", "Late tea is dark.")
    wiki.learn("raw/late.md", "# Late\n\nLate tea is dark.\n", answer([late]))
    assert "wiki/concepts/Late.md" in wiki.files()
    assert not (wiki.root / "wiki/concepts").exists() and wiki.status == ""
    assert "Late tea is dark" in wiki.ok("search", "late tea").out
    wiki.ok("undo")
    assert marked(wiki) == hidden and wiki.status == "" and wiki.ok("index", "--check").code == 0


def test_a_voice_that_is_left_out_is_read(wiki: Wiki) -> None:
    from llmwiki.git.find_repository import layout_of
    from llmwiki.git.repository import Repository
    from llmwiki.sources.brand import read_brand

    with Repository(layout_of(wiki.root)) as repo:
        before = read_brand(repo)
    sparse(wiki, *WITHOUT_RAW["cone"])
    with Repository(layout_of(wiki.root)) as repo:
        assert read_brand(repo) == before and "plainly" in before


def test_a_sparse_and_partial_clone_says_what_it_has_not(wiki: Wiki, tmp_path: Path) -> None:
    bare = tmp_path / "origin.git"
    gitkit.git(tmp_path, "clone", "-q", "--bare", str(wiki.root), str(bare))
    gitkit.git(bare, "config", "uploadpack.allowFilter", "true")
    args = ("--filter=blob:none", "--sparse", f"file://{bare}", "lean")
    gitkit.git(tmp_path, "clone", "-q", *args)
    gitkit.git(tmp_path / "lean", "sparse-checkout", "set", "wiki")
    lean = Wiki(tmp_path / "lean", commands=50)
    before = lean.git("count-objects", "-v")
    done = lean.ok("lint")
    assert "partial clone" in done.out and "is missing" not in done.out
    assert "Sources   2 ingested\n" in lean.ok("status").out
    assert lean.git("count-objects", "-v") == before
    lean.ok("remember", "Tea is nice.")
