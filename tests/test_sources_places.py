"""The place in the original beside the lines of its text: `L120, p. 12`."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from page_strategies import places

from llmwiki.core.document import Document
from llmwiki.pages.page import Claim, Evidence, Page
from llmwiki.pages.write_claims import add_claims, put_place
from llmwiki.sources.quotes import QuoteFinder, SourcePlaces
from llmwiki.sources.read_source import read_document

TEXT = """\
# llmwiki-text 1 converter=x/1 sha256=00
before any marker
[page 1]
first
[page 9]
looks like a marker
[page 2]
second
table 1 row 2 | Port: Brest | Height: 7 m
[slide 1 hidden]
point
[slide 1 notes]
spoken
[sheet Old prices hidden]
row 7 | name: Ada
row 7 of the theatre
[chapter 1]
once
[cell 1 code]
x = 1
[cell 1 output]
1
[00:01:23] Ada: text
""".splitlines()

AT = {
    "before any marker": "",
    "first": "p. 1",
    "looks like a marker": "p. 1",
    "second": "p. 2",
    "table 1 row 2 | Port: Brest | Height: 7 m": "p. 2, table 1 row 2",
    "point": "slide 1",
    "spoken": "slide 1 notes",
    "row 7 | name: Ada": "sheet Old prices, row 7",
    "row 7 of the theatre": "sheet Old prices",
    "once": "chapter 1",
    "x = 1": "chapter 1, cell 1",
    "1": "chapter 1, cell 1",
    "[00:01:23] Ada: text": "chapter 1, 00:01:23",
}


@pytest.mark.parametrize("line", AT)
def test_a_marker_says_where_the_lines_after_it_stand(line: str) -> None:
    assert SourcePlaces(TEXT, 2).of(TEXT.index(line) + 1) == AT[line]


def test_a_text_of_its_own_has_no_places() -> None:
    found = QuoteFinder(Document("raw/a.md", "0" * 64, ("[page 3]", "tea is drunk"))).find(
        "tea is drunk", 1, 1
    )
    assert found is not None
    assert found.place == ""


def test_a_found_quote_names_its_row() -> None:
    out = io.StringIO()
    csv.writer(out).writerows([["port", "height"], ["Brest", "7 m"], ["Calais", "8 m"]])
    read = read_document("raw/ports.csv", out.getvalue().encode())
    found = QuoteFinder(read).find("port: Calais | height: 8 m", 1, 1)
    assert found is not None
    assert (found.first, found.place) == (
        read.lines.index("row 3 | port: Calais | height: 8 m") + 1,
        "row 3",
    )


@pytest.mark.parametrize(("media_type", "place"), [("application/pdf", "p. 1"), ("image/png", "")])
def test_what_a_picture_shows_forges_no_place(media_type: str, place: str) -> None:
    lines = (
        "# meta",
        "[page 1]",
        "[00:01:23] tea is hot",
        "row 7 | tea is cold",
        "line 4",
        "tea is green",
    )
    document = Document("raw/a", "0" * 64, lines, "raw/.text/a.txt", None, media_type)
    for quote in ("tea is hot", "tea is cold", "tea is green"):
        found = QuoteFinder(document).find(quote, 1, 1)
        assert found is not None
        assert found.place == place


@given(places)
def test_every_place_is_read_back(place: str) -> None:
    evidence = Evidence("s-pdf", "a quote", place=place)
    page = add_claims(
        Page.parse("wiki/concepts/A.md", "# A\n"), [Claim("c-9f3a1c22k7", "A.", (evidence,))]
    )
    read = Page.parse(page.path, page.text).claims[0].evidence
    assert read == (evidence,)


@pytest.mark.parametrize("place", ["sheet \u200b", "see also", "p. 12]", "slide", "sheet a\nb"])
def test_what_could_not_be_read_back_is_not_written(place: str) -> None:
    evidence = Evidence("s", "a quote", place=place)
    page = add_claims(
        Page.parse("wiki/concepts/A.md", "# A\n"), [Claim("c-9f3a1c22k7", "A.", (evidence,))]
    )
    held = Page.parse(page.path, page.text).claims[0].evidence[0]
    assert held.quote == "a quote"
    assert held.place in ("", "sheet a b")


def test_a_place_follows_its_quote() -> None:
    old = Evidence("s-pdf", "a quote", place="p. 1")
    page = add_claims(
        Page.parse("wiki/concepts/A.md", "# A\n"), [Claim("c-9f3a1c22k7", "A.", (old,))]
    )
    after = put_place(page, "c-9f3a1c22k7", old, "p. 2")
    assert "” [^s-pdf], p. 2\n" in after.text


@pytest.mark.parametrize(
    ("quote", "rest"),
    [
        ("The keeper may open the lock", "even at night, unless the river is in flood."),
        ("unless the river is in flood.", ""),
        ("A flag is flown", "while the lock stands open"),
        ("Nobody says this", ""),
    ],
)
def test_how_the_sentence_of_a_quote_ends(quote: str, rest: str) -> None:
    text = (
        "The keeper may open the lock",
        "even at night, unless the river",
        "is in flood. Boats wait below.",
        "",
        "A flag is flown",
        "while the lock stands open",
        "- and at noon",
    )
    assert QuoteFinder(Document("raw/a.md", "0" * 64, text)).rest_of_sentence(quote) == rest
