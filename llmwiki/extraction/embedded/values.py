"""Nested data (JSON, JSON lines, YAML) as records: what each line says of which object.

`users[3] | name: Ada | year: 1843` and `users[3].name: Ada` are about `users[3]`, a member of
`users`; `server.port: 80` is about `server`, which is no list.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from llmwiki.core.text import normalise
from llmwiki.extraction.embedded.inline import strip_markup
from llmwiki.extraction.embedded.records import BAR, RecordCell, cells_in, quote_of

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
