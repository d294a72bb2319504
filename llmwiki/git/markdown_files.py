"""The Markdown files of the work tree, with what tells whether they were touched."""

from __future__ import annotations

import os
import stat
from array import array
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from llmwiki.core.errors import PolicyError
from llmwiki.core.quick_to_load import NamedTuple
from llmwiki.core.text import is_text
from llmwiki.git.find_repository import ASIDE
from llmwiki.git.worktree_files import FileRead, Folders

_WORD = 2**63 - 1
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


class FolderListing(NamedTuple):
    """The Markdown files of one folder."""

    path: str
    """Relative to the root, POSIX."""
    names: list[str]
    stats: list[int]
    """For each name three numbers: modified at (nanoseconds), size, inode."""
    mtime: int
    """When the folder itself was changed, in nanoseconds, seen before it was listed: names came or
    went."""

    @property
    def stamp(self) -> bytes:
        """A digest that differs when any file was touched, added or removed."""
        from hashlib import blake2b

        numbers = array("q", [number & _WORD for number in self.stats])
        names = "\0".join(self.names).encode()
        return blake2b(numbers.tobytes() + names, digest_size=16).digest()

    def files(self) -> Iterator[tuple[str, int, int, int]]:
        """(path, modified at, size, inode) of each file."""
        numbers = iter(self.stats)
        for name, mtime, size, inode in zip(self.names, numbers, numbers, numbers, strict=True):
            yield f"{self.path}/{name}" if self.path else name, mtime, size, inode


def sweep(
    root: Path, folders: Iterable[str], known: Collection[str] = ()
) -> Iterator[FolderListing]:
    """Every folder from `folders` down with its Markdown files; links are not followed.

    Folders below them that are `known` are passed over.

    Hidden folders hold what other programs keep there, and are left out; so are names that are
    not UTF-8, and of the root itself the folders that hold no pages. About 2.5 µs a file.
    """
    waiting = list(folders)
    while waiting:
        here = waiting.pop()
        try:
            # Below an open folder a file is found by its name, not by the whole way to it.
            descriptor = os.open(root / here, _FOLDER)
        except (FileNotFoundError, NotADirectoryError):
            continue
        try:
            below: list[str] = []
            found = _listing(here, descriptor, below)
            waiting += [folder for folder in below if folder not in known]
        except FileNotFoundError:
            continue
        finally:
            os.close(descriptor)
        yield found


def _listing(here: str, descriptor: int, waiting: list[str]) -> FolderListing:
    """The Markdown files of an open folder; the folders in it are added to those that wait."""
    names: list[str] = []
    stats: list[int] = []
    mtime = os.fstat(descriptor).st_mtime_ns
    with os.scandir(descriptor) as entries:
        for entry in entries:
            name = entry.name
            if name[-3:] == ".md":
                found = entry.stat(follow_symlinks=False)
                if stat.S_ISREG(found.st_mode) and is_text(name):
                    names.append(name)
                    stats += (found.st_mtime_ns, found.st_size, found.st_ino)
            elif name[0] != "." and entry.is_dir(follow_symlinks=False):
                if here:
                    waiting.append(f"{here}/{name}")
                elif name not in ASIDE:
                    waiting.append(name)
    return FolderListing(here, names, stats, mtime)


def read_file(folders: Folders, path: str) -> FileRead | None:
    """A regular file of the work tree; None where there is none, or a link."""
    try:
        return folders.file(path)
    except (OSError, PolicyError):
        return None
