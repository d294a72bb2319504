"""From a pydantic JSON schema to the subset that structured outputs accept."""

from __future__ import annotations

from collections.abc import Mapping

_KEPT = ("type", "enum", "const", "description", "items", "properties", "anyOf")
"""In the order in which they are sent: the same bytes in every process."""
_SAID = ("minItems", "maxItems", "minLength", "maxLength", "minimum", "maximum", "pattern")


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
