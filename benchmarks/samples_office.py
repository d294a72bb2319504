"""The generated report as Office documents and as a book."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.office import (
    WORD,
    book,
    paragraph,
    presentation,
    shape,
    slide_table,
    word,
    workbook,
)
from benchmarks.section import COLUMNS, Section

_STYLES = (
    f'<w:styles xmlns:w="{WORD}"><w:style w:type="paragraph" w:styleId="Heading1">'
    '<w:name w:val="heading 1"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style></w:styles>'
)
_LEVELS = "".join(
    f'<w:lvl w:ilvl="{n}"><w:start w:val="1"/><w:numFmt w:val="decimal"/>'
    f'<w:lvlText w:val="{text}"/></w:lvl>'
    for n, text in enumerate(("%1", "%1.%2"))
)
_NUMBERING = (
    f'<w:numbering xmlns:w="{WORD}"><w:abstractNum w:abstractNumId="0">{_LEVELS}</w:abstractNum>'
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>'
)
_RELATED = (
    ("s", "styles", "styles.xml"),
    ("l", "numbering", "numbering.xml"),
    ("f", "footnotes", "footnotes.xml"),
)


def docx(report: Sequence[Section]) -> bytes:
    """Styled headings, a list numbered 1.1, tables, footnotes, tracked changes."""
    notes = "".join(
        f'<w:footnote w:id="{section.number}">{paragraph(section.note)}</w:footnote>'
        for section in report
    )
    return word(
        "".join(map(_word_section, report)),
        {
            "word/styles.xml": _STYLES,
            "word/numbering.xml": _NUMBERING,
            "word/footnotes.xml": f'<w:footnotes xmlns:w="{WORD}">{notes}</w:footnotes>',
        },
        _RELATED,
    )


def _word_section(section: Section) -> str:
    listed = '<w:numPr><w:ilvl w:val="{}"/><w:numId w:val="1"/></w:numPr>'
    by = 'w:author="Ada" w:date="2024-05-06T10:00:00Z"'
    table = "".join(
        f"<w:tr>{''.join(f'<w:tc>{paragraph(cell)}</w:tc>' for cell in row)}</w:tr>"
        for row in (COLUMNS, *section.rows)
    )
    return "".join(
        [
            paragraph(section.heading, f'<w:pStyle w:val="Heading1"/>{listed.format(0)}'),
            *map(paragraph, (*section.prose, section.japanese)),
            *(paragraph(item, listed.format(1)) for item in section.items),
            f"<w:p><w:r><w:t>It is read.</w:t></w:r><w:r><w:footnoteReference "
            f'w:id="{section.number}"/></w:r></w:p>',
            f'<w:p><w:ins w:id="1" {by}><w:r><w:t>{section.inserted}</w:t></w:r></w:ins>'
            f'<w:del w:id="2" {by}><w:r><w:delText>{section.deleted}</w:delText></w:r></w:del>'
            "</w:p>",
            f"<w:tbl>{table}</w:tbl>",
        ]
    )


def pptx(report: Sequence[Section]) -> bytes:
    """A slide with title, points, table and speaker's notes for each section."""
    slides = [
        shape("title", [section.heading])
        + shape("body", [*section.prose, *section.items, section.japanese])
        + slide_table([COLUMNS, *section.rows])
        for section in report
    ]
    return presentation(slides, [shape("body", [section.note]) for section in report])


def xlsx(report: Sequence[Section]) -> bytes:
    """One sheet with the rows of all tables, and one with a sentence of each section."""
    rows = [COLUMNS, *(row for section in report for row in section.rows)]
    said = [("Number", "Sentence"), *((f"n {s.number}", s.japanese) for s in report)]
    return workbook({"Parts": _sheet(rows), "Sentences": _sheet(said)})


def _sheet(rows: Sequence[Sequence[str]]) -> str:
    body = "".join(
        f'<row r="{n}">'
        + "".join(_cell(chr(64 + at), n, cell) for at, cell in enumerate(row, 1))
        + "</row>"
        for n, row in enumerate(rows, start=1)
    )
    return f"<sheetData>{body}</sheetData>"


def _cell(column: str, row: int, text: str) -> str:
    if text.isascii() and text.isdecimal():
        return f'<c r="{column}{row}"><v>{text}</v></c>'
    return f'<c r="{column}{row}" t="inlineStr"><is><t>{text}</t></is></c>'


def epub(report: Sequence[Section], page: str) -> bytes:
    """A chapter for each section; `page` is the XHTML around one, with `{}` in its place."""
    return book({f"c{s.number}.xhtml": page.format(html_section(s)) for s in report})


def html_section(section: Section) -> str:
    """The elements of a section in XHTML."""
    prose = "".join(f"<p>{line}</p>\n" for line in (*section.prose, section.japanese))
    items = "".join(f"<li>{item}</li>\n" for item in section.items)
    rows = "".join(
        f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>\n" for row in section.rows
    )
    head = "".join(f"<th>{name}</th>" for name in COLUMNS)
    return (
        f"<h2>{section.heading}</h2>\n{prose}<ol>{items}</ol>\n"
        f"<table><tr>{head}</tr>\n{rows}</table>\n"
    )
