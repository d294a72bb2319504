"""Workbooks (.xlsx, .ods) to text with python-calamine. Runs in the converting process only."""

from __future__ import annotations

import datetime
import io
from importlib.metadata import version
from typing import TYPE_CHECKING

import python_calamine

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.sources.converters.numbered_text_writer import Gathered, check_rows
from llmwiki.sources.converters.zip_and_xml import Archive, main_part, write_facts

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_SPREAD = 10_000_000
"""Cells of all sheets with the empty ones before them in their row; an empty row is one."""
_LAST_ROW = 1_048_576
"""Of a sheet, in Excel and in LibreOffice."""
_EXACT = 2**53
"""Whole numbers below it are held to the last digit."""
_LIBRARY = f"python-calamine/{version('python-calamine')}"


def convert(data: bytes, out: Gathered) -> None:
    """The sheets in order, after `Author:` and `Modified:` lines where the workbook tells them.

    Each sheet begins with `[sheet NAME]` (`[sheet NAME hidden]`). A row is one line with the
    number it has in the sheet, `row 7 | name: Ada | born: 1815-12-10`: from the header row on,
    cells carry the names that stand there. Formulas give the value last computed; dates are
    ISO 8601. Empty rows and cells are left out. Raises InputError when the file is broken,
    encrypted, empty or something else, PolicyError when it unpacks to too much.
    """
    archive = Archive(data, "the workbook")
    main_part(archive, "xl/")
    write_facts(archive, out)
    write_workbook(data, archive, out)


def write_workbook(data: bytes, archive: Archive, out: Gathered) -> None:
    """The sheets of a workbook of Excel's or OpenDocument's format.

    Raises as `convert` does.
    """
    out.libraries.append(_LIBRARY)
    is_filled = False
    try:
        book = python_calamine.load_workbook(io.BytesIO(data))
        passed = [0, 0]
        for told in book.sheets_metadata:
            if told.typ == python_calamine.SheetTypeEnum.WorkSheet:
                is_shown = told.visible == python_calamine.SheetVisibleEnum.Visible
                title = f"[sheet {' '.join(told.name.split())}{'' if is_shown else ' hidden'}]"
                sheet = book.get_sheet_by_name(told.name)
                is_filled |= out.rows(_rows(sheet, passed), title=title)
    except python_calamine.CalamineError as error:
        raise archive.broken(str(error)[:100]) from error
    if not is_filled:
        raise InputError(
            "the workbook has no values",
            fix="If its formulas were never computed, open it in its own program and save it.",
        )


def _rows(
    sheet: python_calamine.CalamineSheet, passed: list[int]
) -> Iterator[tuple[int, list[str]]]:
    """The rows that hold something, with their numbers; `passed` counts rows and cells of all
    sheets."""
    for number, row in enumerate(sheet.iter_rows(), start=1):
        cells = list(map(_shown, row))
        passed[1] += max(1, len(cells))
        if number > _LAST_ROW or passed[1] > MAX_SPREAD:
            raise PolicyError(
                f"sheet {sheet.name[:80]} spreads over more cells than are read",
                fix="Delete empty rows and columns that only have a format, or split it.",
            )
        if any(cells):
            passed[0] += 1
            check_rows(passed[0])
            yield number, cells


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        # Fifteen digits are what a sheet holds; more are how binary fractions look.
        return f"{value:.0f}" if value.is_integer() and abs(value) < _EXACT else f"{value:.15g}"
    if isinstance(value, datetime.datetime):
        return value.isoformat(timespec="seconds")
    if isinstance(value, datetime.time):
        return value.isoformat(timespec="seconds")
    return str(value)
