"""Tables of Word documents as rows that can be quoted alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmwiki.sources.converters.rows import add_row, column_names, is_header
from llmwiki.sources.converters.safe_xml import attribute, child, local, number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lxml.etree import _Element

    from llmwiki.sources.converters.gather import Gathered

_WRAPPERS = frozenset({"sdt", "sdtContent", "customXml", "ins", "moveTo"})
_OFF = frozenset({"0", "false", "off"})
_MOST_SPANNED = 64
"""Columns that one cell may take (Word's own limit is 63 columns a table)."""


def read_table(table: _Element, label: str, text: Callable[[_Element], str], out: Gathered) -> None:
    """Add each row of a table to `out`; `text` reads one cell.

    The first row names the columns where it is marked as their header or looks like one. A
    value that a merged cell spreads over rows stands in each of them.
    """
    names: list[str] = []
    above: list[str] = []
    first = True
    for index, row in enumerate(_rows(table), start=1):
        cells, single = _cells(row, text, above)
        above = cells
        add_row(out, f"{label} row {index}", names, cells)
        if first:
            first = False
            if _names_columns(table, row, single):
                names = column_names(_spread(row, cells))


def _rows(table: _Element) -> Iterator[_Element]:
    for node in _below(table, "tr"):
        if child(node, "trPr", "del") is None:
            yield node


def _below(node: _Element, name: str) -> Iterator[_Element]:
    for each in node:
        if local(each) == name:
            yield each
        elif local(each) in _WRAPPERS:
            yield from _below(each, name)


def _cells(
    row: _Element, text: Callable[[_Element], str], above: list[str]
) -> tuple[list[str], list[str]]:
    """The row's cells, one a column of the grid; and those that begin in it, one a cell."""
    cells: list[str] = []
    single: list[str] = []
    for cell in _below(row, "tc"):
        merge = child(cell, "tcPr", "vMerge")
        goes_on = merge is not None and attribute(merge, "val") != "restart"
        at = len(cells)
        value = (above[at] if at < len(above) else "") if goes_on else text(cell)
        single.append(value)
        cells += [value] + [""] * (_span(cell) - 1)
    return cells, single


def _spread(row: _Element, cells: list[str]) -> list[str]:
    """The header's cells, where one that spans columns names them all."""
    names = list(cells)
    at = 0
    for cell in _below(row, "tc"):
        span = _span(cell)
        names[at : at + span] = [cells[at]] * span
        at += span
    return names


def _span(cell: _Element) -> int:
    span = number(attribute(child(cell, "tcPr", "gridSpan"), "val"), 1)
    return max(1, min(span, _MOST_SPANNED))


def _names_columns(table: _Element, row: _Element, cells: list[str]) -> bool:
    marked = child(row, "trPr", "tblHeader")
    if marked is not None and attribute(marked, "val") not in _OFF:
        return True
    look = child(table, "tblPr", "tblLook")
    return attribute(look, "firstRow") not in _OFF and is_header(cells, len(cells))
