"""Ctrl-C while a turn runs: it stops the turn, at a place where nothing is lost."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from llmwiki.chat.turn import Conversation


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
