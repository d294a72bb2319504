"""The index as a whole: made anew on request, and compared with one made anew."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from hashlib import blake2b

from llmwiki.core.errors import StateError
from llmwiki.git.repository import Repository
from llmwiki.index import index_file
from llmwiki.index.lookups import Corpus
from llmwiki.index.open_index import Index, open_corpus, place_of, private, why
from llmwiki.index.refresh import make_anew
from llmwiki.index.word_rows import unpacked


def rebuild(repo: Repository) -> int:
    """Make the index anew; returns how many pages it holds. Raises StateError, LockTimeout."""
    path = place_of(repo)
    try:
        with index_file.turn(path.parent):
            make_anew(repo, path)
        with open_corpus(repo) as index:
            return index.pages
    except OSError as error:
        raise StateError(f"cannot write the index: {why(error)}", where=str(path)) from error


def differences(repo: Repository) -> tuple[int, list[str]]:
    """Compare the index, brought up to date, with one made anew.

    Returns how many pages were compared, and a line for each table that differs.
    """
    with open_corpus(repo, look="whole") as index, closing(private(repo, None)) as other:
        found = differing(index, other)
        sound = found or _is_sound(index)
        return index.pages, found if sound else ["the full text is damaged"]


_TABLES = {
    "pages": "SELECT path, oid, type, title, description, facts, runs FROM page ORDER BY path",
    "keys": "SELECT key, path FROM name JOIN named ON name = name.id JOIN page ON page = page.id"
    " ORDER BY key, path",
    "words": "SELECT term, path, col FROM posting JOIN page ON page.id = doc"
    " ORDER BY term, path, col",
    "counts": "SELECT key, pages FROM name UNION ALL SELECT term, pages FROM term ORDER BY 1, 2",
    "sums": "SELECT value FROM meta WHERE key = 'sums'",
    "uncommitted pages": "SELECT path, committed FROM drift ORDER BY path",
    "commits": "SELECT value FROM meta WHERE key = 'commit'",
}
"""What two indexes of the same pages must both answer; numbers of pages, terms and names are given
by chance."""


def differing(index: Corpus, other: Corpus) -> list[str]:
    """A line for each table in which two indexes differ."""
    found = [
        f"{name} differ"
        for name, sql in _TABLES.items()
        if _digest(index.db.execute(sql)) != _digest(other.db.execute(sql))
    ]
    if _digest(_words(index)) != _digest(_words(other)):
        found.append("counts of words differ")
    return found


def _words(index: Corpus) -> Iterator[object]:
    """Of each page its lengths, and its terms with their codes."""
    terms = dict(index.db.execute("SELECT id, term FROM term"))
    rows = index.db.execute(
        "SELECT path, id, terms FROM page LEFT JOIN words ON page = id ORDER BY path"
    )
    for path, page, words in rows:
        codes = unpacked(words) if words else {}
        counted = sorted((terms[number], code) for number, code in codes.items())
        yield path, index.lengths[page], index.title_lengths[page], counted


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
