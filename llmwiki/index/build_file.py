"""Index files made and brought up to date; the caller has the turn."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cached_property
from pathlib import Path

from llmwiki.index import file, schema
from llmwiki.index.build import build
from llmwiki.index.corpus import Corpus
from llmwiki.index.facts import is_indexed
from llmwiki.index.refresh import REBUILD_SHARE, committed_changes, refresh, store_state
from llmwiki.index.worktree_scan import WorkTreeScan, look_around
from llmwiki.repo.repository import Repository
from llmwiki.repo.sweep import read_file
from llmwiki.repo.worktree import Folders


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
    _write_over(db, repo)


def _refreshed(db: sqlite3.Connection, repo: Repository, seen: WorkTreeScan) -> bool:
    head, old = repo.head(), schema.get(db, "commit") or None
    if old is not None and old != head and repo.objects.get(old) is None:
        return False
    changes = committed_changes(repo, old, head)
    pages = db.execute("SELECT count(*) FROM page").fetchone()[0]
    if len(changes) + seen.resized + len(seen.gone) > REBUILD_SHARE * pages + 50:
        return False
    with repo.folders() as folders:
        refresh(db, repo, head, seen, changes, _Pages(repo, folders).read)
    return True


class _Pages:
    """The pages as the work tree has them, or would have them but for a sparse checkout."""

    def __init__(self, repo: Repository, folders: Folders) -> None:
        self._repo = repo
        self._folders = folders

    @cached_property
    def _left_out(self) -> dict[str, str]:
        return left_out_pages(self._repo)

    def read(self, path: str) -> bytes | None:
        """The bytes of a page; None where there is none to search."""
        if not schema.is_text(path):
            return None
        file = read_file(self._folders, self._repo.prefix + path)
        return _blob(self._repo, self._left_out.get(path)) if file is None else file.data


def left_out_pages(repo: Repository) -> dict[str, str]:
    """The pages that a sparse checkout leaves out of the work tree, to their blobs."""
    found: dict[str, str] = {}
    for folder in repo.layout.page_folders:
        entries = repo.left_out(folder).items()
        found |= {path: oid for path, (_mode, oid) in entries if is_indexed(path)}
    return found


def _write_over(db: sqlite3.Connection, repo: Repository) -> None:
    # Others may have the file open: it is written over through SQLite, not replaced.
    with temporary_beside(file.path_of(db)) as new, closing(_built(repo, new)) as built:
        built.backup(db)


@contextmanager
def temporary_beside(path: Path) -> Iterator[Path]:
    """The name of a file beside `path` that is gone afterwards, and what is left of earlier."""
    new = path.with_name(f"{path.name}.new")
    try:
        for left in new.parent.glob(f"{new.name}*"):
            left.unlink()
        yield new
    finally:
        for left in new.parent.glob(f"{new.name}*"):
            left.unlink()


def make_anew(repo: Repository, path: Path) -> None:
    """Index every page, and put the result at `path`, whatever lies there."""
    try:
        db = file.connect(path)
    except (FileNotFoundError, file.IndexUnfit, sqlite3.OperationalError):
        with temporary_beside(path) as new:
            with closing(_built(repo, new)) as built:
                built.execute("PRAGMA journal_mode = WAL")
            file.put_in_place(new, path)
    else:
        with closing(db):
            _write_over(db, repo)


def _built(repo: Repository, new: Path) -> sqlite3.Connection:
    head = repo.head()
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as empty:
        schema.create(empty)
        seen = look_around(empty, repo)
    found = [seen.touched[path] for path in sorted(seen.touched)]
    db = build(new, repo.root, found, repo.object_format)
    left_out = left_out_pages(repo)
    if left_out:
        db.execute("BEGIN")
        refresh(
            db, repo, head, WorkTreeScan(), left_out, lambda path: _blob(repo, left_out.get(path))
        )
        db.execute("COMMIT")
    held = {schema.read(path): oid for path, oid in db.execute("SELECT path, oid FROM page")}
    committed = {path: oid for path, oid in committed_changes(repo, None, head).items() if oid}
    drift = {
        path: committed.get(path)
        for path in held.keys() | committed.keys()
        if held.get(path) != committed.get(path)
    }
    db.execute("BEGIN")
    db.executemany(
        "INSERT INTO drift VALUES (?, ?)",
        [(schema.stored(path), drift[path]) for path in sorted(drift)],
    )
    store_state(db, head, seen.folders)
    db.execute("COMMIT")
    return db


def go_back(repo: Repository, now: Corpus, commit: str, path: Path) -> None:
    """At `path` a copy of the index of now, brought to `commit`."""
    with temporary_beside(path) as new:
        with closing(sqlite3.connect(new, isolation_level=None)) as db:
            now.db.backup(db)
            db.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
            bring_to(db, repo, commit)
            db.execute("PRAGMA journal_mode = WAL")
        file.put_in_place(new, path)


def bring_to(db: sqlite3.Connection, repo: Repository, commit: str) -> None:
    """The pages of a commit, whatever the work tree has, in a file that nobody else writes."""
    db.execute("BEGIN IMMEDIATE")
    try:
        show_commit(db, repo, commit)
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")


def show_commit(
    db: sqlite3.Connection, repo: Repository, commit: str, most: int | None = None
) -> bool:
    """The same in a transaction of the caller; False, with nothing done, where more than `most`
    pages differ."""
    changes = committed_changes(repo, schema.get(db, "commit") or None, commit)
    wanted = {**schema.strays(db), **changes}
    if most is not None and len(wanted) > most:
        return False
    refresh(db, repo, commit, WorkTreeScan(), changes, lambda path: _blob(repo, wanted.get(path)))
    return True


def _blob(repo: Repository, oid: str | None) -> bytes | None:
    return repo.read_many([oid])[0] if oid else None
