"""Sources under Git LFS: what a commit holds, and what git-lfs says of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import gitkit
import pytest
import wikikit
from hypothesis import given
from hypothesis import strategies as st
from lfskit import EVERYTHING, PAGE, codes, committed, ingest, needs_lfs, set_up, stored, track
from wikikit import NOTE, Wiki

from llmwiki.repo.lfs import LfsPointer, cleaned, is_pointer, sha256_of
from llmwiki.repo.repository import Repository

POINTER = b"""version https://git-lfs.github.com/spec/v1
oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393
size 12345
"""


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    """A wiki whose raw/ is under LFS, where nobody has set git-lfs up."""
    wiki = wikikit.make(tmp_path, monkeypatch)
    track(wiki, EVERYTHING)
    return wiki


def without_git_lfs(tmp_path: Path) -> str:
    """A PATH with git and a shell, and no git-lfs."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("git", "sh", "cat"):
        (programs / name).symlink_to(shutil.which(name) or "")
    return str(programs)


# --- pointers ------------------------------------------------------------------------------


def test_a_pointer_reads_back() -> None:
    pointer = LfsPointer.read(POINTER)
    assert pointer is not None
    assert (pointer.oid[:4], pointer.size, pointer.encode()) == ("4d7a", 12345, POINTER)
    assert sha256_of(POINTER) == pointer.oid
    assert sha256_of(b"x") == wikikit.sha(b"x")
    assert LfsPointer.to(b"hello\n").encode().endswith(b"size 6\n")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" " + POINTER,
        POINTER.replace(b"v1", b"v2"),
        POINTER.replace(b"version https", b"version http"),
        POINTER + b"x" * 1024,
    ],
)
def test_what_is_no_pointer(data: bytes) -> None:
    assert not is_pointer(data)
    assert LfsPointer.read(data) is None


def test_a_pointer_that_cannot_be_followed_is_one_all_the_same() -> None:
    extended = POINTER.replace(b"oid", b"ext-0-case sha256:00\noid")
    assert is_pointer(extended)
    assert LfsPointer.read(extended) is None


