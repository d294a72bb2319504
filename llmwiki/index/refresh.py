"""Bringing an index up to date: what changed is indexed again, and nothing else."""

from __future__ import annotations

import sqlite3
import sys
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from llmwiki.index import schema
from llmwiki.index.facts import is_indexed
from llmwiki.index.rows import unpack
from llmwiki.index.segment import IndexSegment, Version, blob_of, sums_of, tallies_of, tally
from llmwiki.index.worktree_scan import WorkTreeScan
from llmwiki.repo.repository import Repository
from llmwiki.repo.trees import object_id

REBUILD_SHARE = 0.5
"""Where more than this share of the pages changed, a new index is quicker than a refreshed one."""

TIER = 4
"""Neighbouring segments are joined while the older is less than this many times the newer, so
that there are about log4 of the pages of them and a page is written again as often
(the logarithmic method of Bentley and Saxe, 1980)."""

WORN = 0.3
"""A segment with this share of dead pages is written again."""


def committed_changes(repo: Repository, old: str | None, new: str | None) -> dict[str, str | None]:
    """Pages that differ between two commits, to their blob id in the newer one."""
    if old == new:
        return {}
    folders = repo.layout.page_folders
    if old is None:
        entries = (entry for folder in folders for entry in repo.tree(new, folder).items())
        return {path: entry[1] for path, entry in entries if is_indexed(path)}
    changes = (change for folder in folders for change in repo.diff_trees(old, new, folder))
    return {
        change.path: change.new and change.new[1] for change in changes if is_indexed(change.path)
    }


def refresh(
    db: sqlite3.Connection,
    repo: Repository,
    commit: str | None,
    sweep: WorkTreeScan,
    changes: Mapping[str, str | None],
    read: Callable[[str], bytes | None],
) -> None:
    """Index what `changes` and `sweep` name, in a transaction that the caller begins and ends.

    `changes` are the pages that differ between the commit indexed and `commit`; `read` gives the
    bytes to index, None where there is no page.
    """
    paths = sorted({*changes, *sweep.touched, *sweep.gone, *schema.strays(db)})
    held = _held(db, filter(schema.is_text, paths))
    fresh: list[Version] = []
    removed: list[str] = []
    now_held = {path: oid for path, (_doc, oid) in held.items()}
    for path in paths:
        data = read(path) if schema.is_text(path) else None
        if data is None:
            if path in held:
                removed.append(path)
                del now_held[path]
            continue
        oid = object_id("blob", data, repo.object_format)
        numbers = sweep.touched.get(path, (path, 0, 0, 0))[1:]
        if now_held.get(path) == oid:
            if path in sweep.touched:
                db.execute(
                    "UPDATE page SET mtime = ?, size = ?, inode = ? WHERE path = ?",
                    (*numbers, path),
                )
            continue
        if path in held:
            removed.append(path)
        fresh.append(Version(path, oid, data, *numbers))
        now_held[path] = oid
    _remove(db, removed)
    _add(db, fresh)
    for path in paths:
        committed = changes[path] if path in changes else _committed(repo, commit, path)
        if committed == now_held.get(path):
            db.execute("DELETE FROM drift WHERE path = ?", (schema.stored(path),))
        else:
            db.execute(
                "INSERT OR REPLACE INTO drift VALUES (?, ?)", (schema.stored(path), committed)
            )
    store_state(db, commit, sweep.folders)


def _committed(repo: Repository, commit: str | None, path: str) -> str | None:
    entry = repo.entry(commit, path)
    return entry[1] if entry else None


def store_state(db: sqlite3.Connection, commit: str | None, folders: dict[str, bytes]) -> None:
    """Record what the index stands for now."""
    for path, stamp in sorted(folders.items()):
        if stamp == b"gone":
            db.execute("DELETE FROM folder WHERE path = ?", (path,))
        else:
            db.execute("INSERT OR REPLACE INTO folder VALUES (?, ?)", (path, stamp))
    schema.put(db, "commit", commit or "")


def _held(db: sqlite3.Connection, paths: Iterable[str]) -> dict[str, tuple[int, str]]:
    held: dict[str, tuple[int, str]] = {}
    for path in paths:
        row = db.execute("SELECT doc, oid FROM page WHERE path = ?", (path,)).fetchone()
        if row:
            held[path] = row
    return held


