"""The index of a wiki as it is now, kept open between questions.

Each question sees every commit, and uncommitted edits as a glance does; now and then all files are
looked at.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from llmwiki.git.repository import Repository
from llmwiki.index import file
from llmwiki.index.corpus import KEPT_KIB
from llmwiki.index.open_index import (
    Index,
    Notice,
    bring_up_to_date,
    is_current,
    looked,
    open_index,
    place_of,
)

GLANCES = 10.0
"""Seconds for which a glance at the files is enough."""


class KeptIndex:
    """An index for one thread at a time. Close it."""

    def __init__(self, repo: Repository) -> None:
        self._repo = repo
        self._index: Index | None = None
        self._is_used = False
        self._glances_until = 0.0

    @property
    def is_used(self) -> bool:
        """Whether a question is being answered: it answers one at a time."""
        return self._is_used

    @contextmanager
    def opened(self, *, notice: Notice) -> Iterator[Index]:
        """The index as it is now, for one question. Raises as `open_corpus` does."""
        self._is_used = True
        try:
            index = self._current(notice)
            yield index
            index.release()
        except sqlite3.DatabaseError as error:
            assert self._index is not None
            told = file.damaged(self._index.db, error)
            self.close()
            raise told from error
        except BaseException:
            self.close()
            raise
        finally:
            self._is_used = False

    def close(self) -> None:
        """Closes the file; the next question opens it again. Idempotent."""
        self._glances_until = 0.0
        if self._index is not None:
            self._index.close()
            self._index = None

    def _current(self, say: Notice) -> Index:
        if self._index is not None and self._index.is_in_place:
            try:
                return self._refreshed(self._index)
            except (OSError, sqlite3.OperationalError):
                pass
        self.close()
        self._index = open_index(self._repo, "usual", say)
        self._index.db.execute(f"PRAGMA cache_size = {-KEPT_KIB}")
        return self._index

    def _refreshed(self, index: Index) -> Index:
        glances = time.monotonic() < self._glances_until
        seen = looked(index, self._repo, "again" if glances else "usual")
        if not glances:
            self._glances_until = time.monotonic() + GLANCES
        if not is_current(index, self._repo, seen):
            if self._repo.layout.reads_only and not index.is_private:
                raise OSError("the index is behind, and is not to be written")
            folder = place_of(self._repo).parent
            with nullcontext() if index.is_private else file.turn(folder):
                bring_up_to_date(index, self._repo, seen)
        return index
