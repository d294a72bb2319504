"""Lock files of refs that our own git left when it was killed in the middle of moving a branch."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from llmwiki.repo.repository import Repository
    from llmwiki.store.journal import Journal

_PATIENCE = 1.0
"""Seconds an empty lock must stand still: a living git holds one for a few milliseconds."""


def sweep_ref_locks(repo: Repository, journal: Journal, since: float) -> None:
    """Remove the locks a dead `git update-ref` of this journal left; only under our lock.

    Our git inherits the lock's descriptor, so once we hold the lock it is dead. A lock that holds
    the journal's new commit id is ours beyond doubt. git also makes an empty `HEAD.lock`, and the
    branch's is empty for an instant: such a one is taken for ours if it is no older than the
    journal (`since`, seconds since the epoch) and does not change while we wait. Any other lock
    is left alone.
    """
    head = repo.git_dir / "HEAD.lock"
    branch = None if journal.ref is None else repo.common_dir / f"{journal.ref}.lock"
    empty: dict[Path, os.stat_result] = {}
    for path in (head, branch):
        if path is None:
            continue
        with suppress(OSError):
            data, status = path.read_bytes(), path.stat()
            if data.strip() == journal.new.encode():
                path.unlink()
            elif not data and status.st_mtime >= since - 1:
                empty[path] = status
    if not empty:
        return
    time.sleep(_PATIENCE)
    for path, before in empty.items():
        with suppress(OSError):
            now = path.stat()
            if (now.st_ino, now.st_mtime_ns, now.st_size) == (before.st_ino, before.st_mtime_ns, 0):
                path.unlink()
