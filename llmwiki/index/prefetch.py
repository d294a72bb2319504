"""The look at all files, begun on another core while this one still loads the program.

At 10,000 pages the look takes 28 ms, as long as it takes to import what ranks and shows: a process
forked before that imports does it meanwhile, and sends what it saw.
"""

from __future__ import annotations

import marshal
import os
import signal
import threading
from pathlib import Path

from llmwiki.core.endings import SIGNALS
from llmwiki.index.worktree_scan import WorkTreeScan, look_around
from llmwiki.repo.repository import Repository

WORTH = range(6_000_000, 120_000_000)
"""Bytes of an index from which on a fork (1 ms) is worth it, up to where files are not looked at:
about 2,000 to 40,000 pages."""


class Prefetch:
    """A look at the files that another process takes."""

    def __init__(self, pid: int, pipe: int) -> None:
        self._pid = pid
        self._pipe = pipe

    def result(self) -> WorkTreeScan | None:
        """What the files look like against what is indexed; None where that is not known."""
        if not self._pid:
            return None
        try:
            with os.fdopen(os.dup(self._pipe), "rb") as pipe:
                sent = pipe.read()
        finally:
            self.close()
        if not sent:
            return None
        # What we sent to ourselves, through a pipe that nobody else holds.
        folders, touched, gone, resized = marshal.loads(sent)
        return WorkTreeScan(folders, touched, gone, resized)

    def close(self) -> None:
        """End the process, whatever it is doing. Idempotent."""
        if self._pid:
            os.close(self._pipe)
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
            self._pid = 0


def begin(repo: Repository, worth: range = WORTH) -> Prefetch | None:
    """Begin to look, where that is worth a process; call it before anything else is loaded."""
    path = repo.git_dir / "llmwiki" / "index.db"
    try:
        size = path.stat().st_size
    except OSError:
        return None
    if size not in worth or (os.cpu_count() or 1) < 2 or threading.active_count() > 1:
        return None
    read, write = os.pipe()
    # No signal may find the other process before it knows what it is; it is ended by this one.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    pid = os.fork()
    if pid:
        ahead = Prefetch(pid, read)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.close(write)
        return ahead
    try:
        os.close(read)
        with os.fdopen(write, "wb") as pipe:
            pipe.write(_look(path, repo.root))
    finally:
        # Nothing of the parent's is to be flushed, closed or reported a second time.
        os._exit(0)


def _look(path: Path, root: Path) -> bytes:
    import sqlite3

    db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    seen = look_around(db, root)
    return marshal.dumps((seen.folders, seen.touched, seen.gone, seen.resized))
