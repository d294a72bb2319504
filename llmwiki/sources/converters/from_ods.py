"""OpenDocument sheets (.ods) to text with lxml. Runs in the converting process only."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby, islice
from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.sources.converted import ConvertedText
from llmwiki.sources.converters.gather import Gathered
from llmwiki.sources.converters.odf import CONTENT, OFFICE, TABLE, facts, open_parts
from llmwiki.sources.converters.odf_styles import Styles, read_styles
from llmwiki.sources.converters.odf_table import repeated, row_cells
from llmwiki.sources.converters.odf_text import ParagraphReader
from llmwiki.sources.converters.rows import check_rows
from llmwiki.sources.converters.safe_xml import attribute, begun_and_ended
from llmwiki.sources.converters.sheets import add_sheet

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element

    from llmwiki.sources.converters.safe_xml import DocumentParts

VERSION = "llmwiki-ods/1"
"""Raised with every change of the text that a workbook gives."""
MAX_CELLS = 10_000_000
"""Cells that all rows make together, empty ones before the last of a row included."""

_KIND = "the workbook"
_SHEET = f"{TABLE}table"
_ROW = f"{TABLE}table-row"
_PARAGRAPH = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}p"
_VALUES = ("string-value", "value", "boolean-value", "time-value")
"""Where a value stands that a program did not also write as text."""
_NO_DATE = "1899-12-30"
"""The day of a time without a date."""


def convert(data: bytes, cap: int) -> ConvertedText:
    """The sheets in order, after `Author:` and `Modified:` lines where the workbook tells them.

    Each sheet begins with `[sheet NAME]` (`[sheet NAME hidden]`). A row is one line with the
    number it has in the sheet, `row 7 | name: Ada | born: 1815-12-10`: from the header row on,
    cells carry the names that stand there. Values stand as they are shown, dates as ISO 8601.
    Empty rows and cells are left out. `cap` bounds the bytes of text. Raises InputError when the
    file is broken, encrypted, empty or something else, PolicyError when it unpacks to too much.
    """
    parts = open_parts(data, _KIND, "spreadsheet")
    out = Gathered(cap)
    for line in facts(parts):
        out.add(line)
    read = _rows(parts, read_styles(parts), ParagraphReader(parts, Styles()))
    filled = False
    for sheet, rows in groupby(read, lambda row: row.sheet):
        numbered = ((row.number, row.values) for row in rows)
        filled |= add_sheet(out, sheet.title, numbered, hidden=sheet.hidden)
    if not filled:
        raise InputError("the workbook has no values", fix="Check that it is complete.")
    return ConvertedText(out.text(), VERSION)


@dataclass(frozen=True, slots=True)
class _Sheet:
    index: int
    title: str
    hidden: bool


@dataclass(frozen=True, slots=True)
class _Row:
    sheet: _Sheet
    number: int
    values: list[str]


def _rows(parts: DocumentParts, styles: Styles, words: ParagraphReader) -> Iterator[_Row]:
    """The rows of all sheets that hold something; a repeated one as often as it stands."""
    sheet = _Sheet(0, "", hidden=False)
    number = filled = passed = 0
    for node in begun_and_ended(parts, CONTENT, _SHEET, _ROW):
        if node.tag == _SHEET:
            if _is_sheet(node):
                hidden = styles.is_hidden_sheet(attribute(node, "style-name") or "")
                sheet = _Sheet(sheet.index + 1, attribute(node, "name") or "", hidden)
                number = 0
            continue
        if not any(map(_is_sheet, islice(node.iterancestors(_SHEET), 1))):
            continue
        cells = row_cells(node, lambda cell: _shown(cell, words))
        values = ["" if cell.covered else cell.text for cell in cells]
        times = repeated(node)
        shown = times if any(values) else 0
        filled += shown
        check_rows(filled)
        passed += max(1, len(values) * shown)
        if passed > MAX_CELLS:
            raise PolicyError(
                f"its sheets have more than {MAX_CELLS:,} cells",
                fix="Export the part that matters, and ingest that.",
            )
        for more in range(1, shown + 1):
            yield _Row(sheet, number + more, values)
        number += times


def _is_sheet(table: _Element) -> bool:
    """Whether a table is one of the workbook's, and not one within a cell."""
    home = table.getparent()
    return home is not None and home.tag == f"{OFFICE}spreadsheet"


def _shown(cell: _Element, words: ParagraphReader) -> str:
    date = attribute(cell, "date-value")
    if date and not date.startswith(_NO_DATE):
        # Shown, it may lack the century, or begin with the month.
        return date.partition(".")[0]
    if len(cell) == 1 and not len(cell[0]) and cell[0].tag == _PARAGRAPH and cell[0].text:
        # Most cells are that, and there are many.
        return str(cell[0].text)
    return words.line(cell) or next(filter(None, (attribute(cell, name) for name in _VALUES)), "")
