"""Git LFS: the pointer that git holds in place of a large file, and the store that has its bytes.

Both are as git-lfs leaves them (docs/spec.md of git-lfs), so that it can push, fetch and check what
was landed here; but git-lfs is not run. A pointer is a function of the bytes, the store a folder.
"""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from llmwiki.repo.failpoints import reach
from llmwiki.repo.objects import ObjectPermissions, write_all
from llmwiki.repo.syncing import sync, sync_directory

if TYPE_CHECKING:
    from llmwiki.repo.layout import Layout
    from llmwiki.repo.settings import GitSettings

LIMIT = 1024
"""Bytes; a pointer is shorter (docs/spec.md of git-lfs)."""
_VERSION = b"version https://git-lfs.github.com/spec/v1\n"
_POINTER = re.compile(_VERSION + rb"oid sha256:([0-9a-f]{64})\nsize ([1-9][0-9]{0,18})\n")
_TEMPORARY = "llmwiki-"


@dataclass(frozen=True, slots=True)
class LfsPointer:
    """What stands in a commit for a file whose bytes lie in the store."""

    oid: str
    """SHA-256 of the bytes, 64 hexadecimal digits."""
    size: int
    """How many bytes."""

    @classmethod
    def to(cls, data: bytes) -> LfsPointer:
        """The pointer to these bytes."""
        return cls(hashlib.sha256(data).hexdigest(), len(data))

    @classmethod
    def read(cls, data: bytes) -> LfsPointer | None:
        """The pointer that these bytes are; None where they are a file of their own."""
        found = _POINTER.fullmatch(data) if is_pointer(data) else None
        return None if found is None else cls(found[1].decode(), int(found[2]))

    def encode(self) -> bytes:
        """The pointer as `git lfs clean` writes it."""
        return _VERSION + f"oid sha256:{self.oid}\nsize {self.size}\n".encode()


def is_pointer(data: bytes) -> bool:
    """Whether a file is a pointer and no document, even one that `LfsPointer.read` refuses."""
    return len(data) < LIMIT and data.startswith(_VERSION)


def cleaned(data: bytes) -> bytes:
    """What git holds for a file under LFS: its pointer. Empty files and pointers stay."""
    return data if not data or is_pointer(data) else LfsPointer.to(data).encode()


def sha256_of(data: bytes) -> str:
    """The SHA-256 of a file, 64 hexadecimal digits, also where only its pointer is at hand."""
    pointer = LfsPointer.read(data)
    return hashlib.sha256(data).hexdigest() if pointer is None else pointer.oid


def same_file(blob: bytes | None, data: bytes | None) -> bool:
    """Whether a file with these bytes is what the commit holds as `blob`."""
    if blob == data or blob is None or data is None:
        return blob == data
    pointer = LfsPointer.read(blob)
    return pointer is not None and pointer.size == len(data) and pointer == LfsPointer.to(data)


class LargeFiles:
    """The store of this clone: `lfs` in the common git directory, or what `lfs.storage` names."""

    def __init__(self, layout: Layout, settings: GitSettings) -> None:
        self._layout = layout
        self._settings = settings

    @property
    def _store(self) -> Path:
        return self._layout.common_dir / (self._settings.get("lfs.storage") or "lfs")

    def _place(self, pointer: LfsPointer) -> Path:
        return self._store / "objects" / pointer.oid[:2] / pointer.oid[2:4] / pointer.oid

    @property
    def ready(self) -> bool:
        """Whether git-lfs is there and git is told to call it: without, `git status` takes the
        file for changed, and `git push` leaves its bytes behind."""
        import shutil

        told = self._settings.get("filter.lfs.process") or self._settings.get("filter.lfs.clean")
        return bool(told) and shutil.which("git-lfs") is not None

    def whole(self, data: bytes) -> bytes:
        """The bytes that `data` is the pointer to; `data` itself where it is none, or where this
        clone does not hold them. Raises OSError."""
        pointer = LfsPointer.read(data)
        if pointer is None:
            return data
        try:
            held = self._place(pointer).read_bytes()
        except FileNotFoundError:
            return data
        return held if LfsPointer.to(held) == pointer else data

    def keep(self, data: bytes) -> None:
        """Put bytes into the store, durably, before anything points to them. Raises OSError."""
        pointer = LfsPointer.to(data)
        place = self._place(pointer)
        with suppress(FileNotFoundError):
            if place.stat().st_size == pointer.size:
                return
        permissions = self._settings.object_permissions()
        temporary = self._store / "tmp" / f"{_TEMPORARY}{pointer.oid}"
        for folder in (temporary.parent, place.parent):
            _make(folder, permissions)
        temporary.unlink(missing_ok=True)
        try:
            _write(temporary, data, permissions)
            reach("lfs.temporary")
            temporary.replace(place)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
        sync_directory(place.parent)
        reach("lfs.stored")

    def sweep(self) -> None:
        """Remove what a killed landing left unfinished. Only under the lock."""
        with suppress(FileNotFoundError):
            for path in sorted((self._store / "tmp").iterdir()):
                if path.name.startswith(_TEMPORARY):
                    path.unlink(missing_ok=True)

    def stamp(self) -> str:
        """A text that is another whenever bytes have come to the store; empty where there are
        none. No git is started in a clone that never met LFS."""
        if not self._met():
            return ""
        found = sorted(name for _, _, names in os.walk(self._store / "objects") for name in names)
        return hashlib.sha256("\n".join(found).encode()).hexdigest() if found else ""

    def _met(self) -> bool:
        """Whether there is a store in its usual place, or git-lfs has left its marks in the
        configuration, as it does when it first runs."""
        common = self._layout.common_dir
        try:
            return (common / "lfs").is_dir() or b"lfs" in (common / "config").read_bytes()
        except OSError:
            return False


def _make(folder: Path, permissions: ObjectPermissions) -> None:
    """A folder and those above it, with the modes of a shared repository."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    if permissions.folder is not None:
        for made in missing:
            made.chmod(permissions.folder)


def _write(path: Path, data: bytes, permissions: ObjectPermissions) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, permissions.file)
    try:
        write_all(fd, data)
        if permissions.folder is not None:
            os.fchmod(fd, permissions.file)
        sync(fd)
    finally:
        os.close(fd)
