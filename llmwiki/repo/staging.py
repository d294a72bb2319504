"""New objects as files of ours until they are part of the history, so that no prune can lose them.

`git gc --prune=now` removes whatever no ref leads to, and until the branch has moved that is every
object of a landing; whoever moves the branch to a commit whose trees are gone destroys it. So each
object is written to a file beside the journal, where git never looks, and linked from there to its
place in the object store, as often as it is missing there. Recovery finds the files after a crash.

A loose object is zlib of `<kind> <size>\\0<data>` named by its hash (gitformat-loose).
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from llmwiki.repo.failpoints import reach
from llmwiki.repo.objects import TEMPORARY, GitObject, ObjectPermissions, write_all
from llmwiki.repo.syncing import MOST_OPEN, sync, sync_all

_PREFIX = "object-"
"""What the name of such a file begins with. In a folder made anew for each landing ext4 took three
times as long to make each file (170 µs against 57, seen with strace)."""


class Staging:
    """The objects of one landing. Only under the lock."""

    def __init__(self, folder: Path, objects: Path, permissions: ObjectPermissions) -> None:
        self._folder = str(folder)
        # Names as text: a Path for each object took longer than to write it.
        self._objects = str(objects)
        self._permissions = permissions

    def add(self, items: Iterable[GitObject]) -> None:
        """Write objects durably: when this returns, all are on the disk and have their places.

        First all files with a common wait for many, then all links: a power cut leaves objects
        whole or absent. Raises OSError.
        """
        reach("objects.begin")
        with suppress(FileExistsError):
            os.mkdir(self._folder)  # noqa: PTH102 - names as text
        written: list[str] = []
        waiting: list[int] = []
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            for item in items:
                try:
                    fd = os.open(self._staged(item.oid), flags, self._permissions.file)
                except FileExistsError:
                    continue
                written.append(item.oid)
                waiting.append(fd)
                header = b"%s %d\0" % (item.kind.encode(), len(item.data))
                write_all(fd, zlib.compress(header + item.data, 1))
                if self._permissions.folder is not None:
                    os.fchmod(fd, self._permissions.file)
                reach("objects.temporary")
                if len(waiting) >= MOST_OPEN:
                    sync_all(waiting)
                    _close_all(waiting)
            sync_all(waiting)
        finally:
            _close_all(waiting)
        reach("objects.synced")
        for oid in written:
            self._place(oid)
            reach("objects.placed")
        reach("objects.done")

    def publish(self) -> int:
        """Give a place to each object that has none, and say how many had none. Raises OSError."""
        return sum(self._place(oid) for oid in self._oids() if not _exists(self._target(oid)))

    def clear(self) -> None:
        """Forget the objects: they are part of the history, or nobody wants them."""
        for oid in self._oids():
            with suppress(FileNotFoundError):
                os.unlink(self._staged(oid))  # noqa: PTH108 - names as text

    def _oids(self) -> list[str]:
        try:
            names = os.listdir(self._folder)  # noqa: PTH208 - names as text
        except FileNotFoundError:
            return []
        return sorted(name.removeprefix(_PREFIX) for name in names if name.startswith(_PREFIX))

    def _staged(self, oid: str) -> str:
        return f"{self._folder}/{_PREFIX}{oid}"

    def _target(self, oid: str) -> str:
        return f"{self._objects}/{oid[:2]}/{oid[2:]}"

    def _place(self, oid: str) -> bool:
        """Link an object to its place; False when something stands there already.

        What stands there gets a new time, so that a `git gc` which runs just now does not take it
        for old garbage.
        """
        staged, target = self._staged(oid), self._target(oid)
        try:
            try:
                os.link(staged, target)
            except FileNotFoundError:
                self._make(oid)
                os.link(staged, target)
        except FileExistsError:
            # Somebody else's file in a shared repository may refuse.
            with suppress(OSError):
                os.utime(target)
            return False
        except OSError:
            # No hard links here, or the object store is on another disk.
            return self._copy(oid)
        return True

    def _make(self, oid: str) -> None:
        folder = Path(self._objects, oid[:2])
        folder.mkdir(exist_ok=True)
        if self._permissions.folder is not None:
            folder.chmod(self._permissions.folder)

    def _copy(self, oid: str) -> bool:
        if _exists(self._target(oid)):
            return False
        temporary = Path(self._objects, f"{TEMPORARY}{os.getpid()}")
        temporary.unlink(missing_ok=True)
        fd = os.open(
            temporary,
            os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC,
            self._permissions.file,
        )
        try:
            try:
                write_all(fd, Path(self._staged(oid)).read_bytes())
                if self._permissions.folder is not None:
                    os.fchmod(fd, self._permissions.file)
                sync(fd)
            finally:
                os.close(fd)
            self._make(oid)
            temporary.rename(self._target(oid))
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
        return True


def _close_all(descriptors: list[int]) -> None:
    while descriptors:
        os.close(descriptors.pop())


def _exists(path: str) -> bool:
    try:
        os.stat(path)  # noqa: PTH116 - names as text
    except FileNotFoundError:
        return False
    return True
