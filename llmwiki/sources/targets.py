"""Names below raw/ for files that come from outside."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from pathlib import Path, PurePosixPath

from llmwiki.core.agent_files import harmless
from llmwiki.core.errors import InputError
from llmwiki.sources.found import SourceFile
from llmwiki.sources.spelling import composed


class Targets:
    """The names below raw/, those on disk and those promised since, each for certain bytes.

    Names are compared as a case-insensitive, normalising disk would, so that a clone on such a
    disk holds every source. `taken` are further paths that hold other bytes: those of files that a
    sparse checkout leaves out.
    """

    def __init__(self, root: Path, taken: Collection[str] = ()) -> None:
        self._root = root
        self._taken = taken
        self._folders: dict[str, dict[str, str]] = {}
        self._claimed: dict[str, SourceFile] = {}

    def claim(self, found: SourceFile) -> str:
        """The path (relative to the root) for a source from outside: its own, unless taken or one
        of a file that coding agents obey.

        A path that holds the same bytes is given back as it stands; where other bytes are,
        `-` and the first 4 (on a further clash 8, 16, 64) hexadecimal digits of the SHA-256
        go before the extension. Raises InputError when a file cannot be read, or where a file
        has the name of the folder.
        """
        wanted = harmless(composed(found.path))
        path = self._free(wanted, found)
        digest = "" if path else found.sha256()
        pure = PurePosixPath(wanted)
        for digits in (4, 8, 16, 64):
            if path:
                break
            name = f"{pure.stem}-{digest[:digits]}{pure.suffix}"
            path = self._free(str(pure.with_name(name)), found)
        self._claimed[path] = found
        self._names(str(PurePosixPath(path).parent))[_key(PurePosixPath(path).name)] = path
        return path

    def _free(self, path: str, found: SourceFile) -> str:
        """`path`, or what already holds these bytes under that name; empty if taken."""
        pure = PurePosixPath(path)
        taken = self._names(str(pure.parent)).get(_key(pure.name))
        if taken is None:
            return path
        there = self._claimed.get(taken) or self._on_disk(taken)
        return taken if there and _same_bytes(there, found) else ""

    def _on_disk(self, path: str) -> SourceFile | None:
        """The file of that name; None where it is a folder or a link that leads nowhere."""
        file = self._root / path
        return SourceFile(path, file, True, file.stat().st_size) if file.is_file() else None

    def _names(self, folder: str) -> dict[str, str]:
        if folder not in self._folders:
            try:
                names = sorted(child.name for child in (self._root / folder).iterdir())
            except FileNotFoundError:
                names = []
            except OSError as error:
                raise _no_folder(folder, error) from error
            paths = [*(f"{folder}/{name}" for name in names), *self._taken]
            below = (path for path in paths if path.rpartition("/")[0] == folder)
            self._folders[folder] = {_key(path.rpartition("/")[2]): path for path in below}
        return self._folders[folder]


def _no_folder(folder: str, error: OSError) -> InputError:
    return InputError(
        f"cannot be the folder that sources are copied to: {error.strerror}",
        where=folder,
        fix="Rename the file of that name, or what you ingest.",
    )


def same_name(one: str, other: str) -> bool:
    """Whether a case-insensitive, normalising disk takes two paths for one."""
    return _key(one) == _key(other)


def _key(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _same_bytes(one: SourceFile, other: SourceFile) -> bool:
    if (one.file, one.message) == (other.file, other.message):
        return True
    return one.size == other.size and one.sha256() == other.sha256()
