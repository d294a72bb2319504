"""The words of a text without its markup, and where its sentences end."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from longform import examples

from llmwiki.core.language.sentences import split_sentences
from llmwiki.sources.strip_markup import strip_markup


@settings(max_examples=examples(100), deadline=None)
@given(st.text(max_size=200))
def test_sentences_are_slices_in_order(text: str) -> None:
    spans = split_sentences(text)
    assert all(a < b for a, b in spans)
    assert all(one[1] <= two[0] for one, two in itertools.pairwise(spans))
    assert "".join("".join(text[a:b].split()) for a, b in spans) == "".join(text.split())


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("a **bold** and _soft_ `code_x` word", "a bold and soft code_x word"),
        ("[label](https://example.org/a_(b)) end", "label end"),
        ("see [[notes/River|the river]] and [[Lake#Depth]]", "see the river and Lake > Depth"),
        ("![alt](x.png) text[^3] <br> more", "text more"),
        ("first line\n> second line", "first line second line"),
        ("[ ] do \\*star\\* &amp; more ^block-1", "do *star* & more"),
        ("snake_case and 2 * 3 * 4", "snake_case and 2 * 3 * 4"),
        ("kept <name> tag", "kept <name> tag"),
        ("an alias is a [[#property]] of a note", "an alias is a property of a note"),
        ("a label of a ==mark==", "a label of a mark"),
        ("a <!-- b --> c", "a c"),
    ],
)
def test_markup_goes_and_words_stay(raw: str, plain: str) -> None:
    assert strip_markup(raw) == plain


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Dr. Ruiz met Mr. Park at 5 p.m. in Kest. They left.", 2),
        ("It costs 3.5 euros (approx. 4 dollars. Maybe five). Fine.", 2),
        ("Use `a. B` here. Then stop.", 2),
        ("川は長い。海は広い。", 2),
        ("「川は長い。」と彼は言った。", 1),
        ("Version 2.0 is out. See e.g. Kest.", 2),
        ("Er misst z. B. Wasser, d. h. Tiefe, vgl. Nr. 3 u. a. Flüsse. Das reicht.", 2),
        ("He joined the U.S. Army. Room No. 5 is free.", 2),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, count: int) -> None:
    assert len(split_sentences(text)) == count


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ("Use :pep:`8` and :func:`a.__init__` of `it <http://a>`_ [1]_.",
         "Use PEP 8 and a.__init__ of it."),
        ("Painted with Tar_ since 1900, as `__tar__` is.",
         "Painted with Tar since 1900, as __tar__ is."),
    ],
)  # fmt: skip
def test_marks_of_restructured_text_leave_the_words(raw: str, words: str) -> None:
    assert strip_markup(raw, rst=True) == words
