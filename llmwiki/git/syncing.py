"""Bringing files to the disk.

Measured on ext4 over virtio, 18 new files of 2 kB: one after the other 5.1 ms, by eight threads
2.9, without any fsync 0.6.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Sequence
from pathlib import Path

MOST_OPEN = 64
"""Files, and as many folders, that one operation holds open at one time: a process may open some
256 (macOS) or 1,024 (Linux) where nobody has set another limit."""
_FULL = getattr(fcntl, "F_FULLFSYNC", None)


def sync(fd: int) -> None:
    """Wait until a file's bytes are on the disk (on macOS through the drive's own cache, with all
    that has come as far as that)."""
    if _FULL is None:
        os.fsync(fd)
        return
    try:
        fcntl.fcntl(fd, _FULL)
    except OSError:
        # Some file systems know only fsync.
        os.fsync(fd)


def sync_all(fds: Sequence[int]) -> None:
    """Wait until all these files are on the disk. Raises OSError."""
    for fd in fds[:-1]:
        os.fsync(fd)
    for fd in fds[-1:]:
        sync(fd)


def sync_directory(path: Path | str) -> None:
    """Wait until the names in a directory are on the disk."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
