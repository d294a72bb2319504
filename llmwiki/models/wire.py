"""What comes from a server, counted as it comes: bytes, events, time.

The SDK reads whatever a server sends and holds an event, an error or a body whole before anybody
sees it. So the counting stands below it, in hooks of its HTTP client: each reply is decompressed
in pieces and counted by the piece, and each connection is known to a clock that can cut it, also
while headers trickle in. A connection serves one request for that reason: of one that is used
again, nothing says which request is waiting.

Imports httpx2 and is imported where a client is made, not before.
"""

from __future__ import annotations

import re
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import httpx2

from llmwiki.models.response_limits import (
    MAX_ERROR_BYTES,
    MAX_EVENT_LINES,
    ReplyBounds,
    bounds_of,
    too_much,
)
from llmwiki.models.settings import host_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from llmwiki.models.deadline import Deadline

_END = re.compile(rb"\r\n\r\n|\n\n|\r\r")
"""The end of an event, as the SDK finds it."""
_KEPT = 3
"""Bytes of a piece in which an end may have begun."""

ONE_REQUEST = httpx2.Limits(max_connections=None, max_keepalive_connections=0)
"""A connection serves one request; what is in use at once is bounded by whoever calls."""


def trust(address: str | None) -> ssl.SSLContext | bool:
    """What the SDK's HTTP client checks certificates with; True: the usual authorities.

    Reading those takes a tenth of a second. A server that is asked over plain HTTP shows no
    certificate, so none are read for it, and this client trusts nobody else's.
    """
    if address is not None and address.lower().startswith("http://"):
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return True


_attempt: ContextVar[Attempt | None] = ContextVar("attempt", default=None)


class Attempt:
    """One request: its bounds, its deadline, and the connection that it waits for."""

    def __init__(self, bounds: ReplyBounds, deadline: Deadline) -> None:
        self.bounds = bounds
        self.deadline = deadline
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []
        self._over = False

    @contextmanager
    def running(self) -> Iterator[None]:
        """While it lasts, the end of the time cuts its connections."""
        timer = threading.Timer(max(self.deadline.left, 0.0), self._cut)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    @contextmanager
    def sending(self) -> Iterator[None]:
        """While it lasts, requests of this thread belong to it."""
        token = _attempt.set(self)
        try:
            yield
        finally:
            _attempt.reset(token)

    def trace(self, name: str, info: Mapping[str, Any]) -> None:
        """Takes note of a connection that was made (the `trace` extension of httpcore)."""
        made = info.get("return_value")
        if not name.endswith((".connect_tcp.complete", ".start_tls.complete")) or made is None:
            return
        connection = made.get_extra_info("socket")
        if isinstance(connection, socket.socket):
            with self._lock:
                self._sockets.append(connection)
                if self._over:
                    _shut(connection)

    def _cut(self) -> None:
        with self._lock:
            self._over = True
            for connection in self._sockets:
                _shut(connection)


def _shut(connection: socket.socket) -> None:
    # That of an SSLSocket would take its state away from the thread that reads.
    with suppress(OSError):
        socket.socket.shutdown(connection, socket.SHUT_RDWR)


def hooks(base_url: str | None) -> dict[str, list[Callable[..., Any]]]:
    """The event hooks of an HTTP client whose replies are bounded."""
    where = host_of(base_url)

    def on_request(request: httpx2.Request) -> None:
        attempt = _attempt.get()
        if attempt is not None:
            request.extensions = {**request.extensions, "trace": attempt.trace}

    def on_response(response: httpx2.Response) -> None:
        _bound(response, _attempt.get(), where)

    return {"request": [on_request], "response": [on_response]}


def _bound(response: httpx2.Response, attempt: Attempt | None, where: str) -> None:
    """Puts a counting stream between the connection and whoever reads the response."""
    assert isinstance(response.stream, httpx2.SyncByteStream)
    coded = httpx2.Response(response.status_code, headers=response.headers, stream=response.stream)
    # It is decoded below; nobody is to decode it again.
    response.headers.pop("content-encoding", None)
    response.headers.pop("content-length", None)
    bounds = attempt.bounds if attempt else bounds_of(0)
    kind = response.headers.get("content-type", "text/event-stream").split(";")[0].strip().lower()
    counter: _Counter
    if not response.is_success:
        counter = _Beginning(MAX_ERROR_BYTES)
    elif kind == "text/event-stream":
        counter = _Events(bounds, where)
    else:
        counter = _Whole(bounds.whole, where)
    response.stream = _Counted(coded, counter, attempt.deadline if attempt else None)


class _Counted(httpx2.SyncByteStream):
    """The decompressed bytes of a response, as long as they are within bounds and in time."""

    def __init__(
        self, coded: httpx2.Response, counter: _Counter, deadline: Deadline | None
    ) -> None:
        self._coded = coded
        self._counter = counter
        self._deadline = deadline

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._coded.iter_bytes():
            if self._deadline is not None:
                self._deadline.check()
            taken = self._counter.take(piece)
            yield taken
            if len(taken) < len(piece):
                return

    def close(self) -> None:
        self._coded.close()


class _Counter:
    """Counts the pieces of a body."""

    def take(self, piece: bytes) -> bytes:
        """What of the piece is taken; less than all ends the body. Raises ModelOutputError."""
        raise NotImplementedError


class _Beginning(_Counter):
    """Takes the first bytes."""

    def __init__(self, most: int) -> None:
        self._left = most

    def take(self, piece: bytes) -> bytes:
        taken = piece[: self._left]
        self._left -= len(taken)
        return taken


class _Whole(_Counter):
    """Takes a body of bounded size."""

    def __init__(self, most: int, where: str) -> None:
        self._most = most
        self._where = where
        self._size = 0

    def take(self, piece: bytes) -> bytes:
        self._size += len(piece)
        if self._size > self._most:
            raise too_much(f"{self._most} bytes", self._where)
        return piece


class _Events(_Counter):
    """Takes events of bounded size and number."""

    def __init__(self, bounds: ReplyBounds, where: str) -> None:
        self._bounds = bounds
        self._where = where
        self._total = 0
        self._events = 0
        self._size = 0
        self._lines = 0
        self._tail = b""

    def take(self, piece: bytes) -> bytes:
        self._total += len(piece)
        if self._total > self._bounds.wire:
            raise too_much(f"{self._bounds.wire} bytes", self._where)
        data = self._tail + piece
        begin = 0
        for end in _END.finditer(data):
            self._add(data, begin, end.end())
            self._events += 1
            if self._events > self._bounds.events:
                raise too_much(f"{self._bounds.events} events", self._where)
            self._size = self._lines = 0
            begin = end.end()
        kept = max(begin, len(data) - _KEPT)
        self._add(data, begin, kept)
        self._tail = data[kept:]
        return piece

    def _add(self, data: bytes, begin: int, end: int) -> None:
        """Counts a stretch of the event that is open."""
        self._size += end - begin
        self._lines += data.count(b"\n", begin, end) + data.count(b"\r", begin, end)
        if self._size > self._bounds.whole:
            raise too_much(f"{self._bounds.whole} bytes in one event", self._where)
        if self._lines > 2 * MAX_EVENT_LINES:
            raise too_much(f"{MAX_EVENT_LINES} lines in one event", self._where)
