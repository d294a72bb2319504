"""What stays open between the use cases of a session: repository, index, texts of sources."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from llmwiki.index.kept_index import KeptIndex
from llmwiki.index.source_index import KeptTexts
from llmwiki.repo.layout import Layout
from llmwiki.repo.repository import Repository

MOST_IDLE = 4
"""Sets of open files that wait for the next use case at most."""


class KeptFiles:
    """The open files of one use case after the other."""

    def __init__(self, layout: Layout) -> None:
        self.repo = Repository(layout)
        self.index = KeptIndex(self.repo)
        self.texts = KeptTexts()

    def close(self) -> None:
        """Closes all of them. Idempotent."""
        self.texts.close()
        self.index.close()
        self.repo.close()


class OpenFiles:
    """The open files of a session: as many sets as there are use cases at one time."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._lock = threading.Lock()
        self._idle: list[KeptFiles] = []
        self._is_closed = False

    @contextmanager
    def taken(self) -> Iterator[KeptFiles]:
        """One set of open files, which nobody else has as long as it lasts."""
        with self._lock:
            kept = self._idle.pop() if self._idle else None
        if kept is None:
            kept = KeptFiles(self._layout)
        try:
            yield kept
        finally:
            kept.repo.forget()
            with self._lock:
                is_wanted = not self._is_closed and len(self._idle) < MOST_IDLE
                if is_wanted:
                    self._idle.append(kept)
            if not is_wanted:
                kept.close()

    def close(self) -> None:
        """Closes what is idle now, and what is in use as soon as its use case ends. Idempotent."""
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, []
        for kept in idle:
            kept.close()
