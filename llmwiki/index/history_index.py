"""Which commits touched which pages: a table beside the index, in the common git directory.

Each row is a fact about one commit, so it never becomes wrong; commits that came are appended, and
after a rebase or `git gc` what is left of the old ones is passed over. The file can be deleted.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from llmwiki.core.text import sha256_hex
from llmwiki.repo.file_history import steps_of
from llmwiki.repo.repository import Repository

_TABLES = """
CREATE TABLE IF NOT EXISTS commits (
  seq INTEGER PRIMARY KEY, oid TEXT NOT NULL UNIQUE, parents TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS path (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS touch (
  path INTEGER NOT NULL, seq INTEGER NOT NULL, old TEXT NOT NULL, new TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS touch_of_path ON touch (path, seq);
CREATE INDEX IF NOT EXISTS touch_of_commit ON touch (seq);
CREATE TABLE IF NOT EXISTS tip (oid TEXT PRIMARY KEY, alone INTEGER NOT NULL) WITHOUT ROWID;
"""
_VERSION = 1
_APPLICATION_ID = 0x6C6D7768
_AT_ONCE = 500
"""Commits that are read and written together: what an interruption loses at most."""


class PageTouch(NamedTuple):
    """A page's difference between a commit and one of its parents."""

    seq: int
    """Greater than those of all ancestors of the commit."""
    commit: str
    parents: int
    """How many parents the commit has."""
    path: str
    """Relative to the wiki's root."""
    old: str
    """Blob id in the parent; empty where the page is new."""
    new: str
    """Blob id in the commit; empty where the page is gone."""


class HistoryIndex:
    """The table, open. Of one wiki: another one of the same repository has a file of its own."""

    def __init__(self, db: sqlite3.Connection, repo: Repository) -> None:
        self._db = db
        self._repo = repo
        self._reached: tuple[str, frozenset[int] | None] = ("", None)

    def close(self) -> None:
        """Closes the file."""
        self._db.close()

    # --- filling ---------------------------------------------------------------------------

    def fill(self, tip: str, most: int, step: Callable[[int, int], None]) -> int:
        """Takes in up to `most` of the commits behind `tip` that are missing, newest first.

        Returns how many are still missing. `step` is told how many are done of how many.
        """
        if self._db.execute("SELECT 1 FROM tip WHERE oid = ?", (tip,)).fetchone():
            return 0
        known = [oid for (oid,) in self._db.execute("SELECT oid FROM tip ORDER BY oid")]
        known = [oid for oid in known if self._repo.objects.get(oid) is not None]
        listed = self._listed(tip, known)
        wanted = self._numbered(listed)
        taken = wanted[:most]
        for first in range(0, len(taken), _AT_ONCE):
            step(first, len(wanted))
            self._take_in(taken[first : first + _AT_ONCE])
        if len(taken) == len(wanted):
            self._note_tip(tip, known)
        return len(wanted) - len(taken)

    def _listed(self, tip: str, known: Sequence[str]) -> list[tuple[str, tuple[str, ...]]]:
        """Commits behind `tip` and not behind `known`, children first, each with its parents."""
        asked = "\n".join([tip, *(f"^{oid}" for oid in known), ""]).encode()
        out = self._repo.git.run("rev-list", "--topo-order", "--parents", "--stdin", stdin=asked)
        rows = (row.split() for row in out.stdout.decode().splitlines())
        return [(row[0], tuple(row[1:])) for row in rows]

    def _numbered(
        self, listed: Sequence[tuple[str, tuple[str, ...]]]
    ) -> list[tuple[int, str, tuple[str, ...]]]:
        """The missing ones of these commits, in their order, with numbers that rise with time.

        Those that have a descendant in the table go below all numbers in it, the others above.
        """
        held = {oid for oid, _p in listed if self._seq(oid) is not None}
        below: set[str] = set()
        upper: list[tuple[str, tuple[str, ...]]] = []
        lower: list[tuple[str, tuple[str, ...]]] = []
        for oid, parents in listed:
            if oid in held or oid in below:
                below.update(parents)
            if oid not in held:
                (lower if oid in below else upper).append((oid, parents))
        low, high = self._db.execute("SELECT min(seq), max(seq) FROM commits").fetchone()
        top = (high or 0) + len(upper)
        bottom = (low if low is not None else 0 if not upper else (high or 0) + 1) - 1
        return [
            *((top - n, *each) for n, each in enumerate(upper)),
            *((bottom - n, *each) for n, each in enumerate(lower)),
        ]

    def _seq(self, oid: str) -> int | None:
        row = self._db.execute("SELECT seq FROM commits WHERE oid = ?", (oid,)).fetchone()
        return row[0] if row else None

    def _take_in(self, commits: Sequence[tuple[int, str, tuple[str, ...]]]) -> None:
        seqs = {oid: seq for seq, oid, _parents in commits}
        found = [
            (change.path, seqs[step.commit], change.old, change.new)
            for step in steps_of(self._repo, list(seqs), ["wiki"])
            for change in step.changes
        ]
        self._db.execute("BEGIN IMMEDIATE")
        with self._db:
            ids = self._path_ids({path for path, *_rest in found})
            self._db.executemany(
                "INSERT OR IGNORE INTO commits VALUES (?, ?, ?)",
                ((seq, oid, " ".join(parents)) for seq, oid, parents in commits),
            )
            self._db.executemany(
                "INSERT INTO touch VALUES (?, ?, ?, ?)",
                ((ids[path], seq, old, new) for path, seq, old, new in found),
            )

    def _path_ids(self, paths: Iterable[str]) -> Mapping[str, int]:
        rows = [(_stored(path),) for path in sorted(paths)]
        self._db.executemany("INSERT OR IGNORE INTO path (path) VALUES (?)", rows)
        ask = "SELECT id FROM path WHERE path = ?"
        return {path: self._db.execute(ask, (_stored(path),)).fetchone()[0] for path in paths}

    def _note_tip(self, tip: str, known: Sequence[str]) -> None:
        """`alone`: all commits of the table are behind this tip."""
        count = self._db.execute("SELECT count(*) FROM commits").fetchone()[0]
        alone = count == int(self._repo.git.text("rev-list", "--count", tip))
        with self._db:
            older = [oid for oid in known if self._repo.is_ancestor(oid, tip)]
            self._db.executemany("DELETE FROM tip WHERE oid = ?", ((oid,) for oid in older))
            self._db.execute("INSERT OR REPLACE INTO tip VALUES (?, ?)", (tip, int(alone)))

    # --- asking ----------------------------------------------------------------------------

    def touches(self, path: str, tip: str) -> list[PageTouch]:
        """What commits behind `tip` did to a page, children before parents."""
        rows = self._db.execute(
            "SELECT c.seq, c.oid, c.parents, t.old, t.new FROM path p JOIN touch t ON t.path = p.id"
            " JOIN commits c ON c.seq = t.seq WHERE p.path = ? ORDER BY c.seq DESC, t.rowid",
            (_stored(path),),
        )
        reached = self._behind(tip)
        return [
            PageTouch(seq, oid, len(parents.split()), path, old, new)
            for seq, oid, parents, old, new in rows
            if reached is None or seq in reached
        ]

    def of_commit(self, seq: int) -> list[PageTouch]:
        """What one commit did to all files below wiki/."""
        rows = self._db.execute(
            "SELECT c.oid, c.parents, p.path, t.old, t.new FROM touch t"
            " JOIN commits c ON c.seq = t.seq JOIN path p ON p.id = t.path"
            " WHERE t.seq = ? ORDER BY p.path, t.rowid",
            (seq,),
        )
        return [
            PageTouch(seq, oid, len(parents.split()), _path(path), old, new)
            for oid, parents, path, old, new in rows
        ]

    def _behind(self, tip: str) -> frozenset[int] | None:
        """The numbers of the commits behind `tip`; None: all of the table are."""
        row = self._db.execute("SELECT alone FROM tip WHERE oid = ?", (tip,)).fetchone()
        if row and row[0]:
            return None
        if self._reached[0] != tip:
            listed = self._db.execute("SELECT oid, seq, parents FROM commits")
            graph = {oid: (seq, parents.split()) for oid, seq, parents in listed}
            seen: set[str] = set()
            waiting = [tip]
            while waiting:
                oid = waiting.pop()
                if oid not in seen and oid in graph:
                    seen.add(oid)
                    waiting += graph[oid][1]
            self._reached = (tip, frozenset(graph[oid][0] for oid in seen))
        return self._reached[1]


def open_history(repo: Repository) -> HistoryIndex | None:
    """The table of this wiki, made where it is missing or not ours; None where it cannot be
    written or read, and in a clone that lacks history."""
    if repo.incomplete:
        return None
    which = f"-{sha256_hex(repo.prefix.encode('utf-8', 'surrogateescape'))[:8]}"
    path = repo.common_dir / "llmwiki" / f"history{which if repo.prefix else ''}.db"
    try:
        return HistoryIndex(_connected(path), repo)
    except sqlite3.OperationalError:
        return None
    except sqlite3.DatabaseError:
        path.unlink(missing_ok=True)
    try:
        return HistoryIndex(_connected(path), repo)
    except (OSError, sqlite3.DatabaseError):
        return None


def _connected(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None, timeout=10)
    try:
        (version,) = db.execute("PRAGMA user_version").fetchone()
        if version != _VERSION:
            tables = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            for (name,) in tables:
                db.execute(f'DROP TABLE "{name}"')
            db.executescript(
                f"PRAGMA journal_mode = WAL; PRAGMA application_id = {_APPLICATION_ID};{_TABLES}"
                f"PRAGMA user_version = {_VERSION};"
            )
        db.execute("PRAGMA synchronous = NORMAL")
    except sqlite3.DatabaseError:
        db.close()
        raise
    return db


def _stored(path: str) -> str | bytes:
    try:
        path.encode()
    except UnicodeEncodeError:
        return path.encode("utf-8", "surrogateescape")
    return path


def _path(stored: str | bytes) -> str:
    return stored if isinstance(stored, str) else stored.decode("utf-8", "surrogateescape")
