"""One attempt at one call: the events of a stream, gathered into an answer.

The SDK checks the shape of no event and lets a stream that ends early return normally, so nothing
read here is trusted until `message_stop` was seen together with a stop reason.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from llmwiki.core.errors import ProviderError
from llmwiki.core.text import tokens_of
from llmwiki.models.errors import NOT_MESSAGES, tell
from llmwiki.models.messages import TextBlock, ToolUse
from llmwiki.models.parse import read_object
from llmwiki.models.response_limits import MAX_BLOCKS, MAX_COUNT, is_deep, too_much
from llmwiki.models.usage import Usage

if TYPE_CHECKING:
    import threading

    from anthropic import Stream
    from anthropic.types import RawMessageStreamEvent

    from llmwiki.models.settings import ModelSettings

_ID = re.compile(r"[!-~]{1,200}")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,128}")
"""What a request may give back as the id and the name of a tool that was asked for."""


class CallStopped(ProviderError):
    """The caller ended the call before its answer was whole."""

    def __init__(self) -> None:
        super().__init__("the call was stopped", fix="run the command again")


class StreamDropped(Exception):
    """A stream broke or ended early: what it said so far counts for nothing."""


@dataclass
class StreamedBlock:
    """A block of an answer as far as it has come."""

    pieces: list[str] = field(default_factory=list)
    """Of its text; of a tool's input as JSON."""
    tool: object = None
    """As the block began, where it asks for a tool; None for a text."""

    def done(self) -> TextBlock | ToolUse:
        """The whole block; of a tool whose input cannot be read, without that.

        Raises ValueError where nobody could answer what it asks for.
        """
        said = "".join(self.pieces)
        if self.tool is None:
            return TextBlock(said)
        ident, name = _text(self.tool, "id"), _text(self.tool, "name")
        if not _ID.fullmatch(ident) or not _NAME.fullmatch(name):
            raise ValueError("the call of a tool has no usable id and name")
        try:
            return ToolUse(ident, name, read_object(said) if said.strip() else self._given())
        except ValueError as failure:
            return ToolUse(ident, name, {}, f"the input of the tool {name}: {failure}")

    def _given(self) -> dict[str, Any]:
        """The input that came with the beginning of the block."""
        given = _get(self.tool, "input")
        if given is None:
            return {}
        if not isinstance(given, dict) or is_deep(given):
            raise ValueError("it is no JSON object, or nested too deeply")
        return given


@dataclass
class StreamedAnswer:
    """What one attempt has said so far; complete only when `finish` has passed."""

    where: str = ""
    """Who gives it, for messages."""
    takes_tools: bool = False
    """Whether tools were declared; otherwise a call of one is as unknown as any other block."""
    content: list[StreamedBlock] = field(default_factory=list)
    """The blocks that are known, in the order of their beginnings."""
    model: str = ""
    stop_reason: str | None = None
    refusal: str = ""
    """Category and explanation of a refusal, when given."""
    stopped: bool = False
    most: int = 0
    """Bytes of text and of tools' input, as UTF-8, that are taken; 0: any number."""
    blocks: int = 0
    _tools: dict[int, StreamedBlock] = field(default_factory=dict)
    """Those that ask for tools, by the index that the server gives them."""
    _size: int = 0
    _input: int = 0
    _output: int = 0
    _created: int = 0
    _read: int = 0

    @property
    def usage(self) -> Usage:
        """As reported; for a stream that broke, the output seen so far is estimated."""
        output = self._output if self.stopped else max(self._output, tokens_of(self._size))
        return Usage(self._input, output, self._created, self._read)

    @property
    def asks_for_tools(self) -> bool:
        """Whether the call of a tool has begun."""
        return any(block.tool is not None for block in self.content)

    def done(self) -> tuple[TextBlock | ToolUse, ...]:
        """All blocks, no two calls under one id. Raises ValueError where one cannot be used."""
        done = [block.done() for block in self.content]
        ids = {each.id for each in done if isinstance(each, ToolUse)}
        met: set[str] = set()
        for at, each in enumerate(done):
            if isinstance(each, ToolUse):
                ident = each.id
                if ident in met:
                    while ident in ids:
                        ident += "-"
                    done[at] = ToolUse(ident, each.name, {}, "two calls of tools have one id")
                ids.add(ident)
                met.add(ident)
        return tuple(done)

    def count(self, usage: object) -> None:
        """Take over the counts of a `usage` object; the last one of a stream is cumulative."""
        self._input = _count(usage, "input_tokens", self._input)
        self._output = _count(usage, "output_tokens", self._output)
        self._created = _count(usage, "cache_creation_input_tokens", self._created)
        self._read = _count(usage, "cache_read_input_tokens", self._read)

    def begin(self, index: object, block: object) -> None:
        """Take the beginning of a block. Raises ModelOutputError when there are too many."""
        self.blocks += 1
        if self.blocks > MAX_BLOCKS:
            raise too_much(f"{MAX_BLOCKS} blocks", self.where)
        kind = _text(block, "type")
        if kind == "text":
            self.content.append(StreamedBlock())
        elif kind == "tool_use" and self.takes_tools:
            self.content.append(StreamedBlock(tool=block))
            if isinstance(index, int):
                self._tools[index] = self.content[-1]

    def take(self, text: str) -> None:
        """Add a piece of text. Raises ModelOutputError when there is too much of it."""
        self._count_bytes(text)
        if not self.content or self.content[-1].tool is not None:
            self.content.append(StreamedBlock())
        self.content[-1].pieces.append(text)

    def take_input(self, index: object, piece: str) -> None:
        """Add a piece of a tool's input, as `take` does; one of an unknown block is passed over."""
        block = self._tools.get(index) if isinstance(index, int) else None
        if block is not None:
            self._count_bytes(piece)
            block.pieces.append(piece)

    def _count_bytes(self, text: str) -> None:
        self._size += len(text.encode("utf-8", "surrogatepass"))
        if self.most and self._size > self.most:
            raise too_much(f"{self.most} bytes of text", self.where)

    def finish(self) -> None:
        """Raises Dropped unless the stream came to its proper end."""
        if not self.stopped or self.stop_reason is None:
            raise StreamDropped("the stream ended early")


