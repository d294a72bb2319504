"""One attempt at one call: the events of a stream, gathered into an answer, and its bounds.

The SDK's own accumulator parses a tool's input anew with each piece, and ends the call at one that
is no JSON; and it lets a stream that ends early return normally. So the events are gathered here,
and nothing is trusted until `message_stop` was seen together with a stop reason.
"""

from __future__ import annotations

import email.utils
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from llmwiki.core.errors import ModelOutputError, ProviderError, WikiError
from llmwiki.core.text import tokens_of
from llmwiki.models.errors import ENDED_EARLY, NOT_MESSAGES, tell
from llmwiki.models.json_answers import is_deep, read_object
from llmwiki.models.messages import TextBlock, ToolUse
from llmwiki.models.tokens_and_cost import Usage

if TYPE_CHECKING:
    import httpx2
    from anthropic import Stream
    from anthropic.types import RawMessageStreamEvent

    from llmwiki.models.model_settings import ModelSettings

_ID = re.compile(r"[!-~]{1,200}")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,128}")
"""What a request may give back as the id and the name of a tool that was asked for."""
MAX_REPLY = 32_000_000
"""Bytes of one reply, decompressed: an event that carries one token has some 120 bytes around it,
so an answer of 200,000 tokens has room."""
_MAX_COUNT = 10**12
"""Tokens of one call that a server may report; beyond it the figure is none."""
_COUNTS = (
    "input_tokens",
    "output_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
)


class CallStopped(ProviderError):
    """The caller ended the call before its answer was whole."""

    def __init__(self) -> None:
        super().__init__("the call was stopped", fix="run the command again")


class StreamDropped(Exception):
    """An attempt broke off, or the server could not answer for now: what it said so far counts for
    nothing, and it is worth another one."""

    def __init__(self, error: WikiError, wait: float = 0.0) -> None:
        self.error = error
        """Raised where no further attempt is made."""
        self.wait = wait
        """Seconds that the server asks for; 0: unsaid."""
        super().__init__(error.what)


class Deadline:
    """The end of a call's time, by the monotonic clock.

    It begins with the first request, so that a call does not spend its time waiting for others to
    give back what they reserved of a budget.
    """

    def __init__(self, seconds: float, where: str) -> None:
        self._seconds = seconds
        self._where = where
        self._end: float | None = None

    def begin(self) -> None:
        """The time runs from here on; only the first call counts."""
        if self._end is None:
            self._end = time.monotonic() + self._seconds

    @property
    def left(self) -> float:
        """Seconds; below 0 when they are over."""
        return self._seconds if self._end is None else self._end - time.monotonic()

    def check(self, wait: float = 0.0) -> None:
        """Raises ProviderError when the time is over, or would be after so many seconds."""
        if self.left > wait:
            return
        asked = f"the server asks to wait {wait:.0f} s, longer than the call may take"
        raise ProviderError(
            asked if wait else f"the call took longer than {self._seconds:g} s",
            where=self._where,
            fix="Try again later; nothing was written. For a slow server raise"
            " model.call_timeout in the user configuration.",
        )


def retry_after(headers: Mapping[str, str]) -> float:
    """Seconds that a server asks to wait (RFC 9110 §10.2.3); 0.0: unsaid."""
    said = headers.get("retry-after", "")
    try:
        return float(said)
    except ValueError:
        parsed = email.utils.parsedate_tz(said)
        return 0.0 if parsed is None else email.utils.mktime_tz(parsed) - time.time()


def hooks(where: str, seconds: float) -> dict[str, list[Callable[[httpx2.Response], None]]]:
    """The event hooks of an HTTP client of which no reply has more than `MAX_REPLY` bytes, or goes
    on for longer than so many seconds. Raised are ModelOutputError and ProviderError."""
    import httpx2

    class Capped(httpx2.SyncByteStream):
        """The decompressed bytes of a reply, as long as they are within bounds."""

        def __init__(self, coded: httpx2.Response) -> None:
            self._coded = coded

        def __iter__(self) -> Iterator[bytes]:
            left = MAX_REPLY
            deadline = Deadline(seconds, where)
            deadline.begin()
            for piece in self._coded.iter_bytes():
                deadline.check()
                left -= len(piece)
                if left < 0:
                    raise ModelOutputError(
                        f"the reply has more than {MAX_REPLY} bytes",
                        where=where,
                        fix="Check the server; nothing was written.",
                    )
                yield piece

        def close(self) -> None:
            self._coded.close()

    def cap(response: httpx2.Response) -> None:
        assert isinstance(response.stream, httpx2.SyncByteStream)
        held = httpx2.Response(
            response.status_code, headers=response.headers, stream=response.stream
        )
        # It is decoded by `held`; nobody is to decode it again.
        response.headers.pop("content-encoding", None)
        response.headers.pop("content-length", None)
        response.stream = Capped(held)

    return {"response": [cap]}


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
        given = _get(self.tool, "input") or {}
        try:
            if said.strip():
                given = read_object(said)
            elif not isinstance(given, dict) or is_deep(given):
                raise ValueError("it is no JSON object, or nested too deeply")
        except ValueError as failure:
            return ToolUse(ident, name, {}, f"the input of the tool {name}: {failure}")
        return ToolUse(ident, name, given)


