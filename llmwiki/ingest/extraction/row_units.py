"""The rows of tables as claims: each named by its first column, with its header as a quote."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from llmwiki.core.language.word_forms import singular, word_set
from llmwiki.core.text import fold_quote, normalise
from llmwiki.ingest.extraction.units import UnitClaim, UnitQuote, fits
from llmwiki.sources.dates_in_documents import only_date
from llmwiki.sources.quotes import is_short
from llmwiki.sources.table_rows import Record, RecordCell, Table

ROWS_OF_DATA = 40
"""Rows of a table that become claims, where the document is made of tables."""
ROWS_IN_PROSE = 14
"""The same of a table within a text."""
_LONGEST_NAME, _LONGEST_VALUE = 8, 6
"""Words of what names a row, and of a value that fills a slot."""
_KEYS = word_set("id _id uuid guid key type self href")
"""What tells a machine which object it is, and a reader nothing."""
_NOTHING = word_set("- – — ― ? null none nan n/a [] {} ~ undefined")
_DATES = word_set("""date day month timestamp datetime time period week quarter year measured
    recorded observed updated ts created datum tag monat jahr stand 日付 日時 年月 月 年月日 更新日
    年""") | {"as of", "asof", "last updated", "updated at", "created at"}
"""Names of columns that hold the time a row is about."""
_NUMERIC = re.compile(r"[-+~≈<>≤≥±$€£¥\s]*+[0-9][0-9.,'’\s:/%-]*\S{0,4}")
"""A number, with a unit or without."""


class RowReader:
    """Makes claims of the records of one table."""

    def __init__(self, table: Table, lines: Sequence[str], *, data: bool, scope: str) -> None:
        self._table = table
        self._lines = lines
        self._data = data
        self._scope = scope
        rows: list[dict[str | None, str]] = [
            {cell.name: cell.value for cell in reversed(r.cells)} for r in table.records
        ]
        self._date = next(
            (
                name
                for name in table.columns()
                if name.casefold().replace("_", " ") in _DATES
                if all(only_date(row[name]) for row in rows if name in row)
            ),
            None,
        )
        self._name = self._naming(rows)
        self._times = Counter(
            (row.get(self._name, ""), only_date(row.get(self._date, ""))) for row in rows
        )

    def claims(self, room: int) -> list[UnitClaim]:
        """At most `room` claims, one a record."""
        made: dict[str, UnitClaim] = {}
        for record in self._table.records[: ROWS_OF_DATA if self._data else ROWS_IN_PROSE]:
            claim = self._of(record)
            if claim is not None and claim.text not in made:
                if len(made) == room:
                    break
                made[claim.text] = claim
        return list(made.values())

    def _naming(self, rows: Sequence[Mapping[str | None, str]]) -> str | None:
        """The first column where it names the rows: text that is unique, alone or with the date.

        In a table with a head it may have no name itself: the corner is then left empty.
        """
        names = self._table.columns()
        if all(record.header and not record.cells[0].name for record in self._table.records):
            names.insert(0, "")
        name = next((name for name in names if name != self._date), None)
        if name is None:
            return None
        dated = Counter((row.get(name, ""), row.get(self._date, "")) for row in rows)
        values = [value for value, _ in dated]
        told = all(v and len(v.split()) <= _LONGEST_NAME for v in values)
        plain = any(not _NUMERIC.fullmatch(v) and not only_date(v) for v in values)
        return name if told and plain and max(dated.values()) == 1 else None

    def _of(self, record: Record) -> UnitClaim | None:
        """What a record says; None where that is nothing, or cannot be quoted."""
        at = next((c for c in record.cells if c.name == self._name), None)
        if at is None and self._date is not None:
            at = next((c for c in record.cells if c.name == self._date), None)
        date = next((c.value for c in record.cells if c.name == self._date), "")
        cells = list(record.cells)
        while cells and not (cells[-1].quote and fits(cells[-1].quote)):
            cells.pop()
        said = [c for c in cells if c is not at and c.value.casefold() not in _NOTHING]
        if not said or (at and at not in cells) or (at is None and len(said) < 2):
            return None
        if all(cell.name.casefold().rpartition(" ")[2] in _KEYS for cell in said):
            return None
        quotes = [self._quote(cells[-1].quote, cells[-1].line)]
        if record.header and fits(record.header[0]):
            quotes.append(UnitQuote(*record.header, record.header[1]))
        parts = [f"{c.name}: {c.value}" if c.name else c.value for c in said]
        text = "; ".join([*(part.rstrip(".。") for part in parts[:-1]), parts[-1]])
        text = f"{at.value} — {text}" if at else text
        if not all(map(self._stands, quotes)) or not fold_quote(text):
            return None
        when = only_date(date)
        return UnitClaim(text, tuple(quotes), when, self._scope, self._slot(at, said, when))

    def _slot(
        self, at: RecordCell | None, said: Sequence[RecordCell], when: str
    ) -> tuple[str, str] | None:
        """`ROW · COLUMN` and its value, where a row has one and two of its values cannot hold."""
        filled = [cell for cell in said if cell.name != self._date]
        if not self._data or at is None or len(filled) != 1 or not filled[0].name:
            return None
        name, value = filled[0].name, filled[0].value
        named = self._name is not None
        twice = self._times[at.value if named else "", when] > 1
        if twice or len(value.split()) > _LONGEST_VALUE or ", " in value or value.endswith("."):
            return None
        return (f"{at.value} · {name}" if named else name), value

    def _quote(self, quote: str, line: int) -> UnitQuote:
        """The quote, or its whole line where it is too short to prove anything."""
        if is_short(quote):
            quote = normalise(self._lines[line - 1])
        return UnitQuote(quote, line, line)

    def _stands(self, quote: UnitQuote) -> bool:
        folded = fold_quote(quote.quote)
        return bool(folded) and folded in fold_quote(self._lines[quote.first - 1])


def row_name(text: str) -> str:
    """A name as pages are compared with it."""
    words = text.casefold().split()
    return " ".join([*words[:-1], singular(words[-1])]) if words else ""
