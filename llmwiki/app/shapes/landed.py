"""What became of an operation: a shape that others hold."""

from typing_extensions import TypedDict


class LandedJson(TypedDict):
    """What became of an operation."""

    id: str | None
    """Of the operation; null: there was nothing to change."""
    commit: str | None
    pending: list[str]
    """Paths committed but not yet in the work tree."""
    kept: list[str]
    """Paths that somebody changed meanwhile: the work tree has their bytes."""
