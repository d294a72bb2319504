"""Bringing an index up to date: what changed is indexed again, and nothing else."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping

from llmwiki.index import schema
from llmwiki.index.facts import is_indexed
from llmwiki.index.page_row import PageVersion
from llmwiki.index.put import put
from llmwiki.index.worktree_scan import WorkTreeScan
from llmwiki.repo.repository import Repository
from llmwiki.repo.trees import object_id

REBUILD_SHARE = 0.5
"""Where more than this share of the pages changed, a new index is quicker than a refreshed one."""


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
    known = schema.strays(db)
    for path in sorted({*changes, *sweep.touched, *sweep.gone, *known}):
        oid = _taken_in(db, repo, path, read(path), sweep)
        committed = changes[path] if path in changes else _committed(repo, commit, path)
        if committed != oid:
            row = schema.stored(path), committed
            db.execute("INSERT OR REPLACE INTO drift VALUES (?, ?)", row)
        elif path in known:
            db.execute("DELETE FROM drift WHERE path = ?", (schema.stored(path),))
    store_state(db, commit, sweep.folders)


def _taken_in(
    db: sqlite3.Connection, repo: Repository, path: str, data: bytes | None, sweep: WorkTreeScan
) -> str | None:
    """Indexes a page unless it is as it was; its blob id, None where there is no page."""
    if data is None:
        put(db, path, None)
        return None
    oid = object_id("blob", data, repo.object_format)
    numbers = sweep.touched.get(path, (path, 0, 0, 0))[1:]
    held = db.execute("SELECT oid FROM page WHERE path = ?", (schema.stored(path),)).fetchone()
    if held is None or held[0] != oid:
        put(db, path, PageVersion(path, oid, data, *numbers))
    elif path in sweep.touched:
        db.execute(
            "UPDATE page SET mtime = ?, size = ?, inode = ? WHERE path = ?",
            (*numbers, schema.stored(path)),
        )
    return oid


def _committed(repo: Repository, commit: str | None, path: str) -> str | None:
    entry = repo.entry(commit, path)
    return entry[1] if entry else None


def store_state(
    db: sqlite3.Connection, commit: str | None, folders: Mapping[str, tuple[int, bytes] | None]
) -> None:
    """Record what the index stands for now."""
    for path in sorted(folders):
        trusted = folders[path]
        if trusted is None:
            db.execute("DELETE FROM folder WHERE path = ?", (path,))
        else:
            db.execute("INSERT OR REPLACE INTO folder VALUES (?, ?, ?)", (path, *trusted))
    schema.put(db, "commit", commit or "")
