"""The text of PDFs beyond what PDFium says: whole words and sentences, plain letters."""

from __future__ import annotations

from llmwiki.sources.converters.from_pdf import plain_letters, whole_lines


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


def test_shapes_of_letters_and_radicals_are_the_letters_that_they_look_like() -> None:
    # As Chromium names the glyphs of fonts in which both are one.
    assert (
        plain_letters("\ufb01sh \ufee0\ufe8e \u2f49\u2e9c \ufdfa")
        == "fish \u0644\u0627 月日 \ufdfa"
    )
