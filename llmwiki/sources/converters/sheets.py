"""A sheet of a workbook as text, from whatever format its rows came."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmwiki.sources.converters.rows import add_row, column_names, is_header

if TYPE_CHECKING:
    from collections.abc import Iterator

    from llmwiki.sources.converters.gather import Gathered

MAX_HEAD = 20
"""Rows with something in them among which the header of a sheet is looked for."""


def add_sheet(
    out: Gathered, title: str, rows: Iterator[tuple[int, list[str]]], *, hidden: bool
) -> bool:
    """Add `[sheet TITLE]` and its rows, which come with their numbers; whether there are any.

    From the row on that looks like a header, cells carry the names that stand there.
    """
    head = [row for _, row in zip(range(MAX_HEAD), rows, strict=False)]
    if not head:
        return False
    out.add(f"\n[sheet {' '.join(title.split())}{' hidden' if hidden else ''}]")
    width = max(sum(1 for cell in cells if cell) for _, cells in head)
    at = next(
        (i for i, (_, cells) in enumerate(head) if len(head) > i + 1 and is_header(cells, width)),
        None,
    )
    names: list[str] = []
    for i, (number, cells) in enumerate(head):
        add_row(out, f"row {number}", names, cells)
        if i == at:
            names = column_names(cells)
    for number, cells in rows:
        add_row(out, f"row {number}", names, cells)
    return True
