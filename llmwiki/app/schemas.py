"""JSON Schemas of the objects that commands print, made from the types of `app.shapes`."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

from llmwiki.core.errors import InputError
from llmwiki.core.text import nearest

COMMANDS: dict[str, str] = {
    "adopt": "wiki adopt --json",
    "chat": "wiki chat --json",
    "config": "wiki config list --json",
    "confinement": "wiki config confinement --json",
    "context": "wiki context --json",
    "cost": "wiki cost --json",
    "diff": "wiki diff --json",
    "digest": "wiki log --digest --json",
    "export": "wiki export --json",
    "graph": "wiki graph --json, also of its commands path and neighbours",
    "graph-file": "wiki graph --format json, and the file graph/graph.json",
    "import": "wiki import --json",
    "index": "wiki index --json",
    "ingest": "wiki ingest --json, wiki apply --json",
    "lint": "wiki lint --json",
    "log": "wiki log --json",
    "memory": "wiki memory list --json",
    "memory-change": "wiki memory sweep --json, also of promote and forget",
    "memory-observe": "wiki memory observe --json",
    "memory-review": "wiki memory review --json",
    "memory-status": "wiki memory status --json",
    "memory-tidy": "wiki memory tidy --json",
    "memory-why": "wiki memory why --json",
    "merge": "wiki merge --json",
    "overview": "wiki overview --json",
    "page-log": "wiki log PAGE --json",
    "query": "wiki query --json",
    "recalls": "wiki log --recalls --json",
    "recover": "wiki recover --json",
    "remember": "wiki remember --json",
    "rename": "wiki rename --json",
    "resolve": "wiki resolve --json",
    "retract": "wiki retract --json",
    "review": "wiki review show --json",
    "review-decision": "wiki review accept --json, wiki review reject --json",
    "reviews": "wiki review list --json",
    "schedule": "wiki schedule --json",
    "search": "wiki search --json",
    "show": "wiki show --json",
    "skill": "wiki skills show --json",
    "skill-check": "wiki skills check --json",
    "skill-doctor": "wiki skills doctor --json",
    "skills": "wiki skills list --json",
    "split": "wiki split --json",
    "status": "wiki status --json",
    "supersede": "wiki supersede --json",
    "taint": "wiki taint --json",
    "tidy": "wiki tidy --json",
    "undo": "wiki undo --json",
    "upgrade": "wiki upgrade --json",
    "why": "wiki why --json",
}
"""NAME of `llmwiki.NAME/1` to the command that prints it."""


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of `llmwiki.NAME/1`. Raises InputError for none of `COMMANDS`."""
    short = name.removeprefix("llmwiki.").removesuffix("/1")
    if short not in COMMANDS:
        near = nearest(short, COMMANDS)
        hint = f"Did you mean {near[0]}? " if near else ""
        raise InputError(
            "there is no schema of this name", where=name, fix=f"{hint}`wiki schema` lists them."
        )
    made: dict[str, Any] = _adapter(short).json_schema(mode="serialization")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **_without_titles(made),
        "title": f"llmwiki.{short}/1",
    }


def _without_titles(part: Any) -> Any:
    """The same without the titles that are made from the names of keys."""
    if isinstance(part, list):
        return [_without_titles(each) for each in part]
    if not isinstance(part, dict):
        return part
    return {
        key: _without_titles(value)
        for key, value in part.items()
        if not (key == "title" and isinstance(value, str))
    }


def _adapter(name: str) -> Any:
    from pydantic import ConfigDict, TypeAdapter
    from typing_extensions import is_typeddict

    from llmwiki.app import shapes

    held: dict[str, Any] = {}
    for module in pkgutil.iter_modules(shapes.__path__, f"{shapes.__name__}."):
        held |= vars(importlib.import_module(module.name))
    for shape in held.values():
        if is_typeddict(shape):
            shape.__pydantic_config__ = ConfigDict(extra="forbid", use_attribute_docstrings=True)
    if name == "graph":
        return TypeAdapter(held["GraphJson"] | held["GraphPathJson"] | held["NeighboursJson"])
    return TypeAdapter(held[f"{name.title().replace('-', '')}Json"])
