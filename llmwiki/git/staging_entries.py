"""What the user's index says of some paths, read through git (any index version or extension)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from llmwiki.git.find_repository import Layout
from llmwiki.git.runner import Git
from llmwiki.git.trees import Entry
from llmwiki.git.worktree_files import Stamp, stamp_of

_FEW = 64
"""So many paths are asked for by name; for more, or the third time, the whole index is read."""
_SMALL = 256 * 1024
"""Bytes of an index (about 2,500 files) that is read whole at once: one spawn instead of two."""


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One path's entry."""

    mode: str
    oid: str
    unmerged: bool = False
    skipped: bool = False
    """Left out of the work tree by a sparse checkout."""
    assumed: bool = False
    """Taken for unchanged without a look (`git update-index --assume-unchanged`)."""


def _may_skip(path: Path) -> bool:
    """Whether an index may hold entries that are left out of the work tree: version 2 has no room
    for that mark (gitformat-index), but the rest of a split index may be of another version."""
    try:
        with path.open("rb") as file:
            version = int.from_bytes(file.read(8)[4:], "big")
    except FileNotFoundError:
        return False
    return version != 2 or any(path.parent.glob("sharedindex.*"))


class IndexEntries:
    """Entries of the user's index by path (relative to the top).

    One landing asks for a dozen paths: `git ls-files` with them as pathspecs. A process that
    lands again reads the whole index once and then follows its own changes, as long as nobody
    else has replaced the file: nothing to spawn for each landing of a batch.
    """

    def __init__(self, layout: Layout, git: Git) -> None:
        self.path = layout.git_dir / "index"
        self._git = git
        self._stamp: Stamp = None
        self._asked = 0
        self._all: dict[str, IndexEntry] | None = None
        self._some: dict[str, IndexEntry | None] = {}

    def read(self, paths: Iterable[str]) -> dict[str, IndexEntry | None]:
        """The entries of these paths as the index is now; None for those it does not hold."""
        wanted = list(paths)
        self._fill(wanted)
        if self._all is not None:
            return {path: self._all.get(path) for path in wanted}
        return {path: self._some.get(path) for path in wanted}

    def skipped(self) -> Mapping[str, IndexEntry]:
        """The entries that a sparse checkout leaves out of the work tree, by path."""
        if not _may_skip(self.path):
            return {}
        self._fill([], whole=True)
        return {path: entry for path, entry in (self._all or {}).items() if entry.skipped}

    def skipped_entry(self, path: str) -> Entry | None:
        """Mode and blob id of a file that a sparse checkout leaves out; None for any other."""
        entry = self.read([path])[path] if _may_skip(self.path) else None
        return (entry.mode, entry.oid) if entry is not None and entry.skipped else None

    def outside(self, paths: Iterable[str]) -> frozenset[str]:
        """Those of these paths that a sparse checkout leaves out: by their entries, a new one as
        the files of the nearest folder above it are."""
        skipped = self.skipped()
        if not skipped:
            return frozenset()
        entries = self._all or {}
        hidden = {path.rpartition("/")[0] for path in skipped}
        shown = {path.rpartition("/")[0] for path, entry in entries.items() if not entry.skipped}

        def is_outside(path: str) -> bool:
            if path in entries:
                return path in skipped
            folder = path.rpartition("/")[0]
            while folder and folder not in hidden and folder not in shown:
                folder = folder.rpartition("/")[0]
            return folder in hidden and folder not in shown

        return frozenset(path for path in paths if is_outside(path))

    def _fill(self, wanted: list[str], *, whole: bool = False) -> None:
        for _ in range(3):
            stamp = stamp_of(self.path)
            known = self._all is not None or all(path in self._some for path in wanted)
            enough = self._all is not None if whole else known
            if self._asked and enough and stamp == self._stamp:
                return
            self._asked += 1
            small = stamp is not None and stamp[1] < _SMALL
            is_whole = whole or small or self._asked > 2 or len(wanted) > _FEW
            found = self._listed([] if is_whole else wanted) if is_whole or wanted else {}
            self._all = found if is_whole else None
            self._some = {path: found.get(path) for path in wanted}
            self._stamp = stamp
            if stamp_of(self.path) == stamp:
                return

    def _listed(self, paths: list[str]) -> dict[str, IndexEntry]:
        """The entries of these paths; of none: all."""
        entries: dict[str, IndexEntry] = {}
        for line in self._git.records("ls-files", "-s", "-v", "-z", "--", *paths):
            facts, _, path = line.partition("\t")
            tag, mode, oid, stage = facts.split(" ")
            entries[path] = IndexEntry(mode, oid, stage != "0", tag in "Ss", tag.islower())
        return entries

    def replaced(self, changes: Mapping[str, IndexEntry | None], stamp: Stamp) -> None:
        """We have put another index in place: these entries changed, and this is its stamp."""
        self._stamp = stamp
        if self._all is not None:
            for path, entry in changes.items():
                if entry is None:
                    self._all.pop(path, None)
                else:
                    self._all[path] = entry
        else:
            self._some = {**self._some, **changes}
