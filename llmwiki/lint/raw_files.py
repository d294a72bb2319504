"""The files of raw/ in one state of a repository."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from llmwiki.core.errors import PolicyError
from llmwiki.core.text import sha256_hex
from llmwiki.git.repository import Repository
from llmwiki.sources.paths import RAW


class RawFiles:
    """The files of raw/ in a commit, or as they lie on the disk where there is none; what a sparse
    checkout leaves out is as git's index holds it."""

    def __init__(self, repo: Repository, commit: str | None = None) -> None:
        self._repo = repo
        self._commit = commit

    @cached_property
    def _entries(self) -> dict[str, tuple[str, str]]:
        """The files of the commit, or those that a sparse checkout leaves out."""
        return self._repo.tree(self._commit, RAW) if self._commit else self._repo.left_out(RAW)

    def stamp(self, path: str) -> str:
        """A text that changes with the file's state; empty where there is none."""
        found = None if self._commit else self._status(path)
        if found is None:
            return self._entries.get(path, ("", ""))[1]
        return f"{found.st_mtime_ns}-{found.st_size}-{found.st_ino}"

    def _status(self, path: str) -> os.stat_result | None:
        with self._repo.folders() as folders:
            try:
                return folders.status(self._repo.prefix + path)
            except (OSError, PolicyError):
                return None

    def read(self, path: str) -> bytes | None:
        """A file's bytes; None where there is none. Raises WikiError, OSError."""
        if self._commit:
            mode, oid = self._entries.get(path, ("", ""))
            return self._repo.read_many([oid])[0] if mode.startswith("100") else None
        with self._repo.folders() as folders:
            found = folders.status(self._repo.prefix + path)
            if found is None:
                return self._repo.read_left_out(path) if path in self._entries else None
            from llmwiki.sources.converted import SourceLimits
            from llmwiki.sources.files import too_large

            if found.st_size > SourceLimits().max_bytes:
                raise too_large(path, found.st_size, SourceLimits().max_bytes)
            return folders.read(self._repo.prefix + path)

    def token(self, *, swept: bool) -> str:
        """A text that is another whenever anything below raw/ is: 32 hexadecimal digits.

        In a work tree it follows the commit, and files that are not committed only where `swept`:
        that looks at each file's state, about 3 µs a file.
        """
        if swept and not self._commit:
            told = "\n".join(sorted(_stats(self._repo.root / RAW)))
        else:
            told = (self._repo.entry(self._commit or self._repo.head(), RAW) or ("", ""))[1]
        return sha256_hex(told.encode("utf-8", "surrogateescape"))[:32]


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
