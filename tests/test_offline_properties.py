"""The embedded extractor on any text: it never raises, and no quote is ever unfindable."""

from __future__ import annotations

import hashlib
import itertools
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from longform import examples

from llmwiki.core.document import Document
from llmwiki.core.text import fold, normalise
from llmwiki.extraction.embedded import extract
from llmwiki.extraction.embedded.acronyms import expansions
from llmwiki.extraction.embedded.inline import strip_markup
from llmwiki.extraction.embedded.names import clean_name, fold_name, valid_name
from llmwiki.extraction.schema import DOCUMENT, Extraction
from llmwiki.language.sentences import split_sentences


def read(text: str, media_type: str = "text/markdown") -> Document:
    sha = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return Document("raw/any.md", sha, tuple(text.split("\n")), media_type=media_type)


def assert_sound(extraction: Extraction, document: Document) -> None:
    names = [one.name for one in extraction.subjects]
    assert len(set(names)) == len(names)
    assert all(0 < len(name) <= 80 for name in names)
    for claim in extraction.claims:
        assert claim.subject in (DOCUMENT, *names)
        assert set(claim.also) <= set(names) - {claim.subject}
        assert normalise(claim.text)
        for quote in claim.evidence:
            first, last = quote.lines
            assert fold(quote.quote) in fold("\n".join(document.lines[first - 1 : last]))


PIECES = [
    "# ", "## ", "- ", "* ", "1. ", "> ", "| a | b |", "|---|---|", "```", "`", "**", "_", "[x](y)",
    "[[Page|label]]", "<!--", "-->", "---", "===", "\n", "\n\n", "\r\n", "    ", "\t", ". ", "。",
    ": ", " — ", "The river is a stream of water", "Rapid Audit Tool (RAT)", "とは、川である。",
    "Zürich", "café", "\ufffd", "\u202e", "\u00ad", "①", "🙂 ", "e\u0301", "ﬁ", "&amp;", "\\*",
    "^id",
    "2024-05-01", "Author: Ana Ruiz", "must never", "https://example.org/a_(b)", "[^1]: ", "\x00",
    "・", "■ 見出し", "(", ")", "（", "」", "?", "Quill elects 3 leaders", ";", "$$",
]  # fmt: skip
documents = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=12)), max_size=60).map(
    "".join
)


@settings(max_examples=examples(150), deadline=None)
@given(documents, st.sampled_from(["text/markdown", "text/plain"]), st.lists(st.text(max_size=9)))
def test_any_text_gives_a_sound_extraction(text: str, kind: str, known: list[str]) -> None:
    document = read(text, kind)
    assert_sound(extract(document, known), document)


@settings(max_examples=examples(100), deadline=None)
@given(documents)
def test_sentences_are_slices_in_order(text: str) -> None:
    spans = split_sentences(text)
    assert all(a < b for a, b in spans)
    assert all(one[1] <= two[0] for one, two in itertools.pairwise(spans))
    assert "".join("".join(text[a:b].split()) for a, b in spans) == "".join(text.split())


NASTY = {
    "brackets": "[" * 100_000,
    "parentheses": "(" * 100_000,
    "links": "[a](" * 30_000,
    "stars": "*a" * 50_000,
    "underscores": "_a " * 40_000,
    "backticks": "` " * 50_000,
    "comments": "<!-- a " * 20_000,
    "comment starts in lines": "text <!--\n" * 10_000,
    "quotes": "> " * 50_000,
    "bullets": "- " * 50_000,
    "nested items": "\n".join(" " * (n % 900) + "- item number one" for n in range(3000)),
    "bars": "|" * 100_000,
    "rows": "| a | b is a thing | 3 |\n" * 5_000,
    "blanks": " " * 100_000 + "x",
    "capitals": "Aa Bb " * 20_000,
    "one long line": "The river is a stream of water. " * 4_000,
    "no sentence end": "river " * 20_000,
    "dots": "." * 100_000,
    "japanese dots": "川。" * 30_000,
    "japanese without end": "川は水" * 30_000,
    "digits": "1." * 50_000,
    "colons": "a: " * 40_000,
    "acronyms": "Aa Bb (AB) " * 10_000,
    "headings": "# Heading of a river\n" * 5_000,
    "rules": "-" * 100_000,
    "dashes": "a — " * 30_000,
    "ampersands": "&" * 100_000,
}


