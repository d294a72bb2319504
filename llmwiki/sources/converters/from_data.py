"""JSON, JSON lines and YAML to text: nested data as lines with their paths, `users[3].name: Ada`.

Indices count from 0. Nothing is constructed but strings, lists and objects: values stay as they are
written, and tags of YAML are passed over. Runs in the converting process only.
"""

from __future__ import annotations

import json
import re
from typing import Any

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.sources.converters.numbered_text_writer import Gathered, check_rows
from llmwiki.sources.encodings import decoded

SMALL = 240
"""Characters of an object or list of plain values that is written on one line."""
_NAME = re.compile(r"[^\W\d][\w-]*")


def convert_json(data: bytes, out: Gathered) -> None:
    """Each value after its path.

    Raises InputError when it is not JSON, PolicyError past a limit.
    """
    _write(out, parse_json(decoded(data)))


def convert_lines(data: bytes, out: Gathered) -> None:
    """Each record after `line N`, its line in the file from 1.

    Raises as `convert_json` does, naming the line that is not JSON.
    """
    lines = ((at, line) for at, line in enumerate(decoded(data).split("\n"), 1) if line.strip())
    for count, (number, line) in enumerate(lines, start=1):
        check_rows(count)
        _write(out, parse_json(line, f"line {number}"), f"line {number}")


def convert_yaml(data: bytes, out: Gathered) -> None:
    """Each value after its path; several documents each after a line `[document N]`.

    An alias reads like what it stands for, as often as it stands: the cap of `out` keeps aliases
    from multiplying. Raises InputError when it is not YAML, PolicyError past a limit.
    """
    import yaml

    # libyaml's parser where PyYAML was built with it, else the one in Python.
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        documents = list(yaml.load_all(decoded(data), Loader=loader))
    except yaml.YAMLError as error:
        raise InputError(
            f"the YAML is broken ({' '.join(str(error).split())[:200]})",
            fix="Correct it where the message says.",
        ) from error
    except RecursionError as error:
        raise _too_deep() from error
    out.libraries.append(f"pyyaml/{yaml.__version__}")
    for number, value in enumerate(documents, start=1):
        if len(documents) > 1:
            out.part()
            out.add(f"[document {number}]")
        _write(out, value)


def parse_json(text: str, where: str = "") -> object:
    """One JSON value, its numbers as they are written.

    Raises InputError where it is not JSON (`where` names the line then), PolicyError where it is
    nested too deeply.
    """
    try:
        value: object = json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
    except json.JSONDecodeError as error:
        place = where or f"line {error.lineno}, column {error.colno}"
        raise InputError(
            f"the JSON is broken in {place}: {error.msg}", fix="Write the file again."
        ) from error
    except RecursionError as error:
        raise _too_deep() from error
    return value


def _too_deep() -> PolicyError:
    return PolicyError("it is nested too deeply", fix="Write it flatter.")


def _write(out: Gathered, value: Any, path: str = "") -> None:
    """Each plain value after its path; an object or list of few short ones on one line.

    `users[3] | name: Ada | year: 1843`, `tags: red | blue`. A text of several lines stands as it is
    below its path.
    """
    if line := _one_line(value, path):
        out.add(line)
    elif isinstance(value, str):
        out.part()
        if path:
            out.add(f"{path}:")
        out.add(value.strip("\n"))
        out.part()
    else:
        try:
            for key, each in _members(value):
                _write(out, each, _below(path, key))
        except RecursionError as error:
            raise _too_deep() from error


def _one_line(value: Any, path: str) -> str:
    """The value's only line; empty where it needs several."""
    if not value or not isinstance(value, dict | list):
        text = _plain(value)
        return "" if text is None else f"{path}: {text}".removeprefix(": ")
    if len(value) > SMALL:
        return ""
    cells = [(key, text) for key, each in _members(value) if (text := _plain(each)) is not None]
    if len(cells) < len(value):
        return ""
    if isinstance(value, list):
        line = f"{path}: {' | '.join(text for _, text in cells)}".removeprefix(": ")
    else:
        named = (f"{key}: {text}".rstrip() for key, text in cells)
        line = " | ".join([path, *named] if path else named)
    return line if len(line) <= SMALL and (len(cells) <= 8 or isinstance(value, list)) else ""


def _plain(value: Any) -> str | None:
    """A value that is one line; None for others."""
    if isinstance(value, str):
        return None if "\n" in value.strip() else value.strip()
    return None if value and isinstance(value, dict | list) else json.dumps(value)


def _members(value: Any) -> list[tuple[str | int, Any]]:
    return list(value.items() if isinstance(value, dict) else enumerate(value))


def _below(path: str, key: str | int) -> str:
    """A member below a path: `a[3]`, `a.b`, or `a["odd key"]` where a point would not tell its
    ends."""
    if isinstance(key, str) and _NAME.fullmatch(key):
        return f"{path}.{key}" if path else key
    return f"{path}[{json.dumps(key, ensure_ascii=False)}]"
