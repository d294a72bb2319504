"""One section of the generated report: what it says, apart from any format."""

from __future__ import annotations

from dataclasses import dataclass

COLUMNS = ("Part", "Records", "State")
"""The names of the columns of every table."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section, in plain text without markup."""

    number: int
    heading: str
    prose: tuple[str, ...]
    items: tuple[str, ...]
    """Of a numbered list."""
    rows: tuple[tuple[str, ...], ...]
    """Of a table below COLUMNS."""
    note: str
    """A footnote, or what a speaker says."""
    inserted: str
    """A tracked insertion."""
    deleted: str
    """A tracked deletion."""
    japanese: str

    @property
    def numbered(self) -> list[str]:
        """The items with the numbers that a Word document shows: those of the list, 1.1, 1.2."""
        return [f"{self.number}.{n} {item}" for n, item in enumerate(self.items, start=1)]
