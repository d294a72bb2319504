"""The files of raw/ in one state: as they lie on the disk, or as a commit holds them.

What a sparse checkout leaves out of the work tree is as the index holds it."""

from __future__ import annotations

import os
import stat
from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from llmwiki.core.errors import PolicyError
from llmwiki.core.text import sha256_hex
from llmwiki.repo.repository import Repository
from llmwiki.sources.paths import RAW


class RawFiles(ABC):
    """The files of raw/ in one state."""

    def __init__(self, repo: Repository) -> None:
        self._repo = repo

    @abstractmethod
    def stamp(self, path: str) -> str:
        """A text that changes with the file's state; empty where there is none."""

    @abstractmethod
    def read(self, path: str) -> bytes | None:
        """A file's bytes; None where there is none. Raises WikiError, OSError."""

    @abstractmethod
    def token(self, swept: bool) -> str:
        """A text that changes with the state of any of them."""


def raw_files_of(repo: Repository, commit: str | None) -> RawFiles:
    """The files of a commit, or of the work tree where there is none."""
    return CommittedRawFiles(repo, commit) if commit else WorkTreeRawFiles(repo)


def token(files: RawFiles, *, swept: bool) -> str:
    """A text that is another whenever anything below raw/ is: 32 hexadecimal digits."""
    return sha256_hex(files.token(swept).encode("utf-8", "surrogateescape"))[:32]


class CommittedRawFiles(RawFiles):
    """raw/ as a commit holds it."""

    def __init__(self, repo: Repository, commit: str) -> None:
        super().__init__(repo)
        self._commit = commit

    @cached_property
    def _entries(self) -> dict[str, tuple[str, str]]:
        return self._repo.tree(self._commit, RAW)

    def stamp(self, path: str) -> str:
        """Its blob id."""
        return self._entries.get(path, ("", ""))[1]

    def read(self, path: str) -> bytes | None:
        """Its blob."""
        mode, oid = self._entries.get(path, ("", ""))
        if not mode.startswith("100"):
            return None
        return self._repo.read_many([oid])[0]

    def token(self, swept: bool) -> str:
        """The id of the folder."""
        return (self._repo.entry(self._commit, RAW) or ("", ""))[1]


class WorkTreeRawFiles(RawFiles):
    """raw/ as it lies on the disk."""

    @cached_property
    def _left_out(self) -> dict[str, tuple[str, str]]:
        return self._repo.left_out(RAW)

    def _status(self, path: str) -> os.stat_result | None:
        with self._repo.folders() as folders:
            try:
                return folders.status(self._repo.prefix + path)
            except (OSError, PolicyError):
                return None

    def stamp(self, path: str) -> str:
        """Its time, length and inode."""
        found = self._status(path)
        if found is None:
            return self._left_out.get(path, ("", ""))[1]
        return f"{found.st_mtime_ns}-{found.st_size}-{found.st_ino}"

    def read(self, path: str) -> bytes | None:
        """Its bytes; those of the index where a sparse checkout leaves it out."""
        with self._repo.folders() as folders:
            found = folders.status(self._repo.prefix + path)
            if found is None:
                return self._repo.read_left_out(path) if path in self._left_out else None
            from llmwiki.sources.converted import SourceLimits
            from llmwiki.sources.files import too_large

            if found.st_size > SourceLimits().max_bytes:
                raise too_large(path, found.st_size, SourceLimits().max_bytes)
            return folders.read(self._repo.prefix + path)

    def token(self, swept: bool) -> str:
        """The states of all files where `swept` is set, the folder at HEAD otherwise."""
        if swept:
            return "\n".join(sorted(_stats(self._repo.root / RAW)))
        return (self._repo.entry(self._repo.head(), RAW) or ("", ""))[1]


def _stats(folder: Path) -> Iterator[str]:
    """One line a file below a folder: path and state. Links are not followed."""
    waiting = [str(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    found = entry.stat(follow_symlinks=False)
                    if stat.S_ISDIR(found.st_mode):
                        waiting.append(entry.path)
                    else:
                        state = f"{found.st_mtime_ns} {found.st_size} {found.st_ino}"
                        yield f"{entry.path} {state}"
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            continue
