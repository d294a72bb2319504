"""git objects: read through one lasting `git cat-file --batch`, made without git.

A spawn costs about 1.8 ms, so a landing that called `git hash-object` and `git write-tree` would
spend half its time starting programs; writing an object ourselves costs about 40 µs and lets one
wait cover all (`NewObjects`).
"""

from __future__ import annotations

import fcntl
import os
import threading
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from llmwiki.core.errors import InternalError, StateError
from llmwiki.core.quick_to_load import NamedTuple
from llmwiki.git.failpoints import reach
from llmwiki.git.runner import Git, GitError, Process

TEMPORARY = "llmwiki_obj-"
"""How our unfinished objects are named: everything named `tmp_…` is cleared by `git prune`."""
_CHUNK = 500
"""Requests sent ahead: 500 lines of at most 66 bytes fit into a pipe, so nobody blocks."""


class GitObject(NamedTuple):
    """One object: as it is stored, or to be written."""

    oid: str
    kind: str
    """`blob`, `tree`, `commit` or `tag`."""
    data: bytes

    @classmethod
    def make(cls, kind: str, data: bytes, object_format: str) -> GitObject:
        """The object of this kind with these bytes, named as git names it."""
        from llmwiki.git.trees import object_id

        return cls(object_id(kind, data, object_format), kind, data)


class ObjectReader:
    """Reads objects; one git process, started at the first read. Usable from several threads."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._process: Process | None = None
        self._lock = threading.Lock()

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


class ObjectPermissions(NamedTuple):
    """Modes for object files and folders, as `core.sharedRepository` wants them."""

    file: int = 0o444
    folder: int | None = None
    """None: whatever the umask says."""


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


MOST_OPEN = 64
"""Files, and as many folders, that one operation holds open at one time: a process may open some
256 (macOS) or 1,024 (Linux) where nobody has set another limit."""
_FULL = getattr(fcntl, "F_FULLFSYNC", None)


def sync(fd: int) -> None:
    """Wait until a file's bytes are on the disk (on macOS through the drive's own cache, with all
    that has come as far as that)."""
    if _FULL is None:
        os.fsync(fd)
        return
    try:
        fcntl.fcntl(fd, _FULL)
    except OSError:
        # Some file systems know only fsync.
        os.fsync(fd)


def sync_all(fds: Sequence[int]) -> None:
    """Wait until all these files are on the disk. Raises OSError."""
    for fd in fds[:-1]:
        os.fsync(fd)
    for fd in fds[-1:]:
        sync(fd)


def sync_directory(path: Path | str) -> None:
    """Wait until the names in a directory are on the disk."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


ATTEMPTS = 5
"""How often git's work is done anew because a prune has taken objects meanwhile."""
T = TypeVar("T")


class NewObjects:
    """The objects of one landing, held in memory until no prune can lose them. Only under the lock.

    `git gc --prune=now` removes whatever no ref leads to, and until a ref leads to a landing that
    is every object of it; whoever moves a branch to a commit whose trees are gone destroys it. So
    what is written is held, and what is missing in the store is written again, as often as git is
    about to build on it. A loose object is zlib of `<kind> <size>\\0<data>` named by its hash.
    """

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
