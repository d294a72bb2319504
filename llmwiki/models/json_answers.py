"""JSON that a model answers in: the schema that it is asked for, and the object out of its text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_KEPT = ("type", "enum", "const", "description", "items", "properties", "anyOf")
"""In the order in which they are sent: the same bytes in every process."""
_SAID = ("minItems", "maxItems", "minLength", "maxLength", "minimum", "maximum", "pattern")
MAX_DEPTH = 64
"""Of an answer's JSON; the deepest schema that we ask for has six levels."""

_FENCE = re.compile(r"```(?:json)?[ \t]*\n(.*?)\n?```", re.DOTALL)


def output_schema(schema: Mapping[str, object]) -> dict[str, object]:
    """`schema` with references inlined, objects closed and nothing the API would refuse.

    A property that may be null becomes an optional one without null; every other property is
    required, also those with a default. That keeps unions out and the number of optional
    properties low, the two things grammar compilers limit (a 400 says "compiled grammar is too
    large" or "schema is too complex"). Limits of length and range are told in the description:
    the validator of the caller enforces them. Recursive schemas are not supported.
    """
    definitions = schema.get("$defs", {})
    return _convert(schema, definitions if isinstance(definitions, Mapping) else {})


def _convert(node: Mapping[str, object], defs: Mapping[str, object]) -> dict[str, object]:
    node = _resolve(node, defs)
    result: dict[str, object] = {key: node[key] for key in _KEPT if key in node}
    limits = ", ".join(f"{key} {node[key]}" for key in _SAID if key in node)
    if limits:
        said = result.get("description")
        result["description"] = f"{said} ({limits})" if said else f"({limits})"
    variants = result.get("anyOf")
    if isinstance(variants, list):
        result["anyOf"] = [_convert(variant, defs) for variant in variants]
    items = result.get("items")
    if isinstance(items, Mapping):
        result["items"] = _convert(items, defs)
    properties = result.get("properties")
    if isinstance(properties, Mapping):
        result |= _close(properties, defs)
    return result


def _close(properties: Mapping[str, object], defs: Mapping[str, object]) -> dict[str, object]:
    """The keywords of an object that allows exactly these properties."""
    converted: dict[str, object] = {}
    required: list[str] = []
    for name, value in properties.items():
        if not isinstance(value, Mapping):
            continue
        bare, nullable = _without_null(value)
        converted[name] = _convert(bare, defs)
        if not nullable:
            required.append(name)
    return {"properties": converted, "required": required, "additionalProperties": False}


def _without_null(node: Mapping[str, object]) -> tuple[Mapping[str, object], bool]:
    variants = node.get("anyOf")
    if not isinstance(variants, list):
        return node, False
    rest = [variant for variant in variants if variant != {"type": "null"}]
    if len(rest) == len(variants):
        return node, False
    others = {key: value for key, value in node.items() if key != "anyOf"}
    if len(rest) == 1 and isinstance(rest[0], Mapping):
        return {**rest[0], **others}, True
    return {**others, "anyOf": rest}, True


def _resolve(node: Mapping[str, object], defs: Mapping[str, object]) -> Mapping[str, object]:
    reference = node.get("$ref")
    if not isinstance(reference, str):
        return node
    target = defs[reference.rsplit("/", 1)[-1]]
    others = {key: value for key, value in node.items() if key != "$ref"}
    return {**target, **others} if isinstance(target, Mapping) else others


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
