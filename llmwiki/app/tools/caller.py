"""Who calls a tool of the wiki, and how long its answer may be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

if TYPE_CHECKING:
    from llmwiki.app.wiki import Wiki

BUDGET = 2_000
"""Tokens of an answer, where the caller asks for no other number."""
Budget = Annotated[int, {"minimum": 200, "maximum": 8_000}, "Most tokens of the answer."]


@dataclass(frozen=True, slots=True)
class ToolCaller:
    """What a call may use."""

    wiki: Wiki
    limit: str = "commit"
    """What becomes of a write at most, one of `writing.WRITES`."""
