"""What lands of a reading of which some is accepted, in whatever order."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Mapping, Set
from pathlib import Path

import pytest
import reviewkit
import wikikit
from longform import LONG
from wikikit import Wiki, answer, claim

from llmwiki.pages.find_links import scan
from llmwiki.pages.page import Page
from llmwiki.pages.tombstones import claim_refs

BASE = "# Base\n\nGreen tea is steeped for two minutes.\n\nOolong is a tea.\n\nMatcha is ground.\n"
SAID = (
    "Green tea is steeped for three minutes.",
    "Sencha is a green tea of Japan.",
    "Gyokuro is shaded for weeks.",
    "Shading supports the taste of Gyokuro, which is finer than Sencha.",
    "Matcha is ground.",
    "Oolong is not a tea.",
    "This paper is of 2026.",
)
TEXT = "# Teas\n\n" + "\n\n".join(SAID) + "\n"
LEDGER = "wiki/sources/teas-md.md"


def _line(number: int) -> tuple[int, int]:
    return 2 * number + 1, 2 * number + 1


def subject(name: str, **more: object) -> dict[str, object]:
    return {"name": name, "kind": "concept", "description": f"About {name}.", **more}


def grow(wiki: Wiki) -> None:
    facts = BASE.split("\n\n")[1:]
    told = [
        claim(name, fact.strip(), lines=_line(number))
        for number, (name, fact) in enumerate(
            zip(("Green tea", "Oolong", "Matcha"), facts, strict=True), start=1
        )
    ]
    wiki.learn("raw/base.md", BASE, answer(told))


def teas(wiki: Wiki) -> dict[str, object]:
    """The reading under review: seven claims, one of them on the document itself."""
    old = wiki.claim("two minutes").id
    oolong = wiki.claim("Oolong is a tea").id
    about = ("Green tea", "Sencha", "Gyokuro", "Gyokuro", "Matcha", "Oolong", "$document")
    more: tuple[dict[str, object], ...] = (
        {"links": [{"to": old, "how": "supersedes"}]},
        {"also": ["Green tea"], "stance": "measured"},
        {"links": [{"to": "k4", "how": "disagrees"}]},
        {"links": [{"to": "k3", "how": "supports"}], "also": ["Shading", "Sencha"]},
        {},
        {"links": [{"to": oolong, "how": "contradicts"}]},
        {},
    )
    claims = [
        {**claim(name, text, lines=_line(number)), **extra, "id": f"k{number}"}
        for number, (name, text, extra) in enumerate(zip(about, SAID, more, strict=True), start=1)
    ]
    subjects = [
        subject("Green tea", same_as="Green tea", lead="Green tea is not oxidised."),
        subject("Sencha", tags=["japan"], aliases=["SENCHA"], lead="Sencha is a tea."),
        subject("Gyokuro"),
    ]
    relations = [
        {"from": "Sencha", "label": "is a kind of", "to": "Green tea", "claim": "k2"},
        {"from": "Gyokuro", "label": "is finer than", "to": "Sencha", "claim": "k4"},
    ]
    questions = [{"text": "Who drinks it?", "lines": [3, 3]}]
    return answer(claims, subjects, relations=relations, questions=questions)


def under_review(wiki: Wiki) -> None:
    grow(wiki)
    reviewkit.put_up(wiki, "raw/teas.md", TEXT, teas(wiki))


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch, under_review)


def claims_of(wiki: Wiki) -> list[str]:
    return sorted(reviewkit.ids(wiki).values())


def test_the_items_of_a_reading(wiki: Wiki) -> None:
    items = reviewkit.waiting(wiki)["items"]
    kinds = [(item["kind"], item["text"]) for item in items]
    assert {kind for kind, _text in kinds} == {"claim", "evidence", "page"}
    told = "About Sencha.\ntags: japan\nSencha is a tea.\nSencha is a kind of Green tea"
    assert ("page", told) in kinds
    assert ("evidence", "Matcha is ground.") in kinds
    assert len([kind for kind, _text in kinds if kind == "claim"]) == 6
    (new,) = [item for item in items if item["text"] == SAID[0]]
    assert [(e["what"], e["text"]) for e in new["effects"]] == [
        ("strikes", "Green tea is steeped for two minutes.")
    ]
    assert len({item["id"] for item in items}) == len(items)
    assert "Sencha is a green tea of Japan. (stance" not in wiki.ok("review", "show").out
    assert "claim: measured: Sencha is a green tea of Japan." in wiki.ok("review", "show").out


def test_every_part_stands_by_itself(wiki: Wiki) -> None:
    """Whatever is accepted, no link, footnote or line of a record leads to what did not land."""
    claims = claims_of(wiki)
    counts = range(1, len(claims))
    parts = [set(part) for n in counts for part in itertools.combinations(claims, n)]
    before = reviewkit.pages(wiki)
    for chosen in parts if LONG else random.Random(5).sample(parts, 6):
        _is_whole(reviewkit.pages(reviewkit.accept(wiki, chosen)), before, chosen)


def _is_whole(pages: Mapping[str, Page], before: Mapping[str, Page], chosen: Set[str]) -> None:
    stems = {page.stem for page in pages.values()}
    ids = {one.id for page in pages.values() for one in page.claims}
    had = {one.id for page in before.values() for one in page.claims}
    assert ids == had | chosen
    for path, page in pages.items():
        assert Page.parse(path, page.text).node == page.node, path
        assert page.cited() <= page.footnotes.keys(), path
        assert {ref.id for ref in page.sources if ref.id != page.stem} == page.cited() - {
            page.stem
        }, path
        for link in scan(re.sub(r"about: \[\[[^\]]*\]\]", "", page.text)):
            assert not link.target or link.target.removeprefix("sources/") in stems, (path, link)
            assert not link.block or link.block in ids, (path, link)
    ledger = pages[LEDGER]
    evidence = {
        one.id for page in pages.values() for one in page.claims
        if any(e.source == ledger.stem for e in one.evidence)
    }  # fmt: skip
    assert set(claim_refs(ledger)) == evidence


def _pairs(claims: list[str]) -> list[tuple[frozenset[str], frozenset[str]]]:
    """Each two parts that share nothing: accepted one after the other."""
    sorts = itertools.product((0, 1, 2), repeat=len(claims))
    parts = (
        tuple(frozenset(c for c, s in zip(claims, sort, strict=True) if s == n) for n in (1, 2))
        for sort in sorts
    )
    return [(one, other) for one, other in parts if one and other]


def _check_pairs(wiki: Wiki, pairs: list[tuple[frozenset[str], frozenset[str]]]) -> None:
    after: dict[frozenset[str], Wiki] = {}

    def taken(chosen: frozenset[str]) -> Wiki:
        if chosen not in after:
            after[chosen] = reviewkit.accept(wiki, chosen)
        return after[chosen]

    for one, other in pairs:
        halfway = reviewkit.accept(taken(one), other)
        assert reviewkit.differing(halfway, taken(one | other)) == (), (one, other)


def test_two_parts_come_to_the_same_as_both_at_once(wiki: Wiki) -> None:
    _check_pairs(wiki, random.Random(7).sample(_pairs(claims_of(wiki)), 4))


@pytest.mark.soak
def test_many_pairs_of_parts_come_to_the_same(wiki: Wiki) -> None:
    _check_pairs(wiki, random.Random(8).sample(_pairs(claims_of(wiki)), 300))


def test_one_after_the_other_in_any_order_comes_to_all_of_it(wiki: Wiki) -> None:
    whole = reviewkit.accept(wiki)
    items = [item["id"] for item in reviewkit.waiting(wiki)["items"]]
    for seed in (3, 4) if LONG else (3,):
        random.Random(seed).shuffle(items)
        here = reviewkit.copied(wiki)
        (branch,) = reviewkit.branches(here)
        for ident in items:
            here.ok("review", "accept", branch.partition("/")[2], ident, "--yes")
        assert reviewkit.differing(here, whole) == () and not reviewkit.branches(here)


def test_what_is_no_item_is_refused(wiki: Wiki) -> None:
    (branch,) = reviewkit.branches(wiki)
    head = wiki.head
    assert wiki.run("review", "accept", branch.partition("/")[2], "c-nowhere", "--yes").code == 2
    assert wiki.head == head
