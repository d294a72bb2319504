"""Pages put into an index file and taken out of it: each the difference of two rows."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from llmwiki.index.page_lengths import PageLengths
from llmwiki.index.page_row import (
    IndexRow,
    PageVersion,
    row_of,
    search_keys,
    tallies_of,
)
from llmwiki.index.page_words import terms_in, unpacked
from llmwiki.index.rows import unpack
from llmwiki.index.schema import COLUMNS

_MARKS = ", ".join("?" * (len(COLUMNS) + 1))
_INSERT = f"INSERT INTO text (rowid, {', '.join(COLUMNS)}) VALUES ({_MARKS})"
_DELETE = f"INSERT INTO text (text, rowid, {', '.join(COLUMNS)}) VALUES ('delete', {_MARKS})"
_PAGE = f"INSERT INTO page VALUES ({', '.join('?' * 11)})"


class _Held(NamedTuple):
    """A page as the file holds it."""

    number: int
    keys: frozenset[str]
    tallies: tuple[tuple[str, str, int], ...]
    terms: list[str]


def put(db: sqlite3.Connection, path: str, version: PageVersion | None) -> None:
    """The page at a path as it shall be; None: there is none. In a transaction of the caller."""
    lengths = PageLengths(db)
    old = _held(db, path, lengths)
    new = row_of(version) if version is not None else None
    if old is None and new is None:
        return
    number = old.number if old else _next(db)
    keys, terms = (old.keys, old.terms) if old else (frozenset[str](), [])
    fresh, words = (new.keys, unpacked(new.words)) if new else (frozenset[str](), [])
    db.executemany(
        "DELETE FROM key WHERE key = ? AND page = ?", [(k, number) for k in sorted(keys - fresh)]
    )
    db.executemany("INSERT INTO key VALUES (?, ?)", [(k, number) for k in sorted(fresh - keys)])
    if terms != words:
        if terms:
            db.execute(_DELETE, (number, *terms))
            db.execute("DELETE FROM words WHERE page = ?", (number,))
        if new:
            db.execute(_INSERT, (number, *words))
            db.execute("INSERT INTO words VALUES (?, ?)", (number, new.words))
        was, now = terms_in(terms), terms_in(words)
        _count_terms(db, [(term, 1) for term in sorted(now - was)])
        _count_terms(db, [(term, -1) for term in sorted(was - now)])
    tallies: Counter[tuple[str, str]] = Counter()
    for found, sign in ((old and old.tallies, -1), (new and new.tallies, 1)):
        for kind, key, count in found or ():
            tallies[kind, key] += sign * count
    tally(db, tallies)
    if old:
        db.execute("DELETE FROM page WHERE id = ?", (number,))
    if new:
        db.execute(_PAGE, (number, *new.columns))
    lengths.put(number, new.lengths if new else (0, 0))


def put_new(db: sqlite3.Connection, first: int, rows: Sequence[IndexRow]) -> None:
    """Pages that the file has nothing of, numbered from `first`: for one that is made anew.

    What is counted by `count_all` is left out.
    """
    numbered = list(enumerate(rows, start=first))
    db.executemany(_PAGE, ((number, *row.columns) for number, row in numbered))
    db.executemany(
        "INSERT INTO key VALUES (?, ?)", sorted((k, n) for n, row in numbered for k in row.keys)
    )
    db.executemany(_INSERT, ((number, *unpacked(row.words)) for number, row in numbered))
    db.executemany("INSERT INTO words VALUES (?, ?)", ((n, row.words) for n, row in numbered))
    tallies: Counter[tuple[str, str]] = Counter()
    for row in rows:
        for kind, key, count in row.tallies:
            tallies[kind, key] += count
    tally(db, tallies)
    lengths = PageLengths(db)
    for number, row in numbered:
        lengths.put(number, row.lengths)


def count_all(db: sqlite3.Connection) -> None:
    """Count how many pages hold each term, in a file made of `put_new` alone."""
    # In one piece the full text is read twice as fast.
    db.execute("INSERT INTO text (text) VALUES ('optimize')")
    db.execute("INSERT INTO frequency SELECT term, doc FROM spread")


def _next(db: sqlite3.Connection) -> int:
    return int(db.execute("SELECT coalesce(max(id), 0) + 1 FROM page").fetchone()[0])


def _held(db: sqlite3.Connection, path: str, lengths: PageLengths) -> _Held | None:
    row = db.execute(
        "SELECT id, path, type, title, description, facts, runs, terms FROM page "
        "JOIN words ON words.page = id WHERE path = ?",
        (path,),
    ).fetchone()
    if row is None:
        return None
    number, held, kind, title, description, rest, runs, terms = row
    facts = unpack(held, kind, title, description, rest)
    found = runs.split("\n") if runs else ()
    tallies = tallies_of(facts, lengths.of(number))
    return _Held(number, search_keys(facts, found), tallies, unpacked(terms))


def _count_terms(db: sqlite3.Connection, rows: Iterable[tuple[str, int]]) -> None:
    rows = list(rows)
    db.executemany(
        "INSERT INTO frequency VALUES (?, ?) "
        "ON CONFLICT (term) DO UPDATE SET pages = pages + excluded.pages",
        rows,
    )
    gone = [(term,) for term, count in rows if count < 0]
    db.executemany("DELETE FROM frequency WHERE term = ? AND pages = 0", gone)


def tally(db: sqlite3.Connection, tallies: Counter[tuple[str, str]]) -> None:
    """Add to the counts of the wiki; what comes to nothing goes."""
    rows = [(kind, key, count) for (kind, key), count in sorted(tallies.items()) if count]
    db.executemany(
        "INSERT INTO tally VALUES (?, ?, ?) "
        "ON CONFLICT (kind, key) DO UPDATE SET count = count + excluded.count",
        rows,
    )
    gone = [(kind, key) for kind, key, count in rows if count < 0]
    db.executemany("DELETE FROM tally WHERE kind = ? AND key = ? AND count = 0", gone)
