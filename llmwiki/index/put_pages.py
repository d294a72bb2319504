"""Pages put into an index file and taken out of it: each the difference of two rows.

A page's row, and what stands in the other tables because of it, are a function of its bytes, but
for the numbers of pages, terms and names, which are given in the order of their coming.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import count
from typing import NamedTuple

from llmwiki.core.language.search_terms import count_terms
from llmwiki.index import tables
from llmwiki.index.keys_of_names import keys_of
from llmwiki.index.lookups import RUN, TITLE, Sums, chunks
from llmwiki.index.names_and_words import (
    MAX_BODY_COUNT,
    code,
    plain_text,
    runs,
    text_counted,
    text_of_runs,
    title_key,
)
from llmwiki.index.page_facts_record import PageFacts, pack, unpack
from llmwiki.index.page_facts_scan import facts_of
from llmwiki.index.tables import COLUMNS
from llmwiki.index.word_rows import PageLengths, columns_of, packed, unpacked

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
    """Of `page`, without its number and what the disk says of the file."""
    words: dict[str, int]
    """Each of its terms to its code (`names_and_words.code`)."""
    lengths: tuple[int, int]
    """Terms in its body, at least 1, and distinct ones in its title, at most 255."""
    keys: frozenset[str]
    sums: Sums
    """What it adds to the counts of the wiki."""


def rows_of(versions: Sequence[PageVersion]) -> list[IndexRow]:
    """The rows of pages; never raises, whatever their bytes.

    Step by step for all of them: what one step needs stays in the processor's cache, which saves a
    quarter of the time.
    """
    texts = [version.data.decode("utf-8", "ignore") for version in versions]
    facts = [facts_of(version.path, text) for version, text in zip(versions, texts, strict=True)]
    bodies = [plain_text(text) for text in texts]
    words = [_words_of(*each) for each in zip(facts, bodies, strict=True)]
    names = [runs(text_of_runs(each.title, body)) for each, body in zip(facts, bodies, strict=True)]
    return [_row(*each) for each in zip(versions, facts, words, names, strict=True)]


@lru_cache(maxsize=32)
def _row_of(path: str, oid: str, data: bytes) -> IndexRow:
    """The row of a page. The pages of a plan are looked at before they land and once they have."""
    return rows_of([PageVersion(path, oid, data)])[0]


def _words_of(facts: PageFacts, body: str) -> tuple[dict[str, int], tuple[int, int]]:
    """The words and the lengths of a row."""
    words, length = count_terms(text_counted(facts.description, body))
    if max(words.values(), default=0) > MAX_BODY_COUNT:
        words = {term: min(number, MAX_BODY_COUNT) for term, number in words.items()}
    titles = count_terms(facts.title)[0]
    of_title = min(max(len(titles), 1), 255)
    for name in dict.fromkeys(facts.aliases):
        if name != facts.title:
            for term, number in count_terms(name)[0].items():
                titles[term] = titles.get(term, 0) + number
    for term, number in titles.items():
        words[term] = code(number, words.get(term, 0))
    return words, (max(length, 1), of_title)


def _row(
    version: PageVersion,
    facts: PageFacts,
    counted: tuple[dict[str, int], tuple[int, int]],
    names: Sequence[str],
) -> IndexRow:
    words, lengths = counted
    columns = (
        *(version.path, version.oid, facts.type, facts.title, facts.description),
        *(pack(facts), "\n".join(names)),
    )
    return IndexRow(columns, words, lengths, _keys(facts, names), _sums_of(facts, lengths))


def _sums_of(facts: PageFacts, lengths: tuple[int, int]) -> Sums:
    return Sums(1, len(facts.claims), facts.struck, *lengths)


def _keys(facts: PageFacts, found: Iterable[str]) -> frozenset[str]:
    """Every key of a page with these runs, beside its words, as the file holds it."""
    keys = {RUN + run for run in found}
    for name in dict.fromkeys((facts.title, *facts.aliases)):
        if key := title_key(name):
            keys.add(TITLE + key)
    return keys_of(facts).union(keys)


def put(db: sqlite3.Connection, path: str, version: PageVersion | None) -> None:
    """The page at a path as it shall be; None: there is none. In a transaction of the caller."""
    lengths = PageLengths(db)
    old = db.execute(
        "SELECT id, path, type, title, description, facts, runs FROM page WHERE path = ?", (path,)
    ).fetchone()
    if old is None and version is None:
        return
    sums, keys, words = Sums(), frozenset[str](), dict[str, int]()
    if old is None:
        number = db.execute("SELECT coalesce(max(id), 0) + 1 FROM page").fetchone()[0]
    else:
        number, *fields, names = old
        facts = unpack(*fields)
        keys, words = _keys(facts, names.split("\n") if names else ()), _words(db, number)
        sums = _sums_of(facts, lengths.of(number))
        db.execute("DELETE FROM page WHERE id = ?", (number,))
    new = _row_of(*version[:3]) if version is not None else None
    _put_keys(db, number, keys, new.keys if new else frozenset())
    _put_words(db, number, words, new.words if new else {})
    if new and version:
        db.execute(_PAGE, (number, *new.columns, *version[3:]))
    lengths.put({number: new.lengths if new else (0, 0)})
    whole = zip(sums_of(db), new.sums if new else Sums(), sums, strict=True)
    _put_sums(db, Sums(*(held + more - less for held, more, less in whole)))


def sums_of(db: sqlite3.Connection) -> Sums:
    """The counts over all pages."""
    return Sums(*map(int, tables.get(db, "sums").split()))


def _put_sums(db: sqlite3.Connection, sums: Sums) -> None:
    tables.put(db, "sums", " ".join(map(str, sums)))


def _words(db: sqlite3.Connection, page: int) -> dict[str, int]:
    """The terms of a page and their codes."""
    held = db.execute("SELECT terms FROM words WHERE page = ?", (page,)).fetchone()
    codes = unpacked(held[0]) if held else {}
    found: dict[str, int] = {}
    for chunk, marks in chunks(codes):
        rows = db.execute(f"SELECT term, id FROM term WHERE id IN ({marks})", chunk)
        found.update((term, codes[number]) for term, number in rows)
    return found


def _put_words(
    db: sqlite3.Connection, page: int, old: Mapping[str, int], new: Mapping[str, int]
) -> None:
    if old == new:
        return
    if old:
        db.execute(_DELETE, (page, *columns_of(old)))
        db.execute("DELETE FROM words WHERE page = ?", (page,))
    gone, fresh = sorted(old.keys() - new.keys()), sorted(new.keys() - old.keys())
    db.executemany(
        "INSERT INTO term (term, pages) VALUES (?, 1) "
        "ON CONFLICT (term) DO UPDATE SET pages = pages + 1",
        [(term,) for term in fresh],
    )
    _count_down(db, "term", "term", gone)
    if new:
        numbers: dict[str, int] = {}
        for chunk, marks in chunks(new):
            numbers.update(db.execute(f"SELECT term, id FROM term WHERE term IN ({marks})", chunk))
        db.execute(_INSERT, (page, *columns_of(new)))
        db.execute("INSERT INTO words VALUES (?, ?)", (page, packed(new, numbers)))


def _put_keys(db: sqlite3.Connection, page: int, old: frozenset[str], new: frozenset[str]) -> None:
    gone, fresh = sorted(old - new), sorted(new - old)
    known: dict[str, int] = {}
    for chunk, marks in chunks((*gone, *fresh)):
        known.update(db.execute(f"SELECT key, id FROM name WHERE key IN ({marks})", chunk))
    last = int(tables.get(db, "names") or 0)
    numbers = count(last + 1)
    unknown = {key: next(numbers) for key in fresh if key not in known}
    if unknown:
        tables.put(db, "names", str(last + len(unknown)))
    known |= unknown
    db.executemany(
        "INSERT INTO name VALUES (?, ?, 1) ON CONFLICT (key) DO UPDATE SET pages = pages + 1",
        [(key, known[key]) for key in fresh],
    )
    db.executemany("INSERT INTO named VALUES (?, ?)", [(known[key], page) for key in fresh])
    db.executemany(
        "DELETE FROM named WHERE name = ? AND page = ?", [(known[key], page) for key in gone]
    )
    _count_down(db, "name", "key", gone)


def _count_down(db: sqlite3.Connection, table: str, column: str, gone: Sequence[str]) -> None:
    """One page less for each of these; what no page has goes."""
    values = [(each,) for each in gone]
    db.executemany(f"UPDATE {table} SET pages = pages - 1 WHERE {column} = ?", values)
    db.executemany(f"DELETE FROM {table} WHERE {column} = ? AND pages = 0", values)


class NewIndex:
    """Pages that are put into empty tables: in portions, and then what all of them come to."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._last = 0
        self._sums = Sums()
        self._terms: defaultdict[str, int] = defaultdict(count(1).__next__)
        db.execute("CREATE TEMP TABLE fresh (key TEXT, page INTEGER)")

    def put(self, versions: Sequence[PageVersion]) -> None:
        """Pages more."""
        db, terms = self._db, self._terms
        rows = rows_of(versions)
        numbered = list(enumerate(rows, start=self._last + 1))
        self._last += len(rows)
        of_disk = [version[3:] for version in versions]
        db.executemany(
            _PAGE,
            [
                (number, *row.columns, *disk)
                for (number, row), disk in zip(numbered, of_disk, strict=True)
            ],
        )
        db.executemany(
            "INSERT INTO fresh VALUES (?, ?)", [(k, n) for n, row in numbered for k in row.keys]
        )
        db.executemany(_INSERT, [(number, *columns_of(row.words)) for number, row in numbered])
        db.executemany(
            "INSERT INTO words VALUES (?, ?)",
            [(number, packed(row.words, terms)) for number, row in numbered],
        )
        PageLengths(db).put({number: row.lengths for number, row in numbered})
        self._sums = Sums(*map(sum, zip(self._sums, *(row.sums for row in rows), strict=True)))

    def finish(self) -> None:
        """Counts terms and names."""
        db = self._db
        # In one piece the full text is read twice as fast.
        db.execute("INSERT INTO text (text) VALUES ('optimize')")
        spread = db.execute("SELECT term, doc FROM spread").fetchall()
        db.executemany(
            "INSERT INTO term VALUES (?, ?, ?)",
            sorted((self._terms[term], term, pages) for term, pages in spread),
        )
        db.execute(
            "INSERT INTO name SELECT key, row_number() OVER (ORDER BY key), count(*)"
            " FROM fresh GROUP BY key ORDER BY key"
        )
        db.execute(
            "INSERT INTO named SELECT name.id, page FROM fresh JOIN name USING (key) ORDER BY 1, 2"
        )
        db.execute("DROP TABLE fresh")
        (names,) = db.execute("SELECT count(*) FROM name").fetchone()
        tables.put(db, "names", str(names))
        _put_sums(db, self._sums)
