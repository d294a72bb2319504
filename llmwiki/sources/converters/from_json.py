"""JSON and JSON lines to text with Python's own reader, nested data as lines with their paths.

`users[3].name: Ada`; indices count from 0. Runs in the converting process only.
"""

from __future__ import annotations

import json
import re

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.sources.converted import ConvertedText
from llmwiki.sources.converters.writing import Gathered, check_rows
from llmwiki.sources.encodings import decoded
from llmwiki.version import __version__

_CONSTANTS = {True: "true", False: "false", None: "null"}


def convert(data: bytes, cap: int) -> ConvertedText:
    """Each value after its path.

    `cap` bounds the characters gathered. Raises InputError when it is not JSON, PolicyError
    past a limit.
    """
    out = Gathered(cap)
    write_leaves(out, parse_json(decoded(data)))
    return ConvertedText(out.text(), f"llmwiki-json/{__version__}")


def convert_lines(data: bytes, cap: int) -> ConvertedText:
    """Each record after `line N`, its line in the file from 1.

    `cap` bounds the characters gathered. Raises InputError with the line that is not JSON,
    PolicyError past a limit.
    """
    out = Gathered(cap)
    lines = ((at, line) for at, line in enumerate(decoded(data).split("\n"), 1) if line.strip())
    for count, (number, line) in enumerate(lines, start=1):
        check_rows(count)
        write_leaves(out, parse_json(line, f"line {number}"), f"line {number}")
    return ConvertedText(out.text(), f"llmwiki-jsonl/{__version__}")


def parse_json(text: str, where: str = "") -> object:
    """One JSON value. Raises InputError where it is not JSON; `where` names the line then."""
    try:
        value: object = json.loads(
            text, object_pairs_hook=_pairs, parse_int=str, parse_float=str, parse_constant=str
        )
        return _named(value)
    except json.JSONDecodeError as error:
        place = where or f"line {error.lineno}, column {error.colno}"
        raise InputError(
            f"the JSON is broken in {place}: {error.msg}", fix="Write the file again."
        ) from error
    except RecursionError as error:
        raise PolicyError("the JSON is nested too deeply", fix="Write it flatter.") from error


def _pairs(pairs: list[tuple[str, object]]) -> ObjectPairs:
    return ObjectPairs((key, _named(value)) for key, value in pairs)


def _named(value: object) -> object:
    """Constants by their names, in lists too; objects have been here already."""
    if isinstance(value, ObjectPairs):
        return value
    if isinstance(value, list):
        value[:] = [_named(each) for each in value]
        return value
    return _CONSTANTS[value] if value is None or isinstance(value, bool) else value


# --- nested data as lines ----------------------------------------------------------------------

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
