"""Two people work in two clones; what comes together when they merge."""

from __future__ import annotations

from pathlib import Path

import clones
import pytest
import wikikit
from clones import fact, learn
from wikikit import Wiki, answer, check, claim

BOTH = "# Both\n\nThe Kettle has the property number 7.\nA samovar is a kettle that heats itself.\n"


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    wiki = wikikit.make(tmp_path, monkeypatch)
    learn(wiki, "raw/base.md", [("Kettle", 1), ("Teapot", 2)])
    return wiki


def finish(wiki: Wiki) -> None:
    """What the messages say: resolve, go on with git, and the next operation settles the rest."""
    if wiki.git("diff", "--name-only", "--diff-filter=U"):
        done = wiki.run("resolve")
        assert done.code == 0, done
        assert "git merge --continue" in done.err
        wiki.git("-c", "core.editor=true", "merge", "--continue")
    wiki.ok("remember", f"Merged {wiki.head}.")
    assert wiki.status == ""


@pytest.mark.parametrize("driver", [True, False])
def test_a_source_that_two_readers_read_is_no_conflict(wiki: Wiki, driver: bool) -> None:
    pair = clones.pair(wiki, driver=driver)
    pair.one.put("raw/both.md", BOTH)
    pair.one.ok("ingest", "raw/both.md", "--model", "offline")
    pair.two.learn("raw/both.md", BOTH, answer([claim("Kettle", fact("Kettle", 7), lines=(3, 3))]))
    bad = pair.merge(pair.one, pair.two)
    assert bad == [] or not driver
    finish(pair.one)
    check(pair.one)
    title = pair.one.pages()["wiki/sources/both-md.md"].title
    assert title in ("Both", "Tea") and f"# {title}\n" in pair.one.read("wiki/sources/both-md.md")


@pytest.mark.parametrize("driver", [True, False])
@pytest.mark.parametrize("undoes", ["one", "two"])
def test_a_page_that_one_side_undid_and_the_other_added_to(
    wiki: Wiki, driver: bool, undoes: str
) -> None:
    learn(wiki, "raw/more.md", [("Samovar", 3)])
    pair = clones.pair(wiki, driver=driver)
    gone, kept = (pair.one, pair.two) if undoes == "one" else (pair.two, pair.one)
    gone.ok("undo")
    assert "wiki/concepts/Samovar.md" not in gone.files()
    learn(kept, "raw/kept.md", [("Samovar", 4)])
    assert "wiki/concepts/Samovar.md" in pair.merge(pair.one, pair.two)
    status = pair.one.ok("status")
    assert "run `wiki resolve`" in status.out
    refused = pair.one.run("remember", "Not now.")
    assert refused.code == 3 and "wiki resolve" in refused.err
    finish(pair.one)
    held = {c.text for _path, c in pair.one.claims().values()}
    assert fact("Samovar", 4) in held and fact("Samovar", 3) not in held
    check(pair.one)


def test_resolve_leaves_what_a_person_must_decide(wiki: Wiki) -> None:
    pair = clones.pair(wiki, driver=False)
    page = "wiki/concepts/Kettle.md"
    pair.one.edit(page, "About Kettle.\n\n##", "A kettle boils water.\n\n##")
    pair.two.edit(page, "About Kettle.\n\n##", "A kettle whistles.\n\n##")
    pair.one.put("notes.txt", "one\n")
    pair.two.put("notes.txt", "two\n")
    for who in (pair.one, pair.two):
        who.git("add", "-A")
        who.git("commit", "-qm", "notes")
    pair.merge(pair.one, pair.two)
    told = pair.one.run("resolve")
    assert told.code == 1
    assert "both sides worded it: lead" in told.out
    both = pair.one.read(page)
    assert "A kettle boils water." in both and "A kettle whistles." in both
    assert pair.one.git("diff", "--name-only", "--diff-filter=U").split() == ["notes.txt", page]
    pair.one.put(page, both.replace("<<<<<<< one side\n", "Mine: "))
    again = pair.one.run("resolve", "--json")
    assert again.code == 1
    why = {left["path"]: left["why"] for left in again.json["left"]}
    assert why == {
        page: "somebody has begun to mend it by hand",
        "notes.txt": "it is no page",
    }
    assert "Mine: " in pair.one.read(page)


def test_resolve_says_before_it_does_and_does_nothing_twice(wiki: Wiki) -> None:
    pair = clones.pair(wiki, driver=False)
    learn(pair.one, "raw/one.md", [("Kettle", 3)])
    learn(pair.two, "raw/two.md", [("Kettle", 4)])
    assert pair.merge(pair.one, pair.two) == ["wiki/concepts/Kettle.md"]
    before = pair.one.status
    told = pair.one.ok("resolve", "--dry-run")
    assert "would be merged  wiki/concepts/Kettle.md" in told.out
    assert pair.one.status == before
    finish(pair.one)
    check(pair.one)
    assert pair.one.ok("resolve").out == "No page is left to merge.\n"


def test_a_stopped_rebase_is_resolved_too(wiki: Wiki) -> None:
    pair = clones.pair(wiki, driver=False)
    learn(pair.one, "raw/one.md", [("Kettle", 3)])
    learn(pair.two, "raw/two.md", [("Kettle", 4)])
    pair.one.git("fetch", "-q", str(pair.two.root), "HEAD")
    pair.one.git("rebase", "-q", "FETCH_HEAD", ok=(1,))
    done = pair.one.ok("resolve")
    assert "git rebase --continue" in done.err
    pair.one.git("-c", "core.editor=true", "rebase", "--continue")
    pair.one.ok("lint", "--fix", "--fail-on", "never")
    check(pair.one)
    assert len(pair.one.claims()) == 4
