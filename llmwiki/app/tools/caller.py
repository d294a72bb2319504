"""Who calls a tool of the wiki, and how long its answer may be: a text cut to a budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from llmwiki.core.text import BYTES_PER_TOKEN, counted, tokens_of

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


REMARK = 60
"""Tokens that are kept for the line that says what was left out."""


def excerpt(lines: list[str], budget: int) -> tuple[str, int]:
    """The first of these lines that find room in `budget` tokens, and how many they are: one at
    least, cut where it alone is longer."""
    room = max(budget - REMARK, 1) * BYTES_PER_TOKEN
    shown = taken = 0
    for line in lines:
        taken += len(line.encode("utf-8", "replace")) + 1
        if taken > room:
            break
        shown += 1
    if shown or not lines:
        return "\n".join(lines[:shown]), shown
    head = lines[0].encode("utf-8", "replace")[:room].decode("utf-8", "ignore")
    return f"{head}…\n[the line above is cut: it is longer than the budget]", 1


def left_out(lines: list[str], remedy: str) -> str:
    """The line that says how much of a text, these lines, is not shown, and what shows it; empty
    where nothing is missing."""
    if not lines:
        return ""
    tokens = tokens_of(len("\n".join(lines).encode("utf-8", "replace")))
    return f"\n[{counted(len(lines), 'more line')}, about {tokens:,} tokens: {remedy}]"
