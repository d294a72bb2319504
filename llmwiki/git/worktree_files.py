"""Files of a work tree, read and replaced without ever following a link."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from llmwiki.core.errors import PolicyError
from llmwiki.core.quick_to_load import NamedTuple
from llmwiki.core.text import sha256_hex
from llmwiki.git.objects import MOST_OPEN, write_all

TEMPORARY = ".llmwiki-"
"""What the name of a file begins with that has not its own name yet."""
Stamp = tuple[int, int, int, int] | None
"""What tells one state of a file from another: inode, size in bytes, when it and what the disk
knows of it were changed (nanoseconds). None: there is none."""
_OPEN_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MORE = 1 << 20
_OPEN_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def stamp(found: os.stat_result | None) -> Stamp:
    """The stamp of a file of which the disk says this."""
    return found and (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def stamp_of(path: Path) -> Stamp:
    """The stamp of the file at a path, to which links lead."""
    try:
        return stamp(path.stat())
    except OSError:
        return None


class FileRead(NamedTuple):
    """A plain file as it was read."""

    data: bytes
    mtime: int
    """In nanoseconds."""
    size: int
    inode: int


class Folders:
    """Open directories below one top, each opened component by component with O_NOFOLLOW.

    A check of the path's text can be raced: a folder may become a link between check and use.
    What was opened through directory descriptors stays what it was. Close it, or use `with`.
    """

    def __init__(self, top: Path) -> None:
        self.top = top
        self._top = os.open(top, os.O_RDONLY | os.O_DIRECTORY)
        self._open: dict[str, int] = {}
        """Folder to descriptor, that which was asked for last at the end."""

    def descriptor(self, folder: str) -> int:
        """An open descriptor of `folder` (relative to the top, '' is the top itself); it stays open
        while fewer than `MOST_OPEN` others are asked for.

        Raises FileNotFoundError when it does not exist, PolicyError when a component is a link
        or not a folder.
        """
        if folder in self._open:
            # Nearly always: the files of a folder are read one after the other.
            self._open[folder] = self._open.pop(folder)
            return self._open[folder]
        parts = folder.split("/") if folder else []
        known = len(parts) - 1
        while known > 0 and "/".join(parts[:known]) not in self._open:
            known -= 1
        found = self._top
        for end in range(max(known, 1), len(parts) + 1):
            found = self._opened("/".join(parts[:end]), parts[end - 1], found)
        return found

    def _opened(self, folder: str, name: str, above: int) -> int:
        """The descriptor of a folder, known or opened from the one above it."""
        found = self._open.pop(folder, None)
        if found is None:
            try:
                found = os.open(name, _OPEN_DIRECTORY, dir_fd=above)
            except OSError as error:
                if _is_there(name, above, stat.S_ISDIR):
                    raise
                raise PolicyError(
                    "is a link or a file where a folder is needed", where=folder
                ) from error
            if len(self._open) >= MOST_OPEN:
                os.close(self._open.pop(next(iter(self._open))))
        self._open[folder] = found
        return found

    def made(self, folder: str) -> tuple[int, bool]:
        """As `descriptor`, making the last component when it is missing; True when made."""
        try:
            return self.descriptor(folder), False
        except FileNotFoundError:
            pass
        above = folder
        missing: list[str] = []
        while above and self.status(above) is None:
            above, _, name = above.rpartition("/")
            missing.append(name)
        for name in reversed(missing):
            os.mkdir(name, dir_fd=self.descriptor(above))
            above = f"{above}/{name}" if above else name
        return self.descriptor(folder), True

    def forget(self, folder: str) -> None:
        """Close `folder`, which is about to be removed."""
        fd = self._open.pop(folder, None)
        if fd is not None:
            os.close(fd)

    def status(self, path: str) -> os.stat_result | None:
        """lstat of `path`; None when it, or a folder above it, does not exist."""
        folder, _, name = path.rpartition("/")
        try:
            return os.stat(name, dir_fd=self.descriptor(folder), follow_symlinks=False)
        except FileNotFoundError:
            return None

    def read(self, path: str) -> bytes | None:
        """The bytes of the plain file `path`; as `file`."""
        found = self.file(path)
        return found and found.data

    def file(self, path: str) -> FileRead | None:
        """The plain file `path`; None when it does not exist.

        Raises PolicyError for a link, a folder or a device.
        """
        folder, _, name = path.rpartition("/")
        try:
            directory = self.descriptor(folder)
        except FileNotFoundError:
            return None
        try:
            fd = os.open(name, _OPEN_FILE, dir_fd=directory)
        except FileNotFoundError:
            return None
        except OSError as error:
            if _is_there(name, directory, stat.S_ISREG):
                raise
            raise PolicyError("is not a plain file", where=path) from error
        try:
            found = os.fstat(fd)
            if not stat.S_ISREG(found.st_mode):
                raise PolicyError("is not a plain file", where=path)
            data = os.read(fd, found.st_size + 1)
            while more := os.read(fd, _MORE) if len(data) != found.st_size else b"":
                data += more
            return FileRead(data, found.st_mtime_ns, found.st_size, found.st_ino)
        finally:
            os.close(fd)

    def replace(self, path: str, pieces: Iterable[bytes]) -> None:
        """Put a file in place at once, its folder made; it is not synced. Raises OSError, and
        PolicyError as `descriptor` does."""
        folder, _, name = path.rpartition("/")
        directory, _made = self.made(folder)
        # A name of our own may be longer than a name can be.
        temporary = f"{TEMPORARY}{sha256_hex(name.encode())[:16]}.{os.getpid()}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
        try:
            fd = os.open(temporary, flags, 0o666, dir_fd=directory)
            try:
                for piece in pieces:
                    write_all(fd, piece)
            finally:
                os.close(fd)
            os.rename(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)
        except OSError:
            with suppress(OSError):
                os.unlink(temporary, dir_fd=directory)
            raise

    def close(self) -> None:
        """Close all. Idempotent."""
        for fd in self._open.values():
            os.close(fd)
        self._open.clear()
        if self._top >= 0:
            os.close(self._top)
            self._top = -1

    def __enter__(self) -> Folders:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _is_there(name: str, directory: int, kind: Callable[[int], bool]) -> bool:
    """Whether `name` is absent, or is of the wanted kind: then an error has another cause."""
    try:
        mode = os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return True
    return kind(mode)
