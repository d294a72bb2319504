"""JSON as plain strings, lists and Pairs; numbers stay as they are written."""

from __future__ import annotations

import json

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.sources.converters.leaves import ObjectPairs

_CONSTANTS = {True: "true", False: "false", None: "null"}


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
