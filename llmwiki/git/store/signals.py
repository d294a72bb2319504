"""Signals while landing: before the commit point they abort, after it they wait."""

from __future__ import annotations

import signal
import threading
import time
from types import FrameType

from llmwiki.core.endings import IMPATIENCE, SIGNALS


class Interrupted(BaseException):
    """A signal arrived before the commit point: unwind, then let the signal have its way."""


class DeferredSignals:
    """Holds signals back inside a `with`; the first is raised again when it ends.

    One that comes again after IMPATIENCE is obeyed at once. Does nothing outside the main thread,
    where Python delivers no signals.
    """

    def __init__(self) -> None:
        self._arrived: int | None = None
        self._since = 0.0
        self._before: dict[int, object] = {}

    def __enter__(self) -> DeferredSignals:
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._note)
        return self

    def _note(self, number: int, _frame: FrameType | None) -> None:
        now = time.monotonic()
        if self._arrived is None:
            self._arrived, self._since = number, now
        elif now - self._since >= IMPATIENCE:
            self._arrived = None
            self._restore()
            signal.raise_signal(number)

    @property
    def arrived(self) -> bool:
        """Whether one waits."""
        return self._arrived is not None

    def check(self) -> None:
        """Abort if a signal has arrived. Raises Interrupted."""
        if self._arrived is not None:
            raise Interrupted

    def _restore(self) -> None:
        before, self._before = self._before, {}
        for number, handler in before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def __exit__(self, kind: object, error: BaseException | None, _trace: object) -> None:
        self._restore()
        if self._arrived is not None:
            signal.raise_signal(self._arrived)
            if kind is Interrupted:
                # The handler of before has returned: the landing is off all the same.
                raise KeyboardInterrupt from error
