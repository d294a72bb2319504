"""Names below raw/ for files that come from outside."""

from __future__ import annotations

import unicodedata
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from llmwiki.sources.files import sha256_file

if TYPE_CHECKING:
    from pathlib import Path


class Targets:
    """The names below raw/, those on disk and those promised since, each for certain bytes.

    Names are compared as a case-insensitive, normalising disk would, so that a clone on such a
    disk holds every source.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._folders: dict[str, dict[str, str]] = {}
        self._files: dict[str, Path] = {}

    def claim(self, wanted: str, file: Path) -> str:
        """The path (relative to the root) for `file`'s bytes: `wanted`, unless it is taken.

        A path that holds the same bytes is given back as it stands; where other bytes are,
        `-` and the first 4 (on a further clash 8, 16, 64) hexadecimal digits of the SHA-256
        go before the extension. Raises InputError when a file cannot be read.
        """
        wanted = unicodedata.normalize("NFC", wanted)
        path = self._free(wanted, file)
        digest = "" if path else sha256_file(file)
        pure = PurePosixPath(wanted)
        for digits in (4, 8, 16, 64):
            if path:
                break
            name = f"{pure.stem}-{digest[:digits]}{pure.suffix}"
            path = self._free(str(pure.with_name(name)), file)
        self._files[path] = file
        self._names(str(PurePosixPath(path).parent))[_key(PurePosixPath(path).name)] = path
        return path

    def _free(self, path: str, file: Path) -> str:
        """`path`, or what already holds these bytes under that name; empty if taken."""
        pure = PurePosixPath(path)
        taken = self._names(str(pure.parent)).get(_key(pure.name))
        if taken is None:
            return path
        other = self._files.get(taken, self._root / taken)
        return taken if _same_bytes(other, file) else ""

    def _names(self, folder: str) -> dict[str, str]:
        if folder not in self._folders:
            try:
                names = sorted(child.name for child in (self._root / folder).iterdir())
            except FileNotFoundError:
                names = []
            self._folders[folder] = {_key(name): f"{folder}/{name}" for name in names}
        return self._folders[folder]


def _key(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _same_bytes(one: Path, other: Path) -> bool:
    if one == other:
        return True
    if not one.is_file() or one.stat().st_size != other.stat().st_size:
        return False
    return sha256_file(one) == sha256_file(other)
