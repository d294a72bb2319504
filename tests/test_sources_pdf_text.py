"""The text of PDFs beyond what pypdf says: order of reading, whole words, widths of fonts."""

from __future__ import annotations

import io
from pathlib import Path

import pypdf
import pytest
from convertkit import read_document
from pypdf.generic import (
    ArrayObject,
    DecodedStreamObject,
    DictionaryObject,
    FloatObject,
    NameObject,
    NumberObject,
)

from llmwiki.sources.converters.pdf_bidi import Piece, in_reading_order
from llmwiki.sources.converters.pdf_text import page_text, whole_lines

DOCUMENTS = Path(__file__).parent / "data" / "documents"


def drawn(*pieces: tuple[str, float]) -> str:
    return in_reading_order([Piece(text, at, 10) for text, at in pieces])


@pytest.mark.parametrize(
    ("pieces", "wanted"),
    [
        # From the left edge, as browsers draw.
        ([(".", 0), ("2024", 5), (" ", 30), ("שנת", 30)], "שנת 2024."),
        ([("ים", 0), (" ", 20), ("GPS 7", 25), (" ", 60), ("קורא", 65)], "קורא GPS 7 ים"),
        # As it is read, further and further to the left.
        ([("שנת", 60), ("2024", 30), (".", 25)], "שנת2024."),
        ([("12", 60), (" ", 55), ("m", 50), ("גובה", 20)], "12 mגובה"),
        # Right-to-left words in a line that runs to the right.
        ([("The ", 0), ("עולה", 30), (" ", 60), ("ים", 65), (" rises", 90)], "The ים עולה rises"),
        ([("a ", 0), ("ב", 10), (" 7 ", 15), ("ג", 30), (" c", 40)], "a ג 7 ב c"),
        # Cells of a table, far from each other.
        ([("נמל", 300), ("גובה", 100)], "נמל גובה"),
        # Brackets as their glyphs are, and as they are meant.
        ([(" ים )תמיד(", 0)], "ים (תמיד)"),
        ([(" ים (תמיד)", 0)], "ים (תמיד)"),
        ([(".)", 0), (" ים (תמיד", 0)], "ים (תמיד)."),
        # Signs that pypdf turned, as they follow right-to-left letters; and those after a number.
        ([("ים", 0), (". ", 20), ("גשם", 25)], "גשם. ים"),
        ([("ים", 0), ("(. ", 20), ("תמיד", 25), (" )", 45), ("שם", 50)], "שם (תמיד). ים"),
        ([("7", 0), (" .", 5), ("גשם", 20)], "גשם. 7"),
        # Without such words nothing changes.
        ([("b", 50), ("a  (", 0)], "ba  ("),
    ],
)
def test_lines_are_in_the_order_of_reading(pieces: list[tuple[str, float]], wanted: str) -> None:
    assert drawn(*pieces) == wanted


def test_lines_stay_apart() -> None:
    assert drawn(("one\n", 0), ("ים", 0), ("\n", 0), ("two\nthree", 0)) == "one\nים\ntwo\nthree"


def test_the_order_costs_no_square_of_the_pieces() -> None:
    line = drawn(*[("ים" if at % 2 else " 7 ", float(at)) for at in range(200_000)])
    assert line.count("ים") == 100_000


def test_words_parted_by_a_line_are_joined_where_that_is_certain() -> None:
    first = "The obser-\nvatory. It is\nnorth-\nwest of a tide-\ngauge and a sand-\nbank"
    second = "Observatory, a north-west wind, northwest, sandbank, tide and gauge."
    assert whole_lines([first, second]) == [
        "The observatory.\nIt is\nnorth-\nwest of a tide-\ngauge and a sandbank",
        second,
    ]
    soft = "un\u00adusual wa\u00ad\u2010\nter le\u2010\nvel 7\u2010\n8 harbour\u00ad\nmaster's\nend"
    assert whole_lines([soft]) == ["unusual water\nlevel\n7\u2010\n8 harbourmaster's\nend"]
    assert whole_lines(["Twenty-\nOne twentyone"]) == ["Twenty-\nOne twentyone"]


def test_capitals_parted_by_a_line_are_joined_too() -> None:
    assert whole_lines(["It is OP-\nTIONAL now", "OPTIONAL"]) == ["It is OPTIONAL\nnow", "OPTIONAL"]
    for other in ("OP-TIONAL, OPTIONAL", "none"):
        assert whole_lines(["It is OP-\nTIONAL now", other])[0] == "It is OP-\nTIONAL now"


