"""Many pages read at once, by as many processes as there are cores."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
from collections.abc import Iterable, Iterator
from multiprocessing.pool import Pool
from types import TracebackType

from llmwiki.index.checked import Checked
from llmwiki.lint import reading
from llmwiki.lint.keeping import SEPARATOR, written
from llmwiki.lint.rules import RELATIONS, RULES
from llmwiki.lint.silence import IGNORES
from llmwiki.lint.view import PageView
from llmwiki.lint.wiki import Limits

ALONE_BELOW = 300
"""Pages from which on other processes, about 60 ms to start, are worth it; measured."""
_MOST = 4
"""Processes; reading pages is over before more of them have started."""
_SHARE = 50
"""Pages handed over at once."""

Text = tuple[int, str, str]
"""Number, path and text of a page."""


class Crew:
    """Who reads pages: this process alone, or several; use `with`."""

    def __init__(self, limits: Limits, pages: int) -> None:
        self._limits = limits
        self._pool: Pool | None = None
        cores = os.cpu_count() or 1
        if pages >= ALONE_BELOW and cores > 1:
            # Forked, the others have the rules loaded already. They never touch what is open here.
            context = multiprocessing.get_context("fork")
            self._pool = context.Pool(min(cores, _MOST), _begin)

    def __enter__(self) -> Crew:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._pool is None:
            return
        if error is None:
            self._pool.close()
        else:
            self._pool.terminate()
        self._pool.join()

    def read(self, texts: Iterable[Text]) -> Iterator[Checked]:
        """What is found out about each page, in their order."""
        if self._pool is None:
            for text in texts:
                yield _read(text, self._limits)
            return
        held = list(texts)
        shares = [
            (held[start : start + _SHARE], self._limits) for start in range(0, len(held), _SHARE)
        ]
        for pages in self._pool.imap(_read_share, shares):
            yield from pages


def _begin() -> None:
    """In each process: signals are for the one that began them all."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _read_share(share: tuple[list[Text], Limits]) -> list[Checked]:
    texts, limits = share
    return [_read(text, limits) for text in texts]


def _read(text: Text, limits: Limits) -> Checked:
    doc, path, content = text
    found = reading.read(PageView(path, content, limits), RULES, (*RELATIONS, IGNORES))
    said = tuple(
        (f"{said.relation}{SEPARATOR}{said.key}", json.dumps(said.value, separators=(",", ":")))
        for said in found.said
    )
    return Checked(doc, written(found.findings), said, found.claims, found.quotes, found.sources)
