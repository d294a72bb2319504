"""What one clone took out, and the other touched meanwhile, stays out: in all ways of merging."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import clones
import pytest
import wikikit
from clones import Clones, fact, learn, stopped
from longform import seldom
from wikikit import Wiki, answer, check, claim

KETTLE = "wiki/concepts/Kettle.md"
FACTS = [("Kettle", 1), ("Kettle", 2), ("Teapot", 3)]


def grow(wiki: Wiki) -> None:
    learn(wiki, "raw/one.md", FACTS)


def again(wiki: Wiki, name: str = "raw/one.md", more: str = "A remark on top.\n") -> None:
    """Reads the document once more, with a line on top of it."""
    text = more + wiki.read(name)
    rows = text.split("\n")
    said = [row for row in rows if row.startswith("The ")]
    claims = [
        claim(row.split()[1], row, lines=(rows.index(row) + 1, rows.index(row) + 1)) for row in said
    ]
    wiki.learn(name, text, answer(claims, document={"title": f"About {name}", "summary": "Facts."}))


@pytest.fixture(params=seldom(["driver", "resolve", "rebase", "squash"], ["driver", "squash"]))
def together(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Clones, Callable[[], None]]:
    """Two clones, and what brings them together in the first: one operation comes after it."""
    way = request.param
    pair = clones.pair(wikikit.make(tmp_path, monkeypatch, grow), driver=way != "resolve")
    words = {"rebase": ["rebase", "-q"], "squash": ["merge", "-q", "--squash"]}

    def merge() -> None:
        one = pair.one
        one.git("fetch", "-q", str(pair.two.root), "HEAD")
        one.git(*words.get(way, ["merge", "-q", "--no-edit"]), "FETCH_HEAD", ok=(0, 1))
        for _step in range(10):
            if not (stopped(one) or one.git("ls-files", "-u")):
                break
            assert one.run("resolve").code == 0
            if stopped(one):
                verb = "rebase" if way == "rebase" else "merge"
                one.git("-c", "core.editor=true", verb, "--continue", ok=(0, 1))
        if way == "squash":
            one.git("commit", "-q", "-m", "squashed")
        one.ok("remember", "All is merged.")
        assert one.status == ""

    return pair, merge


def mended(wiki: Wiki) -> None:
    """What lint finds at fault can be mended, at once, and then all fits together."""
    wiki.run("lint", "--fix", "--fail-on", "never")
    found = wiki.run("lint", "--json").json["findings"]
    worse = [(f["code"], f["path"], f["message"]) for f in found if f["severity"] == "error"]
    assert not worse
    homes = [one.id for page in wiki.pages().values() for one in page.claims]
    assert len(homes) == len({*homes})
    check(wiki, squashed=True)


def test_a_claim_that_a_person_deleted_while_its_lines_moved(
    together: tuple[Clones, Callable[[], None]],
) -> None:
    pair, merge = together
    pair.one.delete("number 2")
    again(pair.two)
    merge()
    assert fact("Kettle", 2) not in [c.text for _path, c in pair.one.claims().values()]
    mended(pair.one)
    again(pair.one, more="Another remark.\n")
    assert fact("Kettle", 2) not in [c.text for _path, c in pair.one.claims().values()]


def test_a_quote_of_a_retracted_source_while_another_says_the_same(
    together: tuple[Clones, Callable[[], None]],
) -> None:
    pair, merge = together
    pair.one.ok("retract", "raw/one.md")
    learn(pair.two, "raw/two.md", [("Kettle", 1), ("Teapot", 4)])
    merge()
    told = {c.text: {e.source for e in c.evidence} for _path, c in pair.one.claims().values()}
    assert told == {fact("Kettle", 1): {"two-md"}, fact("Teapot", 4): {"two-md"}}
    assert not [p for p, page in pair.one.pages().items()
                if "/concepts/" in p and "one-md" in page.text]  # fmt: skip
    mended(pair.one)


def test_a_claim_that_was_moved_while_its_document_was_read_again(
    together: tuple[Clones, Callable[[], None]],
) -> None:
    pair, merge = together
    moved = pair.one.claim("number 2").id
    pair.one.ok("merge", "Kettle", "Teapot")
    text = f"# About raw/one.md\n\n{fact('Kettle', 1)}\n{fact('Teapot', 3)}\n"
    said = [
        claim("Kettle", fact("Kettle", 1), lines=(3, 3)),
        claim("Teapot", fact("Teapot", 3), lines=(4, 4)),
    ]
    pair.two.learn("raw/one.md", text, answer(said))
    assert (pair.two.claim("number 2").successor or "").startswith("gone in ")
    merge()
    mended(pair.one)
    path, one = pair.one.claims()[moved]
    assert path == "wiki/concepts/Teapot.md" and (one.successor or "").startswith("gone in ")


def test_a_first_reading_that_was_taken_back_while_a_new_version_was_read(
    together: tuple[Clones, Callable[[], None]],
) -> None:
    pair, merge = together
    pair.one.ok("undo")
    again(pair.two, more="A remark.\nThe Kettle has the property number 5.\n")
    merge()
    assert fact("Kettle", 5) in [c.text for _path, c in pair.one.claims().values()]
    mended(pair.one)
    done = pair.one.run("ingest", "raw/one.md", "--json")
    assert done.code == 0
    mended(pair.one)


def test_a_rename_that_was_taken_back_while_a_document_spoke_of_the_new_name(
    together: tuple[Clones, Callable[[], None]],
) -> None:
    pair, merge = together
    pair.one.ok("rename", "Kettle", "Water kettle")
    pair.two.git("fetch", "-q", str(pair.one.root), "HEAD")
    pair.two.git("merge", "-q", "--ff-only", "FETCH_HEAD")
    pair.one.ok("undo")
    learn(pair.two, "raw/two.md", [("Water kettle", 6), ("Teapot", 7)])
    merge()
    found = pair.one.run("lint", "--json").json["findings"]
    assert not [f for f in found if f["code"] in ("WK101", "WK103")], found
    assert [p for p in pair.one.pages() if "ettle" in p] == [KETTLE]
    mended(pair.one)


# --- in one clone ---------------------------------------------------------------------------


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch, grow)


def test_a_reading_below_one_of_other_bytes_is_not_taken_back(wiki: Wiki) -> None:
    first = wiki.trailer("Wiki-Id")
    again(wiki, more="The Kettle has the property number 5.\n")
    head = wiki.head
    done = wiki.run("undo", first)
    assert done.code == 3 and "read again since" in done.err and wiki.head == head
    wiki.ok("undo")
    wiki.ok("undo", first)
    assert not wiki.claims()


def test_links_made_since_follow_a_rename_that_is_taken_back(wiki: Wiki) -> None:
    ident = wiki.ok("rename", "Kettle", "Water kettle", "--json").json["id"]
    learn(wiki, "raw/two.md", [("Water kettle", 6), ("Teapot", 7)])
    wiki.put(
        "wiki/concepts/Mine.md",
        "---\ntype: concept\ntitle: Mine\n---\n\n# M\n\n[[Water kettle]], [[Water kettle#More]].\n",
    )
    wiki.git("add", "-A")
    wiki.git("commit", "-qm", "by hand")
    wiki.ok("undo", ident)
    assert "[[Kettle|Water kettle]]" in wiki.read("wiki/concepts/Mine.md")
    found = wiki.run("lint", "--json").json["findings"]
    assert not [f for f in found if f["code"] in ("WK101", "WK103")]
    check(wiki)
    wiki.ok("undo")
    assert "wiki/concepts/Water kettle.md" in wiki.files() and KETTLE not in wiki.files()
    assert not [f for f in wiki.run("lint", "--json").json["findings"] if f["code"] == "WK101"]


def test_arrows_made_since_follow_a_merge_that_is_taken_back(wiki: Wiki) -> None:
    ident = wiki.ok("merge", "Kettle", "Teapot", "--json").json["id"]
    old, new = wiki.claim("number 3").id, wiki.claim("number 1").id
    wiki.ok("supersede", old, new)
    wiki.ok("undo", ident)
    assert wiki.claims()[new][0] == KETTLE
    assert f"[[Kettle#^{new}|Kettle]]" in (wiki.claims()[old][1].successor or "")
    check(wiki)
