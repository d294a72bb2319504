"""JSON objects made of values, as their published schemas have them; the schemas by name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from llmwiki.app.json_output.composed_values import Told, along
from llmwiki.app.json_output.special_keys import DIFFERENCES, SPARSE
from llmwiki.core.errors import InputError
from llmwiki.core.text import nearest

_FOLDER = Path(__file__).with_name("schemas")
_PARTS = {"graph": "GraphJson", "graph-path": "GraphPathJson", "neighbours": "NeighboursJson"}
"""Objects that share the schema `llmwiki.graph/1`, and what each is called there."""

_PRINTED = {
    "asked": "a command that asks one question, --json",
    "taint": "wiki why --rests --json",
    "digest": "wiki log --digest --json",
    "graph": "wiki graph --json, also of its commands path and neighbours",
    "graph-file": "wiki graph --format json, and the file graph/graph.json",
    "ingest": "wiki ingest --json, wiki apply --json",
    "memory": "wiki memory list --json",
    "memory-change": "wiki memory sweep --json, also of forget",
    "page-log": "wiki log PAGE --json",
    "review": "wiki review show --json",
    "review-decision": "wiki review accept --json, wiki review reject --json",
    "reviews": "wiki review list --json",
    "skill-check": "wiki skills check --json",
    "skills": "wiki skills list --json",
}
"""Of names that are not those of a command, its words joined by hyphens."""


@cache
def names() -> tuple[str, ...]:
    """NAME of every `llmwiki.NAME/1`, sorted."""
    return tuple(sorted(file.stem for file in _FOLDER.glob("*.json")))


@cache
def published(name: str) -> Mapping[str, Any]:
    """The schema in the file of that name."""
    schema: dict[str, Any] = json.loads((_FOLDER / f"{name}.json").read_bytes())
    return schema


def commands() -> dict[str, str]:
    """NAME of `llmwiki.NAME/1` to the command that prints it."""
    return {name: _PRINTED.get(name, f"wiki {name.replace('-', ' ')} --json") for name in names()}


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of `llmwiki.NAME/1`. Raises InputError for none."""
    short = name.removeprefix("llmwiki.").removesuffix("/1")
    if short not in names():
        near = nearest(short, names())
        hint = f"Did you mean {near[0]}? " if near else ""
        raise InputError(
            "there is no schema of this name", where=name, fix=f"{hint}`wiki schema` lists them."
        )
    return dict(published(short))


def json_of(name: str, value: Any = None, /, **given: Any) -> dict[str, Any]:
    """The object `llmwiki.NAME/1` of a value, or of what is `given` for its keys."""
    schema = published("graph" if name in _PARTS else name)
    parts = schema.get("$defs", {})
    kind = _PARTS.get(name, name)
    return _object(kind, parts.get(kind, schema), parts, Told(value, given))


def _object(
    kind: str, schema: Mapping[str, Any], parts: Mapping[str, Any], value: Any
) -> dict[str, Any]:
    """An object of a value, or of a tuple in the order of its keys; a dictionary is one already."""
    if isinstance(value, dict):
        return value
    value, given = value if isinstance(value, Told) else (value, {})
    if type(value) is tuple:
        given = {**dict(zip(schema["required"], value, strict=True)), **given}
    ways = DIFFERENCES.get(kind, {})
    made = {}
    for key, each in schema["properties"].items():
        needed = key in schema["required"]
        try:
            found = given[key] if key in given else _found(value, key, each, ways)
        except AttributeError:
            if "default" in each:
                found = each["default"]
            elif needed or kind in SPARSE:
                raise
            else:
                continue
        if found or needed or kind not in SPARSE:
            made[key] = _shown(each, parts, found)
    if unknown := given.keys() - schema["properties"].keys():
        raise TypeError(f"{kind} has no key {min(unknown)}")
    return made


def _found(value: Any, key: str, schema: Mapping[str, Any], ways: Mapping[str, Any]) -> Any:
    """What a value has for a key. Raises AttributeError where it has nothing."""
    if "const" in schema:
        return schema["const"]
    if key in ways:
        way = ways[key]
        return along(value, way) if isinstance(way, str) else way(value)
    for home in (value, *(getattr(value, name, value) for name in (ways.get("*", key), "outcome"))):
        if hasattr(home, key):
            return getattr(home, key)
    if "default" not in schema and getattr(value, "outcome", value) is None:
        return None
    raise AttributeError(key)


def _shown(schema: Mapping[str, Any], parts: Mapping[str, Any], found: Any) -> Any:
    """A value as JSON, as a schema has it."""
    if "anyOf" in schema:
        is_none = found is None or (found == "" and {"type": "null"} in schema["anyOf"])
        return None if is_none else _shown(schema["anyOf"][0], parts, found)
    if "$ref" in schema:
        kind = schema["$ref"].rpartition("/")[2]
        return _object(kind, parts[kind], parts, found)
    if schema.get("type") == "array":
        return [_shown(schema["items"], parts, each) for each in found or ()]
    if schema.get("type") == "object":
        return dict(found)
    if isinstance(found, date):
        return found.isoformat()
    return str(found) if isinstance(found, Path) else found
