"""Several calls at once, their answers in order, and the first failure ends the rest."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from typing import TypeVar

from llmwiki.core.errors import WikiError
from llmwiki.models.stream import CallStopped

_Item = TypeVar("_Item")
_Answer = TypeVar("_Answer")


def in_order(
    call: Callable[[_Item, threading.Event], _Answer], items: Iterable[_Item], parallel: int
) -> list[_Answer]:
    """`call` of each item, at most `parallel` at once; the answers in the order of the items.

    Items are taken in the caller's thread, each when there is a worker for it: no more of them
    are in memory than are being worked on. The first failure sets the event that every call is
    given, and no further item is taken. Raises the failure of the first item that failed by
    itself, and what taking an item raises.
    """
    stop = threading.Event()

    def guarded(item: _Item) -> _Answer:
        try:
            return call(item, stop)
        except WikiError:
            # Before this worker takes up the next item.
            stop.set()
            raise

    workers = max(1, parallel)
    pool = ThreadPoolExecutor(max_workers=workers)
    calls: list[Future[_Answer]] = []
    running: set[Future[_Answer]] = set()
    ended = False
    try:
        for item in items:
            calls.append(pool.submit(guarded, item))
            running.add(calls[-1])
            if len(running) >= workers:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                if any(each.exception() for each in done):
                    break
        wait(running, return_when=FIRST_EXCEPTION)
        ended = True
    except WikiError:
        ended = True
        raise
    finally:
        stop.set()
        # A signal does not wait for a server that is silent.
        pool.shutdown(wait=ended, cancel_futures=True)
    return _answers(calls)


def _answers(calls: Sequence[Future[_Answer]]) -> list[_Answer]:
    failures = [call.exception() for call in calls if not call.cancelled()]
    by_itself = [
        each for each in failures if each is not None and not isinstance(each, CallStopped)
    ]
    if by_itself:
        raise by_itself[0]
    return [call.result() for call in calls]