def _remove(db: sqlite3.Connection, paths: Sequence[str]) -> None:
    segments = db.execute("SELECT first, lengths, titles FROM segment ORDER BY first").fetchall()
    starts = [first for first, _lengths, _titles in segments]
    tallies: Counter[tuple[str, str]] = Counter()
    for path in paths:
        row = db.execute(
            "SELECT doc, type, title, description, rest FROM page WHERE path = ?", (path,)
        ).fetchone()
        doc = row[0]
        facts = unpack(path, *row[1:])
        first, lengths, titles = segments[bisect_right(starts, doc) - 1]
        at = doc - first
        length = int.from_bytes(lengths[4 * at : 4 * at + 4], _ORDER)
        tallies.update(tallies_of(facts))
        tallies.update(sums_of(facts, length, titles[at]))
        db.execute("DELETE FROM page WHERE doc = ?", (doc,))
        db.execute("INSERT INTO dead VALUES (?)", (doc,))
    tally(db, tallies, -1)


_ORDER = sys.byteorder


def _add(db: sqlite3.Connection, fresh: Sequence[Version]) -> None:
    if fresh:
        number, first = db.execute(
            "SELECT coalesce(max(id), 0) + 1, coalesce(max(first + pages), 1) FROM segment"
        ).fetchone()
        segment = IndexSegment(first)
        for version in fresh:
            segment.add(version)
        segment.write(db, number)
    _tidy(db)


def _tidy(db: sqlite3.Connection) -> None:
    """Keep segments few and their dead pages fewer."""
    sizes = db.execute("SELECT id, first, pages FROM segment ORDER BY first").fetchall()
    dead = [doc for (doc,) in db.execute("SELECT doc FROM dead ORDER BY doc")]
    live = [
        pages - (bisect_right(dead, first + pages - 1) - bisect_right(dead, first - 1))
        for _id, first, pages in sizes
    ]
    start = len(sizes)
    total = 0
    while start > 0 and (total == 0 or live[start - 1] < TIER * total):
        start -= 1
        total += live[start]
    joined = set(range(start, len(sizes))) if len(sizes) - start > 1 else set()
    if joined:
        _join(db, [sizes[place] for place in sorted(joined)], dead)
    for place, row in enumerate(sizes):
        if place not in joined and row[2] - live[place] > WORN * row[2]:
            _join(db, [row], dead)


def _join(db: sqlite3.Connection, rows: Sequence[tuple[int, int, int]], dead: list[int]) -> None:
    """Write neighbouring segments again as one, under the number of the first of them."""
    numbers = [number for number, _first, _pages in rows]
    first, last = rows[0][1], rows[-1][1] + rows[-1][2] - 1
    marks = ",".join(map(str, numbers))
    gone = set(dead[bisect_right(dead, first - 1) : bisect_right(dead, last)])
    lengths, titles = array("I", bytes(4 * (last + 1 - first))), bytearray(last + 1 - first)
    for number, start, _pages in rows:
        length_bytes, title_bytes = db.execute(
            "SELECT lengths, titles FROM segment WHERE id = ?", (number,)
        ).fetchone()
        place = start - first
        lengths[place : place + len(title_bytes)] = array("I", length_bytes)
        titles[place : place + len(title_bytes)] = title_bytes
    for doc in gone:
        lengths[doc - first] = titles[doc - first] = 0
    found: dict[str, list[bytes]] = {}
    order = "CASE segment " + " ".join(f"WHEN {n} THEN {k}" for k, n in enumerate(numbers)) + " END"
    for key, blob in db.execute(
        f"SELECT key, docs FROM posting WHERE segment IN ({marks}) ORDER BY key, {order}"
    ):
        found.setdefault(key, []).append(blob)
    db.execute(f"DELETE FROM posting WHERE segment IN ({marks})")
    db.execute(f"DELETE FROM segment WHERE id IN ({marks})")
    db.executemany("DELETE FROM dead WHERE doc = ?", [(doc,) for doc in sorted(gone)])
    written = [(numbers[0], key, blob) for key in found if (blob := _joined(found[key], gone))]
    if not any(lengths):
        return
    db.executemany("INSERT INTO posting VALUES (?, ?, ?)", written)
    db.execute(
        "INSERT INTO segment VALUES (?, ?, ?, ?, ?)",
        (numbers[0], first, len(titles), lengths.tobytes(), bytes(titles)),
    )


def _joined(blobs: list[bytes], gone: set[int]) -> bytes:
    docs: list[int] = []
    codes = bytearray()
    for blob in blobs:
        split = len(blob) // 5 * 4
        docs.extend(array("I", blob[:split]))
        codes += blob[split:]
    if gone and not gone.isdisjoint(docs):
        kept = [place for place, doc in enumerate(docs) if doc not in gone]
        docs, codes = [docs[k] for k in kept], bytearray(codes[k] for k in kept)
    return blob_of(docs, bytes(codes)) if docs else b""
