"""The visible messages as a model's API takes them. Pure.

A transcript may hold what no request may: reasoning of another model, two messages of one role in
a row, notes of the program, a call without its result. Here they become turns that alternate and
begin with the user's, each call with its result in the turn behind it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from llmwiki.chat.messages import LEAST_PASTE, EntryBlock, Message
from llmwiki.chat.visible_history import DEFERRED, block_text
from llmwiki.core.text import fence
from llmwiki.models.messages import (
    ContentBlock,
    PictureBlock,
    TextBlock,
    ToolResult,
    ToolUse,
    Turn,
)

if TYPE_CHECKING:
    from llmwiki.core.document import Picture

BEGINNING = "[The conversation goes on from here.]"
CUT_OFF = "[The person stopped this answer here; it is not whole.]"


def turns(
    shown: Sequence[Message],
    *,
    with_tools: bool = True,
    pictures: Mapping[str, Picture] = MappingProxyType({}),
) -> list[Turn]:
    """The turns of a request; the last two of the user end in a breakpoint of the cache.

    Without tools, for a server that knows none, calls and results are told as text. `pictures` are
    those at hand, by the id of their blocks; others are told by their names.
    """
    if not with_tools:
        shown = [_told(message) for message in shown]
    results = {block.id: block for message in shown for block in message.results}
    made: list[Turn] = []
    waiting: list[str] = []

    def put(role: Literal["user", "assistant"], blocks: Sequence[ContentBlock]) -> None:
        if made and made[-1].role == role:
            blocks = (*made.pop().blocks, *blocks)
        elif role == "assistant" and blocks and not made:
            made.append(Turn("user", (TextBlock(BEGINNING),)))
        if blocks:
            made.append(Turn(role, tuple(blocks)))

    def answer(blocks: Sequence[ContentBlock] = ()) -> None:
        put("user", [*(_answer(ident, results.get(ident)) for ident in waiting), *blocks])
        waiting.clear()

    for message in shown:
        if message.role != "assistant":
            answer(_users(message, pictures))
            continue
        if waiting:
            answer()
        put("assistant", _assistants(message))
        waiting += [use.id for use in message.uses]
    answer()
    return _with_breakpoints(made)


def _told(message: Message) -> Message:
    """The message with calls and results as text."""
    blocks = tuple(
        block
        if block.kind in ("text", "picture", "reasoning")
        else EntryBlock(
            "text",
            block_text(block.kind, block.name, dict(block.input), block.text, block.is_error),
            "file" if block.kind == "tool_result" else "agent",
        )
        for block in message.blocks
    )
    return replace(message, blocks=blocks)


def _assistants(message: Message) -> list[ContentBlock]:
    blocks: list[ContentBlock] = []
    for block in message.blocks:
        if block.kind == "text" and block.text.strip():
            blocks.append(TextBlock(_fenced(block, message)))
        elif block.kind == "tool_use":
            blocks.append(ToolUse(block.id, block.name, block.input))
    return [*blocks, TextBlock(CUT_OFF)] if message.stop == "interrupted" else blocks


def _users(message: Message, pictures: Mapping[str, Picture]) -> list[ContentBlock]:
    said: list[ContentBlock] = []
    for block in message.blocks:
        if block.kind == "picture" and block.id in pictures:
            said.append(PictureBlock(pictures[block.id]))
        elif block.kind in ("text", "picture") and block.text.strip():
            said.append(TextBlock(_fenced(block, message)))
    return said


def _fenced(block: EntryBlock, message: Message) -> str:
    """Text of others, of the program, and what a summary tells of them, between marks that it can
    neither close nor imitate; a recall is fenced where it is made."""
    if message.kind == "summary":
        return fence("summary", block.text)
    if message.role == "system":
        return fence("note", block.text)
    is_data = block.origin == "file" or (
        block.origin == "pasted" and len(block.text) >= LEAST_PASTE
    )
    return fence(block.origin, block.text) if is_data else block.text


def _answer(ident: str, given: EntryBlock | None) -> ToolResult:
    if given is None:
        return ToolResult(ident, DEFERRED, is_error=True)
    return ToolResult(ident, given.text, is_error=given.is_error)


def _with_breakpoints(found: list[Turn]) -> list[Turn]:
    places = [n for n, turn in enumerate(found) if turn.role == "user"][-2:]
    for n in places:
        *rest, last = found[n].blocks
        if isinstance(last, TextBlock | ToolResult):
            found[n] = Turn("user", (*rest, replace(last, cache=True)))
    return found
