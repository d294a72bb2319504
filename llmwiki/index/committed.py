"""The index of the pages of a commit, and of what they would be after a plan.

Where the shared file is missing, damaged or cannot be written, the same is held in memory, only
slower. Nothing here raises for the sake of the file.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Mapping
from typing import TypeVar
from weakref import WeakSet

from llmwiki.core.errors import WikiError
from llmwiki.index import file
from llmwiki.index.open_index import Index, empty_index, open_committed
from llmwiki.index.page_row import PageVersion
from llmwiki.index.put import put
from llmwiki.repo.repository import Repository
from llmwiki.repo.trees import object_id

T = TypeVar("T")

WAIT_MS = 2_000
"""Milliseconds that a plan waits for another process which writes the index; then a copy of it in
memory is quicker."""


class _Held:
    """What is held for a repository, closed with it at the latest."""

    def __init__(self) -> None:
        self.indexes: WeakSet[Index] = WeakSet()

    def close(self) -> None:
        for index in self.indexes:
            index.close()


class CommittedIndex:
    """The index at one commit, with the pages of plans shown over it.

    Plans are put into it within a transaction that is always taken back: nobody else sees them,
    and nobody else writes the index while they are shown.
    """

    def __init__(self, repo: Repository) -> None:
        self._repo = repo
        self._commit: str | None = None
        self._index: Index = empty_index(repo)
        self._shown: list[Mapping[str, bytes | None]] = []

    @property
    def depth(self) -> int:
        """How many plans are shown, one over the other."""
        return len(self._shown)

    def stand_at(self, commit: str | None) -> None:
        """The pages of that commit; no plan may be shown."""
        self._index.close()
        self._index, self._commit = _opened(self._repo, commit), commit

    def ask(self, question: Callable[[Index], T]) -> T:
        """The answer; from an index of its own where the shared one proves damaged."""
        try:
            return question(self._index)
        except sqlite3.DatabaseError as error:
            self._mend(error)
            return question(self._index)

    def show(self, pages: Mapping[str, bytes | None]) -> None:
        """Shows pages in these bytes, until `take_back`; None: the page is gone."""
        self._shown.append(pages)
        try:
            self._show(self.depth - 1)
        except sqlite3.DatabaseError as error:
            self._mend(error)

    def _mend(self, error: sqlite3.DatabaseError) -> None:
        self._index.close()
        self._index = _anew(self._repo, self._commit, error)
        for depth in range(self.depth):
            self._show(depth)

    def take_back(self, depth: int) -> None:
        """Takes plans back, until only the first `depth` of them are shown."""
        if self.depth <= depth:
            return
        del self._shown[depth:]
        index, db = self._index, self._index.db
        index.forget()
        if depth:
            db.execute(f"ROLLBACK TO shown{depth}")
            db.execute(f"RELEASE shown{depth}")
            index.look_again()
            return
        index.release()
        index.hold()
        if index.commit != self._commit or index.strays:
            self.stand_at(self._commit)

    def _show(self, depth: int) -> None:
        """Puts the pages of one plan over those below it."""
        if depth == 0 and not self._begins():
            self._index.close()
            self._index = _private(self._repo, self._commit)
            self._begins()
        db = self._index.db
        db.execute(f"SAVEPOINT shown{depth}")
        for path, data in sorted(self._shown[depth].items()):
            version = None
            if data is not None:
                oid = object_id("blob", data, self._repo.object_format)
                version = PageVersion(path, oid, data)
            put(db, path, version)
        self._index.look_again()

    def _begins(self) -> bool:
        """Begins to write in the index; whether it can be, and still stands at the commit."""
        index = self._index
        index.release()
        try:
            index.db.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return False
        index.look_again()
        return index.commit == self._commit and not index.strays


def _opened(repo: Repository, commit: str | None) -> Index:
    """The index at a commit; None: one without pages."""
    if commit is None:
        return empty_index(repo)
    try:
        index = open_committed(repo, commit)
    except (sqlite3.DatabaseError, OSError, WikiError):
        return _in_memory(repo, commit)
    index.db.execute(f"PRAGMA busy_timeout = {WAIT_MS}")
    repo.companion(_Held, _Held).indexes.add(index)
    return index


def _anew(repo: Repository, commit: str | None, error: sqlite3.DatabaseError) -> Index:
    """The index at a commit after it failed a question: in memory, where nobody else writes.

    A file that proved damaged is removed, so that the next process makes it anew; one that only
    could not be read now stays.
    """
    if isinstance(error, sqlite3.ProgrammingError):
        # It was closed with its repository, which lives on.
        return _opened(repo, commit)
    if file.is_damage(error):
        with contextlib.suppress(OSError, WikiError):
            file.discard(repo.layout.aside or file.folder_of(repo.git_dir))
    return _in_memory(repo, commit)


def _private(repo: Repository, commit: str | None) -> Index:
    """The index at a commit where the shared file cannot be written now: a copy in memory."""
    try:
        return _in_memory(repo, commit, _opened(repo, commit))
    except sqlite3.DatabaseError:
        return _in_memory(repo, commit)


def _in_memory(repo: Repository, commit: str | None, of: Index | None = None) -> Index:
    """The index of a commit in memory: a copy of one, or of every page, read anew."""
    from llmwiki.index.build_file import bring_to

    index = empty_index(repo)
    index.release()
    if of is not None:
        with contextlib.closing(of):
            of.db.backup(index.db)
    elif commit is not None:
        bring_to(index.db, repo, commit)
    index.forget()
    index.hold()
    return index
