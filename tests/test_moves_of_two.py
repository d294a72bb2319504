"""Two clones of which one moves what the other changes."""

from __future__ import annotations

import random
from pathlib import Path

import clones
import pytest
import wikikit
from _pytest.mark.structures import ParameterSet
from clones import bring_together, fact, learn, move_claim
from diffkit import check_diffs
from longform import LONG, seldom
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


WAYS = [(way, driver) for way in ("merge", "rebase") for driver in (True, False)]


def ways(ordinary: tuple[str, bool]) -> list[ParameterSet]:
    """All ways to bring clones together; those beside one are for the long form."""
    return seldom(WAYS, [way for way in WAYS if way != ordinary])


@pytest.mark.parametrize("turned", seldom([False, True], [True]))
@pytest.mark.parametrize("how", ways(("merge", False)))
def test_a_page_that_one_merges_away_and_the_other_adds_to(
    wiki: Wiki, how: tuple[str, bool], turned: bool
) -> None:
    way, driver = how
    pair = clones.pair(wiki, driver=driver)
    one, two = (pair.two, pair.one) if turned else (pair.one, pair.two)
    one.ok("merge", "Kettle", "Teapot")
    learn(two, "raw/more.md", [("Kettle", 3), ("Kettle", 4)])
    two.edit(KETTLE, "## Claims\n", "## Own\n\nA remark.\n\n## Claims\n")
    bring_together(way, pair.one, pair.two)
    found = homes(pair.one)
    assert set(found.values()) == {TEAPOT} and len(found) == 4
    assert "A remark." in pair.one.read(TEAPOT) and KETTLE not in pair.one.files()
    assert len(pair.one.claim("number 3").evidence) == 2
    check(pair.one)


@pytest.mark.parametrize("how", ways(("rebase", True)))
def test_two_pages_that_each_merges_into_the_other_one(wiki: Wiki, how: tuple[str, bool]) -> None:
    way, driver = how
    pair = clones.pair(wiki, driver=driver)
    before = stated(wiki)
    pair.one.ok("merge", "Teapot", "Kettle")
    pair.two.ok("merge", "Kettle", "Teapot")
    bring_together(way, pair.one, pair.two)
    assert stated(pair.one) == before and set(homes(pair.one).values()) == {KETTLE}
    assert pair.one.pages()[KETTLE].aliases == ("Teapot",) and TEAPOT not in pair.one.files()
    check(pair.one)
    assert pair.one.run("lint", "-q").out == ""


@pytest.mark.parametrize("turned", seldom([False, True], [True]))
@pytest.mark.parametrize("how", ways(("merge", True)))
def test_a_page_without_claims_that_one_merges_away_and_the_other_fills(
    wiki: Wiki, how: tuple[str, bool], turned: bool
) -> None:
    way, driver = how
    learn(wiki, "raw/more.md", [("Samovar", 4)])
    move_claim(wiki, "number 2", KETTLE)
    before = stated(wiki)
    pair = clones.pair(wiki, driver=driver)
    one, two = (pair.two, pair.one) if turned else (pair.one, pair.two)
    one.ok("merge", "Teapot", "Samovar")
    two.ok("merge", "Kettle", "Teapot")
    bring_together(way, pair.one, pair.two)
    (page,) = [p for p in pair.one.pages().values() if p.claims]
    assert (page.title, set(page.aliases)) == ("Samovar", {"Kettle", "Teapot"})
    assert stated(pair.one) == before
    check(pair.one)


@pytest.mark.parametrize("how", ways(("merge", True)))
def test_one_renames_and_the_other_adds(wiki: Wiki, how: tuple[str, bool]) -> None:
    way, driver = how
    pair = clones.pair(wiki, driver=driver)
    pair.one.ok("rename", "Kettle", "Water kettle")
    learn(pair.two, "raw/more.md", [("Kettle", 3), ("Kettle", 4), ("Samovar", 5)])
    bring_together(way, pair.one, pair.two)
    found = homes(pair.one)
    assert found[fact("Kettle", 4)] == "wiki/concepts/Water kettle.md"
    assert KETTLE not in pair.one.files()
    check(pair.one)


@pytest.mark.parametrize("how", ways(("rebase", False)))
def test_both_rename_one_page(wiki: Wiki, how: tuple[str, bool]) -> None:
    way, driver = how
    pair = clones.pair(wiki, driver=driver)
    pair.one.ok("rename", "Kettle", "Water kettle")
    pair.two.ok("rename", "Kettle", "Big kettle")
    bring_together(way, pair.one, pair.two)
    found = homes(pair.one)
    assert found[fact("Kettle", 1)] == "wiki/concepts/Big kettle.md"
    page = pair.one.pages()["wiki/concepts/Big kettle.md"]
    assert set(page.aliases) == {"Kettle", "Water kettle"}
    assert "wiki/concepts/Water kettle.md" not in pair.one.files()
    check(pair.one)


