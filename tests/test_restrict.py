"""What lands of a reading of which some is accepted, in whatever order."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Mapping, Set

import pytest
import wikikit
from longform import LONG
from wikikit import Wiki, answer, claim

from llmwiki.pages.leave_out import leave_out
from llmwiki.pages.page import Page
from llmwiki.pages.review_items import items_of
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


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Page], dict[str, Page]]:
    """The pages before the reading, and with all of it."""
    with pytest.MonkeyPatch.context() as patch:
        wiki = wikikit.make(tmp_path_factory.mktemp("teas"), patch, grow)
        before = wiki.pages()
        wiki.learn("raw/teas.md", TEXT, teas(wiki))
        return before, wiki.pages()


def told_anew(pages: dict[str, Page]) -> dict[str, Page]:
    """The pages with what the page of the source says of others written again."""
    return pages


def taken(before: Mapping[str, Page], after: Mapping[str, Page], ids: Set[str]) -> dict[str, Page]:
    """The pages once those items of what lies between are accepted."""
    left = {item.id for item in items_of(before, after)} - ids
    return told_anew(leave_out(before, after, left))


def texts(pages: Mapping[str, Page]) -> dict[str, str]:
    return {path: page.text for path, page in pages.items()}


def claims_of(before: Mapping[str, Page], after: Mapping[str, Page]) -> list[str]:
    return [item.id for item in items_of(before, after) if item.claim]


def test_the_items_of_a_reading(sides: tuple[dict[str, Page], dict[str, Page]]) -> None:
    before, after = sides
    items = items_of(before, after)
    kinds = [(item.kind, item.text) for item in items]
    assert {kind for kind, _text in kinds} == {
        "claim", "evidence", "lead", "description", "tag", "words",
    }  # fmt: skip
    assert ("evidence", "Matcha is ground.") in kinds
    assert len([kind for kind, _text in kinds if kind == "claim"]) == 6
    (new,) = [item for item in items if item.text == SAID[0]]
    assert [(e.what, e.text) for e in new.effects] == [
        ("strikes", "Green tea is steeped for two minutes.")
    ]
    assert len({item.id for item in items}) == len(items)


def test_every_part_stands_by_itself(sides: tuple[dict[str, Page], dict[str, Page]]) -> None:
    """Whatever is accepted, no link, footnote or line of a roster leads to what did not land."""
    before, after = sides
    claims = claims_of(before, after)
    counts = range(1, len(claims))
    parts = [set(part) for n in counts for part in itertools.combinations(claims, n)]
    for chosen in parts if LONG else random.Random(5).sample(parts, 25):
        _is_whole(taken(before, after, chosen), before, chosen)


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
        for link in wikikit_links(re.sub(r"about: \[\[[^\]]*\]\]", "", page.text)):
            stem, _, block = link.partition("#^")
            assert stem.removeprefix("sources/") in stems, (path, link)
            assert not block or block in ids, (path, link)
    ledger = pages[LEDGER]
    evidence = {
        one.id for page in pages.values() for one in page.claims
        if any(e.source == ledger.stem for e in one.evidence)
    }  # fmt: skip
    assert set(claim_refs(ledger)) == evidence


def wikikit_links(text: str) -> list[str]:
    """What the wikilinks of a page lead to."""
    from llmwiki.pages.links import scan

    return [link.target + (f"#^{link.block}" if link.block else "") for link in scan(text)]


def _pairs(claims: list[str]) -> list[tuple[frozenset[str], frozenset[str]]]:
    """Each two parts that share nothing: accepted one after the other."""
    sorts = itertools.product((0, 1, 2), repeat=len(claims))
    parts = (
        tuple(frozenset(c for c, s in zip(claims, sort, strict=True) if s == n) for n in (1, 2))
        for sort in sorts
    )
    return [(one, other) for one, other in parts if one and other]


def _check_pairs(
    sides: tuple[dict[str, Page], dict[str, Page]],
    pairs: list[tuple[frozenset[str], frozenset[str]]],
) -> None:
    before, after = sides
    at_once: dict[frozenset[str], dict[str, str]] = {}
    for one, other in pairs:
        union = one | other
        if union not in at_once:
            at_once[union] = texts(taken(before, after, union))
        halfway = taken(before, after, one)
        assert texts(taken(halfway, after, other)) == at_once[union], (one, other)


def test_two_parts_come_to_the_same_as_both_at_once(
    sides: tuple[dict[str, Page], dict[str, Page]],
) -> None:
    pairs = _pairs(claims_of(*sides))
    _check_pairs(sides, random.Random(7).sample(pairs, 15))


@pytest.mark.soak
def test_all_pairs_of_parts_come_to_the_same(
    sides: tuple[dict[str, Page], dict[str, Page]],
) -> None:
    _check_pairs(sides, _pairs(claims_of(*sides)))


def test_one_after_the_other_in_any_order_comes_to_all_of_it(
    sides: tuple[dict[str, Page], dict[str, Page]],
) -> None:
    before, after = sides
    orders = random.Random(3)
    items = [item.id for item in items_of(before, after)]
    for _ in range(2):
        orders.shuffle(items)
        pages = dict(before)
        for ident in items:
            still = {item.id for item in items_of(pages, after)}
            assert ident in still
            pages = taken(pages, after, {ident})
        assert texts(pages) == texts(after)


def test_all_items_are_all_of_it_and_none_is_nothing(
    sides: tuple[dict[str, Page], dict[str, Page]],
) -> None:
    before, after = sides
    ids = {item.id for item in items_of(before, after)}
    assert texts(leave_out(before, after, set())) == texts(after)
    assert texts(leave_out(before, after, ids)) == texts(before)
    with pytest.raises(KeyError, match="c-nowhere"):
        leave_out(before, after, {"c-nowhere"})
