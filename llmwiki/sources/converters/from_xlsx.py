"""Workbooks (.xlsx) to text with openpyxl. Runs in the converting process only."""

from __future__ import annotations

import datetime
import io
import mimetypes
import sys
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.sources.converted import ConvertedText
from llmwiki.sources.converters.archive import Archive
from llmwiki.sources.converters.safe_xml import facts, main_part
from llmwiki.sources.converters.writing import Gathered, check_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from openpyxl.worksheet._read_only import ReadOnlyWorksheet

MAX_ROW = 1_048_576
"""The last row that programs give a sheet."""
MAX_SPREAD = 10_000_000
"""Cells of all sheets with the empty ones before them in their row; an empty row is one."""

_KIND = "the workbook"
_DAMAGES = (KeyError, ValueError, TypeError, OverflowError, OSError, zipfile.BadZipFile)
"""What openpyxl raises on damaged workbooks."""


def convert(data: bytes, cap: int) -> ConvertedText:
    """The sheets in order, after `Author:` and `Modified:` lines where the workbook tells them.

    Each sheet begins with `[sheet NAME]` (`[sheet NAME hidden]`). A row is one line with the
    number it has in the sheet, `row 7 | name: Ada | born: 1815-12-10`: from the header row on,
    cells carry the names that stand there. Formulas give the value last computed; dates are
    ISO 8601. Empty rows and cells are left out. `cap` bounds the bytes of text. Raises
    InputError when the file is broken, encrypted, empty or something else, PolicyError when it
    unpacks to too much.
    """
    archive = Archive(data, _KIND)
    main_part(archive, "xl/")
    archive.refuse_declarations(lambda name: name.endswith((".xml", ".rels", ".vml")))
    # openpyxl takes numpy and Pillow along where they are: large, and of no use to reading.
    for module in ("numpy", "PIL"):
        sys.modules.setdefault(module, None)  # type: ignore[arg-type]
    # It asks for media types too; the machine's own list of them is not to be read.
    mimetypes.knownfiles.clear()
    import openpyxl

    out = Gathered(cap, facts(archive))
    try:
        book = openpyxl.load_workbook(
            io.BytesIO(data), read_only=True, data_only=True, keep_links=False
        )
        passed = _Passed()
        filled = [_add_sheet(sheet, passed, out) for sheet in book.worksheets]
    except _DAMAGES as error:
        raise archive.broken(f"{type(error).__name__}: {str(error)[:100]}") from error
    except SyntaxError as error:
        # How both XML parsers in use refuse what is not well-formed.
        raise archive.broken(str(error)) from error
    if not any(filled):
        raise InputError(
            "the workbook has no values",
            fix="If its formulas were never computed, open it in its own program and save it.",
        )
    return ConvertedText(out.text(), f"openpyxl/{openpyxl.__version__}")


@dataclass(slots=True)
class _Passed:
    """What was read so far of all sheets."""

    rows: int = 0
    """Those that hold something."""
    cells: int = 0
    """Empty ones included."""


def _add_sheet(sheet: ReadOnlyWorksheet, passed: _Passed, out: Gathered) -> bool:
    """Add a sheet; whether it holds anything."""
    # What a sheet says of its own size may be wrong, or meant to make rows of nothing.
    sheet.reset_dimensions()
    rows = _filled(sheet, passed)
    return out.sheet(sheet.title, rows, is_hidden=sheet.sheet_state != "visible")


def _filled(sheet: ReadOnlyWorksheet, passed: _Passed) -> Iterator[tuple[int, list[str]]]:
    for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
        passed.cells += max(1, len(row))
        if number > MAX_ROW or passed.cells > MAX_SPREAD:
            raise PolicyError(
                f"sheet {sheet.title[:80]} spreads over more rows or cells than are read",
                fix="Delete empty rows and columns that only have a format, or split it.",
            )
        if any(value is not None for value in row):
            cells = ["" if value is None else _shown(value) for value in row]
            if any(cells):
                passed.rows += 1
                check_rows(passed.rows)
                yield number, cells


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        # Fifteen digits are what a sheet holds; more are how binary fractions look.
        return f"{value:.15g}"
    if isinstance(value, datetime.datetime):
        midnight = value.time() == datetime.time()
        return value.date().isoformat() if midnight else value.isoformat(timespec="seconds")
    if isinstance(value, datetime.time):
        return value.isoformat(timespec="seconds")
    return str(value)
