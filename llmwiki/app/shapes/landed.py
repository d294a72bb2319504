"""What became of an operation: a shape that others hold."""

from __future__ import annotations

from typing import Any

from llmwiki.app.shapes.shape import NullIfEmpty, Shape, at


def _of_outcome(name: str) -> Any:
    """From the outcome that a value holds, or is; empty where there is none."""
    return at(lambda done: getattr(getattr(done, "outcome", done), name, ()))


def changed_paths(done: Any) -> list[str]:
    """The pages that an operation writes, or would."""
    return [each.path for each in getattr(done, "outcome", done).differences]


class LandedJson(Shape):
    """What became of an operation."""

    id: NullIfEmpty[str] = _of_outcome("id")
    """Of the operation; null: there was nothing to change."""
    commit: NullIfEmpty[str] = _of_outcome("commit")
    pending: list[str] = _of_outcome("pending")
    """Paths committed but not yet in the work tree."""
    kept: list[str] = _of_outcome("kept")
    """Paths that somebody changed meanwhile: the work tree has their bytes."""
