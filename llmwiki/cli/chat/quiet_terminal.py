"""What is typed while an answer is printed: not shown, and not lost."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def without_echo() -> Iterator[None]:
    """While it lasts, keys are not shown; they wait to be read."""
    with _echo(is_on=False):
        yield


@contextmanager
def with_echo() -> Iterator[None]:
    """While it lasts, keys are shown again."""
    with _echo(is_on=True):
        yield


@contextmanager
def _echo(*, is_on: bool) -> Iterator[None]:
    import termios

    before = None
    fd = sys.stdin.fileno()
    with suppress(termios.error, OSError, ValueError):
        before = termios.tcgetattr(fd)
        changed = list(before)
        changed[3] = changed[3] | termios.ECHO if is_on else changed[3] & ~termios.ECHO
        termios.tcsetattr(fd, termios.TCSANOW, changed)
    try:
        yield
    finally:
        if before is not None:
            with suppress(termios.error, OSError):
                termios.tcsetattr(fd, termios.TCSANOW, before)
