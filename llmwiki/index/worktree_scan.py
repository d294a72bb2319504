"""Whether the files of the work tree are those that were indexed."""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from llmwiki.core.errors import PolicyError
from llmwiki.git.markdown_files import FolderListing, sweep
from llmwiki.git.repository import Repository
from llmwiki.index.page_facts_record import is_indexed

Found = tuple[str, int, int, int]
"""A file of the work tree: path, modified at (nanoseconds), size, inode."""

SETTLED = 50_000_000
"""Nanoseconds for which a file may be written again without its time changing: a clock tick of
the file system (10 ms at most on Linux), with a margin."""


NEWEST = 1_000
"""Pages that a glance looks at, those written last: some 2.5 ms."""
RECENT = 100
"""The same where all files, or those of a glance, were looked at a few seconds ago."""
UNSETTLED = b"unsettled"
"""In place of a folder's stamp that cannot be trusted: no folder has it, not an empty one."""


class WorkTreeScan:
    """What a look at all files found."""

    def __init__(self) -> None:
        self.folders: dict[str, tuple[int, bytes] | None] = {}
        """Folders that are not as they were to their time and stamp, as far as these can be
        trusted; None: it is no more."""
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


def look(
    db: sqlite3.Connection, swept: Iterable[FolderListing], known: dict[str, bytes], now: int
) -> WorkTreeScan:
    """Compare the files of folders with what is indexed; `known` are the stamps of these folders,
    `now` in nanoseconds, taken before the sweep.

    The result is clean when every folder is as it was.
    """
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
        settled &= folder.mtime <= now - SETTLED
        trusted = (folder.mtime, stamp) if settled else (0, UNSETTLED)
        found.folders[folder.path] = trusted
    for folder_path in known:
        found.folders[folder_path] = None
        found.gone.update(
            path
            for (path,) in db.execute(
                "SELECT path FROM page WHERE path > ? AND path < ?",
                (f"{folder_path}/", f"{folder_path}0"),
            )
        )
    return found


def look_around(db: sqlite3.Connection, repo: Repository) -> WorkTreeScan:
    """Compare all files of the folders with pages with what is indexed."""
    now = time.time_ns()
    known = dict(db.execute("SELECT path, stamp FROM folder"))
    return look(db, sweep(repo.root, repo.layout.page_folders), known, now)


def glance(db: sqlite3.Connection, repo: Repository, newest: int = NEWEST) -> WorkTreeScan:
    """The same of the folders in which names came or went, and of so many pages, those written
    last: what costs no more in a large wiki. An edit in place of an older page is not seen."""
    now, root = time.time_ns(), repo.root
    known = dict(db.execute("SELECT path, mtime FROM folder"))
    times = {path: _mtime(root / path) for path in known}
    gone = tuple(f"{path}/" for path, mtime in times.items() if mtime is None)
    moved = [p for p, m in known.items() if times[p] != m or f"{p}/".startswith(gone)]
    listed = [path for path in moved if not f"{path}/".startswith(gone)]
    listed += [path for path in repo.layout.page_folders if path not in known]
    marks = ",".join("?" * len(moved))
    stamps = dict(db.execute(f"SELECT path, stamp FROM folder WHERE path IN ({marks})", moved))
    found = look(db, sweep(root, listed, known), stamps, now)
    rows = db.execute(
        "SELECT path, mtime, size, inode FROM page ORDER BY mtime DESC LIMIT ?", (newest,)
    )
    of_folder: dict[str, list[Found]] = {}
    for row in rows:
        of_folder.setdefault(row[0].rpartition("/")[0], []).append(row)
    with repo.folders() as folders:
        for folder in of_folder.keys() - found.folders.keys():
            with suppress(OSError, PolicyError):
                descriptor = folders.descriptor(f"{repo.prefix}{folder}".rstrip("/"))
                _compare(found, descriptor, of_folder[folder], now)
    return found


def _compare(found: WorkTreeScan, folder: int, known: Iterable[Found], now: int) -> None:
    """Enter those of the files of an open folder that are not as they were indexed."""
    for path, *numbers in known:
        try:
            # Below an open folder, and without a link followed: some 1.5 µs.
            there = os.stat(path.rpartition("/")[2], dir_fd=folder, follow_symlinks=False)
        except OSError:
            continue
        mtime, size, inode = there.st_mtime_ns, there.st_size, there.st_ino
        if [mtime, size, inode] != numbers and stat.S_ISREG(there.st_mode):
            found.touched[path] = (path, 0 if mtime > now - SETTLED else mtime, size, inode)
            found.resized += size != numbers[1]


def _mtime(folder: Path) -> int | None:
    """When a folder was changed; None where there is none, or a link."""
    try:
        there = folder.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return there.st_mtime_ns if stat.S_ISDIR(there.st_mode) else None
