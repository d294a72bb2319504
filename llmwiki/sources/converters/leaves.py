"""Nested data as lines with their paths: `users[3].name: Ada`. Indices count from 0."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from llmwiki.core.errors import PolicyError

if TYPE_CHECKING:
    from llmwiki.sources.converters.writing import Gathered

MAX_DEPTH = 200
"""Levels of nesting."""
MAX_NODES = 3_000_000
"""Values met on the way; those that are met again (aliases of YAML) count again."""
SMALL = 240
"""Characters of an object or list of plain values that is written on one line."""

_NAME = re.compile(r"[^\W\d][\w-]*")


class ObjectPairs(list[tuple[str, object]]):
    """An object's keys and values, in order, repeated keys and all."""


def write_leaves(out: Gathered, value: object, path: str = "") -> None:
    """Each plain value after its path; an object or list of few short ones on one line.

    `users[3] | name: Ada | year: 1843`, `tags: red | blue`. A text of several lines stands as
    it is below its path. Raises PolicyError past the limits here and of `out`.
    """
    _Writer(out).write(value, path, 0)


class _Writer:
    def __init__(self, out: Gathered) -> None:
        self._out = out
        self._nodes = 0

    def write(self, value: object, path: str, depth: int) -> None:
        self._nodes += 1
        if depth > MAX_DEPTH or self._nodes > MAX_NODES:
            raise PolicyError(
                "it is nested more deeply, or has more values, than is read",
                fix=f"At most {MAX_DEPTH} levels and {MAX_NODES:,} values; split it.",
            )
        if isinstance(value, str):
            self._plain(value, path)
        elif line := _one_line(value, path):
            self._nodes += len(value) if isinstance(value, list) else 0
            self._out.add(line)
        elif isinstance(value, ObjectPairs):
            for key, each in value:
                self.write(each, joined(path, key), depth + 1)
        elif isinstance(value, list):
            for index, each in enumerate(value):
                self.write(each, f"{path}[{index}]", depth + 1)

    def _plain(self, value: str, path: str) -> None:
        label = f"{path}:" if path else ""
        if "\n" in value.strip():
            self._out.part()
            if label:
                self._out.add(label)
            self._out.add(value.strip("\n"))
            self._out.part()
        else:
            self._out.add(f"{label} {value.strip()}".strip())


def joined(path: str, key: str) -> str:
    """A key below a path: `a.b`, or `a["odd key"]` where a point would not tell its ends."""
    if _NAME.fullmatch(key):
        return f"{path}.{key}" if path else key
    return f"{path}[{json.dumps(key, ensure_ascii=False)}]"


def _one_line(value: object, path: str) -> str:
    """The value's only line; empty where it needs several."""
    if isinstance(value, ObjectPairs):
        if not value:
            return f"{path}: {{}}".removeprefix(": ")
        if len(value) > 8 or not all(_is_short(each) for _, each in value):
            return ""
        cells = [f"{key}: {each}".rstrip() for key, each in value]
        line = " | ".join([path, *cells] if path else cells)
    elif isinstance(value, list):
        if not value:
            return f"{path}: []".removeprefix(": ")
        if len(value) > SMALL or not all(_is_short(each) for each in value):
            return ""
        line = f"{path}: {' | '.join(map(str, value))}".removeprefix(": ")
    else:
        return ""
    return line if len(line) <= SMALL else ""


def _is_short(value: object) -> bool:
    return isinstance(value, str) and len(value) <= SMALL and "\n" not in value
