"""The loop of the server: lines in, answers out, calls in threads beside it.

What needs no wiki is answered by the thread that reads, at once, whatever calls are running. Calls
of tools and readings of resources wait in a queue for one of a few threads. When the input ends,
writes that were received are finished and answered, within a bound, and what only reads gets a
moment; then the process may go.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import IO, Any, NamedTuple

from llmwiki.interfaces.mcp import wire
from llmwiki.interfaces.mcp.dispatch import SLOW, Dispatcher, writes
from llmwiki.interfaces.mcp.wire import MessageId, RpcError, RpcMessage

MOST_LINE = 16_000_000
"""Bytes of one message; a longer one is refused, and never held whole."""
WORKERS = 4
"""Calls that run at once."""
MOST_WAITING = 256
"""Calls that run or wait."""
LAST_MOMENT = 0.6
"""Seconds that running calls have when the input has ended."""
LAST_WRITE = 10.0
"""Seconds that calls which write have then, those that wait included."""
_SLICE = 65_536
BUSY = -31_000
"""Our own code of an error, outside of what JSON-RPC and the protocol keep for themselves."""


class _Call(NamedTuple):
    """A request that waits for a thread, or runs in one."""

    message: RpcMessage
    version: str


def _writes(call: _Call) -> bool:
    return writes(call.message)


class McpServer:
    """A server for one client, over two streams."""

    def __init__(self, dispatcher: Dispatcher, write: Callable[[bytes], object]) -> None:
        """`write` takes whole lines, from any thread but one at a time."""
        self._dispatcher = dispatcher
        self._write = write
        self._agreed: str | None = None
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._calls: dict[MessageId, _Call] = {}
        self._waiting: queue.SimpleQueue[_Call | None] = queue.SimpleQueue()
        self._workers = 0
        self._running = 0
        self._is_prepared = False
        self._idle = threading.Condition(self._lock)

    def serve(self, stream: IO[bytes]) -> bool:
        """Answers what `stream` brings until it ends; whether all calls have ended by then."""
        while line := stream.readline(_SLICE):
            if not line.endswith(b"\n"):
                line = self._whole(line, stream)
            if line.strip():
                self._take(line)
                self._prepare()
        with self._idle:
            self._idle.wait_for(lambda: not any(map(_writes, self._calls.values())), LAST_WRITE)
            has_ended = self._idle.wait_for(lambda: not (self._calls or self._running), LAST_MOMENT)
        for _ in range(self._workers):
            self._waiting.put(None)
        return has_ended

    def _prepare(self) -> None:
        """Loads what a call needs, behind the first answer: a host mostly waits before it calls."""
        if not self._is_prepared:
            self._is_prepared = True
            from llmwiki.app.context import load

            threading.Thread(target=load, daemon=True).start()

    def _whole(self, head: bytes, stream: IO[bytes]) -> bytes:
        """The line that begins with `head`; of one that is too long nothing, and that is told."""
        parts, size = [head], len(head)
        while more := stream.readline(_SLICE):
            size += len(more)
            if size <= MOST_LINE:
                parts.append(more)
            if more.endswith(b"\n"):
                break
        if size <= MOST_LINE:
            return b"".join(parts)
        self._say_error(RpcError(wire.INVALID_REQUEST, f"longer than {MOST_LINE:,} bytes"))
        return b""

    # --- messages ------------------------------------------------------------------------

    def _take(self, line: bytes) -> None:
        try:
            value = wire.read_json(line)
        except RpcError as error:
            self._say_error(error)
            return
        answer = self._answer(value)
        if answer is not None:
            self._say(answer)

    def _answer(self, value: object) -> dict[str, Any] | None:
        """The answer to a message; None where none is due, or where a thread will give it."""
        try:
            message = wire.read_message(value)
            if message is None:
                return None
            if message.id is None:
                self._note(message)
                return None
            version = self._dispatcher.version(message, self._agreed)
            call = _Call(message, version)
            if message.method in SLOW:
                self._queue(message.id, call)
                return None
            if message.method == "initialize":
                self._agreed = version
            return self._dispatcher.answer(*call)
        except RpcError as error:
            return wire.error_of(wire.id_in(value), error)

    def _note(self, message: RpcMessage) -> None:
        """Takes a notification; only that a request is cancelled means anything here."""
        if message.method != "notifications/cancelled":
            return
        ident = message.params.get("requestId")
        if isinstance(ident, (str, int)):
            with self._idle:
                # What runs already ends unheard; what waits is not begun.
                self._calls.pop(ident, None)
                self._idle.notify_all()

    # --- calls in threads ----------------------------------------------------------------

    def _queue(self, ident: MessageId, call: _Call) -> None:
        with self._lock:
            if ident in self._calls:
                raise RpcError(wire.INVALID_REQUEST, "Invalid request: this `id` is in use")
            if len(self._calls) >= MOST_WAITING:
                raise RpcError(BUSY, f"{MOST_WAITING} calls are waiting: try again later")
            self._calls[ident] = call
            if self._workers < min(WORKERS, len(self._calls)):
                self._workers += 1
                threading.Thread(target=self._work, daemon=True).start()
        self._waiting.put(call)

    def _work(self) -> None:
        while (call := self._waiting.get()) is not None:
            ident = call.message.id
            assert ident is not None
            with self._lock:
                if self._calls.get(ident) is not call:
                    continue
                self._running += 1
            try:
                answer = self._dispatcher.answer(*call)
                if self._forget(ident, call):
                    self._say(answer)
            finally:
                self._forget(ident, call)
                with self._idle:
                    self._running -= 1
                    self._idle.notify_all()

    def _forget(self, ident: MessageId, call: _Call) -> bool:
        """Whether somebody waits for the call; its `id` is free from here on."""
        with self._lock:
            if self._calls.get(ident) is not call:
                return False
            del self._calls[ident]
            return True

    # --- answers -------------------------------------------------------------------------

    def _say_error(self, error: RpcError) -> None:
        """One about no message that could be read."""
        self._say(wire.error_of(None, error))

    def _say(self, value: object) -> None:
        line = wire.line_of(value)
        with self._writing:
            self._write(line)
