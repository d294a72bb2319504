"""The shape of what `wiki log --recalls` prints."""

from __future__ import annotations

from typing import Literal

from llmwiki.app.shapes.shape import Shape


class RecallRecordJson(Shape):
    """One text that a coding agent was given without asking for it."""

    at: int
    """Seconds since the epoch."""
    session: str
    """The agent's own id of its session; empty where it gave none."""
    occasion: Literal["start", "compaction", "prompt"]
    tokens: int
    """An estimate: bytes in UTF-8 by 3."""
    handles: list[str]
    """Of the passages in it, best first."""


class RecallsJson(Shape):
    """What coding agents were given in this work tree, newest first."""

    schema: Literal["llmwiki.recalls/1"]
    exit_code: int = 0
    recalls: list[RecallRecordJson]
    kept: int
    """How many are kept in all; the oldest go when the file is full."""
    tokens: int
    """Of all that are kept."""
