"""The look at all files, begun on another core while this one still loads the program.

At 10,000 pages the look takes 28 ms, as long as it takes to import what ranks and shows: a process
forked before that imports does it meanwhile. Its answer is one byte.
"""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

from llmwiki.repo.repository import Repository

_WORTH = range(6_000_000, 120_000_000)
"""Bytes of an index from which on a fork (1 ms) is worth it, up to where files are not looked at:
about 2,000 to 40,000 pages."""


class Ahead:
    """A look at the files that another process takes."""

    def __init__(self, pid: int, pipe: int) -> None:
        self._pid = pid
        self._pipe = pipe

    def is_clean(self) -> bool:
        """Whether every file is as it was indexed; False where that is not known, or not now."""
        if not self._pid:
            return False
        try:
            return os.read(self._pipe, 1) == b"1"
        finally:
            self.close()

    def close(self) -> None:
        """End the process, whatever it is doing. Idempotent."""
        if self._pid:
            os.close(self._pipe)
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
            self._pid = 0


def begin(repo: Repository) -> Ahead | None:
    """Begin to look, where that is worth a process; call it before anything else is loaded."""
    path = repo.git_dir / "llmwiki" / "index.db"
    try:
        size = path.stat().st_size
    except OSError:
        return None
    if size not in _WORTH or (os.cpu_count() or 1) < 2 or threading.active_count() > 1:
        return None
    read, write = os.pipe()
    pid = os.fork()
    if pid:
        os.close(write)
        return Ahead(pid, read)
    try:
        os.close(read)
        os.write(write, b"1" if _is_clean(path, repo.root) else b"0")
    finally:
        # Nothing of the parent's is to be flushed, closed or reported a second time.
        os._exit(0)


def _is_clean(path: Path, root: Path) -> bool:
    import sqlite3

    from llmwiki.repo.sweep import sweep

    stamps = {folder.path: folder.stamp for folder in sweep(root, "wiki")}
    db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    return stamps == dict(db.execute("SELECT path, stamp FROM folder"))
