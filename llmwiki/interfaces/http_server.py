"""What the faces that listen on HTTP share, which are neighbours.

A signal ends the server without being raised again. A connection on which nobody asks anything is
closed after a time, and before that where a new one needs its place: as many that never ask as a
server holds would keep everybody else out, without any token.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Awaitable, Callable, Iterator
from types import FrameType
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

ENDINGS = (signal.SIGINT, signal.SIGTERM)
CONNECTIONS = 200
"""Connections at one time; where requests are answered on all of them, more are told to come again.
Fewer than the files that a process may open on any system."""
HEAD_SECONDS = 10
"""Seconds in which the head of a request must have come."""
_AT_ONCE = 50
"""Connections that are taken before others are read from: what came with its request is not the
oldest that waits before that was looked at."""
_HEAD = 32_768
"""Bytes of the head of a request."""


def guarded(application: Callable[..., Any], **more: Any) -> uvicorn.Config:
    """The settings of a server that bounds what a stranger can hold, and prints nothing of it;
    `more` are those of one face."""
    return uvicorn.Config(
        application,
        http=TimedConnection,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=CONNECTIONS,
        backlog=_AT_ONCE,
        h11_max_incomplete_event_size=_HEAD,
        **more,
    )


class SignalledServer(uvicorn.Server):
    """Serves until SIGINT or SIGTERM, of which `ended` is told the number: it ends the process.

    `started` is told the port. At the end no new connection is taken, and `finish` waits for what
    must not be cut off; what else runs is not waited for.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        started: Callable[[int], None],
        finish: Callable[[uvicorn.Server], Awaitable[None]],
        ended: Callable[[int], None],
    ) -> None:
        super().__init__(config)
        self._started, self._finish, self._ended = started, finish, ended
        self._number = 0

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Ends the server by a signal."""
        before = {number: signal.signal(number, self._end) for number in ENDINGS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _end(self, number: int, _frame: FrameType | None) -> None:
        self._number = number
        self.should_exit = True

    async def startup(self, sockets: list[Any] | None = None) -> None:
        """Begins to answer."""
        await super().startup(sockets)
        self._started(int((sockets or self.servers[0].sockets)[0].getsockname()[1]))

    async def shutdown(self, sockets: list[Any] | None = None) -> None:
        """Stops listening, and leaves."""
        for each in self.servers:
            each.close()
        await self._finish(self)
        self._ended(self._number)


class TimedConnection(H11Protocol):
    """A connection on which each request must say within a time what it asks for."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begins to wait for the first request."""
        super().connection_made(transport)
        self._wait()
        if len(self.connections) >= CONNECTIONS:
            self._let_oldest_go()

    def data_received(self, data: bytes) -> None:
        """Reads on; the time ends with the head of the request."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_waiting()
        elif self._waiting is None:
            self._wait()

    def on_response_complete(self) -> None:
        """Waits for the next request."""
        super().on_response_complete()
        if self.cycle.response_complete and self._waiting is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Ends."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._waiting = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _let_oldest_go(self) -> None:
        """Ends the connection that has been waiting longest, this one aside."""
        all_of_them = (each for each in self.connections if isinstance(each, TimedConnection))
        waiting = {each: each._waiting.when() for each in all_of_them if each._waiting}
        waiting.pop(self)
        if waiting:
            oldest = min(waiting, key=waiting.__getitem__)
            # At once: uvicorn counts a connection until it has been told that it is lost.
            self.connections.discard(oldest)
            oldest.transport.abort()

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _give_up(self) -> None:
        self._waiting = None
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()
