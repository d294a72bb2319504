"""An answer as statements: where one ends, and which citations are its own."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from llmwiki.query.split_answer import AnswerStatement, Splitter, split

A, B = "[[Tea#^c-aaaaaaaaaa]]", "[[Green tea#^c-bbbbbbbbbb]]"


def shape(
    statements: tuple[AnswerStatement, ...] | list[AnswerStatement],
) -> list[tuple[str, list[str]]]:
    """(text, cited blocks or pages) of each statement."""
    return [(s.text, [c.block or c.target for c in s.citations]) for s in statements]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (f"Tea is hot {A}.", [("Tea is hot.", ["c-aaaaaaaaaa"])]),
        (f"Tea is hot. {A}", [("Tea is hot.", ["c-aaaaaaaaaa"])]),
        (f"Tea is hot. ({A}, {B})", [("Tea is hot.", ["c-aaaaaaaaaa", "c-bbbbbbbbbb"])]),
        (
            f"Tea is hot {A}, and green {B}.",
            [("Tea is hot, and green.", ["c-aaaaaaaaaa", "c-bbbbbbbbbb"])],
        ),
        (f"Tea is hot. {A} It is old.", [("Tea is hot.", ["c-aaaaaaaaaa"]), ("It is old.", [])]),
        (
            f"Use v. 4.1 of e.g. Dr. No's tea {A}.",
            [("Use v. 4.1 of e.g. Dr. No's tea.", ["c-aaaaaaaaaa"])],
        ),
        (
            f"It costs 3.5 euros {A}. Then 4.",
            [("It costs 3.5 euros.", ["c-aaaaaaaaaa"]), ("Then 4.", [])],
        ),
        (f"Is it so? Yes {A}!", [("Is it so?", []), ("Yes!", ["c-aaaaaaaaaa"])]),
        (f"**Tea** is `hot` and _old_ {A}.", [("Tea is hot and old.", ["c-aaaaaaaaaa"])]),
        ("[[Tea]] is hot.", [("Tea is hot.", [])]),
        (
            "[[Tea|The drink]] is hot. [[Milk]] is cold.",
            [("The drink is hot.", []), ("Milk is cold.", [])],
        ),
        ("Tea is hot [[Tea#Brewing]].", [("Tea is hot.", ["Tea"])]),
        (f"- one {A}\n- two {B}\n", [("one", ["c-aaaaaaaaaa"]), ("two", ["c-bbbbbbbbbb"])]),
        (f"1. one\n   goes on {A}\n2. two", [("one goes on", ["c-aaaaaaaaaa"]), ("two", [])]),
        (f"A line\nthat goes on {A}.", [("A line that goes on.", ["c-aaaaaaaaaa"])]),
        (f"> Quoted {A}.", [("Quoted.", ["c-aaaaaaaaaa"])]),
        (f"| a | b {A} |\n|---|---|", [("a · b", ["c-aaaaaaaaaa"])]),
        (f"お茶は熱い。{A}古い。", [("お茶は熱い。", ["c-aaaaaaaaaa"]), ("古い。", [])]),
        (f"Tea is hot `{A}`.", [("Tea is hot.", ["c-aaaaaaaaaa"])]),
        (f"Tea is hot. `{A}` So.", [("Tea is hot.", ["c-aaaaaaaaaa"]), ("So.", [])]),
        ("Tea is hot [Tea#^c-aaaaaaaaaa].", [("Tea is hot.", ["c-aaaaaaaaaa"])]),
        ("Tea is hot (c-aaaaaaaaaa).", [("Tea is hot.", ["c-aaaaaaaaaa"])]),
        ("Tea is hot ^c-aaaaaaaaaa.", [("Tea is hot.", ["c-aaaaaaaaaa"])]),
        (
            f"Tea is `hot {A}` and $x {B}$.",
            [("Tea is hot and $x $.", ["c-aaaaaaaaaa", "c-bbbbbbbbbb"])],
        ),
        ("Tea \\[\\[Tea#^c-aaaaaaaaaa\\]\\] is.", [("Tea is.", ["c-aaaaaaaaaa"])]),
        ("Use c-section or vitamin-c-rich tea.", [("Use c-section or vitamin-c-rich tea.", [])]),
        (A, []),
        ("", []),
        ("\n\n  \n", []),
        ("...", []),
    ],
)
def test_statements_have_their_own_citations(
    answer: str, expected: list[tuple[str, list[str]]]
) -> None:
    assert shape(split(answer)) == expected


def test_kinds() -> None:
    answer = f"# Tea\n\nTea is hot {A}. Not in the wiki: its price.\n\n```\ncode {B}\n```\n"
    found = split(answer)
    assert [s.kind for s in found] == ["heading", "sentence", "gap", "code"]
    assert found[3].citations == ()
    assert found[3].text == f"```\ncode {B}\n```"
    assert [s.ends for s in found] == [True, False, True, True]


def test_markers_and_blocks_are_kept() -> None:
    found = split("Text. More.\n\n- item. Second.\n  - inner\n10. ten")
    assert [(s.marker, s.ends) for s in found] == [
        ("", False), ("", True), ("- ", False), ("- ", True), ("  - ", True), ("10. ", True),
    ]  # fmt: skip


def test_a_paragraph_is_given_out_when_the_next_has_begun() -> None:
    splitter = Splitter()
    for piece in ("Tea is hot.", " ", "[", "[Tea#", "^c-aaaaaaaaaa]]", "\n"):
        assert splitter.feed(piece) == []
    assert shape(splitter.feed("\nIt is o")) == [("Tea is hot.", ["c-aaaaaaaaaa"])]
    assert shape([*splitter.feed("ld."), *splitter.finish()]) == [("It is old.", [])]


PARTS = st.sampled_from(
    ["Tea is hot", "it is", "Dr", "e.g", "4", ". ", ".", "? ", "。", A, B, "[[Tea]]", "[[", "]]",
     "(", ")", "\n", "\n\n", "- ", "  - ", "1. ", "# ", "> ", "| ", "|", "```\n", "`", "**", "*",
     " ", ", ", ":", "Not in the wiki: ", "お茶", "[", "!", "c-aaaaaaaaaa", "^", "#^"]
)  # fmt: skip


@given(st.lists(PARTS, max_size=25), st.lists(st.integers(0, 120), max_size=12))
@example(["```\n", "x", "\n", "```\n", "a"], [1, 5])
def test_however_it_is_cut_it_is_the_same(parts: list[str], cuts: list[int]) -> None:
    answer = "".join(parts)
    places = [0, *sorted(min(cut, len(answer)) for cut in cuts), len(answer)]
    splitter = Splitter()
    found = [s for a, b in pairwise(places) for s in splitter.feed(answer[a:b])]
    found += splitter.finish()
    whole = split(answer)
    assert shape(found) == shape(whole)
    assert [(s.kind, s.marker, s.ends) for s in found] == [
        (s.kind, s.marker, s.ends) for s in whole
    ]


@given(st.text(max_size=200) | st.lists(PARTS, max_size=20).map("".join))
def test_any_text_can_be_split(answer: str) -> None:
    for statement in split(answer):
        assert statement.text
        assert statement.kind == "code" or not re.search(r"\[\[.+#\^c-\w{10}\]\]", statement.text)


def test_a_long_answer_takes_no_long_time() -> None:
    """A quadratic reading of a megabyte would not end within the suite."""
    splitter = Splitter()
    count = 0
    for number in range(5_000):
        count += len(splitter.feed(f"Tea number {number} is hot {A}. "))
        if number % 50 == 0:
            count += len(splitter.feed("\n\n"))
    assert count + len(splitter.finish()) == 5_000
