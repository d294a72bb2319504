"""How far a long command is: one line on a terminal, written over and over, gone at the end.

Nothing is shown in the first second, nor where nobody looks. The line is written by an alarm, not
by a thread: beside other threads a lint would not start the processes that share its work.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

CLEAR_LINE = "\r\x1b[2K"
"""What a terminal takes for: begin this line anew."""
_QUIET = 1.0
"""Seconds at the beginning in which nothing is shown."""
_EVERY = 0.5
"""Seconds after which the line is written again."""


class _Line:
    """What the line says."""

    doing: str = ""
    done: int = 0
    total: int = 0
    begun: float | None = None
    """When the command said first what it does, by the monotonic clock."""
    is_running: bool = False
    """Whether the alarm is set."""
    is_shown: bool = False


def step(doing: str, done: int = 0, total: int = 0) -> None:
    """Takes what the command does now, and how many of how many are done; `total` 0: not known.
    An empty text: nothing that is worth a word."""
    _Line.doing, _Line.done, _Line.total = doing, done, total
    if threading.current_thread() is not threading.main_thread():
        return
    if not doing:
        clear()
    if _Line.is_running or not doing:
        return
    now = time.monotonic()
    if _Line.begun is None:
        _Line.begun = now
    if signal.getsignal(signal.SIGALRM) is not signal.SIG_DFL:
        # It is to raise a signal again that was lost; see `stopping`.
        return
    # For `_write`, which may interrupt an import. A short command goes without: it brings the
    # readers of archives with it.
    import shutil  # noqa: F401

    _Line.is_running = True
    signal.signal(signal.SIGALRM, _write)
    wait = _Line.begun + _QUIET - now
    signal.setitimer(signal.ITIMER_REAL, max(wait, _EVERY), _EVERY)
    if wait <= 0:
        # Another line was printed in between: how far it is stands beneath it at once.
        _write(0, None)


def clear() -> None:
    """Takes the line away, until the next step."""
    if not _Line.is_running:
        return
    if signal.getsignal(signal.SIGALRM) is _write:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
    _Line.is_running = False
    if _Line.is_shown:
        _Line.is_shown = False
        _put(CLEAR_LINE)


@contextmanager
def aside() -> Iterator[None]:
    """Room for a message in the midst of a step: the line is gone meanwhile, and comes back."""
    was_running = _Line.is_running
    clear()
    yield
    if was_running:
        step(_Line.doing, _Line.done, _Line.total)


def _write(_number: int, _frame: FrameType | None) -> None:
    from shutil import get_terminal_size

    count = f" {_Line.done:,} of {_Line.total:,}" if _Line.total else ""
    seconds = time.monotonic() - (_Line.begun or 0)
    width = get_terminal_size().columns - 1
    _Line.is_shown = True
    _put(f"{CLEAR_LINE}{f'wiki: {_Line.doing}{count} … {seconds:.0f} s'[:width]}")


def _put(text: str) -> None:
    """Past the buffer of the stream, which the alarm may have found half written."""
    with suppress(OSError):
        os.write(2, text.encode(sys.stderr.encoding or "utf-8", "replace"))
