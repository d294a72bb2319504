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


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The lines of a text that found room."""

    text: str
    shown: int
    """How many lines of it are shown, the last one perhaps in part."""
    left_out: int
    """How many lines behind them are not."""
    left_tokens: int
    """An estimate of what these take."""
    is_cut: bool = False
    """Whether the last line shown lacks its end: it is longer than the whole budget."""


def excerpt(lines: list[str], budget: int) -> Excerpt:
    """The first of these lines that find room in `budget` tokens, one at least."""
    room = max(budget - REMARK, 1) * BYTES_PER_TOKEN
    taken = 0
    for number, line in enumerate(lines):
        size = len(line.encode("utf-8", "replace")) + 1
        if taken + size > room:
            return _cut(lines, number, room)
        taken += size
    return Excerpt("\n".join(lines), len(lines), 0, 0)


def _cut(lines: list[str], shown: int, room: int) -> Excerpt:
    head = lines[:shown]
    is_cut = not head
    if is_cut:
        head = [lines[0].encode("utf-8", "replace")[:room].decode("utf-8", "ignore") + "…"]
        shown = 1
    rest = "\n".join(lines[shown:])
    tokens = tokens_of(len(rest.encode("utf-8", "replace")))
    return Excerpt("\n".join(head), shown, len(lines) - shown, tokens, is_cut)


def left_out(part: Excerpt, remedy: str) -> str:
    """The lines that say what of a text is not shown, and what shows it; empty where nothing is
    missing."""
    said = "\n[the line above is cut: it is longer than the budget]" if part.is_cut else ""
    if part.left_out:
        count = counted(part.left_out, "more line")
        said += f"\n[{count}, about {part.left_tokens:,} tokens: {remedy}]"
    return said
