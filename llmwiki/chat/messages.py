"""The messages of a conversation as a transcript holds them, and their JSON. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

Origin = Literal["typed", "pasted", "file", "recall", "wiki", "web", "tool", "agent", "program"]
"""Who wrote the text of a block; set by the code that makes the block. `pasted`: by a paste or a
pipe, so that nobody knows who wrote it."""

FOREIGN: frozenset[str] = frozenset({"pasted", "file", "recall", "wiki", "web", "tool"})
"""Origins of text that somebody else may have written, and that may hold instructions."""

LEAST_PASTE = 200
"""Characters of a paste that the model is shown as data; a shorter one may be the question."""

Role = Literal["user", "assistant", "system"]
BlockKind = Literal["text", "picture", "reasoning", "tool_use", "tool_result"]
MessageKind = Literal["", "summary", "words", "marker", "hide"]
"""`summary` and `words` (what a person typed, word for word) take the place of what a condensation
hides, `marker` of what a truncation hides; `hide` is never shown. All of them carry an act."""


@dataclass(frozen=True, slots=True)
class EntryBlock:
    """A piece of a message."""

    kind: BlockKind
    text: str = ""
    """Of a text, a reasoning or a result; of a picture how a reader of words is told of it."""
    origin: Origin = "agent"
    id: str = ""
    """Of the call, for `tool_use` and `tool_result`; of a picture, the hash of its file and its
    number there."""
    name: str = ""
    """Of the tool that is called; of a picture, the path of its file."""
    input: Mapping[str, Any] = field(default_factory=dict)
    """Of the tool that is called; of a picture, its pixels: `width` and `height`."""
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """One message."""

    id: str
    """Unique in its transcript."""
    role: Role
    blocks: tuple[EntryBlock, ...] = ()
    turn: int = 0
    """Which turn it belongs to, from 1."""
    ts: int = 0
    """Milliseconds since the epoch; nothing is decided by it."""
    kind: MessageKind = ""
    act: str = ""
    """The id of the act that hides other messages, on the message that the act adds."""
    hidden: tuple[str, ...] = ()
    """The acts that hide this message, as long as they stand."""
    is_tainted: bool = False
    """Whether foreign text was visible when the agent wrote it."""
    stop: str = ""
    """Why an answer ended: `end_turn`, `tool_use`, `max_tokens`, `refusal`, `interrupted`."""
    model: str = ""

    @property
    def text(self) -> str:
        """All its plain text."""
        return "\n".join(b.text for b in self.blocks if b.kind == "text")

    @property
    def typed(self) -> str:
        """What the person typed and pasted."""
        return "\n".join(b.text for b in self.blocks if b.origin in ("typed", "pasted"))

    @property
    def uses(self) -> tuple[EntryBlock, ...]:
        """The tools it asks for."""
        return tuple(b for b in self.blocks if b.kind == "tool_use")

    @property
    def results(self) -> tuple[EntryBlock, ...]:
        """What tools gave."""
        return tuple(b for b in self.blocks if b.kind == "tool_result")


def text_block(text: str, origin: Origin) -> EntryBlock:
    """A block of plain text."""
    return EntryBlock("text", text, origin)


def pasted_pieces(text: str, pieces: Sequence[str]) -> list[str]:
    """Those of the pieces that were pasted into a message which are somebody else's words: all of
    them where nothing beside them was typed, else those with a line break and long ones. A word or
    a number that was pasted into a sentence is part of it."""
    own = set(text.split()).difference(*(piece.split() for piece in pieces))
    found = [p for p in pieces if "\n" in p.strip() or len(p) >= LEAST_PASTE]
    return found if own or not pieces else [text]


def said_blocks(text: str, pasted: Sequence[str]) -> list[EntryBlock]:
    """A message as blocks of what was typed and what was pasted. Where a piece was changed after it
    was pasted, nobody knows any more whose words are whose: all is text of others."""
    blocks: list[EntryBlock] = []
    rest = text
    for piece in pasted:
        before, found, behind = rest.partition(piece)
        if not found:
            return [text_block(text, "pasted")]
        blocks += [text_block(before, "typed"), text_block(piece, "pasted")]
        rest = behind
    blocks.append(text_block(rest, "typed"))
    return [block for block in blocks if block.text.strip()] or [text_block(text, "typed")]


def message_json(message: Message) -> dict[str, Any]:
    """A message as a transcript writes it; what has its default is left out."""
    data: dict[str, Any] = {
        "type": "message",
        "id": message.id,
        "role": message.role,
        "blocks": [_block_json(block) for block in message.blocks],
        "turn": message.turn,
        "ts": message.ts,
        "kind": message.kind,
        "act": message.act,
        "tainted": message.is_tainted,
        "stop": message.stop,
        "model": message.model,
    }
    return {key: value for key, value in data.items() if key == "id" or value not in ("", False)}


def message_of(data: Mapping[str, Any]) -> Message:
    """The message of its JSON. Raises ValueError, KeyError or TypeError for another shape."""
    role, kind = data["role"], data.get("kind", "")
    if role not in ("user", "assistant", "system"):
        raise ValueError(f"a message of {role!r}")
    if kind not in ("", "summary", "words", "marker", "hide"):
        raise ValueError(f"a message of kind {kind!r}")
    return Message(
        id=_words(data["id"]),
        role=role,
        blocks=tuple(_block_of(each) for each in data.get("blocks", ())),
        turn=int(data.get("turn", 0)),
        ts=int(data.get("ts", 0)),
        kind=kind,
        act=_words(data.get("act", "")),
        is_tainted=bool(data.get("tainted", False)),
        stop=_words(data.get("stop", "")),
        model=_words(data.get("model", "")),
    )


def _block_json(block: EntryBlock) -> dict[str, Any]:
    data = {each.name: getattr(block, each.name) for each in fields(block)}
    data["input"] = dict(block.input)
    return {key: value for key, value in data.items() if value not in ("", {}, False)}


def _block_of(data: Mapping[str, Any]) -> EntryBlock:
    kind = data["kind"]
    if kind not in ("text", "picture", "reasoning", "tool_use", "tool_result"):
        raise ValueError(f"a block of kind {kind!r}")
    given = data.get("input", {})
    if not isinstance(given, dict):
        raise TypeError("the input of a tool is no object")
    return EntryBlock(
        kind=kind,
        text=_words(data.get("text", "")),
        origin=data.get("origin", "agent"),
        id=_words(data.get("id", "")),
        name=_words(data.get("name", "")),
        input=given,
        is_error=bool(data.get("is_error", False)),
    )


def _words(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("no text where one belongs")
    return value


def last_turn(messages: Sequence[Message]) -> int:
    """The number of the last turn; 0 before the first."""
    return max((message.turn for message in messages), default=0)
