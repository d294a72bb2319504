"""The index of the pages of a commit, and of what they would be after a plan."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from weakref import WeakSet

from llmwiki.git.repository import Repository
from llmwiki.git.trees import object_id
from llmwiki.index import index_file
from llmwiki.index.open_index import Index, empty_index, open_committed, private
from llmwiki.index.put_pages import PageVersion, put

WAIT_MS = 2_000
"""Milliseconds that a plan waits for another process which writes the index; then a copy of it is
quicker."""


class _Open:
    """What is open of a repository, closed with it at the latest."""

    def __init__(self) -> None:
        self.indexes: WeakSet[CommittedIndex] = WeakSet()

    def close(self) -> None:
        for index in self.indexes:
            index.close()


class CommittedIndex:
    """The index at one commit, with the pages of plans shown over it.

    Plans are put into it within a transaction that is always taken back: nobody else sees them,
    and nobody else writes the index while they are shown. Where somebody does, it is a copy.
    """

    def __init__(self, repo: Repository) -> None:
        self._repo = repo
        self._commit: str | None = None
        self.index: Index = empty_index(repo)
        """To be asked; another one each time, so not to be kept."""
        self.depth = 0
        """How many plans are shown, one over the other."""
        repo.companion(_Open, _Open).indexes.add(self)

    def stand_at(self, commit: str | None) -> None:
        """The pages of that commit; no plan may be shown. Raises StateError."""
        self.index.close()
        repo = self._repo
        self.index = open_committed(repo, commit) if commit else empty_index(repo)
        self.index.db.execute(f"PRAGMA busy_timeout = {WAIT_MS}")
        self._commit = commit

    def close(self) -> None:
        """Closes the file. Idempotent."""
        self.index.close()

    def show(self, pages: Mapping[str, bytes | None]) -> None:
        """Shows pages in these bytes, until `take_back`; None: the page is gone."""
        if not self.depth and not self._begins():
            self.index = private(self._repo, self.index, commit=self._commit)
            self._begins()
        db = self.index.db
        try:
            db.execute(f"SAVEPOINT shown{self.depth}")
            for path, data in sorted(pages.items()):
                version = None
                if data is not None:
                    oid = object_id("blob", data, self._repo.object_format)
                    version = PageVersion(path, oid, data)
                put(db, path, version)
            self.index.look_again()
        except sqlite3.DatabaseError as error:
            raise index_file.damaged(db, error) from error
        self.depth += 1

    def take_back(self, depth: int) -> None:
        """Takes plans back, until only the first `depth` of them are shown."""
        if self.depth <= depth:
            return
        index, self.depth = self.index, depth
        index.forget()
        if depth:
            index.db.execute(f"ROLLBACK TO shown{depth}")
            index.db.execute(f"RELEASE shown{depth}")
            index.look_again()
            return
        index.release()
        index.hold()
        if not index.holds(self._commit):
            self.stand_at(self._commit)

    def _begins(self) -> bool:
        """Begins to write in the index; whether it can be, and still stands at the commit."""
        index = self.index
        index.release()
        try:
            index.db.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return False
        index.look_again()
        return index.holds(self._commit)
