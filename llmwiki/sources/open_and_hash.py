"""Opening and hashing untrusted files."""

from __future__ import annotations

import hashlib
import os
import stat
from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError, PolicyError, reason_of
from llmwiki.sources.conversion_limits import SourceLimits

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedReader
    from pathlib import Path

_CHUNK = 1 << 20


def read_bytes(file: Path, limits: SourceLimits | None = None) -> bytes:
    """The bytes of a regular file of at most `limits.max_bytes`.

    A symbolic link is not followed, and a pipe or device never blocks. Raises InputError when
    the file is missing, unreadable or not a regular file; PolicyError when it is too large
    (known from its size before a byte is read) or grows past the limit meanwhile.
    """
    cap = (limits or SourceLimits()).max_bytes
    parts: list[bytes] = []
    left = cap
    for chunk in _chunks(file, cap):
        left -= len(chunk)
        if left < 0:
            raise too_large(str(file), cap - left, cap)
        parts.append(chunk)
    return b"".join(parts)


def sha256_file(file: Path) -> str:
    """The SHA-256 of a regular file of any size, 64 hexadecimal digits, read in pieces.

    Raises InputError as `read_bytes` does.
    """
    digest = hashlib.sha256()
    for chunk in _chunks(file, None):
        digest.update(chunk)
    return digest.hexdigest()


def too_large(where: str, size: int, cap: int) -> PolicyError:
    """The refusal of a source of `size` bytes where `cap` are allowed."""
    return PolicyError(
        f"the file has {size:,} bytes; at most {cap:,} are read",
        where=where,
        fix="Split it, or raise the setting ingest.max_size.",
    )


def open_regular(file: Path) -> BufferedReader:
    """A regular file, open for reading; a link at its end is not followed, a pipe never blocks.

    Raises InputError as `read_bytes` does.
    """
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        # The look before the open keeps a device from being opened at all; the one after it,
        # on what was really opened, closes the gap between the two.
        _refuse_special(file, file.lstat().st_mode)
        stream = os.fdopen(os.open(file, flags), "rb")
    except OSError as error:
        raise unreadable(str(file), error) from error
    try:
        _refuse_special(file, os.fstat(stream.fileno()).st_mode)
    except InputError:
        stream.close()
        raise
    return stream


def _chunks(file: Path, cap: int | None) -> Iterator[bytes]:
    with open_regular(file) as stream:
        size = os.fstat(stream.fileno()).st_size
        if cap is not None and size > cap:
            raise too_large(str(file), size, cap)
        try:
            while chunk := stream.read(_CHUNK):
                yield chunk
        except OSError as error:
            raise unreadable(str(file), error) from error


def unreadable(where: str, error: OSError) -> InputError:
    """The refusal of a file that the system would not read."""
    return InputError(
        f"cannot be read: {reason_of(error)}",
        where=where,
        fix="Check the path and its permissions.",
    )


def _refuse_special(file: Path, mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise not_a_file(str(file), mode)


def not_a_file(where: str, mode: int) -> InputError:
    """The refusal of what is neither a file nor a folder, by its `st_mode`."""
    kinds = {
        stat.S_IFLNK: "a symbolic link",
        stat.S_IFIFO: "a named pipe",
        stat.S_IFSOCK: "a socket",
        stat.S_IFDIR: "a folder",
    }
    kind = kinds.get(stat.S_IFMT(mode), "a device")
    return InputError(
        f"is {kind}, not a regular file", where=where, fix="Name a file that holds the document."
    )
