"""The state on the real index: right whatever becomes of the file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import gitkit
import pytest
from statekit import HISTORY, ODD, commit, commits, concept, held, read_commit, same, same_as

from llmwiki.git.find_repository import layout_of
from llmwiki.git.repository import Repository
from llmwiki.index.open_index import open_committed, open_corpus
from llmwiki.landing.wiki_state import WikiState
from llmwiki.pages.page import Page


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Repository]:
    gitkit.isolate(monkeypatch)
    root = gitkit.make_wiki(tmp_path / "w", pages=2)
    for files in HISTORY:
        commit(root, files)
    with Repository(layout_of(root)) as repo:
        yield repo


def index_file(repo: Repository) -> Path:
    return repo.git_dir / "llmwiki" / "index.db"


def head_of(repo: Repository) -> str:
    head = repo.head()
    assert head is not None
    return head


def many(count: int, word: str = "M") -> dict[str, str | bytes | None]:
    return {
        f"wiki/concepts/{word}{n}.md": concept(f"{word} {n}", f"[[{word}{n // 3}]]", tags="[m]")
        for n in range(count)
    }


def test_the_index_answers_as_the_oracle_after_every_kind_of_change(repo: Repository) -> None:
    """Refreshed, made anew, gone back, in one process and with the file kept."""
    for files in (
        {},
        {"wiki/concepts/Gamma.md": concept("Gamma", "[[Alpha]]\n- So. ^c-gggggggggg")},
        many(20),
        {"wiki/concepts/M3.md": None, "wiki/concepts/M4.md": concept("Other", tags="[x, x]")},
        many(400),
        many(400, "N"),
    ):
        if files:
            commit(repo.root, files)
        base = open_committed(repo, head_of(repo))
        assert (base.commit, dict(base.strays)) == (repo.head(), {})
        same_as(base, read_commit(repo, head_of(repo)))
        base.close()
    for wanted in commits(repo)[::-3]:
        gitkit.git(repo.root, "reset", "-q", "--hard", wanted)
        base = open_committed(repo, wanted)
        same_as(base, read_commit(repo, wanted))
        base.close()


def test_uncommitted_edits_are_named_as_strays(repo: Repository) -> None:
    open_committed(repo, head_of(repo)).close()
    index_file(repo).unlink()
    pages = read_commit(repo, head_of(repo))
    strays: dict[str, str | None] = {"wiki/concepts/Draft.md": None}
    for path in ("wiki/concepts/Gamma.md", "wiki/sources/a-md.md"):
        strays[path] = pages[path].oid
    for path in ("wiki/concepts/Draft.md", "wiki/concepts/Gamma.md"):
        text = concept("Draft", "- Mine. ^c-dddddddddd", tags="[new]")
        gitkit.put(repo.root, {path: text})
        pages[path] = held(path, text)
    (repo.root / "wiki/sources/a-md.md").unlink()
    del pages["wiki/sources/a-md.md"]
    with open_corpus(repo) as index:
        assert dict(index.strays) == strays
        same_as(index, pages)
    state = WikiState(repo)
    state.advance(head_of(repo))
    same(state, repo, head_of(repo))


def test_a_state_is_right_at_every_commit_and_leaves_an_index(repo: Repository) -> None:
    for wanted in commits(repo):
        state = WikiState(repo)
        state.advance(wanted)
        same(state, repo, wanted)
    assert index_file(repo).is_file()
    assert gitkit.status(repo.root) == ""


def test_a_long_batch_brings_the_index_up_to_date_on_its_way(repo: Repository) -> None:
    state = WikiState(repo)
    state.advance(head_of(repo))
    for part in range(4):
        new = many(60, f"P{part}x")
        shown = state.preview({path: Page.parse(path, str(text)) for path, text in new.items()})
        state.restore(shown)
        state.landed(commit(repo.root, new))
        state.advance(head_of(repo))
        same(state, repo, head_of(repo))
    with open_corpus(repo) as index:
        assert index.sums.pages == state.sums.pages


def test_what_another_process_commits_and_indexes_meanwhile_is_followed(repo: Repository) -> None:
    mine = WikiState(repo)
    mine.advance(head_of(repo))
    first = head_of(repo)
    with Repository(layout_of(repo.root)) as other:
        for files in ({"wiki/concepts/Gamma.md": None}, many(30), many(600, "N")):
            commit(repo.root, files)
            theirs = WikiState(other)
            theirs.advance(head_of(other))
            same(theirs, other, head_of(other))
            same(mine, repo, first)
    mine.advance(head_of(repo))
    same(mine, repo, head_of(repo))


def test_a_file_whose_name_is_no_text_is_no_page(repo: Repository) -> None:
    commit(repo.root, {ODD: concept("Odd", "- It is. ^c-0000000000")})
    state = WikiState(repo)
    state.advance(head_of(repo))
    same(state, repo, head_of(repo))
    assert state.claim_page("c-0000000000") is None


def previewed(n: int) -> dict[str, Page | None]:
    new = f"wiki/concepts/Shown{n}.md"
    return {
        new: Page.parse(new, concept("Shown", f"previewword [[Alpha]] ^c-{n:010}")),
        "wiki/concepts/M2.md": Page.parse("wiki/concepts/M2.md", concept("Other", "previewword")),
        "wiki/concepts/M3.md": None,
    }


def test_a_preview_is_seen_by_nobody_else(repo: Repository) -> None:
    commit(repo.root, many(5))
    mine = WikiState(repo)
    head = mine.follow()
    assert head is not None
    outer = mine.preview(previewed(1))
    inner = mine.preview(previewed(2))
    assert mine.with_words(["previewword"]) == (
        "wiki/concepts/M2.md", "wiki/concepts/Shown1.md", "wiki/concepts/Shown2.md",
    )  # fmt: skip
    assert mine.page("wiki/concepts/M3.md") is None
    with Repository(layout_of(repo.root)) as other, open_corpus(other) as index:
        same_as(index, read_commit(other, head))
        assert index.frequencies(["previewword"]) == {}
        theirs = WikiState(other)
        assert theirs.follow() == head
        same(theirs, other, head)
    mine.restore(inner)
    assert mine.names.by_title("Shown") == ("wiki/concepts/Shown1.md",)
    mine.restore(outer)
    same(mine, repo, head)
    with open_corpus(repo) as index:
        same_as(index, read_commit(repo, head))


def test_where_the_index_cannot_be_written_a_plan_is_shown_in_a_copy(repo: Repository) -> None:
    state = WikiState(repo)
    head = state.follow()
    assert head is not None
    with closing(sqlite3.connect(index_file(repo), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        shown = state.preview(previewed(1))
        assert state.names.by_title("Shown") == ("wiki/concepts/Shown1.md",)
        state.restore(shown)
        same(state, repo, head)
        other.execute("ROLLBACK")
