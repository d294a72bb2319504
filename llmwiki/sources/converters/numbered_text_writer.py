"""The one writer of numbered text: headings, points of lists, and rows that can be quoted alone.

What a converter reads in its format goes through here, so that a heading, a point and a row look
alike whatever the document was, and a text is counted while it comes, not once it is huge.
"""

from __future__ import annotations

import re
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.core.errors import PolicyError
from llmwiki.sources.conversion_limits import NOT_READ, UnreadPicture

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MAX_ROWS = 250_000
"""Rows, or records, of one source; those of all sheets of a workbook together."""
MAX_NAME = 80
"""Characters of a column's name that a row repeats."""
MAX_HEAD = 20
"""Rows with something in them among which the one that names the columns is looked for."""
BULLET = "-"
"""What stands before a point without a number."""

_WHOLE = re.compile(r"[0-9]{1,7}")
_NUMBER = re.compile(r"[-+]?(?=\D*+\d)[\d.,:%€$£¥\s/-]++")
_ROMAN = tuple(
    zip(
        (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
        ("m", "cm", "d", "cd", "c", "xc", "l", "xl", "x", "ix", "v", "iv", "i"),
        strict=True,
    )
)


class TableCell(NamedTuple):
    """One cell of a table's row."""

    text: str | None
    """None where the cell above goes on."""
    columns: int = 1


class Gathered:
    """The lines of one text, of at most `cap` characters together, line ends included."""

    def __init__(self, cap: int) -> None:
        self.libraries: list[str] = []
        """Names and versions of those that read the document, `pypdfium2/5.15.2`."""
        self.unread: list[UnreadPicture] = []
        """Pictures whose text is wanting, in the order of their lines. Such a text is tidy."""
        self.bare = False
        """Whether there is nothing but such pictures, empty pages and a few characters on them."""
        self._lines: list[str] = []
        self._cap = cap
        self._size = self._count = 0

    def add(self, text: str) -> None:
        """One line, or several parted by LF. Raises PolicyError past the cap."""
        self.expect(len(text) + 1)
        self._size += len(text) + 1
        self._count += text.count("\n") + 1
        self._lines.append(text)

    def expect(self, size: int) -> None:
        """Raise PolicyError if so many characters more would pass the cap.

        For texts that would be huge before they could be added.
        """
        if self._size + size > self._cap:
            raise PolicyError(
                f"it gives more than {self._cap:,} characters of text",
                fix="Split it into smaller files.",
            )

    def fact(self, label: str, value: str) -> None:
        """A line of what the document says of itself, `Author: Ada`, if it does."""
        if value:
            self.add(label + value)

    def picture(self, page: int) -> None:
        """The line NOT_READ, which stands for a page, from 1, that is a picture."""
        self.add(NOT_READ)
        self.unread.append(UnreadPicture(self._count, page))

    def part(self) -> None:
        """An empty line, unless one stands there or nothing does."""
        if self._lines and self._lines[-1]:
            self.add("")

    def heading(self, level: int, text: str, label: str = "") -> None:
        """A heading of a level from 1, on a line of its own between empty ones."""
        number = "" if label in ("", BULLET) else f"{label} "
        self.add(f"\n{'#' * min(level, 6)} {number}{' '.join(text.split())}\n")

    def table(self, label: str, rows: Iterable[list[TableCell]], *, has_head: bool | None) -> None:
        """The rows of a table with their numbers, from 1, as `table 1 row 2 | name: value`.

        The first names the columns where `has_head` says so, or, where that is None, where it
        looks like a header. A value that a merged cell spreads over rows stands in each of them,
        a name that one spreads over columns in each of these.
        """
        names: list[str] = []
        above: list[str] = []
        for number, cells in enumerate(rows, start=1):
            check_rows(number)
            values: list[str] = []
            spread: list[str] = []
            for cell in cells:
                at = len(values)
                told = (above[at] if at < len(above) else "") if cell.text is None else cell.text
                values += [told, *[""] * (cell.columns - 1)]
                spread += [told] * cell.columns
            above = values
            self.row(f"{label} row {number}", names, values)
            if number == 1 and (has_head or (has_head is None and is_header(values, len(cells)))):
                names = column_names(spread)

    def row(self, label: str, names: Sequence[str], cells: Sequence[str]) -> None:
        """A row as `row_line` writes it, if it holds anything.

        Raises PolicyError past the cap, before the cells are joined: many may share a large string.
        """
        self.expect(sum(map(len, cells)))
        if line := row_line(label, names, cells):
            self.add(line)

    def rows(
        self, rows: Iterator[tuple[int, list[str]]], *, width: int = 0, title: str = ""
    ) -> bool:
        """Rows that hold something, with their numbers, below a line `title`; whether there are
        any.

        From the row on that looks like a header, cells carry the names that stand there. `width`
        is the usual number of cells; 0: that of the fullest.
        """
        head = list(islice(rows, MAX_HEAD))
        if head and title:
            self.add(f"\n{title}")
        width = width or max((sum(map(bool, cells)) for _, cells in head), default=0)
        header = next((cells for _, cells in head[:-1] if is_header(cells, width)), None)
        names: list[str] = []
        for number, cells in chain(head, rows):
            self.row(f"row {number}", names, cells)
            if cells is header:
                names = column_names(cells)
        return bool(head)

    def text(self) -> str:
        """All of it, lines parted by LF."""
        return "\n".join(self._lines)


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


def numeral(value: int, form: str) -> str:
    """A number in the form of that for one: `a`, `A`, `i`, `I`, `01`, or `1`.

    Letters go on as `aa`, `bb`; what a form has no sign for is shown in digits.
    """
    if form in ("a", "A") and 1 <= value <= 26 * 10:
        return chr(ord(form) + (value - 1) % 26) * ((value - 1) // 26 + 1)
    if form in ("i", "I") and 1 <= value < 4000:
        roman = ""
        for size, sign in _ROMAN:
            roman += sign * (value // size)
            value %= size
        return roman.upper() if form == "I" else roman
    return f"{value:02}" if form == "01" else str(value)


def span(text: str | None) -> int:
    """How many columns or rows a cell takes, 75 at most: programs write larger numbers where
    nothing follows, and PowerPoint and Word allow no more columns."""
    return max(1, min(number(text, 1), 75))


def number(text: str | None, default: int) -> int:
    """A whole number of up to seven digits; the default for anything else."""
    return int(text) if text and _WHOLE.fullmatch(text) else default
