"""Rows of a table as lines that can be quoted alone: each cell with the name of its column."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from llmwiki.core.errors import PolicyError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llmwiki.sources.converters.gather import Gathered

MAX_ROWS = 250_000
"""Rows, or records, of one source; those of all sheets of a workbook together."""
MAX_NAME = 80
"""Characters of a column's name that a row repeats."""

_NUMBER = re.compile(r"[-+]?(?=\D*+\d)[\d.,:%€$£¥\s/-]++")


def check_rows(count: int) -> None:
    """Raise PolicyError for more than MAX_ROWS."""
    if count > MAX_ROWS:
        raise PolicyError(
            f"it has more than {MAX_ROWS:,} rows: a table of that size is data to be queried, not"
            " a text to be read",
            fix="Export the part that matters, such as its totals, and ingest that.",
        )


def row_line(label: str, names: Sequence[str], cells: Sequence[str]) -> str:
    """One row: `row 7 | name: Ada | year: 1843`; "" when all cells are empty.

    `label` says where the row is. Empty cells are left out; a cell in a column without a name
    (all, where `names` is empty) stands alone. Cells are made one line each.
    """
    parts = [label]
    for number, cell in enumerate(cells):
        if cell and (value := " ".join(cell.split())):
            name = names[number] if number < len(names) else ""
            parts.append(f"{name}: {value}" if name else value)
    return " | ".join(parts) if len(parts) > 1 else ""


def add_row(out: Gathered, label: str, names: Sequence[str], cells: Sequence[str]) -> None:
    """Add a row as `row_line` writes it, if it holds anything.

    Raises PolicyError past the cap, before the cells are joined: many may share a large string.
    """
    out.expect(sum(map(len, cells)))
    if line := row_line(label, names, cells):
        out.add(line)


def is_header(cells: Sequence[str], width: int) -> bool:
    """Whether a row can name the columns of a table `width` columns wide.

    At least two names and three quarters of the columns, all different, none a number or date.
    """
    names = [" ".join(cell.split()) for cell in cells if cell.strip()]
    return (
        len(names) >= max(2, (3 * width + 3) // 4)
        and len(set(names)) == len(names)
        and all(len(name) <= MAX_NAME and not _NUMBER.fullmatch(name) for name in names)
    )


def column_names(cells: Sequence[str]) -> list[str]:
    """A header's cells as names."""
    return [" ".join(cell.split())[:MAX_NAME] for cell in cells]
