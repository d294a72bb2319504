"""Bringing an index up to date: what changed is indexed again, and nothing else; or every page,
where that is quicker. The caller has the turn to write."""

from __future__ import annotations

import gc
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from llmwiki.git.markdown_files import read_file
from llmwiki.git.repository import Repository
from llmwiki.git.trees import object_id
from llmwiki.git.worktree_files import Folders
from llmwiki.index import index_file, tables
from llmwiki.index.page_facts_record import is_indexed
from llmwiki.index.put_pages import NewIndex, PageVersion, put
from llmwiki.index.worktree_scan import Found, WorkTreeScan, look_around

_PORTION = 500
"""Pages that are written together: some 10 kB each in memory."""
_CACHE_KIB = 65_536
_GATHERED = 32 << 20
"""Bytes of the full text that are held while a whole index is made; SQLite would hold a million."""
REBUILD_SHARE = 0.5
"""Where more than this share of the pages changed, a new index is quicker than a refreshed one."""


def bring_up_to_date(db: sqlite3.Connection, repo: Repository, seen: WorkTreeScan) -> None:
    """Index what changed since the last commit indexed and what `seen` names, or all where that
    is quicker. What was seen may be older than the index: files are read again, not believed."""
    db.execute("BEGIN IMMEDIATE")
    try:
        if _refreshed(db, repo, seen):
            db.execute("COMMIT")
            return
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")
    with closing(all_pages(repo)) as new:
        new.backup(db)


def _refreshed(db: sqlite3.Connection, repo: Repository, seen: WorkTreeScan) -> bool:
    head, old = repo.head(), tables.get(db, "commit") or None
    if old is not None and old != head and repo.objects.get(old) is None:
        return False
    changes = committed_changes(repo, old, head)
    pages = db.execute("SELECT count(*) FROM page").fetchone()[0]
    if len(changes) + seen.resized + len(seen.gone) > REBUILD_SHARE * pages + 50:
        return False
    with repo.folders() as folders:
        _refresh(db, repo, head, seen, changes, _Pages(repo, folders).read)
    return True


class _Pages:
    """The pages as the work tree has them, or would have them but for a sparse checkout."""

    def __init__(self, repo: Repository, folders: Folders) -> None:
        self._repo = repo
        self._folders = folders

    def read(self, path: str) -> bytes | None:
        """The bytes of a page; None where there is none to search."""
        file = read_file(self._folders, self._repo.prefix + path)
        return self._repo.read_left_out(path) if file is None else file.data


def _left_out_pages(repo: Repository) -> dict[str, str]:
    """The pages that a sparse checkout leaves out of the work tree, to their blobs."""
    found: dict[str, str] = {}
    for folder in repo.layout.page_folders:
        entries = repo.left_out(folder).items()
        found |= {path: oid for path, (_mode, oid) in entries if is_indexed(path)}
    return found


def all_pages(repo: Repository) -> sqlite3.Connection:
    """An index of every page as the work tree has it, which nobody else sees."""
    head, db = repo.head(), index_file.private()
    tables.create(db)
    seen = look_around(db, repo)
    _put_all(db, repo, [seen.touched[path] for path in sorted(seen.touched)])
    left_out = _left_out_pages(repo)
    db.execute("BEGIN")
    if left_out:
        _refresh(
            db, repo, head, WorkTreeScan(), left_out, lambda path: _blob(repo, left_out.get(path))
        )
    held = dict(db.execute("SELECT path, oid FROM page").fetchall())
    committed = {path: oid for path, oid in committed_changes(repo, None, head).items() if oid}
    drift = sorted(
        path for path in held.keys() | committed.keys() if held.get(path) != committed.get(path)
    )
    db.executemany(
        "INSERT OR REPLACE INTO drift VALUES (?, ?)",
        [(path, committed.get(path)) for path in drift],
    )
    _store_state(db, head, seen.folders)
    db.execute("COMMIT")
    return db


