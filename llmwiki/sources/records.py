"""Rows of tables as records: cells with the names of their columns.

The forms are those of docs/sources.md: `row 7 | name: Ada | year: 1843`, `table 1 row 2 | …`, and
Markdown rows under a row that names the columns. Nested data (JSON, YAML) reads into the same:
`users[3] | name: Ada | year: 1843` and `users[3].name: Ada` are about `users[3]`, a member of
`users`; `server.port: 80` is about `server`, which is no list.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from llmwiki.core.text import normalise
from llmwiki.pages.lines import DELIMITERS, table_cells
from llmwiki.sources.plain_words import strip_markup

BAR = " | "
"""What parts the cells of a line."""
_ROW = re.compile(r"(?P<table>(?:table \d+ )?row) \d+ \| (?P<cells>.*)$")
LONGEST_NAME = 80
"""Characters of a column's name that a row repeats (`sources.converters.rows`)."""
MAX_LENGTH = 900
"""Of a quote, in characters: sixty words of no language are longer."""
_LOOK = 20
"""Rows among which the one with the names is looked for, as the converters do."""


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
    depth: int = 1
    """Steps of its path within the record."""


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
    """What they have in common: `row`, `table 1 row`, or the path to their list."""
    sheet: str = ""
    """The sheet of a workbook; empty elsewhere."""
    listed: bool = True
    """Whether they are of one kind, as rows and members of a list are."""
    records: list[Record] = field(default_factory=list)

    @property
    def shown(self) -> str:
        """The path to what is no list, as words: `server limits` for `server.limits`."""
        return " ".join(re.findall(r'(?<=\[")[^"]+|[^\W\d][\w-]*', self.label))

    def columns(self) -> list[str]:
        """The names of all columns, in the order in which they first appear."""
        return list(dict.fromkeys(c.name for r in self.records for c in r.cells if c.name))


def row_label(text: str) -> str | None:
    """`row` or `table 1 row`, which is the same in all rows of a table; None for other lines."""
    found = _ROW.match(text)
    return found["table"] if found else None


def rows(numbered: Sequence[tuple[int, str]]) -> list[Record]:
    """The records of one table's rows; the row with the names, and rows above it, are none."""
    split = [(n, found["cells"]) for n, text in numbered if (found := _ROW.match(text))]
    at, header = _header([cells.split(BAR) for _, cells in split[: _LOOK + 1]])
    names = frozenset(header)
    made = [Record(cells_in(n, text, names)) for n, text in split[at + 1 :]]
    return [record for record in made if record.cells]


def _header(split: Sequence[Sequence[str]]) -> tuple[int, tuple[str, ...]]:
    """The row whose cells the next one repeats before its values; (-1, ()) without one."""
    for at, (names, following) in enumerate(pairwise(split)):
        begins = tuple(f"{name}: " for name in names)
        if len(names) > 1 and following[0].startswith(begins):
            return at, tuple(names)
    return -1, ()


def cells_in(number: int, text: str, names: Collection[str]) -> tuple[RecordCell, ...]:
    """The cells of a line `name: Ada | year: 1843`; without names they have none.

    What begins with none of the names goes on with the cell before: its value holds a bar.
    """
    held: list[tuple[str, list[str], int]] = []
    end = 0
    for part in text.split(BAR):
        end += len(part)
        name = _named(part, names) if names else ""
        if names and not name and held:
            held[-1][1].append(part)
            held[-1] = (*held[-1][:2], end)
        elif part.strip():
            held.append((name, [part[len(name) + 2 :] if name else part], end))
        end += len(BAR)
    cells = (
        RecordCell(name, strip_markup(BAR.join(parts)), number, quote_of(text, end))
        for name, parts, end in held
    )
    return tuple(cell for cell in cells if cell.value)


def _named(part: str, names: Collection[str]) -> str:
    """The longest of the names that a cell begins with."""
    found = ""
    at = part.find(": ", 0, LONGEST_NAME + 2)
    while at >= 0:
        found = part[:at] if part[:at] in names else found
        at = part.find(": ", at + 1, LONGEST_NAME + 2)
    return found


def quote_of(text: str, end: int) -> str:
    """The words of a line up to `end`; none where that is longer than any quote."""
    return normalise(text[:end]) if end <= 2 * MAX_LENGTH else ""


def pipe_rows(numbered: Sequence[tuple[int, str]]) -> list[Record]:
    """The records of a Markdown table whose first row names the columns; else none."""
    body = [(number, text) for number, text in numbered if not DELIMITERS.match(text)]
    if len(body) < 2:
        return []
    (line, head), *rest = body
    names = [strip_markup(cell).rstrip(":：") for cell in table_cells(head)]
    if not _names_columns(names, DELIMITERS.match(numbered[1][1]) is not None, len(body)):
        return []
    made = [Record(_pipe_cells(n, text, names), (normalise(head), line)) for n, text in rest]
    return [record for record in made if record.cells]


