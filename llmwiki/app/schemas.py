"""JSON Schemas of the objects that commands print."""

from __future__ import annotations

from typing import Any

from llmwiki.app.shapes.made import names, published
from llmwiki.core.errors import InputError
from llmwiki.core.text import nearest

_PRINTED = {
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
    "memory-change": "wiki memory sweep --json, also of forget",
    "page-log": "wiki log PAGE --json",
    "recalls": "wiki log --recalls --json",
    "review": "wiki review show --json",
    "review-decision": "wiki review accept --json, wiki review reject --json",
    "reviews": "wiki review list --json",
    "skill": "wiki skills show --json",
    "skill-check": "wiki skills check --json",
    "skills": "wiki skills list --json",
}
"""Of names that are not those of a command, its words joined by hyphens."""


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
