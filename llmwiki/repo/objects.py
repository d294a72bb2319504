"""git objects: read through one lasting `git cat-file --batch`, written as loose files.

A spawn costs about 1.8 ms, so a landing that called `git hash-object` and `git write-tree` would
spend half its time starting programs. A loose object is zlib of `<kind> <size>\\0<data>` named by
its hash (gitformat-loose); writing it ourselves costs about 40 µs and lets one wait cover all.
"""

from __future__ import annotations

import os
import threading
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from llmwiki.core.errors import InternalError, StateError
from llmwiki.repo.failpoints import reach
from llmwiki.repo.git import Git, Process
from llmwiki.repo.syncing import sync_all
from llmwiki.repo.trees import object_id

TEMPORARY = "tmp_obj_llmwiki-"
"""How our unfinished objects are named; `git prune` clears everything named `tmp_…` too."""
_CHUNK = 500
"""Requests sent ahead: 500 lines of at most 66 bytes fit into a pipe, so nobody blocks."""


@dataclass(frozen=True, slots=True)
class GitObject:
    """One object as stored."""

    oid: str
    kind: str
    """`blob`, `tree`, `commit` or `tag`."""
    data: bytes


class ObjectReader:
    """Reads objects; one git process, started at the first read. Usable from several threads."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._process: Process | None = None
        self._lock = threading.Lock()

    def warm(self) -> None:
        """Start git now, so that it is ready by the time something is read."""
        with self._lock:
            if self._process is None:
                self._process = self._git.start("cat-file", "--batch", stderr=False)

    def get(self, name: str) -> GitObject | None:
        """The object git calls `name` (an id, `HEAD:path`, `rev^{tree}`); None if there is none.

        Raises InternalError for a name with a line end: cat-file reads one name a line.
        """
        return self.get_many([name])[0]

    def get_many(self, names: Sequence[str]) -> list[GitObject | None]:
        """The objects of these names, in their order."""
        for name in names:
            if "\n" in name or not name:
                raise InternalError(f"not the name of an object: {name!r}")
        found: list[GitObject | None] = []
        with self._lock:
            for first in range(0, len(names), _CHUNK):
                found += self._batch(names[first : first + _CHUNK])
        return found

    def _batch(self, names: Sequence[str]) -> list[GitObject | None]:
        if self._process is None:
            self._process = self._git.start("cat-file", "--batch", stderr=False)
        request = "".join(f"{name}\n" for name in names).encode("utf-8", "surrogateescape")
        try:
            self._process.write(request)
            return [self._one() for _ in names]
        except (BrokenPipeError, EOFError) as error:
            self._end()
            # Ask again in words: git says on stderr why it will not work here.
            self._git.run("cat-file", "--batch-check", stdin=request)
            raise StateError("git cat-file ended unexpectedly") from error

    def _one(self) -> GitObject | None:
        assert self._process is not None
        line = self._process.stdout.readline()
        if not line.endswith(b"\n"):
            raise EOFError
        words = line.rstrip(b"\n").rsplit(b" ", 2)
        if len(words) < 2 or words[-1] in (b"missing", b"ambiguous"):
            return None
        if len(words) != 3 or not words[2].isdigit():
            raise StateError(f"git cannot read an object: {line.decode(errors='replace').strip()}")
        size = int(words[2])
        data = self._process.stdout.read(size + 1)
        if len(data) != size + 1:
            raise EOFError
        return GitObject(words[0].decode(), words[1].decode(), data[:size])

    def _end(self) -> None:
        if self._process is not None:
            self._process.close()
            self._process = None

    def close(self) -> None:
        """End the git process. Idempotent; a later read starts another."""
        with self._lock:
            self._end()


@dataclass(frozen=True, slots=True)
class NewObject:
    """An object to be written."""

    oid: str
    kind: str
    data: bytes

    @classmethod
    def make(cls, kind: str, data: bytes, object_format: str) -> NewObject:
        """The object of this kind with these bytes, named as git names it."""
        return cls(object_id(kind, data, object_format), kind, data)


@dataclass(frozen=True, slots=True)
class ObjectPermissions:
    """Modes for object files and folders, as `core.sharedRepository` wants them."""

    file: int = 0o444
    folder: int | None = None
    """None: whatever the umask says."""


def write_loose(objects: Path, items: Iterable[NewObject], permissions: ObjectPermissions) -> None:
    """Write objects durably: when this returns, all are on the disk under their names.

    First all temporary files, then one common wait, then all renames: a power cut leaves objects
    whole or absent. Those that exist already get a new time, so that a `git gc` which runs just
    now does not take them for old garbage. Raises OSError; the temporaries are then gone.
    """
    pending: list[tuple[int, Path, Path]] = []
    done = 0
    reach("objects.begin")
    try:
        for number, item in enumerate(items):
            target = objects / item.oid[:2] / item.oid[2:]
            try:
                os.utime(target)
                continue
            except OSError:
                pass
            temporary = objects / f"{TEMPORARY}{os.getpid()}-{number}"
            fd = os.open(
                temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, permissions.file
            )
            pending.append((fd, temporary, target))
            header = b"%s %d\0" % (item.kind.encode(), len(item.data))
            write_all(fd, zlib.compress(header + item.data, 1))
            if permissions.folder is not None:
                os.fchmod(fd, permissions.file)
            reach("objects.temporary")
        sync_all([fd for fd, _, _ in pending])
        reach("objects.synced")
        for _, temporary, target in pending:
            _place(temporary, target, permissions)
            done += 1
            reach("objects.renamed")
    finally:
        for position, (fd, temporary, _) in enumerate(pending):
            os.close(fd)
            if position >= done:
                temporary.unlink(missing_ok=True)
    reach("objects.done")


def _place(temporary: Path, target: Path, permissions: ObjectPermissions) -> None:
    try:
        temporary.rename(target)
    except FileNotFoundError:
        target.parent.mkdir(exist_ok=True)
        if permissions.folder is not None:
            target.parent.chmod(permissions.folder)
        temporary.rename(target)


def write_all(fd: int, data: bytes) -> None:
    """Write all bytes: os.write may take fewer than it is given."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def sweep_temporaries(objects: Path) -> None:
    """Remove objects that a killed landing left unfinished. Only under the lock."""
    with os.scandir(objects) as entries:
        left = [entry.path for entry in entries if entry.name.startswith(TEMPORARY)]
    for path in left:
        Path(path).unlink(missing_ok=True)
