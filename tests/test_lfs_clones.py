"""Sources under Git LFS: crashes, clones that hold pointers, stores that lack bytes."""

from __future__ import annotations

from pathlib import Path

import pytest
import wikikit
from lfskit import (
    EVERYTHING,
    PAGE,
    clone,
    codes,
    committed,
    ingest,
    needs_lfs,
    set_up,
    stored,
    track,
)
from longform import seldom
from wikikit import NOTE, Wiki

from llmwiki.core.errors import InputError
from llmwiki.repo.lfs import LfsPointer
from llmwiki.repo.repository import Repository
from llmwiki.sources.brand import read_brand


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    """A wiki whose raw/ is under LFS, where nobody has set git-lfs up."""
    wiki = wikikit.make(tmp_path, monkeypatch)
    track(wiki, EVERYTHING)
    return wiki


def misquote(wiki: Wiki) -> None:
    """Puts a word into each quote, as somebody might who edits a page."""
    for path in sorted(wiki.files()):
        if path.startswith("wiki/") and "  - “" in (text := wiki.read(path)):
            wiki.put(path, text.replace("  - “", "  - “No "))


# --- crashes -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "point",
    seldom(
        ["lfs.temporary", "lfs.stored", "objects.done", "ref.before", "ref.moved", "tree.synced"],
        ("lfs.temporary", "objects.done", "ref.before", "tree.synced"),
    ),
)
def test_killed_and_recovered(wiki: Wiki, tmp_path: Path, point: str) -> None:
    (tmp_path / "tea.html").write_bytes(PAGE)
    before = wiki.head
    command = ("ingest", str(tmp_path / "tea.html"), "--model", "offline")
    with wiki.spawn(*command, env={"LLMWIKI_FAILPOINT": point}) as killed:
        assert killed.wait(60) == -9
        killed.communicate()
    wiki.ok("recover")
    assert list((wiki.root / ".git/lfs").rglob("llmwiki-*")) == []
    landed = wiki.head != before
    assert landed == (point in ("ref.moved", "tree.synced"))
    wiki.ok(*command)
    assert wiki.root.joinpath("raw/tea.html").read_bytes() == PAGE
    assert stored(wiki, PAGE).read_bytes() == PAGE
    assert codes(wiki) == set()
    assert list(wiki.root.rglob(".llmwiki-*")) == []


def test_a_full_disk_changes_nothing(wiki: Wiki) -> None:
    wiki.put("raw/tea.md", NOTE)
    before = wiki.head
    command = ("ingest", "raw/tea.md", "--model", "offline")
    with wiki.spawn(*command, env={"LLMWIKI_FAILPOINT": "lfs.temporary=ENOSPC"}) as full:
        assert b"No space left" in full.communicate()[1]
    assert (full.returncode, wiki.head) == (3, before)
    assert [path for path in (wiki.root / ".git/lfs").rglob("*") if path.is_file()] == []


# --- a clone that holds pointers -----------------------------------------------------------


@needs_lfs
def test_a_pointer_is_no_document(
    wiki: Wiki, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest(set_up(wiki))
    wiki.put("raw/mate.md", "# Mate\n\nMate is a drink of South America.\n")
    wiki.git("add", "raw")
    wiki.git("commit", "-qm", "not read yet")
    there = clone(wiki, tmp_path / "there", monkeypatch)
    assert there.read("raw/tea.md").startswith("version https://git-lfs")
    assert "unchanged" in there.ok("ingest", "raw/tea.md", "--model", "offline").out
    assert "1 ingested, 1 new, 0 changed" in there.ok("status").out
    for how in (["raw/mate.md"], ["--prepare", "raw/mate.md"], ["-", "--name", "mate2.md"]):
        done = there.run("ingest", *how, stdin=there.read("raw/mate.md").encode())
        assert done.code == 2
        assert "is a pointer of Git LFS" in done.err
        assert f"git lfs pull --include='**/raw/{Path(how[-1]).name}'" in done.err
    assert there.status == ""
    there.git("lfs", "pull", "--include=**/raw/mate.md")
    there.ok("ingest", "raw/mate.md", "--model", "offline")
    assert there.status == ""


@needs_lfs
def test_quotes_of_what_is_not_pulled_are_not_called_wrong(
    wiki: Wiki, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest(set_up(wiki))
    there = clone(wiki, tmp_path / "there", monkeypatch)
    for at in ([], ["--at", "HEAD"]):
        assert codes(there, *at) == set()
        assert "git lfs pull" in there.ok("lint", *at).out
    there.git("lfs", "fetch")
    for at in ([], ["--at", "HEAD"]):
        assert codes(there, *at) == set()
    misquote(there)
    assert "WK201" in codes(there)
    there.git("checkout", "--", "wiki")
    there.git("lfs", "pull")
    assert there.read("raw/tea.md") == NOTE
    assert (there.status, codes(there)) == ("", set())


@needs_lfs
def test_a_text_in_git_is_enough_to_compare_quotes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiki = wikikit.make(tmp_path, monkeypatch)
    track(wiki, "raw/**/*.html filter=lfs\n")
    ingest(set_up(wiki), "raw/tea.html", PAGE)
    there = clone(wiki, tmp_path / "there", monkeypatch)
    assert there.read("raw/tea.html").startswith("version https://git-lfs")
    assert codes(there) == set()
    misquote(there)
    assert "WK201" in codes(there)


def test_a_voice_that_is_not_pulled(wiki: Wiki) -> None:
    wiki.put("raw/brand/SOUL.md", LfsPointer.to(b"Be brief.").encode())
    with (
        Repository.discover(wiki.root) as repo,
        pytest.raises(InputError, match="pointer of Git LFS"),
    ):
        read_brand(repo)


def test_a_store_that_lost_or_spoilt_its_bytes(wiki: Wiki) -> None:
    ingest(wiki)
    stored(wiki, NOTE.encode()).chmod(0o600)
    stored(wiki, NOTE.encode()).write_bytes(b"x" * len(NOTE))
    assert "not compared" in wiki.ok("lint", "--at", "HEAD").out
    stored(wiki, NOTE.encode()).unlink()
    assert "not compared" in wiki.ok("lint", "--at", "HEAD").out
    assert codes(wiki) == set()
    wiki.put("raw/tea.md", LfsPointer.to(b"another").encode())
    assert codes(wiki) == {"WK205"}


@needs_lfs
def test_moving_sources_into_lfs_changes_none_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiki = wikikit.make(tmp_path, monkeypatch)
    set_up(wiki)
    ingest(wiki, "raw/tea.html", PAGE)
    wiki.put(".gitattributes", wiki.read(".gitattributes") + EVERYTHING)
    wiki.git("add", "--renormalize", "raw", ".gitattributes")
    wiki.git("commit", "-qm", "into LFS")
    assert committed(wiki, "raw/tea.html") == LfsPointer.to(PAGE).encode()
    assert (wiki.status, codes(wiki), codes(wiki, "--at", "HEAD")) == ("", set(), set())
    assert "unchanged" in wiki.ok("ingest", "raw", "--model", "offline").out
