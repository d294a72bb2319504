"""The visible messages as a model's API takes them. Pure.

A transcript may hold what no request may: reasoning of another model, two messages of one role in
a row, notes of the program, a call without its result. Here they become turns that alternate and
begin with the user's, each call with its result in the turn behind it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from llmwiki.chat.entries import LEAST_PASTE, EntryBlock, Message
from llmwiki.chat.history import DEFERRED, block_text
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
    called = {use.id for message in shown for use in message.uses}
    made: list[tuple[str, list[ContentBlock]]] = []
    for message in shown:
        role = "assistant" if message.role == "assistant" else "user"
        blocks = _assistants(message) if role == "assistant" else _users(message, pictures)
        if not blocks and called.isdisjoint(block.id for block in message.results):
            continue
        if made and made[-1][0] == role:
            made[-1][1].extend(blocks)
        else:
            made.append((role, blocks))
    if made and made[0][0] == "assistant":
        made.insert(0, ("user", [TextBlock(BEGINNING)]))
    return _with_breakpoints(_with_results(made, results))


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
            blocks.append(TextBlock(block.text))
        elif block.kind == "tool_use":
            blocks.append(ToolUse(block.id, block.name, block.input))
    return [*blocks, TextBlock(CUT_OFF)] if message.stop == "interrupted" else blocks


def _users(message: Message, pictures: Mapping[str, Picture]) -> list[ContentBlock]:
    said: list[ContentBlock] = []
    for block in message.blocks:
        if block.kind == "picture" and block.id in pictures:
            said.append(PictureBlock(pictures[block.id]))
        elif block.kind in ("text", "picture") and block.text.strip():
            said.append(TextBlock(_fenced(block, message.role)))
    return said


def _fenced(block: EntryBlock, role: str) -> str:
    """Text of others, and of the program, between marks that it can neither close nor imitate; a
    recall is fenced where it is made."""
    if role == "system":
        return fence("note", block.text)
    is_data = block.origin == "file" or (
        block.origin == "pasted" and len(block.text) >= LEAST_PASTE
    )
    return fence(block.origin, block.text) if is_data else block.text


def _with_results(
    made: list[tuple[str, list[ContentBlock]]], results: dict[str, EntryBlock]
) -> list[Turn]:
    """Puts the result of each call at the beginning of the turn behind it, made where it lacks."""
    found: list[Turn] = []
    waiting: list[str] = []
    for role, blocks in made:
        if role == "user":
            found.append(Turn("user", (*_answers(waiting, results), *blocks)))
            waiting = []
            continue
        if waiting:
            found.append(Turn("user", tuple(_answers(waiting, results))))
        found.append(Turn("assistant", tuple(blocks)))
        waiting = [block.id for block in blocks if isinstance(block, ToolUse)]
    if waiting:
        found.append(Turn("user", tuple(_answers(waiting, results))))
    return _alternating(found)


def _answers(waiting: Sequence[str], results: dict[str, EntryBlock]) -> list[ContentBlock]:
    answers: list[ContentBlock] = []
    for ident in waiting:
        given = results.get(ident)
        if given is None:
            answers.append(ToolResult(ident, DEFERRED, is_error=True))
        else:
            answers.append(ToolResult(ident, given.text, is_error=given.is_error))
    return answers


def _alternating(found: list[Turn]) -> list[Turn]:
    """Turns whose roles alternate: those of the user are joined, between others one is put."""
    turns: list[Turn] = []
    for turn in found:
        if not turn.blocks:
            continue
        if turns and turns[-1].role == turn.role:
            if turn.role == "user":
                turns[-1] = Turn("user", (*turns[-1].blocks, *turn.blocks))
                continue
            turns.append(Turn("user", (TextBlock(BEGINNING),)))
        turns.append(turn)
    return turns


def _with_breakpoints(found: list[Turn]) -> list[Turn]:
    places = [n for n, turn in enumerate(found) if turn.role == "user"][-2:]
    for n in places:
        *rest, last = found[n].blocks
        if isinstance(last, TextBlock | ToolResult):
            found[n] = Turn("user", (*rest, replace(last, cache=True)))
    return found
