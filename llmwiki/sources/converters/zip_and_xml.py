"""Zip containers and the parts of XML in them: how far they are unpacked, and how they are parsed.

Office documents and books are zip archives. Nothing is ever unpacked to a disk, and an archive
within an archive stays closed: its names are keys, and lead nowhere. So what is bounded here is
memory and time. Entities that a part declares are never put in, and nothing is fetched. And which
part of an Office document means which (Open Packaging Conventions).
"""

from __future__ import annotations

import io
import posixpath
import struct
import zipfile
import zlib
from typing import TYPE_CHECKING
from urllib.parse import unquote

from llmwiki.core.errors import InputError, PolicyError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import XMLSyntaxError, _Element

    from llmwiki.sources.converters.numbered_text_writer import Gathered

MAX_ENTRIES = 10_000
"""Entries; a book of a thousand pictures and chapters stays far below."""
MAX_UNPACKED = 256 << 20
"""Bytes of all entries: half the memory of the converting process."""
_ENTRY = b"PK\x01\x02"
"""What each entry of the directory begins with; in packed data it stands once in 4 GB."""
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_LOCKED = "EncryptedPackage".encode("utf-16-le")
"""The stream of a compound file that holds an Office document under a password ([MS-OFFCRYPTO])."""
_CORE = "docProps/core.xml"
_DC = "{http://purl.org/dc/elements/1.1/}"
_TERMS = "{http://purl.org/dc/terms/}"
_LIMITS = ("depth", "huge", "too long", "memory", "limit")
"""Words of libxml2's refusals of what is too large or deep for it: 256 levels, 10 MB in a text."""
_SAFE = {
    "resolve_entities": False,
    "no_network": True,
    "remove_comments": True,
    "remove_pis": True,
}
"""How lxml parses what nobody vouches for."""


class Archive:
    """A zip archive in memory whose directory passed the guard.

    `kind` names it in messages, as in `the Word document`; `names` are the paths of its entries.
    """

    def __init__(self, data: bytes, kind: str) -> None:
        """Read the directory.

        Raises InputError for what is no archive or is encrypted, PolicyError for what would unpack
        to too much.
        """
        self.kind = kind
        if data.startswith(_OLE):
            raise _old_or_locked(data, kind)
        # Counted in the bytes, since reading a directory of millions takes all the memory.
        if (count := data.count(_ENTRY)) > MAX_ENTRIES:
            raise PolicyError(
                f"{kind} holds {count:,} files; at most {MAX_ENTRIES:,} are read", fix="Split it."
            )
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, NotImplementedError, ValueError, struct.error) as error:
            raise self.broken(str(error)) from error
        entries = self._zip.infolist()
        if any(entry.flag_bits & 1 for entry in entries):
            raise locked(kind)
        # zipfile never gives more of an entry than its directory says, so this sum is true.
        if sum(entry.file_size for entry in entries) > MAX_UNPACKED:
            raise PolicyError(
                f"{kind} unpacks to more than is read",
                fix="If you trust it, split it, or ingest its text alone.",
            )
        self.names = frozenset(entry.filename for entry in entries)

    def read(self, name: str) -> bytes:
        """The bytes of one entry. Raises InputError if it is missing or damaged."""
        if name not in self.names:
            raise self.broken(f"it has no {name}")
        try:
            return self._zip.read(name)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
            raise self.broken(str(error)) from error

    def broken(self, why: str) -> InputError:
        """The refusal of an archive that is not what it should be."""
        return InputError(
            f"{self.kind} is broken ({why})", fix="Open it in its own program and save it again."
        )


def locked(kind: str) -> InputError:
    """The refusal of what needs a password."""
    return InputError(
        f"{kind} is encrypted", fix="Save a copy without a password, and ingest that."
    )


def _old_or_locked(data: bytes, kind: str) -> InputError:
    if _LOCKED in data:
        return locked(kind)
    return InputError(
        f"{kind} has the format of Office 97-2003",
        fix="Save it in today's format (.docx, .pptx, .xlsx), and ingest that.",
    )


# --- parts of XML ------------------------------------------------------------------------------


def part(archive: Archive, name: str) -> _Element:
    """The root element of one part.

    Raises InputError if it is missing or broken, PolicyError where it is deeper or larger than is
    read.
    """
    from lxml import etree

    try:
        return etree.fromstring(archive.read(name), etree.XMLParser(**_SAFE))
    except etree.XMLSyntaxError as error:
        raise _refusal(archive, name, error) from error


