"""A server over HTTP that a signal ends without being raised again."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType

import uvicorn

ENDINGS = (signal.SIGINT, signal.SIGTERM)


class SignalledServer(uvicorn.Server):
    """Who builds on it says in `shutdown` what is waited for, and leaves with `ended_by`."""

    ended_by = 0
    """The number of the signal; 0: there was none."""

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
        self.ended_by = number
        self.should_exit = True
