"""The one guard before zip containers: what an archive may hold, and how far it is unpacked.

Office documents and books are zip archives. Nothing is ever unpacked to a disk, and an archive
within an archive stays closed, so what is bounded here is memory, time and confusion: which of
two entries of one name is meant, or where a path outside the archive would lead.
"""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Callable

from llmwiki.core.errors import InputError, PolicyError

MAX_ENTRIES = 10_000
"""Entries; a book of a thousand pictures and chapters stays far below."""
MAX_UNPACKED = 256 << 20
"""Bytes of all entries, and of all that is read: half the memory of the converting process."""
MAX_RATIO = 400
"""Unpacked for each packed byte of one entry; sheets of equal rows come near a hundred."""
RATIO_FROM = 10 << 20
"""Bytes below which an entry may have any ratio: what is small does no harm."""

_CHUNK = 1 << 18
_ENTRY = b"PK\x01\x02"
"""What each entry of the directory begins with; in packed data it stands once in 4 GB."""
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_LOCKED = "EncryptedPackage".encode("utf-16-le")
"""The stream of a compound file that holds an Office document under a password ([MS-OFFCRYPTO])."""
_DRIVE = re.compile(r"[A-Za-z]:")
_DECLARES = re.compile(rb"<!(?:DOCTYPE|ENTITY)")
_ENTITIES = re.compile(rb"<!ENTITY")


class Archive:
    """A zip archive in memory whose directory passed the guard.

    `kind` names it in messages, as in `the Word document`.
    """

    def __init__(self, data: bytes, kind: str) -> None:
        """Read the directory.

        Raises InputError for what is no archive, is encrypted or has unsafe names, PolicyError
        for what would unpack to too much.
        """
        self.kind = kind
        if data.startswith(_OLE):
            raise _old_or_locked(data, kind)
        # Counted in the bytes, since reading a directory of millions takes all the memory.
        _check_entries(data.count(_ENTRY), kind)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, NotImplementedError, ValueError, struct.error) as error:
            raise self.broken(str(error)) from error
        entries = self._zip.infolist()
        _check_entries(len(entries), kind)
        for entry in entries:
            self._check(entry)
        self._entries = {entry.filename: entry for entry in entries}
        if len(self._entries) < len(entries):
            raise self.broken("two of its files have one name")
        # zipfile never gives more of an entry than its directory says, so this sum is true.
        if sum(entry.file_size for entry in entries) > MAX_UNPACKED:
            raise self._too_much()
        self._left = MAX_UNPACKED

    @property
    def names(self) -> frozenset[str]:
        """The paths of all entries."""
        return frozenset(self._entries)

    def read(self, name: str) -> bytes:
        """The bytes of one entry; KeyError if there is none.

        Raises InputError for a damaged entry, PolicyError once all that was read from this
        archive comes to more than MAX_UNPACKED.
        """
        parts: list[bytes] = []
        try:
            with self._zip.open(self._entries[name]) as stream:
                while chunk := stream.read(_CHUNK):
                    self._left -= len(chunk)
                    if self._left < 0:
                        raise self._too_much()
                    parts.append(chunk)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
            raise self.broken(str(error)) from error
        return b"".join(parts)

    def refuse_declarations(self, wanted: Callable[[str], bool]) -> None:
        """Raise InputError if a wanted entry declares a document type or entities.

        For libraries that open the archive themselves. Office documents have no such thing;
        where one stands, it is there to make a parser fetch files or swell.
        """
        for name in sorted(filter(wanted, self._entries)):
            if declares(self.read(name)):
                raise declared(self.kind, name)

    def broken(self, why: str) -> InputError:
        """The refusal of an archive that is not what it should be."""
        return InputError(
            f"{self.kind} is broken ({why})", fix="Open it in its own program and save it again."
        )

    def _check(self, entry: zipfile.ZipInfo) -> None:
        if entry.flag_bits & 1:
            raise locked(self.kind)
        name = entry.filename
        if (
            name.startswith("/")
            or "\\" in name
            or "\0" in entry.orig_filename
            or ".." in name.split("/")
            or _DRIVE.match(name)
        ):
            raise self.broken(f"a file in it has the name {name[:80]!a}")
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise self.broken(f"{name[:80]!a} is packed by method {entry.compress_type}")
        packed = max(1, entry.compress_size)
        if entry.file_size > RATIO_FROM and entry.file_size > MAX_RATIO * packed:
            raise self._too_much()

    def _too_much(self) -> PolicyError:
        return PolicyError(
            f"{self.kind} unpacks to more than is read",
            fix="If you trust it, split it, or ingest its text alone.",
        )


def declares(data: bytes, *, entities: bool = False) -> bool:
    """Whether XML in these bytes, UTF-8 or UTF-16, declares a document type or entities.

    With `entities`, only the latter count.
    """
    # Without the zero bytes, UTF-16 reads as UTF-8 does as far as these words go.
    return (_ENTITIES if entities else _DECLARES).search(data.replace(b"\0", b"")) is not None


def declared(kind: str, name: str) -> InputError:
    """The refusal of a part that does."""
    return InputError(
        f"{kind} declares a document type or entities in {name}",
        fix="No program that writes such files does; if you trust it, ingest its text alone.",
    )


def locked(kind: str) -> InputError:
    """The refusal of what needs a password."""
    return InputError(
        f"{kind} is encrypted", fix="Save a copy without a password, and ingest that."
    )


def _check_entries(count: int, kind: str) -> None:
    if count > MAX_ENTRIES:
        raise PolicyError(
            f"{kind} holds {count:,} files; at most {MAX_ENTRIES:,} are read", fix="Split it."
        )


def _old_or_locked(data: bytes, kind: str) -> InputError:
    if _LOCKED in data:
        return locked(kind)
    return InputError(
        f"{kind} has the format of Office 97-2003",
        fix="Save it in today's format (.docx, .pptx, .xlsx), and ingest that.",
    )
