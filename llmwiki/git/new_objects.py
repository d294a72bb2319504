"""New objects, written without git and held in memory until no prune can lose them.

`git gc --prune=now` removes whatever no ref leads to, and until a ref leads to a landing that is
every object of it; whoever moves a branch to a commit whose trees are gone destroys it. So what is
written is held, and what is missing in the store is written again, as often as git is about to
build on it.

A loose object is zlib of `<kind> <size>\\0<data>` named by its hash (gitformat-loose).
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from llmwiki.core.errors import StateError
from llmwiki.git.failpoints import reach
from llmwiki.git.objects import (
    MOST_OPEN,
    TEMPORARY,
    GitObject,
    ObjectPermissions,
    ObjectReader,
    sync_all,
    write_all,
)
from llmwiki.git.runner import GitError

ATTEMPTS = 5
"""How often git's work is done anew because a prune has taken objects meanwhile."""
T = TypeVar("T")


class NewObjects:
    """The objects of one landing. Only under the lock."""

    def __init__(self, objects: Path, permissions: ObjectPermissions) -> None:
        # Names as text: a Path for each object took longer than to write it.
        self._objects = str(objects)
        self._permissions = permissions
        self._held: dict[str, GitObject] = {}

    def add(self, items: Iterable[GitObject]) -> None:
        """Write objects durably: when this returns, all are on the disk and have their places.

        First all files, then all names: a power cut leaves objects
        whole or absent. Raises OSError.
        """
        reach("objects.begin")
        new = {item.oid: item for item in items if item.oid not in self._held}
        self._held |= new
        self._write(list(new.values()))
        reach("objects.done")

    def hold(self, oids: Sequence[str], reader: ObjectReader) -> None:
        """Hold objects that git or a hook has made. Raises StateError where one is gone already."""
        for oid, found in zip(oids, reader.get_many(oids), strict=True):
            if found is None:
                raise StateError(
                    "objects that were just made are gone from the repository",
                    where=oid,
                    fix="Wait until `git gc` or `git prune` is over and run the command again. "
                    "Nothing was changed.",
                )
            self._held[oid] = found

    def restore(self) -> bool:
        """Write again what is missing in the store; whether anything was. Raises OSError."""
        missing = [item for item in self._held.values() if not _exists(self._place(item))]
        self._write(missing)
        return bool(missing)

    def used_by(self, work: Callable[[], T]) -> T:
        """Let git work on the objects; again when it fails and some of them were gone.

        Raises what `work` raises, OSError when the disk does.
        """
        for _ in range(ATTEMPTS - 1):
            self.restore()
            try:
                return work()
            except GitError as error:
                # A git that was killed may have done its work all the same.
                if error.returncode < 0 or not self.restore():
                    raise
        return work()

    def _place(self, item: GitObject) -> str:
        return f"{self._objects}/{item.oid[:2]}/{item.oid[2:]}"

    def _write(self, items: Sequence[GitObject]) -> None:
        for first in range(0, len(items), MOST_OPEN):
            self._write_some(items[first : first + MOST_OPEN])

    def _write_some(self, items: Sequence[GitObject]) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        written: dict[str, int] = {}
        try:
            for number, item in enumerate(items):
                name = f"{self._objects}/{TEMPORARY}{os.getpid()}-{number}"
                written[name] = fd = os.open(name, flags, self._permissions.file)
                header = b"%s %d\0" % (item.kind.encode(), len(item.data))
                write_all(fd, zlib.compress(header + item.data, 1))
                if self._permissions.folder is not None:
                    os.fchmod(fd, self._permissions.file)
                reach("objects.temporary")
            sync_all(list(written.values()))
            reach("objects.synced")
            for name, item in zip(written, items, strict=True):
                self._rename(name, self._place(item))
                reach("objects.placed")
        finally:
            for name, fd in written.items():
                os.close(fd)
                with suppress(FileNotFoundError):
                    os.unlink(name)  # noqa: PTH108 - names as text

    def _rename(self, name: str, place: str) -> None:
        """One that stands there is replaced: with a new time no `git gc` takes it for garbage."""
        try:
            os.rename(name, place)  # noqa: PTH104 - names as text
        except FileNotFoundError:
            folder = Path(place).parent
            folder.mkdir(exist_ok=True)
            if self._permissions.folder is not None:
                folder.chmod(self._permissions.folder)
            os.rename(name, place)  # noqa: PTH104 - names as text


def _exists(path: str) -> bool:
    try:
        os.stat(path)  # noqa: PTH116 - names as text
    except FileNotFoundError:
        return False
    return True
