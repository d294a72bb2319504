"""The index of a wiki as it is now, kept open between questions.

Each question sees every commit, and uncommitted edits as a glance does; now and then all files are
looked at.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from llmwiki.index import file
from llmwiki.index.corpus import KEPT_KIB
from llmwiki.index.open_index import (
    Index,
    Notice,
    bring_up_to_date,
    looked,
    open_now,
    telling_damage,
)
from llmwiki.repo.repository import Repository

GLANCES = 10.0
"""Seconds for which a glance at the files is enough."""


class KeptIndex:
    """An index for one thread at a time. Close it."""

    def __init__(self, repo: Repository) -> None:
        self._repo = repo
        self._shared = file.folder_of(repo.git_dir) / file.name_of(repo.layout.key)
        self._path = self._shared
        """The file that is open: where the shared one is not to be written, it may be a copy."""
        self._stack = ExitStack()
        self._index: Index | None = None
        self._file: tuple[int, int] | None = None
        self._is_used = False
        self._glances_until = 0.0

    @property
    def is_used(self) -> bool:
        """Whether a question is being answered: it answers one at a time."""
        return self._is_used

    @contextmanager
    def opened(self, *, fresh: bool, notice: Notice) -> Iterator[Index]:
        """The index as it is now, for one question. Raises as `open_corpus` does."""
        self._is_used = True
        try:
            with telling_damage(self._repo, self.close):
                index = self._current(fresh, notice)
                yield index
            if self._index is not None:
                index.release()
        except BaseException:
            self.close()
            raise
        finally:
            self._is_used = False

    def close(self) -> None:
        """Closes the file; the next question opens it again. Idempotent."""
        self._index = None
        self._glances_until = 0.0
        self._stack.close()

    def _current(self, fresh: bool, say: Notice) -> Index:
        if self._index is not None and _identity(self._path) == self._file:
            try:
                return self._refreshed(self._index, fresh)
            except (OSError, sqlite3.OperationalError):
                pass
        self.close()
        index = open_now(self._repo, "whole" if fresh else "usual", say, self._stack)
        index.db.execute(f"PRAGMA cache_size = {-KEPT_KIB}")
        aside = self._repo.layout.aside
        places = (self._shared, *((aside / self._shared.name,) if aside else ()))
        self._path = next((place for place in places if index.is_at(place)), self._shared)
        self._file = _identity(self._path)
        self._index = index if self._file and index.is_at(self._path) else None
        return index

    def _refreshed(self, index: Index, fresh: bool) -> Index:
        glances = time.monotonic() < self._glances_until
        seen = looked(index, self._repo, "whole" if fresh else "glance" if glances else "usual")
        if not glances:
            self._glances_until = time.monotonic() + GLANCES
        if index.commit != self._repo.head() or not (seen is None or seen.clean):
            if self._repo.layout.aside is not None and self._path == self._shared:
                raise OSError("the shared index is behind, and is not to be written")
            with file.turn(self._path.parent):
                bring_up_to_date(index, self._repo, seen)
        return index


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
