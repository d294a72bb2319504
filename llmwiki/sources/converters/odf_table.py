"""Tables of OpenDocument files: rows and cells as they are written, and as lines of text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from llmwiki.core.errors import PolicyError
from llmwiki.sources.converters.rows import add_row, check_rows, column_names, is_header
from llmwiki.sources.converters.safe_xml import attribute, local, number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lxml.etree import _Element

    from llmwiki.sources.converters.gather import Gathered

MAX_COLUMNS = 16_384
"""The last column that programs give a sheet."""

_GROUPS = frozenset({"table-header-rows", "table-rows", "table-row-group"})


@dataclass(frozen=True, slots=True)
class GridCell:
    """One cell of the grid."""

    text: str
    covered: bool = False
    """Whether it is part of a merged cell that begins above or before it."""
    columns: int = 1
    rows: int = 1
    """How many of either a merged cell takes."""


_NOTHING = GridCell("")


def row_cells(row: _Element, text: Callable[[_Element], str]) -> list[GridCell]:
    """The cells of a row up to the last that holds something or is merged.

    A repeated cell stands as often as it is repeated. Raises PolicyError past MAX_COLUMNS.
    """
    cells: list[GridCell] = []
    empty = 0
    for node in row:
        if local(node) not in ("table-cell", "covered-table-cell"):
            continue
        times = max(1, number(attribute(node, "number-columns-repeated"), 1))
        cell = GridCell(
            text(node),
            local(node) == "covered-table-cell",
            max(1, number(attribute(node, "number-columns-spanned"), 1)),
            max(1, number(attribute(node, "number-rows-spanned"), 1)),
        )
        if not cell.text and (cell == _NOTHING or times > MAX_COLUMNS):
            empty += times
            continue
        if len(cells) + empty + times > MAX_COLUMNS:
            raise PolicyError(
                f"a row of a table has more than {MAX_COLUMNS:,} cells",
                fix="Export the part that matters, and ingest that.",
            )
        cells += [_NOTHING] * empty + [cell] * times
        empty = 0
    return cells


def repeated(row: _Element) -> int:
    """How often a row stands."""
    return max(1, number(attribute(row, "number-rows-repeated"), 1))


def read_table(table: _Element, label: str, text: Callable[[_Element], str], out: Gathered) -> None:
    """Add each row of a table to `out`; `text` reads one cell.

    The first row names the columns where it is marked as their header or looks like one. A
    value that a merged cell spreads over rows stands in each of them.
    """
    names: list[str] = []
    above: dict[int, tuple[str, int]] = {}
    index = 0
    for row, marked in _rows(table):
        cells = row_cells(row, text)
        values = _values(cells, above)
        for _ in range(repeated(row) if any(values) else 1):
            index += 1
            check_rows(index)
            add_row(out, f"{label} row {index}", names, values)
        index += repeated(row) - 1 if not any(values) else 0
        if index == 1 and (marked or _looks_named(table, cells)):
            names = column_names(_spread(cells))


def _rows(table: _Element, *, marked: bool = False) -> Iterator[tuple[_Element, bool]]:
    """The rows, and whether each is marked as a header."""
    for node in table:
        if local(node) == "table-row":
            yield node, marked
        elif local(node) in _GROUPS:
            yield from _rows(node, marked=marked or local(node) == "table-header-rows")


def _values(cells: list[GridCell], above: dict[int, tuple[str, int]]) -> list[str]:
    """What stands in each column; `above` has what goes on downward, and for how many rows."""
    values: list[str] = []
    for at, cell in enumerate(cells):
        value, left = above.get(at, ("", 0))
        if cell.covered and left:
            above[at] = (value, left - 1)
        else:
            value = cell.text
            above.pop(at, None)
            if cell.rows > 1:
                above[at] = (value, cell.rows - 1)
        values.append(value)
    return values


def _spread(cells: list[GridCell]) -> list[str]:
    """The header's cells, where one that spans columns names them all."""
    names = [cell.text for cell in cells]
    for at, cell in enumerate(cells):
        for more in range(at + 1, min(at + cell.columns, len(cells))):
            if cells[more].covered:
                names[more] = cell.text
    return names


def _looks_named(table: _Element, cells: list[GridCell]) -> bool:
    single = [cell.text for cell in cells if not cell.covered]
    return attribute(table, "use-first-row-styles") != "false" and is_header(single, len(single))
