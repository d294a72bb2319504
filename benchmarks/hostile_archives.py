"""Hostile archives: Word, PowerPoint, Excel and books that are small and cost much."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable

from benchmarks.office import (
    SHEETS,
    WORD,
    book,
    paragraph,
    presentation,
    shape,
    slide_table,
    word,
    workbook,
    zipped,
)

LAUGHS = (
    '<!DOCTYPE x [<!ENTITY a0 "ha">'
    + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
    + "]>"
)
"""A head that declares `&a9;`, which stands for 10^9 words."""
OUTSIDE = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
"""A head that declares `&a;`, which stands for a file of the system."""


def _directory(entries: int, size: int, *, contents: bytes) -> bytes:
    """An archive of so many entries that all are one packed file, said to unpack to `size`."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(contents) + packer.flush()
    facts = struct.pack("<3I", zlib.crc32(contents), len(packed), size)
    local = struct.pack("<I5H", 0x04034B50, 20, 0, 8, 0, 0x21) + facts
    begin = local + struct.pack("<2H", 8, 0) + b"word/aaa" + packed
    head = struct.pack("<I6H", 0x02014B50, 20, 20, 0, 8, 0, 0x21) + facts
    tail = struct.pack("<5H2I", 8, 0, 0, 0, 0, 0, 0)
    rows = b"".join(head + tail + b"%08x" % number for number in range(entries))
    whole = struct.pack(
        "<IQ2H2I4Q", 0x06064B50, 44, 45, 45, 0, 0, entries, entries, len(rows), len(begin)
    )
    place = struct.pack("<IIQI", 0x07064B50, 0, len(begin) + len(rows), 1)
    end = struct.pack("<I4H2IH", 0x06054B50, 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return begin + rows + whole + place + end


def _understated() -> bytes:
    """An entry that unpacks to more than the archive's directory says."""
    size = 9 << 20
    data = word(paragraph("Words."), {"word/styles.xml": bytes(size)}, [_STYLES])
    return data.replace(size.to_bytes(4, "little"), (1000).to_bytes(4, "little"))


def _within(levels: int) -> bytes:
    """Archives within archives, each holding the next one ten times."""
    data = zipped({"word/document.xml": bytes(1 << 20)})
    for _ in range(levels):
        data = zipped({f"word/{n}.docx": data for n in range(10)})
    return data


_STYLES = ("s", "styles", "styles.xml")
_NOTES = ("n", "footnotes", "footnotes.xml")
_NUMBERS = ("l", "numbering", "numbering.xml")


def _chain(count: int) -> bytes:
    """Styles each of which is based on the next."""
    rows = "".join(
        f'<w:style w:styleId="s{n}"><w:basedOn w:val="s{n + 1}"/></w:style>' for n in range(count)
    )
    text = paragraph("Words.", '<w:pStyle w:val="s0"/>') * 1000
    return word(
        text, {"word/styles.xml": f'<w:styles xmlns:w="{WORD}">{rows}</w:styles>'}, [_STYLES]
    )


def _ring() -> bytes:
    """Two styles each of which is based on the other."""
    rows = (
        '<w:style w:styleId="a"><w:basedOn w:val="b"/></w:style>'
        '<w:style w:styleId="b"><w:basedOn w:val="a"/></w:style>'
    )
    return word(
        paragraph("Words.", '<w:pStyle w:val="a"/>'),
        {"word/styles.xml": f'<w:styles xmlns:w="{WORD}">{rows}</w:styles>'},
        [_STYLES],
    )


def _notes(count: int) -> bytes:
    """References to so many notes, which all are there."""
    rows = "".join(f'<w:footnote w:id="{n}">{paragraph("a")}</w:footnote>' for n in range(count))
    marks = "".join(f'<w:r><w:footnoteReference w:id="{n}"/></w:r>' for n in range(count))
    return word(
        f"<w:p>{marks}</w:p>",
        {"word/footnotes.xml": f'<w:footnotes xmlns:w="{WORD}">{rows}</w:footnotes>'},
        [_NOTES],
    )


def _lists(count: int) -> bytes:
    """So many lists of a pattern that names all levels, each with an item."""
    level = "".join(
        f'<w:lvl w:ilvl="{n}"><w:numFmt w:val="lowerRoman"/><w:start w:val="999999"/>'
        f'<w:lvlText w:val="{"%1" * 500}"/></w:lvl>'
        for n in range(9)
    )
    lists = "".join(
        f'<w:num w:numId="{n}"><w:abstractNumId w:val="0"/></w:num>' for n in range(count)
    )
    items = "".join(
        paragraph("a", f'<w:numPr><w:ilvl w:val="0"/><w:numId w:val="{n}"/></w:numPr>')
        for n in range(count)
    )
    numbers = f'<w:abstractNum w:abstractNumId="0">{level}</w:abstractNum>{lists}'
    return word(
        items,
        {"word/numbering.xml": f'<w:numbering xmlns:w="{WORD}">{numbers}</w:numbering>'},
        [_NUMBERS],
    )


def _merged() -> bytes:
    """A long value that merged cells spread over rows and columns."""
    span = '<w:tcPr><w:gridSpan w:val="63"/><w:vMerge/></w:tcPr>'
    first = '<w:tcPr><w:vMerge w:val="restart"/></w:tcPr>' + paragraph("word " * 100_000)
    cell = f"<w:tc>{span}{paragraph('')}</w:tc>"
    rows = f"<w:tr>{cell * 20}</w:tr>" * 20_000
    return word(f"<w:tbl><w:tr><w:tc>{first}</w:tc></w:tr>{rows}</w:tbl>")


def _table(rows: int, columns: int) -> bytes:
    """A Word document that is one table."""
    cell = f"<w:tc>{paragraph('a')}</w:tc>"
    return word(f"<w:tbl>{f'<w:tr>{cell * columns}</w:tr>' * rows}</w:tbl>")


def _sheet(rows: int, columns: int, cell: str = "<c><v>1</v></c>") -> str:
    return f"<sheetData>{f'<row>{cell * columns}</row>' * rows}</sheetData>"


def _shared() -> bytes:
    """Cells that all show one long text."""
    text = f'<sst xmlns="{SHEETS}"><si><t>{"x" * 9_000_000}</t></si></sst>'
    cell = '<c t="s"><v>0</v></c>'
    return workbook(
        {"A": f"<sheetData><row>{cell * 10_000}</row></sheetData>"},
        {"xl/sharedStrings.xml": text},
        [("t", "sharedStrings", "sharedStrings.xml")],
    )


def _styled(formats: str, cells: str) -> bytes:
    """A workbook with these formats of numbers and of cells."""
    styles = (
        f'<styleSheet xmlns="{SHEETS}"><numFmts>{formats}</numFmts><fonts><font/></fonts><fills>'
        "<fill><patternFill/></fill></fills><borders><border/></borders><cellStyleXfs><xf/></cellStyleXfs>"
        f"<cellXfs>{cells}</cellXfs></styleSheet>"
    )
    return workbook(
        {"A": '<sheetData><row><c s="0"><v>1</v></c></row></sheetData>'},
        {"xl/styles.xml": styles},
        [("y", "styles", "styles.xml")],
    )


def _open(sort: str, body: str) -> bytes:
    """An OpenDocument file of this sort, with this in its body."""
    names = "urn:oasis:names:tc:opendocument:xmlns"
    head = "".join(f' xmlns:{each}="{names}:{each}:1.0"' for each in ("office", "table", "text"))
    return zipped(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{sort}",
            "META-INF/manifest.xml": "<manifest/>",
            "content.xml": f"<office:document-content{head}><office:body><office:{sort}>{body}"
            f"</office:{sort}></office:body></office:document-content>",
        }
    )