@needs_lfs
@given(st.binary(max_size=40) | st.sampled_from([POINTER, POINTER[:-1], NOTE.encode()]))
def test_a_pointer_is_what_git_lfs_makes(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    place = tmp_path_factory.getbasetemp() / "clean"
    if not place.exists():
        place.mkdir()
        gitkit.git(place, "init", "-q")
    made = gitkit.git(place, "lfs", "clean", stdin=data).encode("utf-8", "surrogateescape")
    assert cleaned(data) == made


# --- ingest --------------------------------------------------------------------------------


@needs_lfs
def test_git_lfs_finds_everything_in_order(wiki: Wiki) -> None:
    set_up(wiki)
    done = ingest(wiki, "raw/tea.html", PAGE)
    assert done.err == ""
    assert wiki.status == ""
    assert committed(wiki, "raw/tea.html") == LfsPointer.to(PAGE).encode()
    assert stored(wiki, PAGE).read_bytes() == PAGE
    text = f"raw/.text/{wikikit.sha(PAGE)[:16]}.txt"
    assert wiki.git("lfs", "ls-files", "--name-only").split() == [text, "raw/tea.html"]
    assert "OK" in wiki.git("lfs", "fsck")
    assert codes(wiki) == set()
    assert wiki.ok("ingest", "raw", "--model", "offline").out.startswith("skipped")


def test_no_filter_is_run_and_none_is_needed(
    wiki: Wiki, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiki.git("config", "filter.lfs.clean", "echo %f >> .git/ran; cat")
    monkeypatch.setenv("PATH", without_git_lfs(tmp_path))
    done = ingest(wiki)
    ran = wiki.root / ".git/ran"
    assert not ran.exists() or "tea" not in ran.read_text()
    assert "git lfs install" in done.err
    assert committed(wiki, "raw/tea.md") == LfsPointer.to(NOTE.encode()).encode()
    assert stored(wiki, NOTE.encode()).read_bytes() == NOTE.encode()
    assert codes(wiki) == set()
    with Repository.discover(wiki.root) as repo:
        assert repo.dirty(["raw/tea.md"]) == ()


def test_git_is_asked_for_attributes_only_where_there_are_filters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiki = wikikit.make(tmp_path, monkeypatch)
    trace = tmp_path / "trace"
    monkeypatch.setenv("GIT_TRACE", str(trace))
    ingest(wiki)
    assert "cat-file" in trace.read_text()
    assert "check-attr" not in trace.read_text()
    track(wiki, "*.pdf filter=lfs\n")
    ingest(wiki, "raw/mate.md", "# Mate\n\nMate is a drink of South America.\n")
    assert "check-attr" in trace.read_text()
    assert committed(wiki, "raw/mate.md").startswith(b"# Mate")


@needs_lfs
def test_a_new_version_and_undo_twice(wiki: Wiki) -> None:
    set_up(wiki)
    ingest(wiki)
    newer = NOTE.replace("# Tea\n", "# Tea\n\nTea is drunk everywhere in the world.\n")
    ingest(wiki, data=newer)
    assert [committed(wiki, "raw/tea.md", rev) for rev in ("HEAD~1", "HEAD")] == [
        LfsPointer.to(data.encode()).encode() for data in (NOTE, newer)
    ]
    pages = wiki.pages()
    wiki.ok("undo")
    assert wiki.pages() != pages
    wiki.ok("undo")
    assert wiki.pages() == pages
    assert wiki.read("raw/tea.md") == newer
    assert (wiki.status, codes(wiki), codes(wiki, "--at", "HEAD~3")) == ("", set(), set())


def test_a_text_in_the_store_is_taken_as_it_stands(wiki: Wiki) -> None:
    ingest(wiki, "raw/tea.html", PAGE)
    wiki.ok("undo")
    wiki.ok("ingest", "raw/tea.html", "--model", "offline")
    assert wiki.pages() == wiki.pages("HEAD~2")
    assert not any(path.startswith("raw/") for path in wiki.changed())


@needs_lfs
def test_a_file_from_outside_is_copied_whole(wiki: Wiki, tmp_path: Path) -> None:
    set_up(wiki)
    (tmp_path / "tea.html").write_bytes(PAGE)
    wiki.ok("ingest", str(tmp_path / "tea.html"), "--model", "offline")
    assert wiki.root.joinpath("raw/tea.html").read_bytes() == PAGE
    assert wiki.status == ""


@needs_lfs
def test_a_review_branch_holds_pointers_too(wiki: Wiki, tmp_path: Path) -> None:
    set_up(wiki)
    (tmp_path / "tea.md").write_text(NOTE)
    wiki.ok("ingest", str(tmp_path / "tea.md"), "--model", "offline", "--review")
    wiki.git("merge", "-q", wiki.git("branch", "--list", "wiki-review/*").strip())
    assert wiki.read("raw/tea.md") == NOTE
    assert wiki.status == ""


@needs_lfs
def test_hooks_see_the_document(wiki: Wiki) -> None:
    set_up(wiki)
    hook = wiki.put(
        ".git/hooks/pre-commit", "#!/bin/sh\ngrep -q infusion raw/tea.md && git add -A\n"
    )
    hook.chmod(0o755)
    ingest(wiki)
    assert committed(wiki, "raw/tea.md") == LfsPointer.to(NOTE.encode()).encode()
    assert wiki.status == ""


@needs_lfs
def test_a_second_work_tree_shares_the_store(wiki: Wiki, tmp_path: Path) -> None:
    set_up(wiki)
    wiki.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = Wiki(tmp_path / "side")
    ingest(side)
    assert stored(wiki, NOTE.encode()).is_file()
    assert (side.status, codes(side)) == ("", set())


@needs_lfs
@pytest.mark.parametrize("absolute", [False, True])
def test_the_store_that_is_configured(wiki: Wiki, tmp_path: Path, absolute: bool) -> None:
    set_up(wiki)
    place = str(tmp_path / "large") if absolute else "large"
    wiki.git("config", "lfs.storage", place)
    ingest(wiki)
    assert stored(wiki, NOTE.encode(), place if absolute else f".git/{place}").is_file()
    assert "OK" in wiki.git("lfs", "fsck")
    assert (wiki.status, codes(wiki)) == ("", set())


def test_a_shared_repository_shares_the_store(wiki: Wiki) -> None:
    wiki.git("config", "core.sharedRepository", "group")
    ingest(wiki)
    place = stored(wiki, NOTE.encode())
    assert place.stat().st_mode & 0o777 == 0o440
    assert all(folder.stat().st_mode & 0o070 == 0o070 for folder in list(place.parents)[:4])


@pytest.mark.parametrize("review", [[], ["--review"]])
@pytest.mark.parametrize(
    "rules",
    ["raw/** filter=crypt\n", "raw/** ident\n", "raw/** working-tree-encoding=UTF-16\n",
     "wiki/** filter=lfs\n"],
)  # fmt: skip
def test_other_filters_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rules: str, review: list[str]
) -> None:
    wiki = wikikit.make(tmp_path, monkeypatch)
    track(wiki, rules)
    wiki.put("raw/tea.md", NOTE)
    before = wiki.head
    done = wiki.run("ingest", "raw/tea.md", "--model", "offline", *review)
    assert (done.code, wiki.head) == (3, before)
    assert rules.split()[1].partition("=")[0] in done.err
