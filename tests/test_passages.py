"""The passages of a page: which there are, where they stand, how they are cited."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from longform import examples
from page_strategies import texts

from llmwiki.pages import page_syntax
from llmwiki.pages.find_links import scan
from llmwiki.pages.page import Page, read_claim
from llmwiki.query.retrieval.passage import Passage
from llmwiki.query.retrieval.passage_score import Scorer
from llmwiki.query.retrieval.plain_inline_text import plain
from llmwiki.query.retrieval.split_page_in_passages import MAX_PASSAGE, page_parts, passages, pieces
from llmwiki.query.retrieval.word_scores import Term, question_terms

OWN = """---
type: concept
title: Tea
description: A drink.
sources:
  - {id: tea-md, resource: /raw/tea.md, sha256: 00}
---

# Tea

Tea is an infusion of leaves, see [[Camellia sinensis|the shrub]].

It is drunk *hot*.

## Claims

- Green tea is steeped at 80 °C, i\\.e\\. cooler than black tea\\#1. ^c-0000000001
  - “Green tea: 80 °C” [^tea-md]
  - (as of: 2026-11; stance: measured; contradicts: [[Kettle#^c-0000000008]]; temperature = 80)
- ~~Tea comes from India.~~ → [[History of tea#^c-0000000009]] ^c-0000000002
  - “from India” [^tea-md]
- ~~Tea cures.~~ → gone in 0a1b2c3d ^c-0000000003

## Open questions

- How long does it keep? (L9)

## Related

- **Tea** is boiled in [[Kettle]] [^tea-md]

[^tea-md]: [[sources/tea-md|Tea]], raw/tea.md
"""

FOREIGN = """Setext heading
==============

Intro with `code`, **bold** and a [link](https://example.org "t").

```
# not a heading
not a passage
```

    indented code

<div>
html
</div>

# Plan

1. First step
   goes on here
   - nested step

| Method | Recall |
|--------|-------:|
| walk   | 75     |
| [[page|label]] | 3 |

> A quoted
> thought

[^1]: A note of one's own.
- [ ] to do
"""


def of(text: str, path: str = "wiki/concepts/Tea.md") -> tuple[Passage, ...]:
    return passages(path, "Tea", text)


def by_kind(found: tuple[Passage, ...], kind: str) -> list[str]:
    return [each.text for each in found if each.kind == kind]


def claim(ident: str) -> Passage:
    return next(each for each in of(OWN) if each.id == ident)


def test_a_claim_is_read_as_pages_read_it() -> None:
    page = Page.parse("wiki/concepts/Tea.md", OWN)
    found = [each for each in of(OWN) if each.kind == "claim"]
    assert [(c.id, c.text, c.evidence, c.attributes, c.successor) for c in page.claims] == [
        (p.id, p.text, p.evidence, p.attributes, p.successor) for p in found
    ]
    assert found[0].text == "Green tea is steeped at 80 °C, i.e. cooler than black tea#1."
    assert found[0].attributes[-1] == ("temperature", "=", "80")


def test_a_claim_names_its_source_and_lines() -> None:
    first = claim("c-0000000001")
    assert first.sources == ("raw/tea.md",)
    assert [e.quote for e in first.evidence] == ["Green tea: 80 °C"]
    (seen,) = first._replace(spans=((3, 4),)).evidence
    assert (seen.first, seen.last) == (3, 4)
    assert first._replace(spans=((3, 4),)).places == (("raw/tea.md", 3, 4),)
    assert first.handle == "[[Tea#^c-0000000001]]"
    dated = OWN.replace("|Tea]], raw", "|Tea]] (2017-08-09), raw")
    assert [each.places for each in of(dated)] == [each.places for each in of(OWN)]


def test_places_and_attributes_read_at_a_glance_are_those_read_with_care() -> None:
    for each in of(OWN):
        assert each.quotes == tuple((e.source, e.quote, e.nth) for e in each.evidence)
    assert claim("c-0000000001").about == "as of: 2026-11; stance: measured; temperature = 80"
    wrapped = "- A claim ^c-0000000001\n  - “a quote\n    over lines” (2nd)\n    [^tea-md]\n"
    assert of(wrapped)[0].quotes == (("tea-md", "a quote over lines", 2),)


def test_an_id_is_what_pages_take_for_one() -> None:
    for ident in ("c-0123456789", "n-0123456789", "c-012345678", "c-012345678i", "x-0123456789"):
        nodes = Page.parse("wiki/a.md", f"- A claim ^{ident}\n").body
        held = [node.key[1] for node in nodes if node.kind in {"c", "n"}]
        assert [each.id for each in of(f"- A claim ^{ident}\n") if each.id] == held


def test_a_superseded_claim_names_its_successor() -> None:
    second, third = claim("c-0000000002"), claim("c-0000000003")
    assert second.struck and second.text == "Tea comes from India."
    assert second.succeeded_by is not None
    assert second.succeeded_by.handle == "[[History of tea#^c-0000000009]]"
    assert third.successor == "gone in 0a1b2c3d" and third.succeeded_by is None


def test_a_contradiction_names_the_other_side_only() -> None:
    assert [each.handle for each in claim("c-0000000001").contradicts] == [
        "[[Kettle#^c-0000000008]]"
    ]
    assert claim("c-0000000002").contradicts == ()


def test_a_link_without_a_page_means_its_own() -> None:
    text = "- ~~Old.~~ → [[#^c-0000000009]] ^c-0000000002\n"
    after = of(text)[0].succeeded_by
    assert after is not None and after.handle == "[[Tea#^c-0000000009]]"


def test_lead_relation_and_question() -> None:
    found = of(OWN)
    assert by_kind(found, "lead") == [
        "Tea is an infusion of leaves, see the shrub.",
        "It is drunk hot.",
    ]
    assert "Tea is boiled in Kettle" in by_kind(found, "item")
    assert [each.text for each in found if each.is_question] == ["How long does it keep? (L9)"]
    assert not any("0000000007" in each.text for each in found)


def test_a_note_is_cited_by_its_id() -> None:
    text = "# Day\n\n- Tea is out ^n-0000000001\n  - told by: person; on: 2026-11-20\n"
    note = of(text, "wiki/daily/2026-11-20.md")[0]
    assert (note.kind, note.text, note.handle) == (
        "note",
        "Tea is out",
        "[[2026-11-20#^n-0000000001]]",
    )
    assert ("told by", ":", "person") in note.attributes


def test_each_line_is_where_the_passage_stands() -> None:
    for text in (OWN, FOREIGN):
        lines = text.split("\n")
        for each in of(text):
            there = set(re.findall(r"\w{2,}", lines[each.line - 1]))
            assert there & set(re.findall(r"\w{2,}", each.text)), each


def test_a_foreign_page_is_read_whole_but_code() -> None:
    found = of(FOREIGN, "wiki/notes/plan.md")
    texts = [each.text for each in found]
    assert "Intro with code, bold and a link." in texts
    assert "First step goes on here" in texts and "nested step" in by_kind(found, "item")
    assert by_kind(found, "row") == ["Method: walk; Recall: 75", "Method: label; Recall: 3"]
    assert "A quoted thought" in texts and "A note of one's own." in texts
    assert "to do" in by_kind(found, "item")
    assert not any("not a" in each or "html" in each or "indented" in each for each in texts)


def test_a_heading_is_part_of_the_handle() -> None:
    found = of(FOREIGN, "wiki/notes/plan.md")
    step = next(each for each in found if each.text == "nested step")
    assert step.headings == ("Plan",) and step.handle == "[[plan#Plan]]"
    assert found[0].handle == "[[plan#Setext heading]]"


def test_the_description_is_a_passage_where_it_is_given() -> None:
    found = passages("wiki/concepts/Tea.md", "Tea", OWN, description="A  drink.")
    assert (found[0].kind, found[0].text, found[0].handle) == ("description", "A drink.", "[[Tea]]")


def test_a_long_paragraph_is_cut_at_sentences_and_keeps_its_lines() -> None:
    sentences = [f"Sentence number {n} says something of its own." for n in range(200)]
    body = "\n".join(sentences)
    found = of(f"# Tea\n\n{body}\n")
    assert len(found) > 3
    assert all(len(each.text) <= MAX_PASSAGE and each.text.endswith(".") for each in found)
    assert " ".join(each.text for each in found) == body.replace("\n", " ")
    for each in found[1:]:
        number = int(each.text.split()[2])
        assert each.line in (number + 2, number + 3)


@given(st.text(alphabet="ab .!?\n。", max_size=400), st.integers(5, 60))
def test_pieces_lose_nothing_and_keep_the_limit(text: str, limit: int) -> None:
    found = list(pieces(text, limit))
    assert all(len(piece) <= limit for _, piece in found)
    assert "".join("".join(piece.split()) for _, piece in found) == "".join(text.split())
    assert all(
        text[start : start + len(piece) + 60].lstrip().startswith(piece) for start, piece in found
    )


@pytest.mark.parametrize(
    ("markdown", "words"),
    [
        ("a [[Page]] b", "a Page b"),
        ("[[dir/Page#Part|label]] x", "label x"),
        ("![alt](i.png) and `a*b`", "alt and a*b"),
        (r"\[\[Fake#^c-0123456789\]\]", "[[Fake#^c-0123456789]]"),
        ("2*3 and *very* **much** _so_ snake_case", "2*3 and very much so snake_case"),
        ("x[^1] y ~~z~~ <b>w</b><!-- hidden -->", "x y z w"),
        ("text ^block-id", "text"),
        ("a&nbsp;b `&nbsp;`", "a b &nbsp;"),
    ],
)
def test_inline_markup_becomes_words(markdown: str, words: str) -> None:
    assert plain(markdown) == words


PIECES = st.sampled_from(
    [
        "---\n", "# h\n", "## [[x]] | #\n", "- a ^c-0000000001\n", "  - “q” [^s]\n", "~~~\n",
        "```\n", "| a | b |\n", "|---|---|\n", "> [!warning] Contradiction\n", "text ", "\n", "\t",
        "[[A#^c-0000000002]]", "<div>\n", "[^s]: [[sources/s|S]], raw/s.md\n", "\\", "~~x~~ → ",
        "\ud800", "\u202e", "*", "`", "1. ", "===\n", "日本語。",
    ]
)  # fmt: skip


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(PIECES, max_size=25).map("".join))
def test_any_text_is_read(text: str) -> None:
    for each in passages("wiki/x/A [b]|#^c.md", "T", text):
        assert each.text and "\n" not in each.text
        assert 1 <= each.line <= text.count("\n") + 1
        (link,) = scan(each.handle)
        assert link.target == "A b c"
        assert link.block == each.id
        assert len(each.evidence) == len(each.sources)


@settings(deadline=None)
@given(
    body=texts(),
    word=st.sampled_from(sorted(set(re.findall(r"\w{3,}", plain(OWN))))),
    n=st.integers(0, 3),
)
def test_no_part_is_passed_over_that_has_a_word_of_the_question(
    body: str, word: str, n: int
) -> None:
    marked = word[:1] + ("**", "", "\\_", "]]")[n] + word[1:]
    text = f"{OWN}\n{body}\n\nA line with {marked}. [[{word}|other]] and **{word}**.\n"
    for question in (word, "Tea", marked):
        terms = [Term(each, 1, 1_000_000, True) for each in question_terms(question)]
        scorer = Scorer(question, terms, 10)
        for title in ("Tea", "Other"):
            above = scorer.held(title)
            for part in page_parts("wiki/concepts/Tea.md", title, text):
                found = [scorer.score(each, above, 0) for each in part.passages]
                bears = any(each.own or (each.terms and each.passage.id) for each in found)
                assert not bears or scorer.may_bear(part, above)


HEADS = (
    "Text",
    "“Text [[B|b]] x” [^a]",
    "~~“Old” [^a]~~ → [[#^c-bbbbbbbbbb]]",
    "**Denied:** It is",
    "It is (as of 2019; in Ulm)",
    "“T” [^a], row 4 (proposed)",
)
BELOW = (
    "(as of: 2020; updates: [[#^c-aaaaaaaaaa]])",
    "told by: person; on: 2026",
    "from: [[A#^c-aaaaaaaaaa]]; x",
    "(only words here)",
    "“q” [^a], p. 3",
    "“[[L]] q” (2nd) — [^a] <!-- asked: tea; pot -->",
    "(x = 3; y = 4)",
)


def test_a_passage_has_the_evidence_and_attributes_that_its_page_has() -> None:
    chance = random.Random(1)
    for _ in range(400):
        ident = f"{chance.choice('cn')}-rcmd9qkdg1"
        below = "".join(
            f"\n{chance.choice(('  ', '  ', '    '))}- {chance.choice(BELOW)}"
            for _ in range(chance.randrange(4))
        )
        item = f"- {chance.choice(HEADS)} ^{ident}{below}"
        (node,) = (part for part in page_syntax.parse(item).parts[-1].parts if part.kind in "cn")
        claim = read_claim(node)
        for passage in of(f"# Tea\n\n{item}\n"):
            if passage.id:
                assert passage.attributes == claim.attributes, item
                expected = claim.evidence if passage.kind == "claim" else ()
                told = [(e.identity, e.nth, e.asked, e.place) for e in passage.evidence]
                assert told == [(e.identity, e.nth, e.asked, e.place) for e in expected], item
