"""What was found out about pages already, kept beside them in the index file.

A page's row is a function of its bytes; a group's findings, of the rows that pages give under its
key. So after a change only the pages that changed are read, and only the groups that had or have
rows of theirs are judged. The tables hold texts, whatever the rules are, and a tag that says which
code made them: where the tag is another one, all of them are forgotten.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from llmwiki.index import file, schema
from llmwiki.index.open_index import Index

_TABLES = """
CREATE TABLE IF NOT EXISTS lint_page (
  doc INTEGER PRIMARY KEY, path TEXT NOT NULL, claims INTEGER NOT NULL,
  quotes INTEGER NOT NULL, sources INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS lint_found (doc INTEGER PRIMARY KEY, found TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS lint_said (
  key TEXT NOT NULL, doc INTEGER NOT NULL, place INTEGER NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (key, doc, place)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS lint_keys (doc INTEGER PRIMARY KEY, keys TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS lint_group (key TEXT PRIMARY KEY, found TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS lint_quoted (
  doc INTEGER PRIMARY KEY, refs TEXT NOT NULL, texts TEXT NOT NULL, found TEXT NOT NULL,
  quotes INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS lint_memo (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""
_NAMES = (
    "lint_page", "lint_found", "lint_said", "lint_keys", "lint_group", "lint_quoted", "lint_memo",
)  # fmt: skip
_TAG = "lint"
_CLOCK = "lint_clock"
_ALL_ANEW = 0.3
"""Where more than this share of the pages is new, all groups are read in one pass."""


class LintedPage(NamedTuple):
    """One page and what was found out about it."""

    doc: int
    path: str
    found: str
    """Findings; empty: none."""
    said: tuple[tuple[str, str], ...]
    """(key, value) pairs, in order."""
    claims: int
    quotes: int
    sources: int


class RelationRow(NamedTuple):
    """What one page says under a key."""

    path: str
    value: str


class QuoteCheck(NamedTuple):
    """A page compared with the texts of its sources."""

    doc: int
    refs: str
    """The sources it names."""
    texts: str
    """What the texts were like: other texts, another comparison."""
    found: str
    quotes: int
    """Pieces of evidence that could be compared."""


_Said = tuple[str, int, int, str]
"""Key, page, place among what the page says, value."""

Judge = Callable[[str, Sequence[RelationRow]], str]
"""What is found in a group, by its key; empty: nothing."""


class LintCache:
    """What is known of the pages of an open index, and what is not yet; use `with`.

    Where the index file cannot be written, what is found out is kept in a copy of it until then.
    """

    def __init__(self, index: Index, tag: str) -> None:
        self._index = index
        self._db = index.db
        self._tag = tag
        self._stack = ExitStack()
        self.fits = schema.get(self._db, _TAG) == tag
        """Whether what the file holds was made by the same rules."""

    def __enter__(self) -> LintCache:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A turn and a transaction to write in; nothing of it stays where it fails."""
        with self._turn():
            try:
                if not self.fits:
                    self._forget()
                yield
                self._db.execute("COMMIT")
                self.fits = True
            finally:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                self._hold()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        # Whoever only reads what is kept need not load what makes an index.
        from llmwiki.index.build_file import path_of

        with ExitStack() as turn:
            self._release()
            try:
                turn.enter_context(file.turn(path_of(self._db).parent))
                self._db.execute("BEGIN IMMEDIATE")
            except (OSError, sqlite3.OperationalError):
                if self._db is not self._index.db:
                    raise
                self._step_aside()
                self._db.execute("BEGIN IMMEDIATE")
            yield

    def _step_aside(self) -> None:
        folder = self._stack.enter_context(file.temporary_folder())
        copy = sqlite3.connect(folder / file.NAME, isolation_level=None)
        self._stack.callback(copy.close)
        self._index.db.backup(copy)
        self._index.hold()
        self._db = copy

    def _release(self) -> None:
        if self._db is self._index.db:
            self._index.release()

    def _hold(self) -> None:
        if self._db is self._index.db:
            self._index.hold()

    def _forget(self) -> None:
        for name in _NAMES:
            self._db.execute(f"DROP TABLE IF EXISTS {name}")
        for statement in filter(str.strip, _TABLES.split(";")):
            self._db.execute(statement)
        schema.put(self._db, _TAG, self._tag)
        schema.put(self._db, _CLOCK, "0")

    # --- pages and groups ------------------------------------------------------------------

    @property
    def clock(self) -> str:
        """Another word whenever any page became another."""
        return schema.get(self._db, _CLOCK) if self.fits else ""

    def unknown(self) -> list[tuple[int, str]]:
        """(number, path) of the pages that nothing is known of, by path."""
        where = "WHERE doc NOT IN (SELECT doc FROM lint_page)" if self.fits else ""
        return self._db.execute(f"SELECT doc, path FROM page {where} ORDER BY path").fetchall()

    def gone(self) -> list[int]:
        """Pages that something is known of and that are no more."""
        if not self.fits:
            return []
        rows = self._db.execute(
            "SELECT doc FROM lint_page WHERE doc NOT IN (SELECT doc FROM page) ORDER BY doc"
        )
        return [doc for (doc,) in rows]

    def clock_of(self, prefix: str) -> str:
        """Another word whenever anything else is told under the keys that begin so; for the
        prefixes that `put` is told to watch."""
        return schema.get(self._db, f"{_CLOCK} {prefix}") if self.fits else ""

    def put(
        self,
        gone: Sequence[int],
        pages: Sequence[LintedPage],
        judge: Judge,
        watched: tuple[str, ...] = (),
    ) -> None:
        """Keep what was found out about pages, given by path, and judge again the groups that
        they have rows in. `watched` are the prefixes of keys that have a clock. Within `writing`.
        """
        if not gone and not pages:
            return
        kept = self.sums()[0] - len(gone)
        are_many = len(pages) > _ALL_ANEW * (kept + len(pages))
        old_keys = [self._keys_of(doc) for doc in gone]
        keys = {key for page in pages for key, _value in page.said}.union(*old_keys)
        # Where most is new, everything watched is taken to be another.
        followed = [] if are_many else [key for key in sorted(keys) if key.startswith(watched)]
        before = [self._told(key) for key in followed]
        for doc, left in zip(gone, old_keys, strict=True):
            self._take_out(doc, left)
        said = self._put(pages)
        for prefix in watched:
            if are_many or any(
                self._told(key) != told
                for key, told in zip(followed, before, strict=True)
                if key.startswith(prefix)
            ):
                self._tick(f"{_CLOCK} {prefix}")
        if not kept:
            groups = _as_groups(said, {page.doc: page.path for page in pages})
        elif are_many:
            groups = self.groups()
        else:
            groups = self._groups_of(keys)
        self._db.executemany("DELETE FROM lint_group WHERE key = ?", ((key,) for key in keys))
        self._db.executemany(
            "INSERT OR REPLACE INTO lint_group VALUES (?, ?)",
            ((key, found) for key, told in groups if key in keys and (found := judge(key, told))),
        )
        self._tick(_CLOCK)

    def _tick(self, clock: str) -> None:
        schema.put(self._db, clock, str(int(schema.get(self._db, clock) or 0) + 1))

    def _keys_of(self, doc: int) -> set[str]:
        row = self._db.execute("SELECT keys FROM lint_keys WHERE doc = ?", (doc,)).fetchone()
        return set(json.loads(row[0])) if row else set()

    def _told(self, key: str) -> list[tuple[str, str]]:
        """What is told under a key, pages that are gone since included."""
        return self._db.execute(
            "SELECT path, value FROM lint_said JOIN lint_page USING (doc) WHERE key = ? "
            "ORDER BY path, place",
            (key,),
        ).fetchall()

    def _take_out(self, doc: int, keys: Iterable[str]) -> None:
        self._db.executemany(
            "DELETE FROM lint_said WHERE key = ? AND doc = ?", ((key, doc) for key in sorted(keys))
        )
        for name in ("lint_page", "lint_found", "lint_keys", "lint_quoted"):
            self._db.execute(f"DELETE FROM {name} WHERE doc = ?", (doc,))

    def _put(self, pages: Sequence[LintedPage]) -> list[_Said]:
        """Returns what the pages say: by key, under one key in the order of the pages."""
        self._db.executemany(
            "INSERT OR REPLACE INTO lint_page VALUES (?, ?, ?, ?, ?)",
            ((page.doc, page.path, page.claims, page.quotes, page.sources) for page in pages),
        )
        self._db.executemany(
            "INSERT OR REPLACE INTO lint_found VALUES (?, ?)",
            ((page.doc, page.found) for page in pages if page.found),
        )
        self._db.executemany(
            "INSERT OR REPLACE INTO lint_keys VALUES (?, ?)",
            (
                (page.doc, json.dumps(sorted({key for key, _value in page.said})))
                for page in pages
                if page.said
            ),
        )
        said = [
            (key, page.doc, place, value)
            for page in pages
            for place, (key, value) in enumerate(page.said)
        ]
        # Rows that come in the order of the table are put in three times faster.
        said.sort(key=itemgetter(0))
        self._db.executemany("INSERT OR REPLACE INTO lint_said VALUES (?, ?, ?, ?)", said)
        return said

    def found(self) -> Iterator[str]:
        """The findings kept of pages, of groups and of comparisons with texts."""
        for table in ("lint_found", "lint_group", "lint_quoted"):
            for (found,) in self._db.execute(f"SELECT found FROM {table} WHERE found != ''"):
                yield found

    def groups(self, prefix: str = "") -> Iterator[tuple[str, list[RelationRow]]]:
        """All groups with what is told in each, by key; of keys that begin so."""
        where = "WHERE key >= ? AND key < ?" if prefix else ""
        rows = self._db.execute(
            f"SELECT key, path, value FROM lint_said JOIN page USING (doc) {where} "
            "ORDER BY key, path, place",
            (prefix, prefix + "\U0010ffff") if prefix else (),
        )
        for key, told in groupby(rows, key=itemgetter(0)):
            yield key, [RelationRow(path, value) for _key, path, value in told]

    def _groups_of(self, keys: Iterable[str]) -> Iterator[tuple[str, list[RelationRow]]]:
        for key in sorted(keys):
            if told := self.group(key):
                yield key, told

    def group(self, key: str) -> list[RelationRow]:
        """What is told in one group."""
        rows = self._db.execute(
            "SELECT path, value FROM lint_said JOIN page USING (doc) WHERE key = ? "
            "ORDER BY path, place",
            (key,),
        )
        return [RelationRow(path, value) for path, value in rows]

    def sums(self) -> tuple[int, int, int]:
        """Pages, claims and pieces of evidence known."""
        row = self._db.execute(
            "SELECT count(*), coalesce(sum(claims), 0), coalesce(sum(quotes), 0) FROM lint_page"
        ).fetchone()
        return row[0], row[1], row[2]

    # --- texts -----------------------------------------------------------------------------

    def uncompared(self) -> list[tuple[int, str]]:
        """(number, path) of the pages that rest on sources and were never compared with them."""
        return self._db.execute(
            "SELECT doc, path FROM lint_page "
            "WHERE (quotes > 0 OR sources > 0) AND doc NOT IN (SELECT doc FROM lint_quoted) "
            "ORDER BY path"
        ).fetchall()

    def compared(self) -> list[tuple[int, str, str]]:
        """(number, sources it names, what the texts were like) of the pages that were, by path."""
        return self._db.execute(
            "SELECT doc, refs, texts FROM lint_quoted JOIN page USING (doc) ORDER BY path"
        ).fetchall()

    def put_quoted(self, pages: Iterable[QuoteCheck]) -> None:
        """Keep comparisons. Within `writing`."""
        self._db.executemany("INSERT OR REPLACE INTO lint_quoted VALUES (?, ?, ?, ?, ?)", pages)

    def quotes_compared(self) -> int:
        """Pieces of evidence compared with their texts."""
        row = self._db.execute("SELECT coalesce(sum(quotes), 0) FROM lint_quoted").fetchone()
        return int(row[0])

    # --- what else is worth keeping --------------------------------------------------------

    def recall(self, key: str) -> str | None:
        """A text kept under a key."""
        if not self.fits:
            return None
        row = self._db.execute("SELECT value FROM lint_memo WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def remember(self, texts: Mapping[str, str]) -> None:
        """Keep texts by key. Within `writing`."""
        self._db.executemany(
            "INSERT OR REPLACE INTO lint_memo VALUES (?, ?)", sorted(texts.items())
        )


def _as_groups(
    said: Iterable[_Said], paths: Mapping[int, str]
) -> Iterator[tuple[str, list[RelationRow]]]:
    """As `LintCache.groups`, of rows that are at hand, by key and path."""
    for key, rows in groupby(said, key=itemgetter(0)):
        yield key, [RelationRow(paths[doc], value) for _key, doc, _place, value in rows]
