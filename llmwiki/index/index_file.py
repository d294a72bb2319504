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
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from llmwiki.core.errors import LockTimeout, StateError, WikiError
from llmwiki.index import tables

NAME = "index.db"
WAIT = 30.0
"""Seconds to wait for another process that writes the index: a full one of 100,000 pages."""
_BUSY = 10.0
_LOOK_AGAIN = 0.01
_LEAVING = threading.Lock()


class IndexDamaged(StateError):
    """The index turned out to be damaged while it was read; it is gone, and made anew next time."""


class IndexUnfit(Exception):
    """The file is damaged, foreign, or of another version; it must be made anew."""


def name_of(key: str) -> str:
    """The name of the index of a choice of pages; see `find_repository.Layout.key`."""
    return f"index-{key}.db" if key else NAME


def folder_of(git_dir: Path) -> Path:
    """Where a work tree's index lies."""
    return git_dir / "llmwiki"


def path_of(db: sqlite3.Connection) -> Path:
    """The file of a connection."""
    return Path(db.execute("PRAGMA database_list").fetchone()[2])


def private() -> sqlite3.Connection:
    """An empty database that nobody else sees: SQLite keeps it in memory, a large one in a
    temporary file without a name. It is gone when it is closed."""
    db = sqlite3.connect("", isolation_level=None, check_same_thread=False)
    db.executescript("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
    return db


def connect(path: Path, *, reads_only: bool = False) -> sqlite3.Connection:
    """A connection to an index file; `reads_only`: nothing can be written through it.

    Where the folder cannot be written the file is read as it lies, if no other process left a
    change beside it. Raises IndexUnfit where it is none of ours, FileNotFoundError, and
    sqlite3.OperationalError where it cannot be opened.
    """
    if not path.is_file():
        raise FileNotFoundError(path)
    db = reached(path, "rw", lambda db: _check(db, path))
    if reads_only:
        db.execute("PRAGMA query_only = ON")
    return db


def reached(
    path: Path, mode: str, begin: Callable[[sqlite3.Connection], object]
) -> sqlite3.Connection:
    """A connection to a file in WAL mode (`rw`, or `rwc`, which makes it), or, where the folder
    cannot be written and no change waits beside it, to the file as it lies. `begin` is done first:
    where it raises, the file cannot be reached."""
    address = path.absolute().as_uri()
    try:
        return _connected(f"{address}?mode={mode}", begin)
    except sqlite3.OperationalError:
        waiting = Path(f"{path}-wal")
        if waiting.exists() and waiting.stat().st_size:
            raise
        return _connected(f"{address}?mode=ro&immutable=1", begin)


def _connected(address: str, begin: Callable[[sqlite3.Connection], object]) -> sqlite3.Connection:
    # One thread at a time uses it, and it may be another one each time.
    db = sqlite3.connect(
        address, uri=True, timeout=_BUSY, isolation_level=None, check_same_thread=False
    )
    try:
        begin(db)
    except (sqlite3.DatabaseError, IndexUnfit):
        close(db)
        raise
    return db


def remove(path: Path) -> None:
    """Removes a file, and what a killed process left beside it, which would spoil a new one."""
    for ending in ("", "-journal", "-wal", "-shm"):
        path.with_name(f"{path.name}{ending}").unlink(missing_ok=True)


def _check(db: sqlite3.Connection, path: Path) -> None:
    try:
        db.execute("PRAGMA synchronous = NORMAL")
        fits = (
            db.execute("PRAGMA application_id").fetchone()[0] == tables.APPLICATION_ID
            and tables.get(db, "tag") == tables.tag()
            and not _is_cut(db, path)
        )
    except sqlite3.DatabaseError as error:
        if is_damage(error):
            raise IndexUnfit from error
        raise
    if not fits:
        raise IndexUnfit


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


def damaged(db: sqlite3.Connection, error: sqlite3.DatabaseError) -> StateError:
    """What to raise where a question to an index fails; a file that is damaged is removed, unless
    nothing may be written."""
    if not is_damage(error):
        return StateError(f"the index cannot be read: {error}")
    with suppress(OSError, WikiError, sqlite3.DatabaseError):
        path = path_of(db)
        if path.name and not db.execute("PRAGMA query_only").fetchone()[0]:
            discard(path.parent)
            return IndexDamaged(
                "the index is damaged", fix="It was removed. Run the command again."
            )
    return IndexDamaged("the index is damaged", fix="`wiki index --rebuild` makes it anew.")
