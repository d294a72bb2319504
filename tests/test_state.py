"""The state of a wiki at one commit: the same whatever commit the index stands at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import gitkit
import pytest
from statekit import (
    HISTORY,
    ODD,
    commit,
    commits,
    concept,
    same,
)

from llmwiki.git.find_repository import layout_of
from llmwiki.git.repository import Repository
from llmwiki.index.open_index import open_corpus
from llmwiki.landing.wiki_state import WikiState
from llmwiki.pages.page import Page


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Repository]:
    gitkit.isolate(monkeypatch)
    root = gitkit.make_wiki(tmp_path / "w", pages=2)
    for files in (*HISTORY, {ODD: concept("Odd", "[[Gamma]] ^c-oooooooooo")}):
        commit(root, files)
    with Repository(layout_of(root)) as repo:
        yield repo


def test_it_says_the_same_whatever_commit_the_index_stands_at(repo: Repository) -> None:
    history = commits(repo)
    for at in history[::2]:
        gitkit.git(repo.root, "checkout", "-q", "--detach", at)
        with open_corpus(repo):
            pass
        for wanted in history:
            state = WikiState(repo)
            state.advance(wanted)
            same(state, repo, wanted)


def test_it_follows_from_commit_to_commit_there_and_back(repo: Repository) -> None:
    history = commits(repo)
    state = WikiState(repo)
    for wanted in (history[2], history[4], history[0], history[3], history[3], history[2]):
        state.advance(wanted)
        same(state, repo, wanted)
    state.advance(None)
    assert state.entries() == []
    assert state.totals().pages == {}


def test_a_claim_that_a_page_links_to_is_no_name_of_that_page(repo: Repository) -> None:
    commit(repo.root, {"wiki/concepts/Link.md": concept("Link", "[[Gamma#^c-abcdefghjk]]")})
    state = WikiState(repo)
    state.follow()
    assert state.naming(["c-abcdefghjk"]) == ("wiki/concepts/Link.md",)
    assert state.bearing("c-abcdefghjk") == ((), ())


def test_pages_that_are_indexed_as_an_editor_left_them_are_read_as_committed(
    repo: Repository,
) -> None:
    draft = concept("Draft", "- Mine. ^c-dddddddddd\n[[Alpha]]", tags="[x]")
    for path in ("wiki/concepts/Gamma.md", "wiki/concepts/Draft.md"):
        gitkit.put(repo.root, {path: draft})
    (repo.root / "wiki/entities/Alpha.md").unlink()
    with open_corpus(repo) as index:
        assert index.strays.keys() >= {"wiki/entities/Alpha.md", "wiki/concepts/Draft.md"}
    for wanted in commits(repo):
        state = WikiState(repo)
        state.advance(wanted)
        same(state, repo, wanted)
        assert state.claim_page("c-dddddddddd") is None
    with open_corpus(repo) as index:
        assert len(index.strays) == 3


def test_ledgers_are_found_by_their_file_and_by_their_bytes(repo: Repository) -> None:
    state = WikiState(repo)
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
    state = WikiState(repo)
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
    assert state.claim_page("c-nnnnnnnnnn") == "wiki/concepts/New.md"
    assert state.claim_page("c-aaaaaaaaaa") is None
    for path, page in plan.items():
        assert state.page(path) == page
    assert state.pages(plan) == {path: page for path, page in plan.items() if page is not None}
    after = state.index_files_after(before)
    assert after == state.index_files()
    assert after != files
    state.restore(before)
    same(state, repo, history[-1])
    assert state.index_files() == files


def test_what_landed_is_what_the_commit_holds(repo: Repository) -> None:
    history = commits(repo)
    state = WikiState(repo)
    state.advance(history[-1])
    path, text = "wiki/concepts/New.md", concept("New", "- a ^c-nnnnnnnnnn")
    state.restore(state.preview({path: Page.parse(path, text), "wiki/concepts/Gamma.md": None}))
    commit(repo.root, {path: text, "wiki/concepts/Gamma.md": None})
    head = repo.head()
    assert head is not None
    state.landed(head)
    same(state, repo, head)
    assert state.own == head
    state.advance(history[1])
    same(state, repo, history[1])
