"""The terminal in a conversation: a question before a call, what is typed early, Ctrl-C."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING

import click

from llmwiki.chat.turn_events import AskedCall, Consent
from llmwiki.interfaces.cli.safe_text import clean

if TYPE_CHECKING:
    from llmwiki.chat.turn import Conversation


MAX_LINES = 200
"""Of what is shown before a question."""


def ask_person(keep: Callable[[str], None]) -> Callable[[AskedCall], int]:
    """Who asks on the terminal: `yes` or `y` agrees, or `always`, where a permission may last.

    What was typed before the question was seen does not answer it; `keep` takes that.
    """

    def ask(call: AskedCall) -> int:
        lines = clean(call.shown).splitlines()
        shown = lines[:MAX_LINES]
        if len(lines) > MAX_LINES:
            shown.append(f"… and {len(lines) - MAX_LINES} more lines")
        click.echo(f"{call.name}:\n" + "\n".join(f"  {line}" for line in shown), err=True)
        lasts = ", or always (for this tool in this session)" if call.may_last else ""
        said = answered(f"({call.why}) Do this? Type yes{lasts}, or press Enter for no: ", keep)
        if said == "always" and call.may_last:
            return Consent.ALWAYS
        return Consent.YES if said in ("yes", "y") else Consent.NO

    return ask


def answered(question: str, keep: Callable[[str], None]) -> str:
    """What a person types to a question, in small letters; empty where nothing. `keep` takes what
    was typed before."""
    keep(typed_ahead())
    click.echo(question, err=True, nl=False)
    with suppress(EOFError, KeyboardInterrupt), echo(is_on=True):
        return sys.stdin.readline().strip().lower()
    return ""


def typed_ahead() -> str:
    """What waits to be read on the terminal; it is taken away."""
    import os
    import select
    import termios

    found = b""
    fd = sys.stdin.fileno()
    with suppress(termios.error, OSError, ValueError):
        before = termios.tcgetattr(fd)
        raw = list(before)
        raw[3] &= ~(termios.ICANON | termios.ECHO)
        termios.tcsetattr(fd, termios.TCSANOW, raw)
        try:
            while select.select([fd], [], [], 0)[0]:
                piece = os.read(fd, 4096)
                if not piece:
                    break
                found += piece
        finally:
            termios.tcsetattr(fd, termios.TCSANOW, before)
    return found.decode("utf-8", "replace")


@contextmanager
def echo(*, is_on: bool) -> Iterator[None]:
    """While it lasts, keys are shown, or not: then they wait to be read."""
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


@contextmanager
def gentle_interrupts(talk: Conversation) -> Iterator[None]:
    """While it lasts, SIGINT ends the turn: at once while the model is waited for, else when the
    step is done, a commit landed and the transcript written."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        talk.switch.event.set()
        if talk.switch.is_waiting:
            talk.switch.is_waiting = False
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
