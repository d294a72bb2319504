"""Own text, numbering and segments."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmwiki.core.document import Document
from llmwiki.core.errors import InputError, PolicyError
from llmwiki.core.text import fold
from llmwiki.ingest.extraction.without_model import read_without_model
from llmwiki.sources.blocks_and_headings import outline
from llmwiki.sources.conversion_limits import SourceLimits
from llmwiki.sources.formats import unsupported
from llmwiki.sources.quotes import QuoteFinder
from llmwiki.sources.read_source import first_quotable, numbered, read_document
from llmwiki.sources.segments import segment


def doc(text: str) -> Document:
    return read_document("raw/a.md", text.encode())


def test_markdown_is_its_own_text() -> None:
    data = b"\xef\xbb\xbf# Title\r\n\r\nform\x0cfeed\xe2\x80\xa8same line\rstill\n"
    read = read_document("raw/a.md", data)
    assert read.lines == ("# Title", "", "form\x0cfeed\u2028same line\rstill")
    assert read.sha256 == hashlib.sha256(data).hexdigest()
    assert (read.text_path, read.text_bytes, read.media_type) == (None, None, "text/markdown")
    assert first_quotable(read) == 1


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("a.MD", "text/markdown"),
        ("a.markdown", "text/markdown"),
        ("a.mdx", "text/markdown"),
        ("a.txt", "text/plain"),
        ("a.text", "text/plain"),
        ("README", "text/plain"),
    ],
)
def test_formats_that_are_their_own_text(name: str, media_type: str) -> None:
    assert read_document(f"raw/{name}", b"words\n").media_type == media_type


@pytest.mark.parametrize("name", ["a.doc", "a.fodt", "a.py", "a.xyz"])
def test_other_formats_are_refused_with_where_those_are_named_that_are_read(name: str) -> None:
    with pytest.raises(InputError, match="files are not read") as caught:
        read_document(f"raw/{name}", b"words\n")
    assert caught.value.exit_code == 2
    told = {"a.doc": "save it as .docx", "a.fodt": "save it as .odt"}
    assert told.get(name, "`wiki ingest --help` names the endings") in str(caught.value)
    assert str(caught.value) == str(unsupported(f"raw/{name}"))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b" \n\t\r\n", "empty"),
        (b"\xef\xbb\xbf\n", "empty"),
        (b"\xed\xa0\x80", "encoding cannot be told"),
        ("潮汐漲落".encode("big5"), "encoding cannot be told"),
        (b"one\ntw\x00o", "is not text"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "seems to be a .png file"),
    ],
)
def test_what_is_no_text_is_refused(data: bytes, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        read_document("raw/a.md", data)
    assert caught.value.fix


def test_size_limit() -> None:
    with pytest.raises(PolicyError, match="at most 10 are read"):
        read_document("raw/a.md", b"x" * 11, limits=SourceLimits(max_bytes=10))


def test_numbering_shows_what_a_quote_will_be_found_in() -> None:
    read = doc("one\n\n\ttwo \x1b[31mred\x07\u202eevil\U000e0041\n")
    shown = numbered(read, 1, 3)
    assert shown == "L1: one\nL2:\nL3: \ttwo  [31mred evil"
    assert fold(shown.split("L3:")[1]) == fold(read.lines[2])
    assert numbered(read, 2, 2) == "L2:"
    for first, last in ((0, 1), (2, 1), (1, 4)):
        with pytest.raises(ValueError, match="no lines"):
            numbered(read, first, last)


def cuts(text: str, max_bytes: int) -> list[tuple[int, int]]:
    return [(one.first, one.last) for one in segment(doc(text), max_bytes=max_bytes)]


def test_a_small_document_is_one_segment() -> None:
    (one,) = segment(doc("# A\n\ntext\n"))
    assert (one.number, one.of, one.first, one.last) == (1, 1, 1, 3)


def test_headings_come_before_paragraphs_before_lines() -> None:
    body = "words words\n" * 5
    assert cuts(f"# A\n{body}\n## B\n{body}\n{body}", 170) == [(1, 7), (8, 19)]
    assert cuts(f"{body}\n{body}\n{body}", 130) == [(1, 12), (13, 17)]
    assert cuts("word\n" * 10, 20) == [(1, 4), (5, 8), (9, 10)]


def test_a_higher_heading_wins_over_a_later_one() -> None:
    text = "a\n" * 20 + "# One\n" + "a\n" * 4 + "### Three\n" + "a\n" * 20
    assert cuts(text, 70)[0] == (1, 20)


def test_fences_and_tables_stay_whole_where_they_fit() -> None:
    fence = "```\n" + "# not a heading\n\n" * 6 + "```\n"
    assert cuts("intro\n\n" + fence + "\nend\n", len(fence)) == [(1, 2), (3, 16), (17, 18)]
    table = "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 6
    assert cuts("intro\n\n" + table + "end\n", len(table)) == [(1, 2), (3, 10), (11, 11)]
    assert len(cuts(fence, 40)) > 1


def test_no_short_end_is_left_over() -> None:
    assert cuts("word\n\n" * 11, 60) == [(1, 14), (15, 22)]


def test_a_line_that_is_too_long_stands_alone() -> None:
    assert cuts("a\n" + "b" * 100 + "\nc\n", 50) == [(1, 1), (2, 2), (3, 3)]


_LINES = st.lists(
    st.sampled_from(
        ["", "# H", "### H", "```", "~~~", "| a |", "text", "日本語 " * 5, "---", "x" * 90]
    ),
    min_size=1,
    max_size=60,
).filter(lambda lines: any(line.strip() for line in lines))


@given(_LINES, st.integers(min_value=1, max_value=200))
def test_segments_cover_every_line_once_within_the_limit(lines: list[str], most: int) -> None:
    read = doc("\n".join(lines) + "\n")
    parts = segment(read, max_bytes=most)
    covered = [line for part in parts for line in range(part.first, part.last + 1)]
    assert covered == list(range(1, len(read.lines) + 1))
    assert [part.number for part in parts] == list(range(1, len(parts) + 1))
    assert {part.of for part in parts} == {len(parts)}
    for part in parts:
        held = read.lines[part.first - 1 : part.last]
        assert len(held) == 1 or sum(len(line.encode()) + 1 for line in held) <= most
    assert segment(read, max_bytes=most) == parts


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("# お茶\n\nお茶は八十度のお湯で二分淹れます。\n", "cp932"),
        ("# お茶\n\nお茶は八十度のお湯で二分淹れます。\n", "euc_jp"),
        ("# お茶\n\nお茶\n", "iso-2022-jp"),
        ("# Thé\n\nLe thé est “fort”.\n", "cp1252"),
        ("# Tea\n\nA drink.\n", "utf-16"),
        ("# Tea\n\nA drink.\n", "utf-16-be"),
        ("# お茶\n", "utf-8-sig"),
    ],
)
def test_text_of_other_encodings_is_read(text: str, encoding: str) -> None:
    assert read_document("raw/tea.md", text.encode(encoding)).lines == tuple(text.splitlines())


def test_text_of_an_encoding_in_doubt_is_refused() -> None:
    turkish = "Toplantı çarşamba günü, şehir salonunda yapılır.\n"
    with pytest.raises(InputError, match="encoding cannot be told"):
        read_document("raw/tea.md", turkish.encode("cp1254"))


def test_a_heading_in_html_is_a_heading() -> None:
    lines = ["<h1>Tea</h1>", "", "## How it is <b>made</b>", "", "With water."]
    assert [(one.level, one.title) for one in outline(lines, 1, 5).sections[1:]] == [
        (1, "Tea"),
        (2, "How it is <b>made</b>"),
    ]


def test_a_title_is_what_a_heading_says_and_no_more() -> None:
    def told(text: str) -> tuple[str, str]:
        read = read_without_model(doc(text))
        return read.document.title, read.claims[0].evidence[0].quote if read.claims else ""

    weight = "It weighs 10\u00a0kg."
    assert told("# Install {#install .wide}\n\n" + weight)[0] == "Install"
    assert told("# Install:\n\nPress the key.\n")[0] == "Install"
    long = "It is told at length here what this is all about, and why."
    assert told(f"{long}\n---\n\nMore.\n") == ("A", long)


def test_a_blank_of_html_is_one_in_quotes() -> None:
    finder = QuoteFinder(doc("It weighs 10&nbsp;kg; `&nbsp;` is a blank.\n"))
    for quote in ("It weighs 10 kg", "It weighs 10&nbsp;kg"):
        found = finder.find(quote, 1, 1)
        assert found and found.quote == "It weighs 10 kg"
    assert finder.find("`&nbsp;` is", 1, 1) and not finder.find("` ` is", 1, 1)