def _repeated(rows: int, columns: int, *, before: int = 0) -> bytes:
    """An OpenDocument workbook in which one cell is said to stand in all cells of a sheet, or so
    many before each."""
    cell = '<table:table-cell office:value-type="string" table:number-columns-repeated='
    line = f'<table:table-cell table:number-columns-repeated="{before}"/>' if before else ""
    line += f'{cell}"{columns}"><text:p>a</text:p></table:table-cell>'
    if before:
        body = f"<table:table-row>{line}</table:table-row>" * rows
    else:
        body = f'<table:table-row table:number-rows-repeated="{rows}">{line}</table:table-row>'
    return _open("spreadsheet", f'<table:table table:name="A">{body}</table:table>')


def _grouped(depth: int) -> bytes:
    """Groups of shapes within groups, with text in the innermost."""
    return presentation(["<p:grpSp>" * depth + shape("body", ["a"]) + "</p:grpSp>" * depth])


def _contents(depth: int, links: int) -> bytes:
    """A book whose table of contents is `depth` lists deep."""
    nav = "<nav>" * depth + '<a href="c.xhtml">a</a>' * links
    item = '<item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
    return book({"c.xhtml": "<p>Words."}, manifest=item, more={"nav.xhtml": nav})


BOMBS: dict[str, Callable[[], bytes]] = {
    "zeros.docx": lambda: word("", {"word/media/a.bin": bytes(257 << 20)}),
    "ratio.docx": lambda: word("", {"word/media/a.bin": bytes(20 << 20)}),
    "understated.docx": _understated,
    "within.docx": lambda: _within(7),
    "entries.docx": lambda: _directory(1_000_000, 1, contents=b"a"),
    "overlapping.docx": lambda: _directory(9_000, 10 << 20, contents=bytes(10 << 20)),
    "laughs.docx": lambda: word(paragraph("&a9;&a;"), head=LAUGHS),
    "passwd.docx": lambda: word(paragraph("&a9;&a;"), head=OUTSIDE),
    "outside.docx": lambda: word(
        '<w:p><w:r><w:subDoc r:id="a"/></w:r></w:p>',
        None,
        [("a", "subDocument", "file:///etc/passwd")],
    ),
    "text.docx": lambda: word(paragraph("word " * 4_000_000)),
    "ring.docx": _ring,
    "deep.docx": lambda: word("<w:sdt><w:sdtContent>" * 5_000),
    "table.docx": lambda: _table(900_000, 1),
    "row.docx": lambda: _table(1, 900_000),
    "merged.docx": _merged,
    "chain.docx": lambda: _chain(300_000),
    "notes.docx": lambda: _notes(300_000),
    "lists.docx": lambda: _lists(30_000),
    "slides.pptx": lambda: presentation([shape("body", ["a"])] * 9_999),
    "table.pptx": lambda: presentation([slide_table([["a"] * 10] * 100_000)]),
    "groups.pptx": lambda: _grouped(5_000),
    "million.xlsx": lambda: workbook({"A": _sheet(1_000_000, 2)}),
    "two-sheets.xlsx": lambda: workbook({"A": _sheet(125_000, 1), "B": _sheet(125_001, 1)}),
    "sheets.xlsx": lambda: workbook(
        dict.fromkeys((f"S{n}" for n in range(9_000)), _sheet(1_000, 2))
    ),
    "columns.xlsx": lambda: workbook({"A": _sheet(240_000, 50)}),
    "utf-16.xlsx": lambda: workbook(
        {"A": ""},
        {
            "xl/worksheets/sheet1.xml": (
                '<?xml version="1.0" encoding="UTF-16"?>'
                f'<worksheet xmlns="{SHEETS}">{_sheet(1_000_000, 1)}</worksheet>'
            ).encode("utf-16")
        },
    ),
    "blank.xlsx": lambda: workbook({"A": _sheet(240_000, 40, '<c s="0"/>')}),
    "gaps.xlsx": lambda: workbook(
        dict.fromkeys(
            (f"S{n}" for n in range(9_000)),
            '<sheetData><row r="1048576"><c><v>1</v></c></row></sheetData>',
        )
    ),
    "empty-rows.xlsx": lambda: workbook({"A": _sheet(3_000_000, 0)}),
    "far.xlsx": lambda: workbook(
        {"A": '<sheetData><row r="999999999999"><c><v>1</v></c></row></sheetData>'}
    ),
    "wide.xlsx": lambda: workbook({"A": _sheet(100_000, 1, '<c r="XFD1"><v>1</v></c>')}),
    "shared.xlsx": _shared,
    "formats.xlsx": lambda: _styled(
        f'<numFmt numFmtId="200" formatCode="{"[" * 500_000}"/>', '<xf numFmtId="200"/>'
    ),
    "styles.xlsx": lambda: _styled(
        "".join(f'<numFmt numFmtId="{n}" formatCode="0.{n}"/>' for n in range(200, 300_000)),
        "".join(f'<xf numFmtId="{n}"/>' for n in range(200, 300_000)),
    ),
    "repeated.ods": lambda: _repeated(1_048_576, 16_384),
    "rows.ods": lambda: _repeated(1_048_576, 1),
    "far.ods": lambda: _repeated(2_000, 1, before=16_383),
    "deep.odt": lambda: _open("text", "<text:section>" * 400 + "</text:section>" * 400),
    "notes.odt": lambda: _open(
        "text", f"<text:p>{'<text:note><text:note-body/></text:note>' * 100_000}</text:p>"
    ),
    "chapters.epub": lambda: book(
        {f"c{n}.xhtml": "<p>a" for n in range(9_990)} | {"x.xhtml": "<div>" * 100_000}
    ),
    "paragraphs.epub": lambda: book({"c.xhtml": "<p>ab</p>" * 2_000_000}),
    "contents.epub": lambda: _contents(150, 300_000),
}
"""Makers of the files, by name."""
