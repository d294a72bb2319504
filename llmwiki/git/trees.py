"""git tree objects as values: read, look up, splice.

A tree object is a run of `<mode> <name>\\0<raw id>`, sorted as if directories' names ended in a
slash (gitformat-loose, git's `base_name_compare`). An operation changes a dozen entries of trees
that may hold tens of thousands, so a directory is parsed once by one regular expression and then
copied with a few entries changed: 3,300 entries parse in about 1.5 ms, splice in 0.3 ms.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, insort
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from llmwiki.core.errors import InternalError, PolicyError

DIRECTORY = "040000"
FILE = "100644"
EXECUTABLE = "100755"
GITLINK = "160000"

Entry = tuple[str, str]
"""Mode (six octal digits) and object id (hexadecimal) of something in a tree."""

# No file system takes a name of more than 1020 bytes (255 characters of UTF-8, APFS); without a
# bound each entry of a broken tree would be looked for in all that follows.
_PATTERNS = {
    size: re.compile(rb"((?:1[0-7]{5}|(4)0000) ([^\0]{1,1024})\0.{%d})" % size, re.DOTALL)
    for size in (20, 32)
}


def object_id(kind: str, data: bytes, object_format: str) -> str:
    """The id git gives an object of this kind with these bytes."""
    import hashlib

    digest = hashlib.new(object_format, b"%s %d\0" % (kind.encode(), len(data)))
    digest.update(data)
    return digest.hexdigest()


def empty_tree(object_format: str) -> str:
    """The id of the tree with nothing in it."""
    return object_id("tree", b"", object_format)


def _folded(name: str) -> str:
    if name.isascii():
        return name.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


@dataclass(slots=True)
class Directory:
    """One tree object, parsed. Treated as immutable: `with_entries` returns a changed copy."""

    keys: list[bytes]
    """Sort keys in git's order: the name, with a slash for directories."""
    entries: dict[bytes, bytes]
    """Sort key to the encoded entry."""
    size: int
    """Bytes of a raw object id: 20 or 32."""

    @classmethod
    def parse(cls, data: bytes, size: int) -> Directory:
        """Read a tree object. Raises InternalError for bytes that are not one."""
        entries = {
            name + b"/" if folder else name: whole
            for whole, folder, name in _PATTERNS[size].findall(data)
        }
        if sum(map(len, entries.values())) != len(data):
            raise InternalError("a tree object of the repository cannot be read")
        return cls(list(entries), entries, size)

    def encode(self) -> bytes:
        """The bytes of the tree object."""
        return b"".join(map(self.entries.__getitem__, self.keys))

    def get(self, name: str) -> Entry | None:
        """Mode and id of the entry with this name."""
        raw = name.encode("utf-8", "surrogateescape")
        encoded = self.entries.get(raw) or self.entries.get(raw + b"/")
        if encoded is None:
            return None
        mode = encoded[: encoded.index(b" ")].decode()
        return mode.zfill(6), encoded[-self.size :].hex()

    def folded(self) -> dict[str, str]:
        """The names, by what a case-insensitive or normalising file system takes them for."""
        joined = b"\0".join([key.rstrip(b"/") for key in self.keys])
        names = joined.decode("utf-8", "surrogateescape").split("\0")
        # Ten times quicker than one by one, and what most directories are.
        folded = joined.decode().lower().split("\0") if joined.isascii() else map(_folded, names)
        return dict(zip(folded, names, strict=True))

    def with_entries(self, changes: Mapping[str, Entry | None]) -> Directory:
        """A copy with some entries set, others (None) removed."""
        keys, entries = list(self.keys), dict(self.entries)
        for name, entry in changes.items():
            raw = name.encode("utf-8", "surrogateescape")
            wanted = None if entry is None else raw + b"/" if entry[0] == DIRECTORY else raw
            for key in (raw, raw + b"/"):
                if key in entries and key != wanted:
                    del entries[key]
                    del keys[bisect_left(keys, key)]
            if entry is not None and wanted is not None:
                if wanted not in entries:
                    insort(keys, wanted)
                mode = entry[0].lstrip("0").encode()
                entries[wanted] = b"%s %s\0%s" % (mode, raw, bytes.fromhex(entry[1]))
        return Directory(keys, entries, self.size)


