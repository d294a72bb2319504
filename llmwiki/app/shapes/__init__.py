"""The shape of every JSON object that a command prints, `llmwiki.NAME/1`, a module a subject.

A class says which keys an object has, and where a value has what they show (`shape.py`);
`app.schemas` makes JSON Schemas of them. Keys are never taken away or given another meaning within
a version.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from llmwiki.app.shapes.shape import Shape

_MODULES = {
    "asking": "chat context query search",
    "graph": "graph graph-file graph-path neighbours",
    "history": "diff digest page-log why",
    "memory": """
        memory memory-change memory-observe memory-review memory-status memory-why
    """,
    "operations": """
        adopt cost export log merge overview recalls remember rename show split status undo
    """,
    "ingest": "asked ingest",
    "review": "retract review review-decision reviews supersede taint",
    "skills": "skill skill-check skills",
    "upkeep": "config confinement index lint recover resolve",
}
"""Module to the names of the objects whose shapes it has."""
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}


def shape_of(name: str) -> type[Shape]:
    """The class of the objects `llmwiki.NAME/1`, which a kind of question brings along; its module
    is loaded now."""
    if name not in _HOME:
        own: type[Shape] = importlib.import_module("llmwiki.app.questions").kind_of(name).json
        return own
    module = importlib.import_module(f"{__name__}.{_HOME[name]}")
    shape: type[Shape] = getattr(module, f"{name.title().replace('-', '')}Json")
    return shape
