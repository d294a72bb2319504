"""Where claims stand: in the order of their source's text, under the headings people made."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import wikikit
from hypothesis import given, settings
from hypothesis import strategies as st
from longform import examples
from mergekit import merged
from wikikit import answer, claim

from llmwiki.pages import write_claims
from llmwiki.pages.page import Claim, Evidence, Page

PATH = "wiki/concepts/Tea.md"
HEAD = "---\ntype: concept\ntitle: Tea\n---\n\n# Tea\n"


def stated(number: int, line: int, source: str = "a-md") -> Claim:
    digit = "0123456789abcdefghjkmnpqrstvwxyz"[number]
    quote = f"quote {number}"
    return Claim(
        f"c-{digit * 10}", f"Claim {number}.", (Evidence(source, quote, first=line, last=line),)
    )


def ids(page: Page) -> list[str]:
    return [held.id[2] for held in page.claims]


def test_claims_of_one_line_stand_as_the_line_says_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiki = wikikit.make(tmp_path, monkeypatch)
    said = [f"Part {word} holds." for word in ("nine", "two", "six", "one", "five", "zero")]
    text = "# Tea\n\n" + " ".join(said) + "\n"
    claims = [claim("Tea", words, lines=(3, 3)) for words in sorted(said)]
    wiki.learn("raw/tea.md", text, answer(claims))
    assert [c.text for c in wiki.pages()[PATH].claims] == said


def test_new_claims_go_before_the_headings_that_people_made() -> None:
    page = write_claims.add_claims(Page.parse(PATH, HEAD), [stated(1, 3), stated(2, 60)])
    text = page.text.replace("- Claim 2.", "### Motivation\n\n- Claim 2.")
    page = Page.parse(PATH, text)
    lines = {"quote 1": 3, "quote 2": 60}
    page = write_claims.add_claims(
        page,
        [stated(3, 70), stated(4, 30), stated(5, 1, "b-md")],
        lambda evidence: replace(evidence, first=lines.get(evidence.quote, 0)),
    )
    assert ids(page) == ["1", "4", "3", "5", "2"]
    assert page.text.index("Claim 5.") < page.text.index("### Motivation")
    assert [n.key[1] for n in page.section("Claims")] == [c.id for c in page.claims]
    assert Page.parse(PATH, page.text) == page


@settings(max_examples=examples(60), deadline=None)
@given(st.permutations(range(10)), st.integers(0, 10))
def test_two_clones_that_add_ten_claims_of_one_line(order: list[int], cut: int) -> None:
    base = Page.parse(PATH, HEAD + "\n## Claims\n")
    one, other = (
        write_claims.add_claims(base, [stated(number, 3) for number in part])
        for part in (order[:cut], order[cut:])
    )
    page, disputes = merged(base, one, other)
    assert not disputes
    runs = sorted((ids(one), ids(other)))
    smaller = min((run for run in runs if run), key=lambda run: run[0])
    assert ids(page)[: len(smaller)] == smaller


def test_claims_stand_under_the_part_that_their_reader_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiki = wikikit.make(tmp_path, monkeypatch)
    said = {
        "The arm turns freely.": "how it works",
        "The crane lifts 80 tonnes.": "figures",
        "The crane is watched.": "figures",
        "The crane stands in the port.": None,
        "Nobody knows its age.": "open",
    }
    text = "# Crane\n\n" + "\n".join(said) + "\n"
    claims = [
        {**claim("Crane", words, lines=(n, n)), "id": f"k{n}", **({"part": part} if part else {})}
        for n, (words, part) in enumerate(said.items(), 3)
    ]
    claims[1] |= {"key": "load", "value": "80 tonnes"}
    wiki.learn("raw/crane.md", text, answer(claims))
    page = wiki.pages()["wiki/concepts/Crane.md"]
    shown = [
        node.key[2] if node.kind == "h" else page.claim(node.key[1]).text
        for node, name in page.with_sections()
        if name == "Claims" and node.kind in ("h", "c")
    ]
    assert shown == [
        "Claims",
        "The crane stands in the port.",
        "Figures",
        "The crane lifts 80 tonnes.",
        "The crane is watched.",
        "How it works",
        "The arm turns freely.",
        "Open",
        "Nobody knows its age.",
    ]
    # What a person moved stays, and so does a heading of theirs.
    path = "wiki/concepts/Crane.md"
    wiki.edit(path, "### Open", "### To be asked")
    more = text + "The crane carries 60 chains.\n"
    late = {**claim("Crane", "The crane carries 60 chains.", lines=(8, 8)), "id": "k8"}
    wiki.learn("raw/crane.md", more, answer([{**late, "part": "open"}]))
    after = wiki.read(path)
    assert after.index("Nobody") < after.index("### Open") < after.index("60 chains")
    wiki.ok("undo")
    assert "### Open" not in wiki.read(path)
