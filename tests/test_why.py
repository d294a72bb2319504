"""`wiki why`: from a claim to its bytes and to everybody who did something to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import wikikit
from diffkit import short
from wikikit import NOTE, Wiki, answer, claim

GREEN = claim("Tea", "Green tea is steeped at 80 degrees.", "Green tea is steeped at 80 degrees")
BLACK = claim("Tea", "Black tea is steeped hotter.", "Black tea is steeped at 95 degrees")
PAGE = "wiki/concepts/Tea.md"


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch, tea)


def tea(wiki: Wiki) -> None:
    wiki.learn("raw/tea.md", NOTE, answer([GREEN, BLACK]))


def green(wiki: Wiki) -> str:
    return next(c for c, (_path, held) in wiki.claims().items() if "Green" in held.text)


def story(wiki: Wiki, asked: str) -> list[tuple[str | None, list[str], str]]:
    """(kind, events, commit) of each step."""
    (told,) = wiki.ok("why", asked, "--json").json["claims"]
    return [
        (s["kind"], [what for what, *_ in short(s["rows"])], s["commit"]) for s in told["story"]
    ]


def test_from_a_claim_to_its_bytes_and_who_brought_it(wiki: Wiki) -> None:
    (told,) = wiki.ok("why", green(wiki), "--json").json["claims"]
    (quote,) = told["evidence"]
    (step,) = told["story"]
    assert quote["path"] == "raw/tea.md" and quote["lines"] == "L5"
    assert quote["sha256"] == wikikit.sha(NOTE)
    assert (step["kind"], step["commit"]) == ("ingest", wiki.head)
    assert step["operation"] == wiki.trailer("Wiki-Id")
    assert step["author"] == wiki.git("log", "-1", "--format=%an").strip()
    out = wiki.ok("why", green(wiki)).out
    assert quote["sha256"] in out and "raw/tea.md L5" in out and step["operation"] in out


def test_it_is_found_by_its_words_its_quote_and_its_page(wiki: Wiki) -> None:
    for words in ("tea is steeped at 80", "green TEA is steeped at 80 degrees.", green(wiki)):
        (told,) = wiki.ok("why", words, "--json").json["claims"]
        assert told["id"] == green(wiki)
    assert len(wiki.ok("why", "Tea", "--json").json["claims"]) == 2
    both = wiki.run("why", "tea is steeped", "--json")
    assert both.code == 1 and len(both.json["candidates"]) == 2
    assert wiki.run("why", "nobody ever said any of these words").code == 2
    assert wiki.run("why", "c-0000000000").code == 2


def test_of_a_page_of_many_claims_the_first_are_told(wiki: Wiki) -> None:
    lines = [f"Rooibos number {n} is red." for n in range(23)]
    told = [claim("Rooibos", line, lines=(n, n)) for n, line in enumerate(lines, start=3)]
    wiki.learn("raw/red.md", "# Red\n\n" + "\n".join(lines) + "\n", answer(told))
    found = wiki.ok("why", "Rooibos", "--json").json
    assert (len(found["claims"]), found["more"]) == (20, 3)
    assert wiki.ok("why", "Rooibos").out.rstrip().split("\n")[-1].startswith("and 3 more on this")


def test_every_later_change_is_told_through_a_renamed_page(wiki: Wiki) -> None:
    ident = green(wiki)
    wiki.edit(PAGE, "Green tea is steeped at 80 degrees.", "Green tea is brewed at 80 degrees.")
    wiki.git("mv", PAGE, "wiki/concepts/Infusion.md")
    wiki.git("commit", "-q", "-m", "a person renames")
    wiki.edit("wiki/concepts/Infusion.md", "brewed at 80", "made at 80")
    told = story(wiki, ident)
    assert [(kind, events) for kind, events, _commit in told] == [
        ("ingest", ["claim added"]),
        (None, ["claim changed"]),
        (None, ["place moved"]),
        (None, ["claim changed"]),
    ]
    wiki.edit("wiki/concepts/Infusion.md", "Green tea is made", "[[Green tea]] is made")
    assert story(wiki, ident)[-1][:2] == (None, [])
    out = wiki.ok("why", ident).out
    assert "a commit without trailers" in out and "wrote only its links or marks anew" in out


def test_undo_and_redo_are_part_of_it_and_what_is_gone_is_found(wiki: Wiki) -> None:
    ident = green(wiki)
    wiki.ok("undo")
    gone = wiki.run("why", ident)
    assert gone.code == 0 and "no longer in the wiki" in gone.out
    assert [kind for kind, _events, _commit in story(wiki, ident)] == ["ingest", "undo"]
    by_words = story(wiki, "Green tea is steeped at 80 degrees")
    assert by_words[0][0] == "ingest"
    wiki.ok("undo")
    assert [kind for kind, *_ in story(wiki, ident)] == ["ingest", "undo", "undo"]


def test_what_a_merge_brings_is_of_the_side_that_did_it(wiki: Wiki) -> None:
    ident = green(wiki)
    main = wiki.git("branch", "--show-current").strip()
    wiki.git("checkout", "-q", "-b", "topic")
    wiki.edit(PAGE, "Green tea is steeped", "Green tea is brewed")
    side = wiki.head
    wiki.git("checkout", "-q", main)
    wiki.edit(PAGE, "Black tea is steeped hotter", "Black tea is brewed hotter")
    wiki.git("merge", "-q", "--no-edit", "topic")
    told = story(wiki, ident)
    assert [(kind, commit) for kind, _events, commit in told][1:] == [(None, side)]


def steps(wiki: Wiki, asked: str) -> Any:
    return wiki.ok("why", asked, "--json").json["claims"]


def test_answers_are_equal_whatever_git_has_packed(wiki: Wiki) -> None:
    ident = green(wiki)
    wiki.edit(PAGE, "Green tea is steeped", "Green tea is brewed")
    first = steps(wiki, ident)
    wiki.ok("remember", "Something else.")
    assert steps(wiki, ident) == first
    wiki.git("commit", "-q", "--amend", "-m", "another one")
    wiki.git("commit-graph", "write", "--reachable", "--changed-paths")
    assert steps(wiki, ident) == first
    wiki.git("reflog", "expire", "--expire=now", "--all")
    wiki.git("gc", "-q", "--prune=now")
    assert steps(wiki, ident) == first


def test_a_shallow_clone_says_what_it_lacks(wiki: Wiki, tmp_path: Path) -> None:
    ident = green(wiki)
    wiki.edit(PAGE, "Green tea is steeped", "Green tea is brewed")
    wiki.git("clone", "-q", "--depth", "1", f"file://{wiki.root}", str(tmp_path / "clone"))
    (told,) = Wiki(tmp_path / "clone").ok("why", ident, "--json").json["claims"]
    assert told["story"] == [] and "unshallow" in told["lacking"]


def test_pages_that_wait_beside_the_index_are_no_damage(wiki: Wiki) -> None:
    """A batch leaves the index behind; one reading brings it up to date, and another opens it."""
    for number in range(2):
        lines = [f"Tea number {n} of {number} is green and is steeped for long." for n in range(60)]
        wiki.put(f"raw/{number}.md", "# Teas\n\n" + "\n\n".join(lines) + "\n")
    wiki.ok("ingest", "raw/0.md", "raw/1.md", "--model", "offline")
    for path in (wiki.root / ".git" / "llmwiki").glob("index.db-*"):
        assert not path.stat().st_size
    assert "damaged" not in wiki.run("why", "Tea number 3 of 1 is green").err
