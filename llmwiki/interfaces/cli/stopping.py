"""Signals that ask the command to end, and how it ends then: with one line, without a traceback."""

from __future__ import annotations

import os
import signal
import sys
import time
from types import FrameType, TracebackType
from typing import TYPE_CHECKING

from llmwiki.core.callbacks import IMPATIENCE, SIGNALS

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

_AGAIN = 0.01
"""Seconds after which a signal that was lost is raised again."""


class Terminated(BaseException):
    """SIGTERM or SIGHUP arrived; SIGINT is Python's own KeyboardInterrupt."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number

    @property
    def code(self) -> int:
        """The exit code, as a shell gives it to a command that a signal ended."""
        return 128 + self.number


INTERRUPTED = 130
"""The exit code after SIGINT."""


class _Arrivals:
    """What has arrived so far."""

    first: float | None = None
    """When, by the monotonic clock."""
    lost: int = 0
    """The signal that is to be raised again."""


def listen() -> None:
    """Turn the signals into exceptions, in whatever place they arrive; for the whole process.

    A signal that is ignored, as `nohup` has it, stays so.
    """
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _arrived)
    sys.unraisablehook = _unraisable
    sys.excepthook = _uncaught


def let_go() -> None:
    """Leave the signals to the system: from here on they end the process without a word."""
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def _arrived(number: int, _frame: FrameType | None) -> None:
    now = time.monotonic()
    if _Arrivals.first is None:
        _Arrivals.first = now
        raise KeyboardInterrupt if number == signal.SIGINT else Terminated(number)
    if now - _Arrivals.first >= IMPATIENCE:
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)


def _unraisable(lost: UnraisableHookArgs) -> None:
    """Raise it again: where Python cannot, as in a finalizer, it would report it and go on."""
    if not issubclass(lost.exc_type, (KeyboardInterrupt, Terminated)):
        sys.__unraisablehook__(lost)
        return
    _Arrivals.first = None
    _Arrivals.lost = getattr(lost.exc_value, "number", signal.SIGINT)
    signal.signal(signal.SIGALRM, _once_more)
    signal.setitimer(signal.ITIMER_REAL, _AGAIN)


def _once_more(_number: int, _frame: FrameType | None) -> None:
    signal.raise_signal(_Arrivals.lost)


def _uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """It came before or after everything that catches it: nothing is left to do."""
    if not issubclass(kind, (KeyboardInterrupt, Terminated)):
        sys.__excepthook__(kind, error, trace)
        return
    os._exit(error.code if isinstance(error, Terminated) else INTERRUPTED)
