"""A source that was named: where its bytes are, or they themselves, and its name below raw/."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from llmwiki.core.agent_file_names import harmless
from llmwiki.core.errors import InputError
from llmwiki.core.text import normalise, sha256_hex
from llmwiki.pages.page_file_names import name_key
from llmwiki.sources.open_and_hash import read_bytes, sha256_file
from llmwiki.sources.raw_paths import composed, is_plain_name

if TYPE_CHECKING:
    from llmwiki.core.document import SourceOrigin
    from llmwiki.core.errors import WikiError
    from llmwiki.sources.conversion_limits import SourceLimits


@dataclass(frozen=True, slots=True)
class NamedSource:
    """One source that was named, directly or through a folder: a file, or bytes that lie in none;
    `read` gives it its bytes."""

    path: str
    """Relative to the wiki's root, below raw/: where it is, or where to copy it to."""
    file: Path | None
    """The file that holds its bytes now, absolute; None: they came by a stream, or from the web."""
    inside: bool = False
    """Whether the file lies at `path` in the work tree already."""
    size: int = 0
    """Of the file in bytes, when it was found."""
    refused: WikiError | None = None
    """Why there is nothing to read: of what is no file, or could not be fetched."""
    beside: str = ""
    """The path it would have if other bytes did not lie there; empty where it has its own."""
    data: bytes = b""
    """Its bytes, where they were read."""
    origin: SourceOrigin | None = None
    """Of a copy: where it comes from; None: a person put it into raw/."""
    is_named: bool = True
    """Whether it was named itself, and not only a folder that it lies in."""

    @property
    def place(self) -> str:
        """What a person calls it: its path, its address on the web, or the file outside that is
        not copied yet."""
        if self.origin is not None and self.origin.url:
            return self.origin.url
        if self.file is None or self.inside:
            return self.path
        return min(str(self.file), os.path.relpath(self.file), key=len)

    @property
    def argument(self) -> str:
        """What `wiki ingest` takes to read it again; empty for what lies nowhere."""
        if self.origin is not None and self.origin.url:
            return self.origin.url
        if self.file is None:
            return ""
        return self.path if self.inside else str(self.file)

    def read(self, limits: SourceLimits) -> NamedSource:
        """The same with its bytes. Raises as `read_bytes` does, and what `refused` tells."""
        if self.refused is not None:
            raise self.refused
        return self if self.file is None else replace(self, data=read_bytes(self.file, limits))

    def sha256(self) -> str:
        """The SHA-256 of its bytes, 64 hexadecimal digits. Raises as `read` does."""
        if self.refused is not None:
            raise self.refused
        return sha256_hex(self.data) if self.file is None else sha256_file(self.file)


def place_of(file: Path, root: Path, top: Path) -> str:
    """What identifies a file outside of raw/ in commits: its path from the wiki's root where it
    lies in the repository, whose `top` that is, and a page can hold it; of any other file
    `file:NAME#` and 16 hexadecimal digits of the SHA-256 of its real path."""
    real = file.resolve()
    path = composed(Path(os.path.relpath(real, root.resolve())).as_posix())
    # A page keeps no other blanks than single ones.
    is_kept = is_plain_name(path) and path == normalise(path)
    if is_kept and real.is_relative_to(top.resolve()):
        return path
    name = normalise(composed(real.name)) if is_plain_name(composed(real.name)) else ""
    return f"file:{name}#{sha256_hex(os.fsencode(real))[:16]}"


# --- names for files from outside --------------------------------------------------------------


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
        self._claimed: dict[str, NamedSource] = {}

    def claim(self, found: NamedSource) -> str:
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
        self._names(str(PurePosixPath(path).parent))[name_key(PurePosixPath(path).name)] = path
        return path

    def _free(self, path: str, found: NamedSource) -> str:
        """`path`, or what already holds these bytes under that name; empty if taken."""
        pure = PurePosixPath(path)
        taken = self._names(str(pure.parent)).get(name_key(pure.name))
        if taken is None:
            return path
        there = self._claimed.get(taken) or self._on_disk(taken)
        return taken if there and _same_bytes(there, found) else ""

    def _on_disk(self, path: str) -> NamedSource | None:
        """The file of that name; None where it is a folder or a link that leads nowhere."""
        file = self._root / path
        return NamedSource(path, file, True, file.stat().st_size) if file.is_file() else None

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
            self._folders[folder] = {name_key(path.rpartition("/")[2]): path for path in below}
        return self._folders[folder]


def _no_folder(folder: str, error: OSError) -> InputError:
    return InputError(
        f"cannot be the folder that sources are copied to: {error.strerror}",
        where=folder,
        fix="Rename the file of that name, or what you ingest.",
    )


def _same_bytes(one: NamedSource, other: NamedSource) -> bool:
    if one.file == other.file:
        return True
    return one.size == other.size and one.sha256() == other.sha256()