def test_lines_without_blanks_are_joined_while_they_fill_the_column() -> None:
    full = "あいうえおかきくけこさしすせそ"
    assert whole_lines([f"見出し\n{full}\n{full}\n終わり。\n{full}"]) == [
        f"見出し\n{full}{full}終わり。\n{full}"
    ]
    # Short items, sentences that end, and the next paragraph after a last line stay.
    assert whole_lines(["東京\n大阪\n京都"]) == ["東京\n大阪\n京都"]
    assert whole_lines([f"{full}。\n{full}"]) == [f"{full}。\n{full}"]
    assert whole_lines([f"{full}\n{full[:9]}\nさて"]) == [f"{full}{full[:9]}\nさて"]
    assert whole_lines([f"{full}\n\n{full}"]) == [f"{full}\n\n{full}"]


def test_letters_have_their_plain_form() -> None:
    # Chromium's fonts name the shapes of Arabic letters; LibreOffice's the letters.
    for name in ("rtl.pdf", "rtl-office.pdf"):
        text = "\n".join(read_document(f"raw/{name}", (DOCUMENTS / name).read_bytes()).lines)
        assert not [sign for sign in text if "\ufb00" <= sign <= "\ufeff"]


def test_radicals_are_the_ideographs_that_they_look_like() -> None:
    writer = pypdf.PdfWriter(clone_from=DOCUMENTS / "japanese.pdf")
    before = [page_text(page) for page in writer.pages]
    assert "月" in before[0] and "日" in before[0]
    # As browsers name the glyphs of fonts in which both are one.
    for page in writer.pages:
        for font in page["/Resources"]["/Font"].values():  # type: ignore[index]
            names = font["/ToUnicode"].get_object()
            told = names.get_data().replace(b"<6708>", b"<2F49>").replace(b"<65E5>", b"<2E9C>")
            names.set_data(told)
    assert {"\u2f49", "\u2e9c"} <= set(writer.pages[0].extract_text())
    assert [page_text(page) for page in writer.pages] == before


def test_a_page_reads_twice_alike_and_stays_as_it_was() -> None:
    for name in ("japanese.pdf", "rtl.pdf", "columns.pdf"):
        page = pypdf.PdfReader(DOCUMENTS / name).pages[0]
        before = page.get_contents().get_data()  # type: ignore[union-attr]
        assert page_text(page) == page_text(page)
        assert page.get_contents().get_data() == before  # type: ignore[union-attr]


def test_damaged_fonts_are_no_reason_to_refuse() -> None:
    reader = pypdf.PdfReader(DOCUMENTS / "columns.pdf")
    writer = pypdf.PdfWriter(clone_from=reader)
    fonts = writer.pages[0]["/Resources"]["/Font"]  # type: ignore[index]
    odd = {NameObject("/Subtype"): NameObject("/Type3")}
    word = NameObject("/Word")
    for at, matrix in enumerate((word, ArrayObject([word]), ArrayObject(), NumberObject(1))):
        widths = ArrayObject([FloatObject(0.01)])
        more = {NameObject("/Widths"): widths, NameObject("/FontMatrix"): matrix}
        fonts[NameObject(f"/Odd{at}")] = DictionaryObject({**odd, **more})
    out = io.BytesIO()
    writer.write(out)
    found = read_document("raw/a.pdf", out.getvalue()).lines
    assert "Birds walk where fish swam" in found


def test_words_drawn_one_by_one_to_the_left() -> None:
    writer = pypdf.PdfWriter(clone_from=DOCUMENTS / "rtl.pdf")
    # Glyphs of that file's font: three words, each drawn from its left edge.
    drawing = DecodedStreamObject()
    drawing.set_data(
        b"BT /F4 16 Tf 1 0 0 1 400 700 Tm <053305350537052b> Tj -60 0 Td <053f052c052905380003> Tj "
        b"-60 0 Td <052b0539054005350003> Tj ET"
    )
    writer.pages[0][NameObject("/Contents")] = writer._add_object(drawing)
    out = io.BytesIO()
    writer.write(out)
    assert page_text(pypdf.PdfReader(out).pages[0]) == "הנמל סגור משעה"