def _pipe_cells(number: int, text: str, names: Sequence[str]) -> tuple[RecordCell, ...]:
    cells: list[RecordCell] = []
    end = 0
    split = table_cells(text)
    for at, raw in enumerate(split):
        end = text.find(raw, end) + len(raw) if at + 1 < len(split) else len(text)
        name = names[at] if at < len(names) else ""
        cells.append(RecordCell(name, strip_markup(raw), number, quote_of(text, end)))
    return tuple(cell for cell in cells if cell.value)


def _names_columns(names: Sequence[str], marked: bool, size: int) -> bool:
    """Whether the first row does: it is marked so, or all of it are different words."""
    named = [name for name in names if name]
    if len(names) < 2 or not named or len(set(named)) < len(named):
        return False
    worded = len(named) == len(names) and not any(any(map(str.isdigit, n)) for n in named)
    return marked or (size > 2 and worded)


_NAME = r"[^\W\d][\w-]*"
_QUOTED = r'\["(?:[^"\\]|\\.){1,200}"\]'
_INDEX = r"\[\d+\]"
_STEP = re.compile(rf"line \d+|{_NAME}|{_QUOTED}|{_INDEX}")
_PATH = re.compile(
    rf"(?:line \d+|{_NAME}|{_QUOTED}|{_INDEX})(?:\.{_NAME}|{_QUOTED}|{_INDEX}){{0,200}}"
)
_KEY = re.compile(r"(?:^| \| )([^:|]{1,80}):(?= |$)")
_WRAPPERS = frozenset({"properties", "attributes"})
"""Steps of a path that say nothing of what is below (GeoJSON, JSON:API)."""


@dataclass(frozen=True, slots=True)
class Value:
    """What one line says of a record."""

    group: str
    """Path to the list that the record is a member of, or to the record where it is of none."""
    record: str
    """Path to the record."""
    listed: bool
    """Whether it is a member of a list."""
    cells: tuple[RecordCell, ...]
    opens: bool = False
    """Whether its text stands in the lines below."""


def read_value(number: int, text: str) -> Value | None:
    """A line `path: value`, `path | name: value | …` or `name: value | …`; None for others."""
    path = _PATH.match(text)
    if path is None:
        return None
    rest = text[path.end() :]
    if rest.startswith(": ") and len(_KEY.findall(text)) > 1:
        return Value("", "", False, _inline(number, text, "", ""))
    if not rest.startswith((":", BAR)) or rest[1:2] not in ("", " ", "|"):
        return None
    steps = list(_STEP.finditer(path[0]))
    at = next((i for i, step in enumerate(steps) if _is_member(step[0])), None)
    inline = rest.startswith(BAR)
    top = len(steps) - (0 if inline else 1) if at is None else at + 1
    within = steps[top:]
    # A member's number says where it stands today; other paths belong to what the line says.
    start = 0 if at is None else within[-1].start() if within else path.end() + len(BAR)
    shown = " ".join(filter(None, (_shown(step[0]) for step in within)))
    record = path[0][: steps[top - 1].end()] if top else ""
    group = record if at is None else path[0][: steps[at].start()]
    if inline:
        before = text[start : path.end() + len(BAR)]
        cells = _inline(number, rest[len(BAR) :], shown, before)
    else:
        value = strip_markup(rest[1:].replace(BAR, ", "))
        cells = (RecordCell(shown, value, number, quote_of(text[start:], len(text) - start)),)
    cells = tuple(replace(cell, depth=len(within) + inline) for cell in cells)
    return Value(group, record, at is not None, cells, opens=rest == ":")


def _inline(number: int, text: str, shown: str, before: str) -> tuple[RecordCell, ...]:
    """The cells of an object on one line, below the steps `shown`, written as `before`."""
    cells = cells_in(number, text, frozenset(_KEY.findall(text)))
    return tuple(
        replace(
            cell,
            name=f"{shown} {cell.name}".strip(),
            quote=normalise(before + cell.quote) if cell.quote else "",
        )
        for cell in cells
    )


def _is_member(step: str) -> bool:
    return step.startswith("line ") or (step[0] == "[" and step[1].isdigit())


def _shown(step: str) -> str:
    """A step as a word: keys as they are, without indices and wrappers."""
    if step.startswith('["'):
        return normalise(step[2:-2].replace('\\"', '"'))
    return "" if step.startswith("[") or step in _WRAPPERS else step
