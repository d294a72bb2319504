"""SIGINT and SIGTERM while landing: before the commit point they abort, after it they wait."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupted(BaseException):
    """A signal arrived before the commit point: unwind, then let the signal have its way."""


class DeferredSignals:
    """Holds signals back inside a `with`; the first is raised again when it ends.

    A second one is obeyed at once. Does nothing outside the main thread, where Python delivers no
    signals.
    """

    def __init__(self) -> None:
        self._arrived: int | None = None
        self._before: dict[int, object] = {}

    def __enter__(self) -> DeferredSignals:
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._note)
        return self

    def _note(self, number: int, _frame: FrameType | None) -> None:
        if self._arrived is not None:
            self._restore()
            signal.raise_signal(number)
        self._arrived = number

    def check(self) -> None:
        """Abort if a signal has arrived. Raises Interrupted."""
        if self._arrived is not None:
            raise Interrupted

    def _restore(self) -> None:
        before, self._before = self._before, {}
        for number, handler in before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._restore()
        if self._arrived is not None:
            signal.raise_signal(self._arrived)
            if kind is Interrupted:
                # The handler of before has returned: the landing is off all the same.
                raise KeyboardInterrupt from error
