"""Rows of tables as records: cells with the names of their columns.

The forms are those of docs/sources.md: `row 7 | name: Ada | year: 1843`, `table 1 row 2 | …`, and
Markdown rows under a row that names the columns. Nested data (JSON, YAML) reads into the same:
`users[3] | name: Ada | year: 1843` and `users[3].name: Ada` are about `users[3]`, a member of
`users`; `server.port: 80` is about `server`, which is no list.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from llmwiki.core.text import normalise
from llmwiki.pages.lines import DELIMITERS, table_cells
from llmwiki.sources.plain_words import strip_markup

BAR = " | "
"""What parts the cells of a line."""
LONGEST_LINE = 2_000
"""Characters of a line up to which its beginning is quoted, as the converters wrap lines."""
_ROW = re.compile(r"(?P<table>(?:table \d+ )?row) \d+ \| ")
_LOOK = 20
"""Rows among which the one with the names is looked for, as the converters do."""
_NAME = r"[^\W\d][\w-]*"
_QUOTED = r'\["(?:[^"\\]|\\.){1,200}"\]'
_MEMBER = r"line \d+|\[\d+\]"
_STEP = re.compile(rf"{_MEMBER}|{_NAME}|{_QUOTED}")
_PATH = re.compile(rf"(?:{_MEMBER}|{_NAME}|{_QUOTED})(?:\.{_NAME}|{_QUOTED}|\[\d+\]){{0,200}}")
_KEY = re.compile(r"(?:^| \| )([^:|]{1,80}):(?= |$)")


@dataclass(frozen=True, slots=True)
class RecordCell:
    """A value with the name of its column, or with its path within the record."""

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
    """What one row or object says; it has at least one cell."""

    cells: tuple[RecordCell, ...]
    header: tuple[str, int] | None = None
    """Where the columns are named elsewhere: the words of that row, and its line."""


@dataclass(slots=True)
class Table:
    """Records that stand together, in order."""

    label: str
    """What they have in common: `row`, `table 1 row`, `|`, or the path to their list as words."""
    sheet: str = ""
    """The sheet of a workbook; empty elsewhere."""
    listed: bool = True
    """Whether they are of one kind, as rows and members of a list are."""
    records: list[Record] = field(default_factory=list)

    def columns(self) -> list[str]:
        """The names of all columns, in the order in which they first appear."""
        return list(dict.fromkeys(c.name for r in self.records for c in r.cells if c.name))


@dataclass(frozen=True, slots=True)
class ValueLine:
    """What one line of nested data says of a record."""

    group: str
    """Path to the list that the record is a member of, as words; else to the record."""
    record: tuple[str, ...]
    """The steps of the path to the record."""
    listed: bool
    """Whether it is a member of a list."""
    cells: tuple[RecordCell, ...]
    opens: bool
    """Whether its text stands in the lines below."""


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


def _cells(
    number: int, text: str, at: int, names: Collection[str], start: int = -1, shown: str = ""
) -> tuple[RecordCell, ...]:
    """The cells of a line `name: Ada | year: 1843` from index `at`; without names they have none.

    What begins with none of the names goes on with the cell before: its value holds a bar. Quotes
    begin at index `start`, names with the words `shown`.
    """
    start = at if start < 0 else start
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
        RecordCell(f"{shown} {name}".strip(), strip_markup(value), number, _quote(text[start:end]))
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


def read_value(number: int, text: str) -> ValueLine | None:
    """A line `path: value`, `path | name: value | …` or `name: value | …`; None for others."""
    path = _PATH.match(text)
    rest = text[path.end() :] if path else ""
    if path is None or not (rest.startswith((": ", BAR)) or rest == ":"):
        return None
    keys = _KEY.findall(text)
    if rest.startswith(": ") and len(keys) > 1:
        return ValueLine("", (), False, _cells(number, text, 0, keys), False)
    inline = rest.startswith(BAR)
    steps = list(_STEP.finditer(path[0]))
    member = next((at for at, step in enumerate(steps) if re.fullmatch(_MEMBER, step[0])), None)
    top = len(steps) - (not inline) if member is None else member + 1
    # The number of a member says where it stands today, and is no part of a quote.
    start = 0 if member is None else path.end() + len(BAR)
    start = steps[top].start() if member is not None and top < len(steps) else start
    shown = _shown(step[0] for step in steps[top:])
    if inline:
        cells = _cells(number, text, path.end() + len(BAR), keys, start, shown)
    else:
        value = strip_markup(rest[1:].replace(BAR, ", "))
        cells = (RecordCell(shown, value, number, _quote(text[start:])),) if value else ()
    record = tuple(step[0] for step in steps[:top])
    group = _shown(record if member is None else record[:-1])
    return ValueLine(group, record, member is not None, cells, rest == ":")


def _shown(steps: Iterable[str]) -> str:
    """The steps of a path as words, without indices."""
    words = (step[2:-2].replace('\\"', '"') if step[:2] == '["' else step for step in steps)
    return normalise(" ".join(word for word in words if word[:1] != "["))
