"""A JSON object out of a model's text."""

from __future__ import annotations

import json
import re
from typing import Any

MAX_DEPTH = 64
"""Of an answer's JSON; the deepest schema that we ask for has six levels."""

_FENCE = re.compile(r"```(?:json)?[ \t]*\n(.*?)\n?```", re.DOTALL)


def parse_object(text: str) -> dict[str, Any]:
    """The JSON object in `text`: alone, in a code fence, or between other words.

    Servers without structured outputs wrap JSON in prose. Raises ValueError, saying what is
    wrong, when there is no object, or when it names a key twice.
    """
    stripped = text.strip()
    candidates = [stripped, *(match.strip() for match in _FENCE.findall(stripped))]
    start, end = stripped.find("{"), stripped.rfind("}")
    if 0 <= start < end:
        candidates.append(stripped[start : end + 1])
    error = "the reply is empty" if not stripped else ""
    for candidate in candidates:
        try:
            return read_object(candidate)
        except NotAnObject as failure:
            error = error or str(failure)
    raise ValueError(error)


class NotAnObject(ValueError):
    """A text that is no JSON object; another part of it may be one."""


def read_object(text: str) -> dict[str, Any]:
    """The JSON object that `text` is.

    Raises NotAnObject where it is none, ValueError where it names a key twice, holds what is not
    JSON (`NaN`), or is nested too deeply.
    """
    try:
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("the reply is nested too deeply") from None
    except json.JSONDecodeError as failure:
        raise NotAnObject(f"the reply is not JSON: {failure}") from None
    if is_deep(value):
        raise ValueError("the reply is nested too deeply")
    if not isinstance(value, dict):
        raise NotAnObject("the reply is JSON, but not an object")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("the reply names a key twice")
    return result


def _refuse(constant: str) -> Any:
    raise ValueError(f"the reply holds {constant}, which is not JSON")


def is_deep(value: Any) -> bool:
    """Whether lists and objects stand within one another more than `MAX_DEPTH` times."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [below for each in level for below in _below(each)]
        if not level:
            return False
    return True


def _below(value: Any) -> list[Any]:
    held = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [each for each in held if isinstance(each, dict | list)]
