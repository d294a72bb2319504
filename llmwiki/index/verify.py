"""The index as a whole: made anew on request, and compared with one made anew."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from hashlib import blake2b
from itertools import groupby
from operator import itemgetter

from llmwiki.core.errors import StateError
from llmwiki.index import file
from llmwiki.index.build_file import make_anew
from llmwiki.index.open_index import Index, open_corpus, why
from llmwiki.repo.repository import Repository


def rebuild(repo: Repository) -> int:
    """Make the index anew; returns how many pages it holds. Raises StateError, LockTimeout."""
    path = file.folder_of(repo.git_dir) / file.NAME
    try:
        with file.turn(path.parent):
            make_anew(repo, path)
        with open_corpus(repo) as index:
            return index.pages
    except OSError as error:
        raise StateError(f"cannot write the index: {why(error)}", where=str(path)) from error


def differences(repo: Repository) -> tuple[int, list[str]]:
    """Compare the index, brought up to date, with one made anew.

    Returns how many pages were compared, and a line for each table that differs.
    """
    with open_corpus(repo, look="whole") as index, file.temporary_folder() as folder:
        make_anew(repo, folder / file.NAME)
        other = Index(file.connect(folder / file.NAME), repo, committed=False)
        try:
            other.hold()
            return index.pages, _compared(index, other)
        finally:
            other.close()


def _compared(index: Index, other: Index) -> list[str]:
    found = [
        f"{name} differ"
        for name, told in (
            ("pages", _pages),
            ("keys", _keys),
            ("words", _words),
            ("counts", _counts),
            ("uncommitted pages", lambda i: sorted(i.strays.items())),
            ("commit", lambda i: i.commit),
        )
        if told(index) != told(other)
    ]
    return found if found or _is_sound(index) else ["the full text is damaged"]


def _pages(index: Index) -> list[tuple[object, ...]]:
    columns = "path, oid, type, title, description, facts, runs, terms, id"
    return [
        (*row, index.lengths[doc], index.title_lengths[doc])
        for *row, doc in index.db.execute(
            f"SELECT {columns} FROM page JOIN words ON page = id ORDER BY path"
        )
    ]


def _keys(index: Index) -> bytes:
    rows = "SELECT key, path FROM key JOIN page ON page.id = key.page ORDER BY key, path"
    return _digest(index.db.execute(rows))


def _words(index: Index) -> bytes:
    """A digest of which page has which word in which column, pages by their paths."""
    paths = dict(index.db.execute("SELECT id, path FROM page"))
    rows = index.db.execute("SELECT term, doc, col FROM posting")
    held = groupby(rows, key=itemgetter(0))
    return _digest(
        (term, sorted((paths.get(d), col) for _t, d, col in found)) for term, found in held
    )


def _counts(index: Index) -> bytes:
    tallies = index.db.execute("SELECT * FROM tally ORDER BY kind, key")
    return _digest((*tallies, *index.db.execute("SELECT * FROM frequency ORDER BY term")))


def _digest(rows: Iterable[object]) -> bytes:
    digest = blake2b(digest_size=16)
    for row in rows:
        digest.update(repr(row).encode())
    return digest.digest()


def _is_sound(index: Index) -> bool:
    """Whether SQLite finds the full text whole."""
    index.release()
    try:
        index.db.execute("INSERT INTO text (text) VALUES ('integrity-check')")
    except sqlite3.OperationalError:
        # Where the file is read-only nothing can be asked that way.
        return True
    except sqlite3.DatabaseError:
        return False
    finally:
        index.hold()
    return True
