"""The private writer: files of ours in the git directory, never committed; JSON objects among them,
jobs that wait and answers that were given.

Each object names its schema. One that is cut, damaged or of another schema counts as absent: what
is kept here can be asked for again, and nobody is stopped by it.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from llmwiki.core.errors import PolicyError, StateError
from llmwiki.git.failpoints import reach
from llmwiki.git.objects import sync, sync_directory, write_all
from llmwiki.git.repository import Repository
from llmwiki.git.worktree_files import TEMPORARY

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


def tells_once(repo: Repository, name: str) -> bool:
    """Whether something is to be said: once in the life of a clone, as far as that can be kept."""
    files = common_files(repo)
    with contextlib.suppress(StateError, PolicyError):
        if files.path(name).exists():
            return False
        files.write(name, b"")
    return True


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


_Value = TypeVar("_Value")
Reader = Callable[[dict[str, Any]], _Value]
"""Makes the value of an object; whatever it raises for one of another shape makes it absent."""

_FOREIGN = (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError)


@dataclass(frozen=True, slots=True)
class RecordFolder:
    """The records of one schema in a folder of private files, each by a name of its own."""

    files: PrivateFiles
    folder: str
    schema: str

    def put(self, name: str, data: Mapping[str, object]) -> None:
        """Keeps a record durably, in place of an earlier one. Raises StateError."""
        self.files.write(self._file(name), encoded(self.schema, data))

    def get(self, name: str, read: Reader[_Value]) -> _Value | None:
        """The record of that name; None where there is none."""
        return decoded(self.files.read(self._file(name)) or b"", self.schema, read)

    def names(self) -> tuple[str, ...]:
        """Of all its files, sorted, damaged ones included."""
        return tuple(
            name.rpartition("/")[2].removesuffix(".json")
            for name in self.files.names(self.folder)
            if name.endswith(".json")
        )

    def all(self, read: Reader[_Value]) -> Iterator[_Value]:
        """The records, in the order of their names."""
        for name in self.names():
            value = self.get(name, read)
            if value is not None:
                yield value

    def delete(self, name: str) -> None:
        """Forgets a record, if there is one."""
        self.files.delete(self._file(name))

    def path(self, name: str) -> str:
        """Where a record lies, absolute, for a command that is given its file."""
        return self.files.path(self._file(name)).absolute().as_posix()

    def _file(self, name: str) -> str:
        return f"{self.folder}/{name}.json"


def encoded(schema: str, data: Mapping[str, object]) -> bytes:
    """A record as bytes without a line break; the same data, the same bytes."""
    return json.dumps({"schema": schema, **data}, sort_keys=True).encode()


def decoded(data: bytes, schema: str, read: Reader[_Value]) -> _Value | None:
    """The value of a record; None where it is damaged or of another schema."""
    with contextlib.suppress(*_FOREIGN):
        record = json.loads(data)
        if record.pop("schema", None) == schema:
            return read(record)
    return None


def remove_folder(files: PrivateFiles, folder: str) -> None:
    """Deletes the files of a folder, and the folder where nobody puts another into it meanwhile."""
    for name in files.names(folder):
        files.delete(name)
    with contextlib.suppress(OSError):
        files.path(folder).rmdir()


def drop_oldest(files: PrivateFiles, folder: str, most: int) -> None:
    """Deletes the folders in a folder that are longest untouched, all but the last one, until the
    files of those that stay have at most `most` bytes together."""
    size = 0
    with contextlib.suppress(FileNotFoundError):
        places = [p for p in files.path(folder).iterdir() if p.is_dir() and not p.is_symlink()]
        places.sort(key=lambda place: (place.stat().st_mtime_ns, place.name), reverse=True)
        for place in places:
            held = [
                files.path(name).stat().st_size for name in files.names(f"{folder}/{place.name}")
            ]
            if size and size + sum(held) > most:
                remove_folder(files, f"{folder}/{place.name}")
            size += sum(held)
