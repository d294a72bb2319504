"""The index file of a work tree: where it lies, whether it fits, whose turn it is to write.

The file is in SQLite's WAL mode: readers see the last whole state while another process writes.
Who writes holds a lock beside it, so that two processes do not index the same change twice.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from llmwiki.core.errors import LockTimeout
from llmwiki.index import schema

NAME = "index.db"
WAIT = 30.0
"""Seconds to wait for another process that writes the index: a full one of 100,000 pages."""
_BUSY = 10.0
_LOOK_AGAIN = 0.01
_LEAVING = threading.Lock()


class IndexUnfit(Exception):
    """The file is damaged, foreign, or of another version; it must be made anew."""


def name_of(key: str) -> str:
    """The name of the index of a choice of pages; see `repo.layout.Layout.key`."""
    return f"index-{key}.db" if key else NAME


def folder_of(git_dir: Path) -> Path:
    """Where a work tree's index lies."""
    return git_dir / "llmwiki"


def path_of(db: sqlite3.Connection) -> Path:
    """The file of a connection."""
    return Path(db.execute("PRAGMA database_list").fetchone()[2])


def make(path: Path) -> sqlite3.Connection:
    """A new, empty index file that nobody else knows of yet: no journal, no syncing."""
    db = sqlite3.connect(path, isolation_level=None)
    db.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
    schema.create(db)
    return db


def connect(path: Path) -> sqlite3.Connection:
    """A connection to an index file.

    Where the folder cannot be written the file is read as it lies, if no other process left a
    change beside it. Raises Unfit where it is none of ours, FileNotFoundError, and
    sqlite3.OperationalError where it cannot be opened.
    """
    if not path.is_file():
        raise FileNotFoundError(path)
    address = path.absolute().as_uri()
    try:
        return _checked(f"{address}?mode=rw", path)
    except sqlite3.OperationalError:
        waiting = Path(f"{path}-wal")
        if waiting.exists() and waiting.stat().st_size:
            raise
        return _checked(f"{address}?mode=ro&immutable=1", path)


def _checked(address: str, path: Path) -> sqlite3.Connection:
    # One thread at a time uses it, and it may be another one each time.
    db = sqlite3.connect(
        address, uri=True, timeout=_BUSY, isolation_level=None, check_same_thread=False
    )
    try:
        db.execute("PRAGMA synchronous = NORMAL")
        fits = (
            db.execute("PRAGMA application_id").fetchone()[0] == schema.APPLICATION_ID
            and schema.get(db, "tag") == schema.tag()
            and not _is_cut(db, path)
        )
    except sqlite3.DatabaseError as error:
        close(db)
        if is_damage(error):
            raise IndexUnfit from error
        raise
    if not fits:
        close(db)
        raise IndexUnfit
    return db


def close(db: sqlite3.Connection) -> None:
    """Close a connection.

    Whoever closes a file last removes what SQLite keeps beside it, and finds out by asking for the
    file alone: two threads that ask at the same moment refuse each other, and both leave it there.
    """
    with _LEAVING:
        db.close()


_OUTSIDE = ("unable to open", "attempt to write a readonly", "database is locked", "disk is full")


def is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether the file, and not the disk, the rights or another process, is what is wrong."""
    outside = isinstance(error, sqlite3.OperationalError) and _OUTSIDE
    return not (outside and str(error).startswith(outside))


def _is_cut(db: sqlite3.Connection, path: Path) -> bool:
    waiting = Path(f"{path}-wal")
    if waiting.exists() and waiting.stat().st_size:
        # Pages that another connection wrote stand beside the file until it is closed.
        return False
    pages = db.execute("PRAGMA page_count").fetchone()[0]
    size = db.execute("PRAGMA page_size").fetchone()[0]
    return path.stat().st_size < int(pages * size)


@contextmanager
def turn(folder: Path, wait: float = WAIT) -> Iterator[None]:
    """Hold the right to write the index in `folder`, which is made where it is missing.

    Raises OSError where the folder cannot be written, LockTimeout after `wait` seconds.
    """
    folder.mkdir(mode=0o755, exist_ok=True)
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(folder / "index.lock", flags, 0o644)
    try:
        until = time.monotonic() + wait
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    raise LockTimeout(
                        "another process has been writing the index for too long",
                        where=str(folder / NAME),
                        fix="Wait for it, or end it, and run the command again.",
                    ) from None
                time.sleep(_LOOK_AGAIN)
        yield
    finally:
        os.close(descriptor)


def discard(folder: Path) -> None:
    """Remove every index of a work tree; whoever asks next makes one anew."""
    with turn(folder):
        for path in folder.glob("*.db*"):
            path.unlink(missing_ok=True)


def put_in_place(new: Path, path: Path) -> None:
    """Make a finished file the index where there is none that fits; the caller has the turn."""
    with new.open("rb") as file:
        os.fsync(file.fileno())
    # What a killed process left beside the old file would spoil the new one.
    for ending in ("-journal", "-wal", "-shm"):
        Path(f"{path}{ending}").unlink(missing_ok=True)
    new.replace(path)


def copied(shared: Path, folder: Path) -> Path:
    """The path of a copy of an index file in `folder`, which is made where it is missing.

    A file is copied once. There may be none at that path: where there was none to copy, or one
    that was being written, and where the copy was removed since.
    """
    import shutil

    path, mark = folder / shared.name, folder / f"copied-{shared.stem}"
    if mark.exists():
        return path
    folder.mkdir(mode=0o700, exist_ok=True)
    mark.touch()
    before = _moment(shared)
    waiting = Path(f"{shared}-wal")
    if not before or (waiting.exists() and waiting.stat().st_size):
        return path
    shutil.copyfile(shared, path)
    if _moment(shared) != before:
        path.unlink()
    return path


def _moment(path: Path) -> tuple[int, ...]:
    """What changes when a file is written; empty where there is none."""
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns


def unused_folder() -> Path:
    """A name for a temporary folder that nobody else can guess; it is not made."""
    import tempfile

    return Path(tempfile.gettempdir()) / f"llmwiki-{os.urandom(16).hex()}"


def remove_folder(folder: Path) -> None:
    """Removes a folder of index files that nobody needs any more, if it was made."""
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder for an index that nobody keeps."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="llmwiki-") as folder:
        yield Path(folder)
