"""Records into claims: what each row says, whose claim it is, and how many there may be."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from llmwiki.core.text import normalise
from llmwiki.extraction.answer_limits import MIN_CHARACTERS, MIN_WORDS
from llmwiki.extraction.embedded.columns import Columns, cell_of, columns_of, date_of
from llmwiki.extraction.embedded.names import clean_name, fold_name, has_cjk
from llmwiki.extraction.embedded.records import Record, RecordCell, Table
from llmwiki.extraction.embedded.running_text import SourceLines
from llmwiki.extraction.embedded.selection import MOST_CLAIMS, SelectedStatement
from llmwiki.extraction.embedded.shape import fits, weight_of
from llmwiki.extraction.embedded.statements import DocumentStatement, StatementEvidence
from llmwiki.extraction.embedded.subjects import (
    MOST_SUBJECTS,
    SubjectCandidate,
    SubjectCandidates,
)
from llmwiki.extraction.embedded.vocabulary import GENERIC_HEADERS, phrases
from llmwiki.language.plurals import word_set

ROWS_PER_TABLE = 40
"""Rows of a table that become claims; a table of more makes no pages."""
ROWS_IN_PROSE = 10
"""The same of a table that only illustrates a text."""
NAMELESS_ROWS = 5
"""The same where nothing says what a row is about: a few show what the table holds."""
LINES_PER_RECORD = 6
"""Claims of an object that is written on several lines and stands in a list of such."""
LINES_ALONE = 20
"""The same of one that stands in none."""
LEAST_SHARE = 8
"""Rows that even the last of many tables may give, while there is room."""
_LONGEST_VALUE = 6
"""Words of a value that fills a slot; more is a description."""
_LEAST_EXPLAINED = 5
"""Words of a cell that explains what the row is about."""
_DEFAULT = re.compile(r"default|既定|デフォルト|初期値", re.IGNORECASE)
_NOTHING = word_set("- – — ― ? null none nan n/a [] {} ~ undefined")
_KEYS = word_set("id _id uuid guid key type self href")
"""Columns that tell a machine which object it is, and a reader nothing."""
_SUMS = phrases("total|totals|sum|subtotal|grand total|average|mean|median|合計|計|平均|総計")


@dataclass(frozen=True, slots=True)
class TableCoverage:
    """How many of a table's rows became claims."""

    table: Table
    rows: int
    names: tuple[str, ...]
    """What they are about, where that has pages of its own."""