def read_stream(
    stream: Stream[RawMessageStreamEvent],
    answer: StreamedAnswer,
    settings: ModelSettings,
    stop: threading.Event | None,
) -> Iterator[str]:
    """Gather the stream into `answer`, yielding each piece of text as it comes.

    Unknown events and blocks are passed over. Raises Dropped for an early end, ProviderError for
    what is no stream of messages, and what the SDK and its transport raise.
    """
    kind = stream.response.headers.get("content-type", "text/event-stream").split(";")[0]
    if kind.strip().lower() != "text/event-stream":
        yield from _read_whole(stream.response.read(), kind, answer, settings)
        return
    for event in stream:
        if stop is not None and stop.is_set():
            raise CallStopped
        yield from _take(event, answer)
        if answer.stopped:
            break
    answer.finish()


def _take(event: object, answer: StreamedAnswer) -> Iterator[str]:
    """One event into the answer."""
    match getattr(event, "type", None):
        case "message_start":
            message = getattr(event, "message", None)
            answer.model = _text(message, "model")
            answer.count(getattr(message, "usage", None))
        case "content_block_start":
            block = getattr(event, "content_block", None)
            answer.begin(getattr(event, "index", None), block)
            if _text(block, "type") == "text":
                yield from _append(_text(block, "text"), answer)
        case "content_block_delta":
            delta = getattr(event, "delta", None)
            kind = _text(delta, "type")
            if kind == "text_delta":
                yield from _append(_text(delta, "text"), answer)
            elif kind == "input_json_delta":
                answer.take_input(getattr(event, "index", None), _text(delta, "partial_json"))
        case "message_delta":
            delta = getattr(event, "delta", None)
            answer.stop_reason = _text(delta, "stop_reason") or answer.stop_reason
            answer.refusal = _refusal(getattr(delta, "stop_details", None)) or answer.refusal
            answer.count(getattr(event, "usage", None))
        case "message_stop":
            answer.stopped = True
        case _:
            pass


def _append(text: str, answer: StreamedAnswer) -> Iterator[str]:
    if text:
        answer.take(text)
        yield text


def _read_whole(
    body: bytes, kind: str, answer: StreamedAnswer, settings: ModelSettings
) -> Iterator[str]:
    """A server that does not stream: one JSON message is as good as a whole stream."""
    if not kind.strip().lower().endswith("json"):
        raise tell(NOT_MESSAGES, kind, settings)
    message = json.loads(body)
    if (
        not isinstance(message, Mapping)
        or message.get("type") != "message"
        or not isinstance(message.get("content"), list)
    ):
        raise tell(NOT_MESSAGES, "JSON, but no message", settings)
    answer.model = _text(message, "model")
    answer.count(message.get("usage"))
    answer.stop_reason = _text(message, "stop_reason") or None
    answer.refusal = _refusal(message.get("stop_details"))
    for block in message["content"]:
        answer.begin(None, block)
        if _text(block, "type") == "text":
            yield from _append(_text(block, "text"), answer)
    answer.stopped = True
    answer.finish()


def _refusal(details: object) -> str:
    parts = (_text(details, "category"), _text(details, "explanation"))
    return ": ".join(part for part in parts if part)


def _get(holder: object, name: str) -> Any:
    return holder.get(name) if isinstance(holder, Mapping) else getattr(holder, name, None)


def _text(holder: object, name: str) -> str:
    value = _get(holder, name)
    return value if isinstance(value, str) else ""


def _count(holder: object, name: str, before: int) -> int:
    value = _get(holder, name)
    return value if type(value) is int and 0 <= value <= MAX_COUNT else before