@pytest.mark.parametrize("part", [5, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", sorted(NASTY))
def test_hostile_text_is_read_in_bounded_time(name: str, part: int) -> None:
    """A quadratic rule would take minutes on the whole ones, and some seconds on a fifth."""
    text = NASTY[name]
    document = read(text[: len(text) // part])
    began = process_time()
    assert_sound(extract(document), document)
    assert process_time() - began < 30 / part


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("a **bold** and _soft_ `code_x` word", "a bold and soft code_x word"),
        ("[label](https://example.org/a_(b)) end", "label end"),
        ("see [[notes/River|the river]] and [[Lake#Depth]]", "see the river and Lake > Depth"),
        ("![alt](x.png) text[^3] <br> more", "text more"),
        ("first line\n> second line", "first line second line"),
        ("[x] done \\*star\\* &amp; more ^block-1", "done *star* & more"),
        ("snake_case and 2 * 3 * 4", "snake_case and 2 * 3 * 4"),
        ("kept <name> tag", "kept <name> tag"),
        ("an alias is a [[#property]] of a note", "an alias is a property of a note"),
        (
            "the __init__ method and __all__, but a __Note__",
            "the __init__ method and __all__, but a Note",
        ),
        (
            "Use :pep:`8` and :func:`~a.__init__` of `it <http://a>`_ [1]_.",
            "Use PEP 8 and a.__init__ of it.",
        ),
        ("**Half of it is. ", "Half of it is."),
        ("[[https://a.example][label]] of a ==mark==", "label of a mark"),
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
    ("text", "found"),
    [
        (
            "we use retrieval-augmented generation (RAG)",
            [("RAG", "retrieval-augmented generation")],
        ),
        (
            "of the Federal Bureau of Investigation (FBI)",
            [("FBI", "Federal Bureau of Investigation")],
        ),
        ("IPE (Interlibrary Parcel Exchange) moves", [("IPE", "Interlibrary Parcel Exchange")]),
        ("the Northern Harbour Union (NATO)", []),
        ("kit (SDK)", []),
    ],
)
def test_an_acronym_takes_exactly_the_words_of_its_letters(
    text: str, found: list[tuple[str, str]]
) -> None:
    assert [(one.short, one.long) for one in expansions(text)] == found


@pytest.mark.parametrize(
    "name",
    ["Introduction", "This", "Step 3", "§2", "TODO", "2024-05-01", "v1.2", "the",
     "How to bake", "|---|", "Adding a lamp", "It is a lamp", "Example 3", "See also",
     "docs/plan.md", "概要",
     "第3章",     "a lamp that burns.", "L12", "---", "設定例", "…"],
)  # fmt: skip
def test_what_names_nothing_is_no_name(name: str) -> None:
    cleaned = clean_name(name)
    assert not cleaned or not valid_name(cleaned)


@pytest.mark.parametrize(
    "name",
    ["PostgreSQL", "Block anchors", "Harrow Line", "潮汐水車", "GPT-4.1", "RAG",
     "Self-attention", "build_prompt()", "サイフォン水車", "C++ compiler"],
)  # fmt: skip
def test_what_names_something_is_a_name(name: str) -> None:
    assert clean_name(name) == name
    assert valid_name(name)


def test_spellings_of_one_name_fold_together() -> None:
    assert fold_name("Block Anchors") == fold_name("block-anchor")
    assert fold_name("Ｑｕｉｌｌ") == fold_name("quill")
    assert fold_name("GPT-4.1") != fold_name("GPT-4.5")