@contextmanager
def _without_collection() -> Iterator[None]:
    """No look for circles of dead values, of which the rows of pages make none: an eighth of the
    time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


@_without_collection()
def _put_all(db: sqlite3.Connection, repo: Repository, found: Sequence[Found]) -> None:
    """Index the pages as they are on the disk, in empty tables; one that is gone is left out."""
    db.execute(f"PRAGMA cache_size = {-_CACHE_KIB}")
    # Words are gathered in memory: what is written once leaves no free pages.
    db.execute("INSERT INTO text (text, rank) VALUES ('hashsize', ?)", (_GATHERED,))
    db.execute("BEGIN")
    new = NewIndex(db)
    with Folders(repo.root) as folders:
        for start in range(0, len(found), _PORTION):
            versions = []
            for path, mtime, size, inode in found[start : start + _PORTION]:
                read = read_file(folders, path)
                if read is not None:
                    oid = object_id("blob", read.data, repo.object_format)
                    versions.append(PageVersion(path, oid, read.data, mtime, size, inode))
            new.put(versions)
    new.finish()
    db.execute("INSERT INTO text (text, rank) VALUES ('hashsize', ?)", (1 << 20,))
    db.execute("COMMIT")


def make_anew(repo: Repository, path: Path) -> None:
    """Index every page, and put the result at `path`, whatever lies there."""
    with closing(all_pages(repo)) as new:
        try:
            db = index_file.connect(path)
        except (FileNotFoundError, index_file.IndexUnfit, sqlite3.OperationalError):
            index_file.remove(path)
            db = sqlite3.connect(path, isolation_level=None)
        # Others may have the file open: it is written over through SQLite, not replaced.
        with closing(db):
            new.backup(db)
            db.execute("PRAGMA journal_mode = WAL")


def show_commit(db: sqlite3.Connection, repo: Repository, commit: str) -> None:
    """The pages of a commit, whatever the work tree has, in an index that nobody else sees."""
    changes = committed_changes(repo, tables.get(db, "commit") or None, commit)
    wanted = {**tables.strays(db), **changes}
    db.execute("BEGIN")
    _refresh(db, repo, commit, WorkTreeScan(), changes, lambda path: _blob(repo, wanted.get(path)))
    db.execute("COMMIT")


def _blob(repo: Repository, oid: str | None) -> bytes | None:
    return repo.read_many([oid])[0] if oid else None


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


def _refresh(
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
    known = tables.strays(db)
    for path in sorted({*changes, *sweep.touched, *sweep.gone, *known}):
        oid = _taken_in(db, repo, path, read(path), sweep)
        committed = changes[path] if path in changes else _committed(repo, commit, path)
        if committed != oid:
            db.execute("INSERT OR REPLACE INTO drift VALUES (?, ?)", (path, committed))
        elif path in known:
            db.execute("DELETE FROM drift WHERE path = ?", (path,))
    _store_state(db, commit, sweep.folders)


def _taken_in(
    db: sqlite3.Connection, repo: Repository, path: str, data: bytes | None, sweep: WorkTreeScan
) -> str | None:
    """Indexes a page unless it is as it was; its blob id, None where there is no page."""
    if data is None:
        put(db, path, None)
        return None
    oid = object_id("blob", data, repo.object_format)
    numbers = sweep.touched.get(path, (path, 0, 0, 0))[1:]
    held = db.execute("SELECT oid FROM page WHERE path = ?", (path,)).fetchone()
    if held is None or held[0] != oid:
        put(db, path, PageVersion(path, oid, data, *numbers))
    elif path in sweep.touched:
        sql = "UPDATE page SET mtime = ?, size = ?, inode = ? WHERE path = ?"
        db.execute(sql, (*numbers, path))
    return oid


def _committed(repo: Repository, commit: str | None, path: str) -> str | None:
    entry = repo.entry(commit, path)
    return entry[1] if entry else None


def _store_state(
    db: sqlite3.Connection, commit: str | None, folders: Mapping[str, tuple[int, bytes] | None]
) -> None:
    """Record what the index stands for now."""
    for path in sorted(folders):
        trusted = folders[path]
        if trusted is None:
            db.execute("DELETE FROM folder WHERE path = ?", (path,))
        else:
            db.execute("INSERT OR REPLACE INTO folder VALUES (?, ?, ?)", (path, *trusted))
    tables.put(db, "commit", commit or "")
