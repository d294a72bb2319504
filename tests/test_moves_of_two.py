"""Two clones of which one moves what the other changes."""

from __future__ import annotations

import random
from pathlib import Path

import clones
import pytest
import wikikit
from clones import Clones, fact, learn
from longform import LONG
from wikikit import Wiki, check

KETTLE, TEAPOT = (f"wiki/concepts/{name}.md" for name in ("Kettle", "Teapot"))


def grow(wiki: Wiki) -> None:
    learn(wiki, "raw/base.md", [("Kettle", 1), ("Teapot", 2), ("Kettle", 3)])


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch, grow)


def homes(wiki: Wiki) -> dict[str, str]:
    """What each claim says, and the page it stands on; no id stands on two."""
    found: dict[str, str] = {}
    ids = [claim.id for page in wiki.pages().values() for claim in page.claims]
    assert len(set(ids)) == len(ids)
    for path, claim in wiki.claims().values():
        found[claim.text] = path
    return found


def bring_together(pair: Clones, way: str, into: Wiki, other: Wiki) -> None:
    """Merges, or rebases onto, the other clone; `wiki resolve` must take all that stops it."""
    into.git("fetch", "-q", str(other.root), "HEAD")
    command = ["merge", "-q", "--no-edit"] if way == "merge" else ["rebase", "-q"]
    into.git(*command, "FETCH_HEAD", ok=(0, 1))
    for _step in range(30):
        if into.run("status", "--json").json.get("in_progress") is None and not stopped(into):
            break
        done = into.run("resolve")
        assert done.code == 0, done
        into.git("-c", "core.editor=true", way, "--continue", ok=(0, 1))
    assert not stopped(into)
    into.ok("remember", f"Brought together after {into.count()} commits.")
    assert into.status == ""


def stopped(wiki: Wiki) -> bool:
    folder = wiki.root / ".git"
    return any((folder / name).exists() for name in ("MERGE_HEAD", "rebase-merge", "rebase-apply"))


WAYS = [(way, driver) for way in ("merge", "rebase") for driver in (True, False)]


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(("way", "driver"), WAYS)
def test_a_page_that_one_merges_away_and_the_other_adds_to(
    wiki: Wiki, way: str, driver: bool, turned: bool
) -> None:
    pair = clones.pair(wiki, driver=driver)
    one, two = (pair.two, pair.one) if turned else (pair.one, pair.two)
    one.ok("merge", "Kettle", "Teapot")
    learn(two, "raw/more.md", [("Kettle", 3), ("Kettle", 4)])
    two.edit(KETTLE, "## Claims\n", "## Own\n\nA remark.\n\n## Claims\n")
    bring_together(pair, way, pair.one, pair.two)
    found = homes(pair.one)
    assert set(found.values()) == {TEAPOT} and len(found) == 4
    assert "A remark." in pair.one.read(TEAPOT) and KETTLE not in pair.one.files()
    assert len(pair.one.claim("number 3").evidence) == 2
    check(pair.one)


@pytest.mark.parametrize(("way", "driver"), WAYS)
def test_one_renames_and_the_other_adds(wiki: Wiki, way: str, driver: bool) -> None:
    pair = clones.pair(wiki, driver=driver)
    pair.one.ok("rename", "Kettle", "Water kettle")
    learn(pair.two, "raw/more.md", [("Kettle", 3), ("Kettle", 4), ("Samovar", 5)])
    bring_together(pair, way, pair.one, pair.two)
    found = homes(pair.one)
    assert found[fact("Kettle", 4)] == "wiki/concepts/Water kettle.md"
    assert KETTLE not in pair.one.files()
    check(pair.one)


@pytest.mark.parametrize(("way", "driver"), WAYS)
def test_both_rename_one_page(wiki: Wiki, way: str, driver: bool) -> None:
    pair = clones.pair(wiki, driver=driver)
    pair.one.ok("rename", "Kettle", "Water kettle")
    pair.two.ok("rename", "Kettle", "Big kettle")
    bring_together(pair, way, pair.one, pair.two)
    found = homes(pair.one)
    assert found[fact("Kettle", 1)] == "wiki/concepts/Big kettle.md"
    page = pair.one.pages()["wiki/concepts/Big kettle.md"]
    assert set(page.aliases) == {"Kettle", "Water kettle"}
    assert "wiki/concepts/Water kettle.md" not in pair.one.files()
    check(pair.one)


@pytest.mark.parametrize(("way", "driver"), WAYS)
def test_a_claim_that_one_splits_off_and_the_other_proves(
    wiki: Wiki, way: str, driver: bool
) -> None:
    pair = clones.pair(wiki, driver=driver)
    pair.one.ok("split", "Kettle", "--to", "Whistle", pair.one.claim("number 3").id)
    learn(pair.two, "raw/more.md", [("Kettle", 3)])
    bring_together(pair, way, pair.one, pair.two)
    assert homes(pair.one)[fact("Kettle", 3)] == "wiki/concepts/Whistle.md"
    assert len(pair.one.claim("number 3").evidence) == 2
    check(pair.one)
