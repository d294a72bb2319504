"""What `landing.land` tells of a landing, of a dry run, and of a plan that had to be made again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import gitkit
import pytest

from llmwiki.core.errors import StateError
from llmwiki.git.find_repository import layout_of
from llmwiki.git.repository import Repository
from llmwiki.ingest.known import (
    KnownSource,
    known_source,
)
from llmwiki.landing.land import land
from llmwiki.landing.operation import LandingOptions, Made, Operation
from llmwiki.landing.wiki_state import WikiState
from llmwiki.pages.page import Page
from llmwiki.sources.source_file import NamedSource

PATH = "wiki/concepts/Tea.md"
OPTIONS = LandingOptions(lambda: 1_700_000_000.0)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    gitkit.isolate(monkeypatch)
    return gitkit.make_wiki(tmp_path / "w")


def brewed(words: str) -> Operation:
    text = f"---\ntype: concept\ntitle: Tea\n---\n\n# Tea\n\n{words}\n"
    return Operation("tea", {PATH: Page.parse(PATH, text)})


def head_of(root: Path) -> str:
    return gitkit.git(root, "rev-parse", "HEAD").strip()


def test_what_the_maker_wants_to_know_comes_back_with_the_commit(root: Path) -> None:
    with Repository(layout_of(root)) as repo:
        done = land(
            WikiState(repo), "edit", lambda _now: Made(brewed("Hot."), 7),
            terms=OPTIONS,
        )  # fmt: skip
    assert (done.outcome.commit, done.extra, done.plan) == (head_of(root), 7, None)
    assert done.outcome.pages_created == (PATH,)


def test_it_comes_back_where_there_is_nothing_to_change_too(root: Path) -> None:
    before = head_of(root)
    with Repository(layout_of(root)) as repo:
        for dry_run in (False, True):
            done = land(
                WikiState(repo), "edit", lambda _now: Made(None, "same"),
                terms=OPTIONS, dry_run=dry_run,
            )  # fmt: skip
            assert (done.outcome.commit, done.extra, done.plan) == (None, "same", None)
    assert head_of(root) == before


def test_a_dry_run_tells_the_plan_and_leaves_state_and_repository_alone(root: Path) -> None:
    before = head_of(root)
    with Repository(layout_of(root)) as repo:
        state = WikiState(repo)
        done = land(
            state, "edit", lambda _now: Made(brewed("Hot."), None),
            terms=OPTIONS, dry_run=True,
        )  # fmt: skip
        assert state.page(PATH) is None
    assert done.plan is not None
    assert b"Hot." in (done.plan.writes[PATH] or b"")
    assert (done.outcome.commit, done.outcome.pages_created) == (None, (PATH,))
    assert head_of(root) == before
    assert gitkit.status(root) == ""


def test_what_is_told_is_of_the_plan_that_landed(root: Path) -> None:
    made: list[str | None] = []

    def make(now: WikiState) -> Made[str | None]:
        made.append(now.commit)
        if len(made) == 1:
            gitkit.put(root, {"notes.txt": "by hand\n"})
            gitkit.git(root, "add", "notes.txt")
            gitkit.git(root, "commit", "-qm", "by hand", "--", "notes.txt")
        return Made(brewed(f"Brewed {len(made)} times."), now.commit)

    with Repository(layout_of(root)) as repo:
        state = WikiState(repo)
        land(state, "edit", lambda _now: Made(brewed("Hot."), None), terms=OPTIONS)
        done = land(state, "edit", make, terms=OPTIONS)
        page = state.page(PATH)
    assert len(made) == 2
    assert done.extra == made[1] == gitkit.git(root, "rev-parse", "HEAD^").strip()
    assert page is not None and "Brewed 2 times." in page.text
    assert (root / PATH).read_text() == page.text


def test_a_landing_that_is_refused_leaves_the_state_as_it_was(root: Path) -> None:
    gitkit.put(root, {PATH: "mine\n"})
    with Repository(layout_of(root)) as repo:
        state = WikiState(repo)
        with pytest.raises(StateError):
            land(
                state, "edit", lambda _now: Made(brewed("Hot."), None),
                terms=OPTIONS,
            )  # fmt: skip
        assert state.page(PATH) is None
        assert state.file_named("tea") is None


def ledger(path: str, sha: str) -> str:
    name = path.removeprefix("raw/").replace(".", "-")
    source = f"source: {path}\nsha256: {sha}"
    return f"---\ntype: source\ntitle: {name}\n{source}\n---\n\n# {name}\n\nRead.\n"


def test_one_answer_says_what_the_wiki_has_of_a_source(root: Path) -> None:
    sha, other = "a" * 64, "b" * 64
    gitkit.put(
        root,
        {
            "raw/old.md": "old\n",
            "wiki/sources/old-md.md": ledger("raw/old.md", sha),
            "wiki/sources/moved-md.md": ledger("raw/moved.md", other),
        },
    )
    gitkit.git(root, "add", "-A")
    gitkit.git(root, "commit", "-qm", "ledgers")
    with Repository(layout_of(root)) as repo:
        state = WikiState(repo)
        state.follow()
        same = known_source(state, NamedSource("raw/old.md", None), sha)
        newer = known_source(state, NamedSource("raw/old.md", None), "c" * 64)
        assert (same.reason, newer.reason, newer.renamed) == ("unchanged", "", None)
        assert newer.ledger is not None and newer.ledger.sha256 == sha
        assert known_source(state, NamedSource("raw/new.md", None), "c" * 64) == KnownSource()
        twin = known_source(state, NamedSource("raw/twin.md", None), sha)
        assert twin.reason == "the same bytes as raw/old.md"
        renamed = known_source(state, NamedSource("raw/new.md", None), other)
        assert (renamed.reason, renamed.renamed) == ("", "raw/moved.md")
        assert renamed.ledger is not None and renamed.ledger.stem == "moved-md"


def test_nothing_in_the_environment_arms_a_failpoint(root: Path) -> None:
    program = "from llmwiki.git import failpoints as f; f.reach('lock.taken'); print(f.armed)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "LLMWIKI_FAILPOINT": "lock.taken=kill"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "None\n")