def blocks(archive: Archive, name: str, parent: str) -> Iterator[_Element]:
    """Each child of the elements of a part that are named `parent`, in order, once it has ended.

    The name is local, or the whole one (`{namespace}name`). One at a time, and forgotten when the
    next is asked for, with all that stood before it in its parent, so that a long document costs
    little. Raises as `part` does.
    """
    from lxml import etree

    data = io.BytesIO(archive.read(name))
    events = etree.iterparse(data, events=("start", "end"), **_SAFE)
    begun = None
    try:
        for event, node in events:
            home = node.getparent()
            if event == "start" and begun is None and home is not None:
                begun = node if parent in (home.tag, local(home)) else None
            elif event == "end" and node is begun and node is not None:
                yield node
                node.clear()
                begun = None
                while home is not None and node.getprevious() is not None:
                    del home[0]
    except etree.XMLSyntaxError as error:
        raise _refusal(archive, name, error) from error


def local(node: _Element) -> str:
    """The name without its namespace: the strict and the usual form of Office files differ in
    that alone."""
    return str(node.tag).rpartition("}")[2]


def attribute(node: _Element | None, name: str) -> str | None:
    """The value of the attribute with that local name; None if there is none (or no node)."""
    if node is not None:
        for key, value in node.items():
            if key.rpartition("}")[2] == name:
                return str(value)
    return None


def child(node: _Element | None, *path: str) -> _Element | None:
    """The first child with that local name, its first child with the next name, and so on."""
    for name in path:
        if node is None:
            return None
        node = next((each for each in node if local(each) == name), None)
    return node


def _refusal(archive: Archive, name: str, error: XMLSyntaxError) -> Exception:
    if any(entry.type_name == "ERR_NO_MEMORY" for entry in error.error_log):
        return PolicyError("reading it takes too much memory", fix="Split it.")
    words = str(error).lower()
    if any(word in words for word in _LIMITS):
        return PolicyError(
            f"{archive.kind} is larger or more deeply nested than is read ({name})",
            fix="Split it, or ingest its text alone.",
        )
    return archive.broken(f"{name}: {error.msg}")


# --- Open Packaging Conventions --------------------------------------------------------------


def related(archive: Archive, name: str) -> dict[str, tuple[str, str]]:
    """The relationships of a part (the package itself: ``""``): id → (kind, path of the part).

    `kind` is the last word of the type, as in `slide`. Those that lead out of the package are
    left out, so that nothing of ours can follow them.
    """
    folder, base = posixpath.split(name)
    rels = posixpath.join(folder, "_rels", f"{base}.rels")
    if rels not in archive.names:
        return {}
    found: dict[str, tuple[str, str]] = {}
    for node in part(archive, rels):
        target = node.get("Target", "")
        if node.get("TargetMode") == "External" or not target:
            continue
        path = posixpath.normpath(posixpath.join("/" + folder, unquote(target))).lstrip("/")
        if path in archive.names:
            kind = node.get("Type", "").rpartition("/")[2]
            found[node.get("Id", "")] = (kind, path)
    return found


def main_part(archive: Archive, root: str) -> str:
    """The path of the part an Office program opens; its root element must be `root`.

    Raises InputError where there is none: another kind of archive.
    """
    for kind, path in related(archive, "").values():
        if kind == "officeDocument":
            if not path.startswith(root):
                break
            return path
    raise archive.broken("it is an archive of something else")


def named_id(entry: _Element) -> str:
    """The id of the relationship that a slide or sheet is listed with, "" without one."""
    # `id` without a namespace is its own number.
    return next((value for key, value in entry.items() if key.endswith("}id")), "")


def one_of(relations: dict[str, tuple[str, str]], kind: str) -> str | None:
    """The path of the first part of that kind, None if there is none."""
    return next((path for each, path in relations.values() if each == kind), None)


def write_facts(archive: Archive, out: Gathered) -> None:
    """What the document says of itself: `Author:` and `Modified:` lines, as far as it does."""
    if _CORE in archive.names:
        root = part(archive, _CORE)
        out.fact("Author: ", _text(root, f"{_DC}creator"))
        date = _text(root, f"{_TERMS}modified") or _text(root, f"{_TERMS}created")
        out.fact("Modified: ", date)


def _text(root: _Element, tag: str) -> str:
    return " ".join((root.findtext(tag) or "").split())[:300]
