"""Files that arrive in a folder, and from when on they are whole.

A file is whole when its size and its times have stayed as they are for a while. Names that editors
and browsers give to what is not finished are left out, as are empty files, which browsers put down
first and fill later.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from llmwiki.sources.paths import RAW, is_source


class FileSignature(NamedTuple):
    """What of a file differs when its content does."""

    size: int
    mtime_ns: int
    inode: int
    changed_ns: int
    """When the system saw its last change, renaming included (ctime)."""

    @property
    def content(self) -> tuple[int, int]:
        """The part that outlasts copying and renaming: size and time of the last writing."""
        return self.size, self.mtime_ns


def files_in(folder: Path, raw: Path) -> Iterator[tuple[str, FileSignature]]:
    """The files in a folder that could be sources, with absolute paths, in no order.

    `raw` is the wiki's own folder of sources, in which some folders hold none. What vanishes
    meanwhile is left out.
    """
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        try:
            entries = list(os.scandir(here))
        except OSError:
            continue
        for entry in entries:
            place = here / entry.name
            base = raw if place.is_relative_to(raw) else folder
            below = f"{RAW}/{place.relative_to(base).as_posix()}"
            if entry.is_dir(follow_symlinks=False):
                # A folder is asked for as a file in it is: browsers make some for downloads.
                if is_source(below) and is_source(f"{below}/x.md"):
                    waiting.append(place)
            elif is_source(below):
                found = _signature(entry)
                if found is not None:
                    yield str(place), found


def _signature(entry: os.DirEntry[str]) -> FileSignature | None:
    try:
        held = entry.stat()
    except OSError:
        return None
    if not stat.S_ISREG(held.st_mode) or not held.st_size:
        return None
    return FileSignature(held.st_size, held.st_mtime_ns, held.st_ino, held.st_ctime_ns)


class Arrivals:
    """The files of a folder through many looks. Times are seconds of a clock that never jumps."""

    def __init__(self, settle: float) -> None:
        """`settle` is for how many seconds a file must stay as it is."""
        self._settle = settle
        self._since: dict[str, float] = {}
        self._seen: dict[str, FileSignature] = {}
        self._done: dict[str, FileSignature] = {}
        self._is_first = True

    def look(self, found: Mapping[str, FileSignature], now: float, wall: float) -> None:
        """Takes what a look has found. `wall` is the time in seconds since the epoch.

        Of files that lay there before the first look the system tells since when they are as they
        are; of later ones only what was seen counts.
        """
        for path, signature in found.items():
            if self._seen.get(path) != signature:
                age = wall - max(signature.mtime_ns, signature.changed_ns) / 1e9
                self._since[path] = now - (max(0.0, age) if self._is_first else 0.0)
        for gone in self._seen.keys() - found.keys():
            del self._since[gone]
            self._done.pop(gone, None)
        self._seen = dict(found)
        self._is_first = False

    def restart(self, now: float) -> None:
        """Counts anew: the machine slept, and what was writing may go on only now."""
        self._since = dict.fromkeys(self._since, now)

    def whole(self, now: float) -> list[str]:
        """The files that are whole and not settled, sorted."""
        return [path for path in self._open() if now - self._since[path] >= self._settle]

    def wait(self, now: float) -> float | None:
        """Seconds until the next file may be whole; None: none is on its way."""
        left = [self._settle - (now - self._since[path]) for path in self._open()]
        return min((each for each in left if each > 0), default=None)

    def signature(self, path: str) -> FileSignature | None:
        """As it was at the last look; None: it was not there."""
        return self._seen.get(path)

    def settle(self, path: str, signature: FileSignature) -> None:
        """With these bytes the file needs nothing more."""
        self._done[path] = signature

    def forget(self) -> None:
        """Nothing is settled any more: another branch is checked out."""
        self._done.clear()

    def _open(self) -> list[str]:
        """What is not settled, sorted. A change that left content and name alone is none."""
        return [
            path
            for path in sorted(self._seen)
            if path not in self._done or self._done[path].content != self._seen[path].content
        ]