Load = Callable[[str], Directory]
"""Tree id to its parsed directory."""


def lookup(load: Load, root: str, path: str) -> Entry | None:
    """The entry at `path` (relative to the tree `root`), or None. Never follows links."""
    *parents, name = path.split("/")
    directory = load(root)
    for part in parents:
        entry = directory.get(part)
        if entry is None or entry[0] != DIRECTORY:
            return None
        directory = load(entry[1])
    return directory.get(name)


def splice(
    load: Load, root: str, edits: Mapping[str, Entry | None], fmt: str
) -> tuple[str, dict[str, Directory]]:
    """The tree `root` with some files set, others (None) removed, and the new tree objects by id;
    empty directories vanish.

    Raises PolicyError where an edit would pass through something that is not a directory, replace
    something that is not a plain file, or put two names side by side that differ only by case or
    normalisation.
    """
    splicing = _Splicing(load, fmt, {})
    new_root = splicing.descend(root, edits, "") if edits else root
    if new_root is None:
        new_root = empty_tree(fmt)
        splicing.made[new_root] = Directory([], {}, _raw_size(fmt))
    return new_root, splicing.made


@dataclass(slots=True)
class _Splicing:
    load: Load
    object_format: str
    made: dict[str, Directory]

    def descend(
        self, tree: str | None, edits: Mapping[str, Entry | None], where: str
    ) -> str | None:
        """The id of `tree` (None: a new one) with the edits; None when nothing is left in it."""
        size = _raw_size(self.object_format)
        directory = Directory([], {}, size) if tree is None else self.load(tree)
        changes = self._changes(directory, edits, where)
        _refuse_twins(directory, changes, where)
        result = directory.with_entries(changes)
        if not result.keys:
            return None
        oid = object_id("tree", result.encode(), self.object_format)
        if oid != tree:
            self.made[oid] = result
        return oid

    def _changes(
        self, directory: Directory, edits: Mapping[str, Entry | None], where: str
    ) -> dict[str, Entry | None]:
        """What changes directly in `directory`, the folders below it already spliced."""
        changes: dict[str, Entry | None] = {}
        folders: dict[str, dict[str, Entry | None]] = {}
        for path, entry in edits.items():
            name, slash, rest = path.partition("/")
            if slash:
                folders.setdefault(name, {})[rest] = entry
                continue
            old = directory.get(name)
            if old is not None and old[0] not in (FILE, EXECUTABLE):
                raise PolicyError("is not a plain file in the repository", where=where + name)
            if old is not None or entry is not None:
                changes[name] = entry
        for name, inner in folders.items():
            old = directory.get(name)
            if name in changes or (old is not None and old[0] != DIRECTORY):
                raise PolicyError(
                    "is a file, a link or a submodule, not a folder", where=where + name
                )
            new = self.descend(None if old is None else old[1], inner, f"{where}{name}/")
            if new is not None or old is not None:
                changes[name] = None if new is None else (DIRECTORY, new)
        return changes


def _raw_size(object_format: str) -> int:
    return 20 if object_format == "sha1" else 32


def _refuse_twins(directory: Directory, changes: Mapping[str, Entry | None], where: str) -> None:
    """Refuse a new name that a case-insensitive disk would take for another one."""
    new = [name for name, entry in changes.items() if entry and directory.get(name) is None]
    if not new:
        return
    kept = {_folded(name): name for name, entry in changes.items() if entry is not None}
    held = directory.folded()
    for name in new:
        other: str | None = kept[_folded(name)]
        if other == name:
            other = held.get(_folded(name))
            if other is not None and changes.get(other, "kept") is None:
                continue
        if other is not None:
            raise PolicyError(
                f"differs only by case or normalisation from `{other}`", where=where + name
            )
