"""The input of a tool, checked by the schemas of its parameters."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from llmwiki.core.errors import InputError

_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "boolean": bool,
    "array": list,
}


def input_schema(
    parameters: Mapping[str, Mapping[str, Any]], required: Collection[str]
) -> dict[str, object]:
    """The JSON schema of the input of a tool."""
    return {
        "type": "object",
        "properties": {name: dict(each) for name, each in parameters.items()},
        "required": list(required),
        "additionalProperties": False,
    }


def checked_arguments(
    tool: str,
    parameters: Mapping[str, Mapping[str, Any]],
    required: Collection[str],
    given: Mapping[str, Any],
    *,
    most: int,
) -> dict[str, Any]:
    """What is given to `tool`, as its parameters want it, at most `most` characters of JSON.

    Schemas are of type string, integer, boolean or array. Raises InputError, in words for a model.
    """
    unknown = sorted(set(given) - set(parameters))
    if unknown:
        raise InputError(f"{tool} has no parameter {unknown[0]!r}")
    missing = [name for name in required if name not in given]
    if missing:
        raise InputError(f"{missing[0]} is required")
    if len(json.dumps(dict(given), ensure_ascii=False)) > most:
        raise InputError(f"the input of {tool} has more than {most:,} characters")
    for name, value in given.items():
        _check_value(name, value, parameters[name])
    return dict(given)


def _check_value(name: str, value: object, schema: Mapping[str, Any]) -> None:
    wanted = schema["type"]
    is_odd_bool = isinstance(value, bool) and wanted != "boolean"
    if not isinstance(value, _TYPES[wanted]) or is_odd_bool:
        raise InputError(f"{name} must be of type {wanted}")
    if isinstance(value, int):
        low, high = schema.get("minimum", value), schema.get("maximum", value)
        if not low <= value <= high:
            raise InputError(f"{name} must be from {low} to {high}")
    if "enum" in schema and value not in schema["enum"]:
        raise InputError(f"{name} must be one of: {', '.join(schema['enum'])}")
