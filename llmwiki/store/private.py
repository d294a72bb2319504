"""The private writer: files of ours in the git directory, never committed."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

from llmwiki.core.errors import PolicyError, StateError
from llmwiki.repo.failpoints import reach
from llmwiki.repo.objects import write_all
from llmwiki.repo.repository import Repository
from llmwiki.repo.syncing import sync, sync_directory
from llmwiki.repo.worktree import TEMPORARY

GRAPH_IGNORE = "# What stands here is derived from wiki/.\n*\n!.gitignore\n"
"""`.gitignore` of graph/ as `wiki init` commits it: nothing in it is committed."""
_OWN_IGNORE = (
    "# `wiki graph` draws these from the pages.\n"
    f"/.gitignore\n/{TEMPORARY}*\n/graph.html\n/graph.json\n"
)
"""The same where nobody committed one. It names files, for the folder may hold notes of a person,
and itself: git shows nothing new."""


class PrivateFiles:
    """Files below one folder of the git directory; names are relative, POSIX."""

    def __init__(self, base: Path) -> None:
        self.base = base

    def _path(self, name: str) -> Path:
        parts = name.split("/")
        if any(part in ("", ".", "..") or "\0" in part for part in parts):
            raise PolicyError("not the name of a private file", where=ascii(name)[1:-1])
        path = self.base
        for part in parts:
            if path.is_symlink():
                raise PolicyError("is a link", where=str(path))
            path = path / part
        return path

    def path(self, name: str) -> Path:
        """Where the file lies, for programs that open it themselves (SQLite)."""
        return self._path(name)

    def write(self, name: str, data: bytes) -> None:
        """Replace a file durably and at once. Raises StateError when the disk refuses."""
        path = self._path(name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_durably(path, data)
        except OSError as error:
            raise StateError(f"cannot write: {error.strerror}", where=str(path)) from error

    def append(self, name: str, data: bytes) -> None:
        """Append to a file with one write; a later crash may cut the last line, no earlier one."""
        path = self._path(name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
            fd = os.open(path, flags, 0o600)
            try:
                write_all(fd, data)
            finally:
                os.close(fd)
        except OSError as error:
            raise StateError(f"cannot write: {error.strerror}", where=str(path)) from error

    def read(self, name: str) -> bytes | None:
        """The bytes of a file; None when it does not exist."""
        path = self._path(name)
        try:
            fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with os.fdopen(fd, "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StateError(f"cannot read: {error.strerror}", where=str(path)) from error

    def names(self, folder: str) -> tuple[str, ...]:
        """The files directly in a folder, as names that `read` takes, sorted."""
        try:
            with os.scandir(self._path(folder)) as entries:
                found = [
                    f"{folder}/{entry.name}"
                    for entry in entries
                    if entry.is_file(follow_symlinks=False) and not entry.name.startswith(TEMPORARY)
                ]
        except FileNotFoundError:
            return ()
        return tuple(sorted(found))

    def delete(self, name: str) -> None:
        """Remove a file, if it exists."""
        self._path(name).unlink(missing_ok=True)


def replace_durably(path: Path, data: bytes) -> None:
    """Write a file by temporary name, fsync, rename, fsync of the folder. Raises OSError."""
    temporary = path.with_name(f"{TEMPORARY}{path.name}.{os.getpid()}")
    temporary.unlink(missing_ok=True)
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        try:
            write_all(fd, data)
            sync(fd)
        finally:
            os.close(fd)
        reach("private.temporary")
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
    reach("private.renamed")
    sync_directory(path.parent)


def common_files(repo: Repository) -> PrivateFiles:
    """Private files that all work trees share: `jobs/…`, `sessions/…`."""
    return PrivateFiles(repo.common_dir / "llmwiki")


def worktree_files(repo: Repository) -> PrivateFiles:
    """Private files of this work tree alone: the index, counters."""
    return PrivateFiles(repo.git_dir / "llmwiki")


def derive(repo: Repository, path: str, data: bytes | Iterable[bytes]) -> Path:
    """Write a derived file below `graph/` of the wiki (git-ignored, not synced: it can be rebuilt).

    `data` may come in pieces. Raises PolicyError for any other path or one that goes through a
    link, StateError when the disk refuses.
    """
    parts = path.split("/")
    if parts[0] != "graph" or len(parts) < 2 or any(p in ("", ".", "..") for p in parts):
        raise PolicyError("derived files live below graph/", where=ascii(path)[1:-1])
    with repo.folders() as folders:
        full = repo.prefix + path
        try:
            _ignore(folders.made(full.rpartition("/")[0])[0])
            folders.replace(full, [data] if isinstance(data, bytes) else data)
        except OSError as error:
            raise StateError(f"cannot write: {error.strerror}", where=path) from error
    return repo.root / path


def _ignore(directory: int) -> None:
    """A folder that no `wiki init` made is ignored by git all the same."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    with contextlib.suppress(FileExistsError):
        fd = os.open(".gitignore", flags, 0o666, dir_fd=directory)
        try:
            write_all(fd, _OWN_IGNORE.encode())
        finally:
            os.close(fd)
