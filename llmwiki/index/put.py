"""Pages put into an index file and taken out of it: each the difference of two rows.

A page's row, and what stands in the other tables because of it, are a function of its bytes.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from llmwiki.index.corpus import LINK, RUN, SUMS, TITLE
from llmwiki.index.facts import PageFacts, pack, unpack
from llmwiki.index.keys import SHARD, TAG, TYPE, entry_of, keys_of, shard_key
from llmwiki.index.page_facts import facts_of
from llmwiki.index.page_terms import (
    plain_text,
    runs,
    text_counted,
    text_of_runs,
    title_key,
    title_terms,
)
from llmwiki.index.schema import COLUMNS
from llmwiki.index.word_rows import PageLengths, columns_of, packed, terms_in, unpacked
from llmwiki.language.tokens import count_terms

_MARKS = ", ".join("?" * (len(COLUMNS) + 1))
_INSERT = f"INSERT INTO text (rowid, {', '.join(COLUMNS)}) VALUES ({_MARKS})"
_DELETE = f"INSERT INTO text (text, rowid, {', '.join(COLUMNS)}) VALUES ('delete', {_MARKS})"
_PAGE = f"INSERT INTO page VALUES ({', '.join('?' * 11)})"


class PageVersion(NamedTuple):
    """One page's bytes as they were found."""

    path: str
    oid: str
    """Git's blob id of the bytes."""
    data: bytes
    mtime: int = 0
    """In nanoseconds; 0: not known, or too fresh to be trusted."""
    size: int = 0
    inode: int = 0


class IndexRow(NamedTuple):
    """A page's row and what stands in the other tables because of it."""

    columns: tuple[str | int, ...]
    """Of `page`, without its number."""
    words: bytes
    """Of `words`."""
    lengths: tuple[int, int]
    """Terms in its body, at least 1, and distinct ones in its title, at most 255."""
    keys: frozenset[str]
    tallies: tuple[tuple[str, str, int], ...]
    """What it adds to the counts of the wiki: (kind, key, count)."""


def row_of(version: PageVersion) -> IndexRow:
    """The row of a page; never raises, whatever its bytes."""
    text = version.data.decode("utf-8", "ignore")
    facts = facts_of(version.path, text)
    body = plain_text(text)
    counts, length = count_terms(text_counted(facts.description, body))
    titles: Counter[str] = Counter()
    for name in dict.fromkeys((facts.title, *facts.aliases)):
        titles.update(count_terms(name)[0])
    found = runs(text_of_runs(facts.title, body))
    lengths = max(length, 1), title_terms(facts.title)
    columns = (
        *(version.path, version.oid, facts.type, facts.title, facts.description),
        *(pack(facts), "\n".join(found), version.mtime, version.size, version.inode),
    )
    words = packed(columns_of(titles, counts))
    return IndexRow(
        columns, words, lengths, _search_keys(facts, found), _tallies_of(facts, lengths)
    )


def _tallies_of(facts: PageFacts, lengths: tuple[int, int]) -> tuple[tuple[str, str, int], ...]:
    """What a page adds to the counts of the wiki: (kind, key, count)."""
    found = [
        (TYPE, facts.type, 1),
        (SHARD, shard_key(entry_of(facts).shard), 1),
        (SUMS, "pages", 1),
        (SUMS, "claims", len(facts.claims)),
        (SUMS, "struck", facts.struck),
        (SUMS, "words", lengths[0]),
        (SUMS, "title_words", lengths[1]),
    ]
    found += [(TAG, tag, 1) for tag in dict.fromkeys(facts.tags)]
    found += [(LINK, link, 1) for link in sorted(facts.linked_names)]
    return tuple(found)


def _search_keys(facts: PageFacts, found: Iterable[str]) -> frozenset[str]:
    """Every key of a page with these runs, beside its words, as the file holds it."""
    keys = set(keys_of(facts))
    keys.update(RUN + run for run in found)
    for name in dict.fromkeys((facts.title, *facts.aliases)):
        if key := title_key(name):
            keys.add(TITLE + key)
    return frozenset(keys)


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
    tallies = _tallies_of(facts, lengths.of(number))
    return _Held(number, _search_keys(facts, found), tallies, unpacked(terms))


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
