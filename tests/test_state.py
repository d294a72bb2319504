"""The state of a wiki at one commit: the same whatever commit the index stands at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import gitkit
import pytest
from statekit import (
    HISTORY,
    ODD,
    MemoryBase,
    commit,
    commits,
    concept,
    held,
    indexed,
    opener,
    read_commit,
    same,
)

from llmwiki.index.base import EmptyBase
from llmwiki.memory.state import WikiState
from llmwiki.pages.page import Page
from llmwiki.repo.repository import Repository

KEPT = 20


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Repository]:
    gitkit.isolate(monkeypatch)
    root = gitkit.make_wiki(tmp_path / "w", pages=2)
    for files in (*HISTORY, {ODD: concept("Odd", "[[Gamma]] ^c-oooooooooo")}):
        commit(root, files)
    with Repository.discover(root) as repo:
        yield repo


def test_it_says_the_same_whatever_commit_the_index_stands_at(repo: Repository) -> None:
    history = commits(repo)
    for at in history:
        for wanted in history:
            base = indexed(repo, at)
            state = WikiState(repo, opener(base))
            state.advance(wanted)
            same(state, repo, wanted)
            assert (len(base.pages) == 0) or not base.closed


def test_it_follows_from_commit_to_commit_there_and_back(repo: Repository) -> None:
    history = commits(repo)
    base = indexed(repo, history[2])
    state = WikiState(repo, opener(base))
    for wanted in (history[2], history[4], history[0], history[3], history[3], history[2]):
        state.advance(wanted)
        same(state, repo, wanted)
    state.advance(None)
    assert state.entries() == []
    assert state.totals().pages == {}
    assert base.closed


def test_pages_that_are_indexed_as_an_editor_left_them_are_read_as_committed(
    repo: Repository,
) -> None:
    history = commits(repo)
    indexed = read_commit(repo, history[2])
    strays = {
        "wiki/concepts/Gamma.md": indexed["wiki/concepts/Gamma.md"].oid,
        "wiki/concepts/Draft.md": None,
        "wiki/concepts/Beta.md": indexed["wiki/concepts/Beta.md"].oid,
    }
    found = dict(indexed)
    for path in ("wiki/concepts/Gamma.md", "wiki/concepts/Draft.md"):
        found[path] = held(path, concept("Draft", "- Mine. ^c-dddddddddd\n[[Alpha]]", tags="[x]"))
    del found["wiki/concepts/Beta.md"]
    for wanted in history:
        state = WikiState(repo, opener(MemoryBase(found, history[2], strays)))
        state.advance(wanted)
        same(state, repo, wanted)
        assert "c-dddddddddd" not in state.claim_page


def test_ledgers_are_found_by_their_file_and_by_their_bytes(repo: Repository) -> None:
    state = WikiState(repo, opener(EmptyBase()))
    state.advance(repo.head())

    def path_of(resource: str) -> str | None:
        found = state.ledger_of(resource)
        return found.path if found else None

    assert path_of("raw/c.md") == "wiki/sources/a-md.md"
    assert path_of("raw/b.md") == "wiki/sources/b-md.md"
    assert path_of("raw/a.md") is None
    assert path_of("") is None
    assert [f.path for f in state.ledgers_with("11")] == ["wiki/sources/b-md.md"]
    assert state.ledgers_with("") == ()
    assert state.names.by_title("Bet") == ("wiki/concepts/Gamma.md",)


def test_a_preview_shows_the_plan_and_taking_it_back_leaves_no_trace(repo: Repository) -> None:
    history = commits(repo)
    base = indexed(repo, history[1])
    state = WikiState(repo, opener(base))
    state.advance(history[-1])
    plan = {
        "wiki/concepts/Gamma.md": Page.parse("wiki/concepts/Gamma.md", concept("Delta", "[[X]]")),
        "wiki/concepts/New.md": Page.parse(
            "wiki/concepts/New.md", concept("New", "- a ^c-nnnnnnnnnn")
        ),
        "wiki/entities/Alpha.md": None,
        "wiki/concepts/P0000.md": Page.parse("wiki/concepts/P0000.md", concept("P")),
    }
    files = state.index_files()
    before = state.preview(plan)
    assert state.names.by_title("delta") == ("wiki/concepts/Gamma.md",)
    assert state.names.by_title("Bet") == ()
    assert state.claim_page.get("c-nnnnnnnnnn") == "wiki/concepts/New.md"
    assert "c-aaaaaaaaaa" not in state.claim_page
    for path, page in plan.items():
        assert state.page(path) == page
    after = state.index_files_after(before)
    assert after == state.index_files()
    assert after != files
    state.restore(before)
    same(state, repo, history[-1])
    assert state.index_files() == files


def test_what_landed_is_what_the_commit_holds(repo: Repository) -> None:
    history = commits(repo)
    state = WikiState(repo, opener(indexed(repo, history[0])))
    state.advance(history[-1])
    path, text = "wiki/concepts/New.md", concept("New", "- a ^c-nnnnnnnnnn")
    state.preview({path: Page.parse(path, text), "wiki/concepts/Gamma.md": None})
    commit(repo.root, {path: text, "wiki/concepts/Gamma.md": None})
    head = repo.head()
    assert head is not None
    state.landed(head)
    same(state, repo, head)
    assert state.own == head
    state.advance(history[1])
    same(state, repo, history[1])


def test_when_much_has_changed_the_index_is_asked_to_catch_up(repo: Repository) -> None:
    history = commits(repo)
    many: dict[str, str | bytes | None] = {
        f"wiki/concepts/M{n}.md": concept(f"M{n}") for n in range(KEPT + 1)
    }
    commit(repo.root, many)
    head = repo.head()
    assert head is not None
    late, fresh = (indexed(repo, c) for c in (history[0], head))
    state = WikiState(repo, opener(late, fresh), KEPT)
    state.advance(history[0])
    state.advance(head)
    same(state, repo, head)
    assert not late.closed
    state.advance(head)
    same(state, repo, head)
    assert late.closed
    assert not fresh.closed


def test_an_index_that_stays_behind_is_not_asked_again_and_again(repo: Repository) -> None:
    """An index that cannot be written stands still; opening it for every source would cost."""
    many: dict[str, str | bytes | None] = {
        f"wiki/concepts/M{n}.md": concept(f"M{n}") for n in range(KEPT + 1)
    }
    commit(repo.root, many)
    history = commits(repo)
    state = WikiState(repo, opener(EmptyBase()), KEPT)
    state.advance(history[-1])
    state.advance(history[-1])
    state.advance(history[-2])
    same(state, repo, history[-2])
