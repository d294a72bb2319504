"""Rows of tables as records: cells with the names of their columns.

The forms are those of docs/sources.md: `row 7 | name: Ada | year: 1843`, `table 1 row 2 | …`, and
Markdown rows under a row that names the columns.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from llmwiki.core.text import normalise
from llmwiki.pages.line_patterns import DELIMITERS, table_cells
from llmwiki.sources.strip_markup import strip_markup

BAR = " | "
"""What parts the cells of a line."""
LONGEST_LINE = 2_000
"""Characters of a line up to which its beginning is quoted, as the converters wrap lines."""
_ROW = re.compile(r"(?P<table>(?:table \d+ )?row) \d+ \| ")
_LOOK = 20
"""Rows among which the one with the names is looked for, as the converters do."""


@dataclass(frozen=True, slots=True)
class RecordCell:
    """A value with the name of its column."""

    name: str
    """Empty where nothing names it."""
    value: str
    """Markup taken out."""
    line: int
    quote: str
    """The words of its line from the first cell on, up to and with this one; or empty, where
    they are too long to be quoted."""


@dataclass(frozen=True, slots=True)
class Record:
    """What one row says; it has at least one cell."""

    cells: tuple[RecordCell, ...]
    header: tuple[str, int] | None = None
    """Where the columns are named elsewhere: the words of that row, and its line."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows that stand together, in order."""

    records: list[Record]
    sheet: str = ""
    """The sheet of a workbook; empty elsewhere."""

    def columns(self) -> list[str]:
        """The names of all columns, in the order in which they first appear."""
        return list(dict.fromkeys(c.name for r in self.records for c in r.cells if c.name))


def row_label(text: str) -> str:
    """`row` or `table 1 row`, which is the same in all rows of a table; empty for other lines."""
    found = _ROW.match(text)
    return found["table"] if found else ""


def rows(numbered: Sequence[tuple[int, str]]) -> list[Record]:
    """The records of one table's rows; the row with the names, and rows above it, are none."""
    split = [(n, text, found.end()) for n, text in numbered if (found := _ROW.match(text))]
    at, header = _header([text[start:].split(BAR) for _, text, start in split[: _LOOK + 1]])
    made = (_cells(n, text, start, header) for n, text, start in split[at + 1 :])
    return [Record(cells) for cells in made if cells]


def _header(split: Sequence[Sequence[str]]) -> tuple[int, frozenset[str]]:
    """The row whose cells the next one repeats before its values; -1 without one."""
    for at, (names, following) in enumerate(pairwise(split)):
        if len(names) > 1 and following[0].startswith(tuple(f"{name}: " for name in names)):
            return at, frozenset(names)
    return -1, frozenset()


def _cells(number: int, text: str, at: int, names: Collection[str]) -> tuple[RecordCell, ...]:
    """The cells of a line `name: Ada | year: 1843` from index `at`; without names they have none.

    What begins with none of the names goes on with the cell before: its value holds a bar.
    """
    held: list[tuple[str, str, int]] = []
    end = at
    for part in text[at:].split(BAR):
        end += len(part)
        name = _named(part, names)
        if names and not name and held:
            held[-1] = (held[-1][0], held[-1][1] + BAR + part, end)
        elif part.strip():
            held.append((name, part[len(name) + 2 :] if name else part, end))
        end += len(BAR)
    cells = (
        RecordCell(name, strip_markup(value), number, _quote(text[at:end]))
        for name, value, end in held
    )
    return tuple(cell for cell in cells if cell.value)


def _named(part: str, names: Collection[str]) -> str:
    """The longest of the names that a cell begins with."""
    return max((name for name in names if part.startswith(f"{name}: ")), key=len, default="")


def _quote(text: str) -> str:
    return normalise(text) if len(text) <= LONGEST_LINE else ""


def pipe_rows(numbered: Sequence[tuple[int, str]]) -> list[Record]:
    """The records of a Markdown table whose first row names the columns; else none."""
    body = [(number, text) for number, text in numbered if not DELIMITERS.match(text)]
    if len(body) < 2:
        return []
    (line, head), *rest = body
    names = [strip_markup(cell).rstrip(":：") for cell in table_cells(head)]
    named = [name for name in names if name]
    if len(names) < 2 or not named or len(set(named)) < len(named):
        return []
    if len(body) == len(numbered) and (len(body) < 3 or any(map(str.isdigit, "".join(named)))):
        return []  # No line of dashes says that the first row is a head.
    made = (_pipe_cells(n, text, names) for n, text in rest)
    return [Record(cells, (normalise(head), line)) for cells in made if cells]


def _pipe_cells(number: int, text: str, names: Sequence[str]) -> tuple[RecordCell, ...]:
    cells: list[RecordCell] = []
    end = 0
    split = table_cells(text)
    for at, raw in enumerate(split):
        end = text.find(raw, end) + len(raw) if at + 1 < len(split) else len(text)
        name = names[at] if at < len(names) else ""
        cells.append(RecordCell(name, strip_markup(raw), number, _quote(text[:end])))
    return tuple(cell for cell in cells if cell.value)
