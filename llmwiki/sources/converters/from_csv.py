"""CSV and TSV to text with Python's own reader. Runs in the converting process only."""

from __future__ import annotations

import csv
import io
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError
from llmwiki.sources.converters.numbered_text_writer import Gathered, check_rows
from llmwiki.sources.encodings import decoded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SEPARATORS = ",;\t|"
_LOOK = 100
"""Rows from which the separator and the width are told."""


def convert(data: bytes, out: Gathered) -> None:
    """Each row on one line with the names of its columns: `row 7 | name: Ada | year: 1843`.

    Rows count from 1, empty ones and the one with the names included. Where no row names the
    columns, cells stand alone. Raises InputError for what is not text or not CSV, PolicyError
    past a limit.
    """
    text = decoded(data).replace("\r\n", "\n").replace("\r", "\n")
    separator, top = _separator(text)
    _check_quotes(text, separator)
    reader = csv.reader(io.StringIO(text), delimiter=separator)
    try:
        out.rows(_rows(reader), width=_width(top))
    except csv.Error as error:
        raise InputError(
            f"the CSV is broken before line {reader.line_num + 1} ({error})",
            fix="A quote that is never closed does this; write the file again.",
        ) from error


def _rows(reader: Iterable[list[str]]) -> Iterator[tuple[int, list[str]]]:
    for number, row in enumerate(reader, start=1):
        check_rows(number)
        if any(row):
            yield number, row


def _separator(text: str) -> tuple[str, list[list[str]]]:
    """The separator that cuts most rows alike, and the first rows cut by it; else the comma."""
    start = text[:200_000]
    if len(start) < len(text):
        start = start[: start.rfind("\n") + 1] or start
    best, best_rank = ",", (0.0, 0)
    cut: dict[str, list[list[str]]] = {}
    for each in _SEPARATORS:
        try:
            cut[each] = list(islice(csv.reader(io.StringIO(start), delimiter=each), _LOOK))
        except csv.Error:
            cut[each] = []
        widths = [len(row) for row in cut[each] if row]
        width = _width(cut[each])
        rank = (round(widths.count(width) / len(widths), 1), width) if width > 1 else (0.0, 0)
        if rank > best_rank:
            best, best_rank = each, rank
    return best, cut[best]


def _check_quotes(text: str, separator: str) -> None:
    """Refuse a quote that is never closed: all that follows would silently be one cell."""
    reader = csv.reader(io.StringIO(text), delimiter=separator, strict=True)
    try:
        for _ in reader:
            pass
    except csv.Error as error:
        # Other faults, such as words after a closing quote, read well enough.
        if "end of data" in str(error):
            raise InputError(
                "the CSV is broken: a quote is never closed",
                fix="Close it, or write the file again.",
            ) from error


def _width(rows: list[list[str]]) -> int:
    """The commonest number of cells, the first of two as common; 0 without rows.

    Rows of one cell, such as a title above the table, count only where there are no others.
    """
    widths = [len(row) for row in rows if row]
    counts = Counter([width for width in widths if width > 1] or widths)
    return max(counts, key=lambda width: counts[width], default=0)
