"""Whether anything in some folders may have changed, as the kernel tells it (Linux, inotify(7)).

It spares looking at every file again. Where it cannot be relied on, as on a file system that other
machines write to, there is no watch, and files are looked at.
"""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

MOST = 2_000
"""Folders that are watched at most: a user has about 8,000 watches on small machines."""
LOCAL = frozenset(
    ("ext2", "ext3", "ext4", "xfs", "btrfs", "tmpfs", "overlay", "zfs", "f2fs", "bcachefs", "jfs")
)
"""File systems all of whose changes go through this kernel."""
_CHANGES = 0x2 | 0x4 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800
"""Modified, attributes, closed after writing, moved from and to, made, deleted, deleted and moved
itself."""
_ONLY_FOLDERS, _NO_LINKS = 0x0100_0000, 0x0200_0000
_GONE = frozenset((errno.ENOENT, errno.ENOTDIR, errno.ELOOP))


class FolderWatch:
    """Watches folders, not what lies in folders below them. Close it."""

    def __init__(self, root: Path) -> None:
        """Raises OSError where folders at `root` cannot be watched."""
        if not sys.platform.startswith("linux") or _file_system(root) not in LOCAL:
            raise OSError(errno.ENOTSUP, "changes of this file system are not told")
        import ctypes

        self._library = ctypes.CDLL(None, use_errno=True)
        self._errno = ctypes.get_errno
        self._device = root.stat().st_dev
        self._count = 0
        self._fd: int = self._library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._fd < 0:
            raise OSError(self._errno(), "inotify_init1")

    def add(self, folder: Path) -> None:
        """Watches a folder from now on; none that is not there. Raises OSError where it cannot."""
        try:
            device = os.lstat(folder).st_dev
        except (FileNotFoundError, NotADirectoryError):
            return
        self._count += 1
        if self._count > MOST or device != self._device:
            raise OSError(errno.ENOTSUP, "too many folders, or another file system")
        mask = _CHANGES | _ONLY_FOLDERS | _NO_LINKS
        if self._library.inotify_add_watch(self._fd, os.fsencode(folder), mask) < 0:
            code = self._errno()
            if code not in _GONE:
                raise OSError(code, "inotify_add_watch")

    def fileno(self) -> int:
        """The descriptor that can be read when something changed, for select(2)."""
        return self._fd

    def has_changes(self) -> bool:
        """Whether anything changed since the last question; what is told is taken."""
        found = False
        while True:
            try:
                found |= bool(os.read(self._fd, 1 << 16))
            except BlockingIOError:
                return found

    def close(self) -> None:
        """Ends it. Idempotent."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def _file_system(folder: Path) -> str:
    """The type of the file system that a folder lies on, as `mountinfo` of proc(5) has it."""
    real = os.path.realpath(folder)
    found, longest = "", -1
    try:
        lines = Path("/proc/self/mountinfo").read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return ""
    for line in lines:
        mounted, _, kind = line.partition(" - ")
        place = mounted.split(" ")[4].encode().decode("unicode_escape")
        is_above = real == place or real.startswith(f"{place.rstrip('/')}/")
        if is_above and len(place) >= longest:
            found, longest = kind.split(" ")[0], len(place)
    return found
