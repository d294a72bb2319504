"""Many pages read at once, by as many processes as there are cores."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from multiprocessing.pool import AsyncResult, Pool

from llmwiki.core.endings import SIGNALS
from llmwiki.index.lint_cache import LintedPage
from llmwiki.lint.cache_codec import SEPARATOR, packed, written
from llmwiki.lint.engine import evaluation
from llmwiki.lint.engine.suppressions import IGNORES
from llmwiki.lint.rule import OverPage
from llmwiki.lint.rules import RULES
from llmwiki.lint.thresholds import LintLimits
from llmwiki.lint.view import PageView

ALONE_BELOW = 300
"""Pages from which on other processes, about 60 ms to start, are worth it; measured."""
_MOST = 4
"""Processes; reading pages is over before more of them have started."""
_SHARE = 50
"""Pages handed over at once."""
_AHEAD = 12
"""Shares handed over before the first is waited for: bounds memory, and keeps all at work while
this process reads the next texts."""

_OVER_PAGE = tuple(rule for rule in RULES if isinstance(rule.over, OverPage))
_EMITTING = (*evaluation.relations_of(RULES), IGNORES)

Text = tuple[int, str, str]
"""Number, path and text of a page."""


class Workers:
    """Reads pages in this process or in several; use `with`."""

    def __init__(self, limits: LintLimits, pages: int) -> None:
        self._limits = limits
        self._pool: Pool | None = None
        cores = os.cpu_count() or 1
        # A fork of a process with other threads may inherit a lock that nobody gives back.
        is_single = threading.active_count() == 1
        if pages >= ALONE_BELOW and cores > 1 and is_single:
            # Forked, the others have the rules loaded already. They never touch what is open here.
            context = multiprocessing.get_context("fork")
            # None may be interrupted before it has begun, as if it were this process.
            before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
            try:
                self._pool = context.Pool(min(cores, _MOST), _begin)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if self._pool is None:
            return
        if error is None:
            self._pool.close()
        else:
            self._pool.terminate()
        self._pool.join()

    def read(self, texts: Iterable[Text]) -> Iterator[LintedPage]:
        """What is found out about each page, in their order."""
        if self._pool is None:
            for text in texts:
                yield _read(text, self._limits)
            return
        each = iter(texts)
        handed: deque[AsyncResult[list[LintedPage]]] = deque()
        while share := list(islice(each, _SHARE)):
            handed.append(self._pool.apply_async(_read_share, (share, self._limits)))
            if len(handed) > _AHEAD:
                yield from handed.popleft().get()
        for pages in handed:
            yield from pages.get()


def _begin() -> None:
    """In each process: signals are for the one that began them all."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


def _read_share(texts: list[Text], limits: LintLimits) -> list[LintedPage]:
    return [_read(text, limits) for text in texts]


def _read(text: Text, limits: LintLimits) -> LintedPage:
    doc, path, content = text
    found = evaluation.read(PageView(path, content, limits), _OVER_PAGE, _EMITTING)
    said = tuple(
        [(f"{relation}{SEPARATOR}{key}", packed(value)) for relation, key, value in found.said]
    )
    return LintedPage(
        doc, path, written(found.findings), said, found.claims, found.quotes, found.sources
    )
