"""JSON Schemas of the objects that commands print, made from the types of `app.shapes`."""

from __future__ import annotations

import ast
import inspect
import itertools
from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from llmwiki.app.shapes import shape_of
from llmwiki.app.shapes.shape import Shape
from llmwiki.core.errors import InputError
from llmwiki.core.text import nearest

_SAME = """
adopt chat context diff export index lint log memory-observe memory-review
memory-status memory-tidy memory-why merge query recover remember rename resolve
retract search show split status supersede tidy undo why
"""
"""Names that are those of a command, its words joined by hyphens."""
_OTHER = {
    "asked": "a command that asks one question, --json",
    "config": "wiki config list --json",
    "cost": "wiki log --cost --json",
    "overview": "wiki tidy --overview --json",
    "taint": "wiki why --rests --json",
    "confinement": "wiki config confinement --json",
    "digest": "wiki log --digest --json",
    "graph": "wiki graph --json, also of its commands path and neighbours",
    "graph-file": "wiki graph --format json, and the file graph/graph.json",
    "ingest": "wiki ingest --json, wiki apply --json",
    "memory": "wiki memory list --json",
    "memory-change": "wiki memory sweep --json, also of promote and forget",
    "page-log": "wiki log PAGE --json",
    "recalls": "wiki log --recalls --json",
    "review": "wiki review show --json",
    "review-decision": "wiki review accept --json, wiki review reject --json",
    "reviews": "wiki review list --json",
    "skill": "wiki skills show --json",
    "skill-check": "wiki skills check --json",
    "skills": "wiki skills list --json",
}
_ALIKE = {name: f"wiki {name.replace('-', ' ')} --json" for name in _SAME.split()}
COMMANDS: dict[str, str] = dict(sorted((_OTHER | _ALIKE).items()))
"""NAME of `llmwiki.NAME/1` to the command that prints it."""
_WORDS = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}
"""Types of Python to their names in JSON Schema."""


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of `llmwiki.NAME/1`. Raises InputError for none of `COMMANDS`."""
    short = name.removeprefix("llmwiki.").removesuffix("/1")
    if short not in COMMANDS:
        near = nearest(short, COMMANDS)
        hint = f"Did you mean {near[0]}? " if near else ""
        raise InputError(
            "there is no schema of this name", where=name, fix=f"{hint}`wiki schema` lists them."
        )
    parts: dict[str, Any] = {}
    if short == "graph":
        of_all, *of_pages = map(shape_of, ("graph", "graph-path", "neighbours"))
        made = _node(Union[of_all, *of_pages], parts)
    else:
        made = _object(shape_of(short), parts)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **made,
        **({"$defs": parts} if parts else {}),
        "title": f"llmwiki.{short}/1",
    }


def _object(shape: type[Shape], parts: dict[str, Any]) -> dict[str, Any]:
    """The schema of a shape; those of the shapes in it are added to `parts`."""
    keys, told = shape.keys(), dict(_told(shape))
    return {
        "type": "object",
        "additionalProperties": False,
        **({"description": inspect.cleandoc(shape.__doc__)} if shape.__doc__ else {}),
        "properties": {key.name: _node(key.kind, parts) | told.get(key.name, {}) for key in keys},
        **({"required": needed} if (needed := [k.name for k in keys if not k.may_lack]) else {}),
    }


def _told(shape: type[Shape]) -> Iterator[tuple[str, dict[str, str]]]:
    """What the class and its bases say below their keys."""
    bases = [each for each in shape.__mro__ if issubclass(each, Shape) and each is not Shape]
    for base in reversed(bases):
        (told,) = ast.parse(inspect.getsource(base)).body
        assert isinstance(told, ast.ClassDef)
        for key, said in itertools.pairwise(told.body):
            match key, said:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str(words))),
                ):
                    yield name.rstrip("_"), {"description": inspect.cleandoc(words)}


def _node(kind: Any, parts: dict[str, Any]) -> dict[str, Any]:
    """The schema of a type."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is list:
        return {"type": "array", "items": _node(inner[0], parts)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _node(inner[1], parts)}
    if origin in (Union, UnionType):
        return {"anyOf": [_node(each, parts) for each in inner]}
    if origin is Literal:
        said = {"const": inner[0]} if len(inner) == 1 else {"enum": list(inner)}
        return {"type": "string", **said}
    if kind in _WORDS:
        return {"type": _WORDS[kind]}
    if kind.__name__ not in parts:
        parts[kind.__name__] = {}
        parts[kind.__name__] = _object(kind, parts)
    return {"$ref": f"#/$defs/{kind.__name__}"}