@dataclass
class StreamedAnswer:
    """What one attempt has said so far; complete only when `finish` has passed."""

    takes_tools: bool = False
    """Whether tools were declared; otherwise a call of one is as unknown as any other block."""
    content: list[StreamedBlock] = field(default_factory=list)
    """The blocks that are known, in the order of their beginnings."""
    model: str = ""
    stop_reason: str | None = None
    refusal: str = ""
    """Category and explanation of a refusal, when given."""
    stopped: bool = False
    _tools: dict[int, StreamedBlock] = field(default_factory=dict)
    """Those that ask for tools, by the index that the server gives them."""
    _size: int = 0
    _counts: dict[str, int] = field(default_factory=dict)

    @property
    def usage(self) -> Usage:
        """As reported; for a stream that broke, the output seen so far is estimated."""
        given, output, created, read = (self._counts.get(name, 0) for name in _COUNTS)
        output = output if self.stopped else max(output, tokens_of(self._size))
        return Usage(given, output, created, read)

    @property
    def asks_for_tools(self) -> bool:
        """Whether the call of a tool has begun."""
        return any(block.tool is not None for block in self.content)

    def done(self) -> tuple[TextBlock | ToolUse, ...]:
        """All blocks. Raises ValueError where one cannot be used."""
        return tuple(block.done() for block in self.content)

    def take(self, event: object) -> str:
        """One event, of the SDK or as JSON; the piece of text that it brings. Unknown ones are
        passed over."""
        match _get(event, "type"):
            case "message_start":
                message = _get(event, "message")
                self.model = _text(message, "model")
                self._count(_get(message, "usage"))
            case "content_block_start":
                return self._begin(_get(event, "index"), _get(event, "content_block"))
            case "content_block_delta":
                delta = _get(event, "delta")
                if _get(delta, "type") == "text_delta":
                    return self._add(_text(delta, "text"))
                index = _get(event, "index")
                block = self._tools.get(index) if isinstance(index, int) else None
                if block is not None and _get(delta, "type") == "input_json_delta":
                    block.pieces.append(_text(delta, "partial_json"))
                    self._size += len(block.pieces[-1])
            case "message_delta":
                delta = _get(event, "delta")
                self.stop_reason = _text(delta, "stop_reason") or self.stop_reason
                details = _get(delta, "stop_details")
                parts = (_text(details, "category"), _text(details, "explanation"))
                self.refusal = ": ".join(part for part in parts if part) or self.refusal
                # The last counts of a stream are cumulative.
                self._count(_get(event, "usage"))
            case "message_stop":
                self.stopped = True
        return ""

    def finish(self, settings: ModelSettings) -> None:
        """Raises StreamDropped unless the stream has come to its proper end."""
        if not self.stopped or self.stop_reason is None:
            raise StreamDropped(tell(ENDED_EARLY, "", settings))

    def _begin(self, index: object, block: object) -> str:
        kind = _get(block, "type")
        if kind == "text":
            self.content.append(StreamedBlock())
            return self._add(_text(block, "text"))
        if kind == "tool_use" and self.takes_tools:
            self.content.append(StreamedBlock(tool=block))
            if isinstance(index, int):
                self._tools[index] = self.content[-1]
        return ""

    def _add(self, text: str) -> str:
        if text:
            self._size += len(text.encode("utf-8", "surrogatepass"))
            if not self.content or self.content[-1].tool is not None:
                self.content.append(StreamedBlock())
            self.content[-1].pieces.append(text)
        return text

    def _count(self, usage: object) -> None:
        told = {name: _get(usage, name) for name in _COUNTS}
        self._counts |= {
            name: count
            for name, count in told.items()
            if type(count) is int and 0 <= count <= _MAX_COUNT
        }


def events_of(stream: Stream[RawMessageStreamEvent], settings: ModelSettings) -> Iterator[object]:
    """The events of a reply. Raises ProviderError for what is no stream of messages, and what the
    SDK and its transport raise."""
    kind = stream.response.headers.get("content-type", "text/event-stream").partition(";")[0]
    if kind.strip().lower() != "text/event-stream":
        raise tell(NOT_MESSAGES, kind, settings)
    yield from stream


def _get(holder: object, name: str) -> Any:
    return holder.get(name) if isinstance(holder, Mapping) else getattr(holder, name, None)


def _text(holder: object, name: str) -> str:
    value = _get(holder, name)
    return value if isinstance(value, str) else ""