class Rows:
    """Makes claims of the tables of one document."""

    def __init__(
        self,
        form: SourceLines,
        lines: Sequence[str],
        subjects: SubjectCandidates,
        stands: Callable[[StatementEvidence], bool],
    ) -> None:
        self._form = form
        self._lines = lines
        self._subjects = subjects
        self._stands = stands
        self._owners: set[str] = set()
        self._scoped = False
        """Whether there are several sheets, so that one row holds of one of them only."""
        self._texts: set[str] = set()
        self.told: list[TableCoverage] = []
        """For each table, in order, how much of it was taken."""

    def choose(self, prose: Sequence[SelectedStatement]) -> list[SelectedStatement]:
        """The claims of all tables, in reading order, beside those of the running text."""
        self._owners = {one.owner.key for one in prose}
        found: list[SelectedStatement] = []
        tables = self._form.tables
        self._scoped = len({table.sheet for table in tables}) > 1
        for at, table in enumerate(tables):
            room = MOST_CLAIMS - len(prose) - len(found)
            share = max(min(room, LEAST_SHARE), room // (len(tables) - at))
            found += self._table(table, share)
        return found

    def _table(self, table: Table, room: int) -> list[SelectedStatement]:
        if not room:
            self.told.append(TableCoverage(table, 0, ()))
            return []
        columns = columns_of(table)
        writer = _Writer(table, columns, self._lines, table.sheet if self._scoped else "")
        found: list[SelectedStatement] = []
        taken = 0
        for record in self._picked(table, columns):
            name = writer.subject(record)
            owner = self._owner(table, columns, name)
            own = bool(name) and owner.key == fold_name(clean_name(name))
            made = [one for one in writer.statements(record, own=own) if self._is_new(one)]
            if not made or len(found) + len(made) > room:
                continue
            self._owners.add(owner.key)
            taken += 1
            found += [SelectedStatement(one, owner, 1.0, own) for one in made]
        names = dict.fromkeys(one.owner.name for one in found if one.direct)
        self.told.append(TableCoverage(table, taken, tuple(names)))
        return found

    def _is_new(self, statement: DocumentStatement) -> bool:
        key = f"{statement.scope}\n{statement.text}".casefold()
        if key in self._texts or not all(map(self._stands, statement.evidence)):
            return False
        self._texts.add(key)
        return True

    def _picked(self, table: Table, columns: Columns) -> list[Record]:
        """The first rows; of a long table those that name known pages before all others."""
        nameless = table.listed and not (columns.subject or columns.number or columns.date)
        most = ROWS_PER_TABLE if self._form.data else ROWS_IN_PROSE
        most = NAMELESS_ROWS if nameless else most
        records = table.records
        if len(records) <= most:
            return records
        named = [at for at, one in enumerate(records) if self._is_known(one, columns)][:most]
        first = [at for at in range(most) if at not in named]
        return [records[at] for at in sorted([*named, *first[: most - len(named)]])]

    def _is_known(self, record: Record, columns: Columns) -> bool:
        cell = cell_of(record, columns.subject)
        return cell is not None and fold_name(clean_name(cell.value)) in self._subjects.known

    def _owner(self, table: Table, columns: Columns, name: str) -> SubjectCandidate:
        """The page of what a row is about: one there is, a new one, or that of its surroundings."""
        name = clean_name(name)
        key = fold_name(name)
        if not table.listed or not key:
            return self._subjects.document
        candidate = self._subjects.by_key.get(key)
        if candidate is not None and (candidate.known or candidate.key in self._owners):
            return candidate
        room = len(self._owners) < MOST_SUBJECTS and len(table.records) <= ROWS_PER_TABLE
        room = room and bool(columns.kind) and name.casefold() not in _SUMS
        if key in self._subjects.known or (self._form.data and room):
            candidate = self._subjects.add(name)
            if candidate is not None:
                candidate.kind = columns.kind
                return candidate
        return self._subjects.document


class _Writer:
    """Writes the records of one table as statements."""

    def __init__(self, table: Table, columns: Columns, lines: Sequence[str], scope: str) -> None:
        self._table = table
        self._columns = columns
        self._scope = scope
        self._lines = lines
        self._slots = Counter(self._when(record) for record in table.records)
        self._same = _constant(table) if table.listed else frozenset()
        self._lists = {c.name for r in table.records for c in r.cells if ", " in c.value}

    def subject(self, record: Record) -> str:
        """The name of what the record is about; empty where it names nothing."""
        cell = cell_of(record, self._columns.subject)
        return cell.value if cell else ""

    def _when(self, record: Record) -> tuple[str, str]:
        date = cell_of(record, self._columns.date)
        when = date.value if date else ""
        # A claim holds as of a day: what happened at two hours of one day fills no slot.
        return self.subject(record).casefold(), date_of(when) or when

    def statements(self, record: Record, *, own: bool) -> list[DocumentStatement]:
        """One for each line of the record that says something; `own`: of a page of its own."""
        label, at = self._label(record)
        date = cell_of(record, self._columns.date)
        made: list[DocumentStatement] = []
        most = LINES_PER_RECORD if self._table.listed else LINES_ALONE
        for line, group in groupby(record.cells, key=lambda cell: cell.line):
            cells = _fitting(list(group))
            said = [cell for cell in cells if cell is not at and self._says(cell, len(cells))]
            if not said or (at and (not at.quote or (at.line == line and at not in cells))):
                continue
            if len(made) == most:
                break
            if self._table.listed and not label and len(said) < 2:
                continue
            if self._table.label == "|" and not (self._columns.subject and _is_worth(label, said)):
                continue
            text = "; ".join([_said(cell).rstrip(".。") for cell in said[:-1]] + [_said(said[-1])])
            text = f"{label} — {text}" if label else text
            evidence = [self._evidence(cells[-1].quote, line)]
            if at and at.line != line:
                evidence.append(self._evidence(at.quote, at.line))
            if record.header and fits(record.header[0]):
                evidence.append(
                    StatementEvidence(record.header[0], record.header[1], record.header[1])
                )
            made.append(
                DocumentStatement(
                    text,
                    text,
                    tuple(evidence),
                    0,
                    line,
                    "row",
                    label=clean_name(self.subject(record)),
                    as_of=date_of(date.value) if date else "",
                    scope=self._scope,
                    slot=self._slot(record, said, own),
                )
            )
        return made

    def _label(self, record: Record) -> tuple[str, RecordCell | None]:
        """What a claim of the record begins with, and the cell that says so."""
        columns = self._columns
        if (cell := cell_of(record, columns.subject)) is not None:
            return cell.value, cell
        if (cell := cell_of(record, columns.number)) is not None:
            return f"{cell.name} {cell.value}", cell
        if (cell := cell_of(record, columns.date)) is not None:
            return cell.value, cell
        if self._table.listed:
            first = record.cells[0]
            if self._table.label == "|":
                return first.value, first
            return ("", None) if first.name else (first.value, first)
        return self._table.shown, None

    def _says(self, cell: RecordCell, together: int) -> bool:
        if cell.value.casefold() in _NOTHING:
            return False
        last = cell.name.casefold().rpartition(" ")[2]
        return together > 1 or not (cell.name in self._same or last in _KEYS)

    def _slot(
        self, record: Record, said: Sequence[RecordCell], own: bool
    ) -> tuple[str, str] | None:
        """The one column that the statement fills, where two of its values cannot both hold."""
        columns = self._columns
        timed = bool(columns.date) and not columns.subject and not columns.number
        filled = [cell for cell in said if cell.name not in (columns.date, columns.number)]
        if not (own or timed) or len(filled) != 1 or self._slots[self._when(record)] > 1:
            return None
        name, value = filled[0].name, filled[0].value
        many = not name or name in self._lists or name.casefold() in GENERIC_HEADERS
        if many or len(value.split()) > _LONGEST_VALUE or value.endswith("."):
            return None
        return name, value

    def _evidence(self, quote: str, line: int) -> StatementEvidence:
        """The quote, or its whole line where it is too short to prove anything."""
        if len(quote) < MIN_CHARACTERS and len(quote.split()) < MIN_WORDS:
            quote = normalise(self._lines[line - 1])
        return StatementEvidence(quote, line, line)


def _is_worth(label: str, said: Sequence[RecordCell]) -> bool:
    """Whether a row in a text explains what it names, or tells the default of a setting.

    Measurements and names beside names say nothing without the text around them.
    """
    explained = any(
        weight_of(cell.value) >= _LEAST_EXPLAINED
        and (has_cjk(cell.value) or cell.value[:1].isupper())
        and sum(map(str.isalpha, cell.value)) * 4 > len(cell.value.replace(" ", "")) * 3
        for cell in said
    )
    set_to = any(_DEFAULT.search(cell.name) for cell in said) and len(label.split()) == 1
    return explained or set_to


def _fitting(cells: list[RecordCell]) -> list[RecordCell]:
    """As many cells of a line as a quote may hold."""
    while cells and not (cells[-1].quote and fits(cells[-1].quote)):
        cells.pop()
    return cells


def _said(cell: RecordCell) -> str:
    plain = not cell.name or cell.name.casefold() in GENERIC_HEADERS
    return cell.value if plain else f"{cell.name}: {cell.value}"


def _constant(table: Table) -> frozenset[str]:
    """Columns in which all of several records have one value: they tell nothing of one."""
    values: dict[str, set[str]] = {}
    for record in table.records:
        for cell in record.cells:
            values.setdefault(cell.name, set()).add(cell.value)
    if len(table.records) < 3:
        return frozenset()
    return frozenset(name for name, held in values.items() if len(held) == 1)
