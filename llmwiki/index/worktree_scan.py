"""Whether the files of the work tree are those that were indexed."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from llmwiki.index.facts import is_indexed
from llmwiki.repo.repository import Repository
from llmwiki.repo.sweep import FolderListing, sweep

Found = tuple[str, int, int, int]
"""A file of the work tree: path, modified at (nanoseconds), size, inode."""

SETTLED = 50_000_000
"""Nanoseconds for which a file may be written again without its time changing: a clock tick of
the file system (10 ms at most on Linux), with a margin."""


UNSETTLED = b"unsettled"
"""In place of a folder's stamp that cannot be trusted: no folder has it, not an empty one."""


class WorkTreeScan:
    """What a look at all files found."""

    def __init__(self) -> None:
        self.folders: dict[str, bytes] = {}
        """Every folder to its stamp, as far as it can be trusted."""
        self.touched: dict[str, Found] = {}
        """Files that may be other than indexed, by path."""
        self.gone: set[str] = set()
        """Pages indexed whose files are no more."""
        self.resized = 0
        """How many of the files touched are new or of another size: the others, as after a copy
        of the whole repository, are mostly the same."""

    @property
    def clean(self) -> bool:
        """Whether nothing needs to be done."""
        return not (self.folders or self.touched or self.gone)


def look(db: sqlite3.Connection, swept: Iterable[FolderListing], now: int) -> WorkTreeScan:
    """Compare the files with what is indexed; `now` in nanoseconds, taken before the sweep.

    The result is clean when every folder is as it was.
    """
    known = dict(db.execute("SELECT path, stamp FROM folder"))
    found = WorkTreeScan()
    for folder in swept:
        stamp = folder.stamp
        if known.pop(folder.path, None) == stamp:
            continue
        begins = f"{folder.path}/" if folder.path else ""
        rows = {
            path: numbers
            for path, *numbers in db.execute(
                "SELECT path, mtime, size, inode FROM page WHERE path > ? AND path < ?",
                (begins, f"{folder.path}0" if folder.path else "\U0010ffff"),
            )
            if "/" not in path[len(begins) :]
        }
        settled = True
        for path, mtime, size, inode in folder.files():
            if not is_indexed(path):
                continue
            known_numbers = rows.pop(path, None)
            if known_numbers == [mtime, size, inode]:
                continue
            found.resized += known_numbers is None or known_numbers[1] != size
            # A file may be written again within the same tick: looked at again next time.
            fresh = mtime > now - SETTLED
            settled &= not fresh
            found.touched[path] = (path, 0 if fresh else mtime, size, inode)
        found.gone.update(rows)
        found.folders[folder.path] = stamp if settled else UNSETTLED
    for folder_path in known:
        found.folders[folder_path] = b"gone"
        found.gone.update(
            path
            for (path,) in db.execute(
                "SELECT path FROM page WHERE path > ? AND path < ?",
                (f"{folder_path}/", f"{folder_path}0"),
            )
        )
    return found


def look_around(
    db: sqlite3.Connection, repo: Repository, enter: Callable[[Path], None] | None = None
) -> WorkTreeScan:
    """Compare all files of the folders with pages with what is indexed.

    `enter` is told each folder before it is looked at.
    """
    now = time.time_ns()
    return look(db, sweep(repo.root, repo.layout.page_folders, enter), now)
