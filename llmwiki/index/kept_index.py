"""The index of a wiki as it is now, kept open between questions.

Each question sees every commit, and uncommitted edits as `open_corpus` sees them: the branch is
read each time; files are looked at again as soon as the kernel tells of a change in their folders,
or each time where it tells of none.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from llmwiki.index import file
from llmwiki.index.open_index import (
    Index,
    Notice,
    bring_up_to_date,
    open_now,
    sweeps,
    telling_damage,
)
from llmwiki.index.worktree_scan import WorkTreeScan, look_around
from llmwiki.repo.folder_watch import FolderWatch
from llmwiki.repo.repository import Repository

TRUSTED = 10.0
"""Seconds for which no news are good news; then files are looked at all the same, for a write
through a second name of a file, or into memory, is not told."""


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
        self._watch: FolderWatch | None = None
        self._can_watch = True
        self._trusted_until = 0.0

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
        self._stack.close()
        self._forget_watch()

    def _current(self, fresh: bool, say: Notice) -> Index:
        if self._index is not None and _identity(self._path) == self._file:
            try:
                return self._refreshed(self._index, fresh)
            except (OSError, sqlite3.OperationalError):
                pass
        self.close()
        index = open_now(self._repo, fresh, say, self._stack)
        index.keep_answers()
        aside = self._repo.layout.aside
        places = (self._shared, *((aside / self._shared.name,) if aside else ()))
        self._path = next((place for place in places if index.is_at(place)), self._shared)
        self._file = _identity(self._path)
        self._index = index if self._file and index.is_at(self._path) else None
        return index

    def _refreshed(self, index: Index, fresh: bool) -> Index:
        index.hold()
        index.swept = sweeps(index, fresh)
        seen = self._looked(index) if index.swept and not self._is_unmoved() else None
        if index.commit != self._repo.head() or not (seen is None or seen.clean):
            if self._repo.layout.aside is not None and self._path == self._shared:
                raise OSError("the shared index is behind, and is not to be written")
            with file.turn(self._path.parent):
                bring_up_to_date(index, self._repo, seen)
        return index

    # --- whether anything moved ----------------------------------------------------------

    def _is_unmoved(self) -> bool:
        is_trusted = self._watch is not None and time.monotonic() < self._trusted_until
        return is_trusted and self._watch is not None and not self._watch.has_changes()

    def _looked(self, index: Index) -> WorkTreeScan:
        """Looks at all files; each folder is watched before it is looked at."""
        self._forget_watch()
        watch = _Watching(self._repo) if self._can_watch else None
        seen = look_around(index.db, self._repo, watch.enter if watch else None)
        if watch is not None:
            self._watch = watch.found
            self._can_watch = self._watch is not None
        # What was written a moment ago may be written again within the same tick of the clock.
        self._trusted_until = time.monotonic() + TRUSTED if seen.clean else 0.0
        return seen

    def _forget_watch(self) -> None:
        if self._watch is not None:
            self._watch.close()
            self._watch = None


class _Watching:
    """Watches folders as they are looked at, and those that lead to them."""

    def __init__(self, repo: Repository) -> None:
        self.found: FolderWatch | None = None
        """None: not every folder can be watched."""
        try:
            self.found = FolderWatch(repo.root)
        except OSError:
            return
        above = {parent for name in repo.layout.page_folders for parent in Path(name).parents}
        for folder in sorted(above):
            self.enter(repo.root / folder)

    def enter(self, folder: Path) -> None:
        """Watches a folder."""
        if self.found is None:
            return
        try:
            self.found.add(folder)
        except OSError:
            self.found.close()
            self.found = None


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