# --- random histories ----------------------------------------------------------------------


class Person:
    """Somebody who works in a clone: ingests, moves, rewords, takes claims out."""

    def __init__(self, wiki: Wiki, name: str, chance: random.Random) -> None:
        self.wiki, self.name, self.chance = wiki, name, chance
        self.number = 0
        self.sources: dict[str, list[str]] = {}
        """Source id to what it states."""

    def act(self) -> str:
        """Does one thing."""
        deeds = {"learn": 5, "rename": 2, "merge": 2, "note": 1}
        kind = self.chance.choices(list(deeds), list(deeds.values()))[0]
        done: bool = getattr(self, f"_{kind}")()
        return kind if done else "nothing"

    def _subjects(self) -> list[str]:
        found = self.wiki.pages()
        return sorted(page.title for page in found.values() if page.type in ("entity", "concept"))

    def _learn(self) -> bool:
        self.number += 1
        name = f"{self.name}{self.number}"
        facts = [
            (self.chance.choice(clones.THINGS), self.chance.randrange(6)) for _fact in range(2)
        ]
        facts = list(dict.fromkeys(facts))
        learn(self.wiki, f"raw/{name}.md", facts)
        self.sources[f"{name}-md"] = [fact(*one) for one in facts]
        return True

    def _rename(self) -> bool:
        self.number += 1
        title = self.chance.choice(self._subjects())
        self.wiki.ok("rename", title, f"{title.split(' of ')[0]} of {self.name}{self.number}")
        return True

    def _merge(self) -> bool:
        titles = self._subjects()
        if len(titles) > 2:
            self.wiki.ok("merge", *self.chance.sample(titles, 2))
        return len(titles) > 2

    def _note(self) -> bool:
        paths = sorted(p for p, page in self.wiki.pages().items() if page.type == "concept")
        self.number += 1
        path = self.chance.choice(paths)
        line = f"\n## Note {self.name}{self.number}\n\nA remark.\n"
        text = self.wiki.read(path)
        at = text.find("\n[^") if "\n[^" in text else len(text)
        self.wiki.put(path, text[:at] + line + text[at:])
        self.wiki.git("commit", "-q", "-m", "a remark", "--", path)
        return True


def stated(wiki: Wiki) -> dict[str, set[str]]:
    """What each claim says, to the sources it has evidence of."""
    found: dict[str, set[str]] = {}
    for _path, claim in wiki.claims().values():
        found.setdefault(claim.text, set()).update(e.source for e in claim.evidence)
    return found


HISTORIES = 200 if LONG else 1


@pytest.mark.parametrize("seed", range(HISTORIES))
def test_an_undo_follows_all_that_has_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    wiki = wikikit.make(tmp_path, monkeypatch, grow)
    person = Person(wiki, "p", random.Random(seed))
    for _deed in range(7):
        person.act()
    ids = list(person.sources)
    for source in person.chance.sample(ids, min(2, len(ids))):
        name = source.removesuffix("-md")
        (commit,) = wiki.git("log", f"--grep=Read raw/{name}.md", "--format=%H").split()
        wiki.ok("undo", commit)
        del person.sources[source]
        check(wiki)
    expected: dict[str, set[str]] = {}
    base = {"base-md": [fact("Kettle", 1), fact("Teapot", 2), fact("Kettle", 3)]}
    for source, facts in {**base, **person.sources}.items():
        for one in facts:
            expected.setdefault(one, set()).add(source)
    assert stated(wiki) == expected
    homes_of_all(wiki)
    check_diffs(wiki, person.chance)


def homes_of_all(wiki: Wiki) -> None:
    ids = [claim.id for page in wiki.pages().values() for claim in page.claims]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("seed", range(HISTORIES))
def test_what_two_people_move_and_learn_comes_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    wiki = wikikit.make(tmp_path, monkeypatch, grow)
    chance = random.Random(1000 + seed)
    pair = clones.pair(wiki, driver=seed % 5 != 0)
    people = [Person(pair.one, "p", chance), Person(pair.two, "q", chance)]
    for _round in range(2 if LONG else 1):
        for person in people:
            for _deed in range(3):
                person.act()
        way = chance.choice(["merge", "rebase"]) if chance.random() < 0.5 else "merge"
        bring_together(way, pair.one, pair.two)
        pair.two.git("fetch", "-q", str(pair.one.root), "HEAD")
        pair.two.git("merge", "-q", "--ff-only", "FETCH_HEAD")
    expected: dict[str, set[str]] = {}
    base = {"base-md": [fact("Kettle", 1), fact("Teapot", 2), fact("Kettle", 3)]}
    for source, facts in {**base, **people[0].sources, **people[1].sources}.items():
        for one in facts:
            expected.setdefault(one, set()).add(source)
    assert stated(pair.one) == expected
    homes_of_all(pair.one)
    check(pair.one)
    check_diffs(pair.one, chance)
