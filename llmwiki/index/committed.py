"""The index of the pages of a commit, for whoever reads and plans on them.

Where the shared file is missing, damaged or cannot be written, the same is held in memory, only
slower. Nothing here raises for the sake of the file.
"""

from __future__ import annotations

import contextlib
import sqlite3
from weakref import WeakSet

from llmwiki.core.errors import WikiError
from llmwiki.index import file
from llmwiki.index.open_index import Index, empty_index, open_committed
from llmwiki.repo.repository import Repository

DAMAGE = sqlite3.DatabaseError
"""What a question raises that the file cannot answer."""


class _Held:
    """What is held for a repository, closed with it at the latest."""

    def __init__(self) -> None:
        self.indexes: WeakSet[Index] = WeakSet()

    def close(self) -> None:
        for index in self.indexes:
            index.close()


def hold_committed(repo: Repository, commit: str | None) -> Index:
    """The index at a commit; None: one without pages."""
    if commit is None:
        return empty_index(repo)
    try:
        index = open_committed(repo, commit)
    except (sqlite3.DatabaseError, OSError, WikiError):
        return _in_memory(repo, commit)
    repo.companion(_Held, _Held).indexes.add(index)
    return index


def hold_anew(repo: Repository, commit: str | None, error: sqlite3.DatabaseError) -> Index:
    """The index at a commit after it failed a question: in memory, where nobody else writes.

    A file that proved damaged is removed, so that the next process makes it anew; one that only
    could not be read now stays.
    """
    if isinstance(error, sqlite3.ProgrammingError):
        # It was closed with its repository, which lives on.
        return hold_committed(repo, commit)
    if file.is_damage(error):
        with contextlib.suppress(OSError, WikiError):
            file.discard(repo.layout.aside or file.folder_of(repo.git_dir))
    return empty_index(repo) if commit is None else _in_memory(repo, commit)


def hold_privately(repo: Repository, commit: str | None) -> Index:
    """The index at a commit where the shared file cannot be written now: a copy in memory."""
    if commit is None:
        return empty_index(repo)
    try:
        return _copied(repo, commit)
    except (sqlite3.DatabaseError, OSError, WikiError):
        return _in_memory(repo, commit)


def _copied(repo: Repository, commit: str) -> Index:
    """A copy of the file in memory."""
    index, copy = open_committed(repo, commit), empty_index(repo)
    try:
        copy.release()
        index.db.backup(copy.db)
        copy.forget()
        copy.hold()
    finally:
        index.close()
    return copy


def _in_memory(repo: Repository, commit: str) -> Index:
    """Every page of a commit, read anew."""
    from llmwiki.index.build_file import bring_to

    index = empty_index(repo)
    index.release()
    bring_to(index.db, repo, commit)
    index.forget()
    index.hold()
    return index
