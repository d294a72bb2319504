"""What was found out about pages already, kept in a file beside their index.

A page's row is a function of its bytes; a group's findings, of the rows that pages give under its
key. So after a change only the pages that changed are read, and only the groups that had or have
rows of theirs are judged. The tables hold texts, whatever the rules are, and a tag that says which
code made them: where the tag is another one, all of them are forgotten.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from llmwiki.index import file, schema
from llmwiki.index.open_index import Index

_TABLES = """
CREATE TABLE lint.lint_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE lint.lint_page (
  doc INTEGER PRIMARY KEY, path TEXT NOT NULL, oid TEXT NOT NULL, claims INTEGER NOT NULL,
  quotes INTEGER NOT NULL, sources INTEGER NOT NULL
);
CREATE TABLE lint.lint_found (doc INTEGER PRIMARY KEY, found TEXT NOT NULL);
CREATE TABLE lint.lint_said (
  key TEXT NOT NULL, doc INTEGER NOT NULL, place INTEGER NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (key, doc, place)
) WITHOUT ROWID;
CREATE TABLE lint.lint_keys (doc INTEGER PRIMARY KEY, keys TEXT NOT NULL);
CREATE TABLE lint.lint_group (key TEXT PRIMARY KEY, found TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE lint.lint_quoted (
  doc INTEGER PRIMARY KEY, refs TEXT NOT NULL, texts TEXT NOT NULL, found TEXT NOT NULL,
  quotes INTEGER NOT NULL
);
CREATE TABLE lint.lint_memo (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""
_NAMES = (
    "lint_meta", "lint_page", "lint_found", "lint_said", "lint_keys", "lint_group", "lint_quoted",
    "lint_memo",
)  # fmt: skip
_SAME = "doc = page.id AND lint_page.oid = page.oid AND lint_page.path = page.path"
"""What is known of a page is of its bytes; numbers are given again."""
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

    Where the file cannot be written, what is found out is kept in a copy of it until then.
    """

    def __init__(self, index: Index, tag: str) -> None:
        self._index = index
        self._db = index.db
        self._tag = tag
        self._stack = ExitStack()
        self._path = self._place()
        self.fits = False
        """Whether what the file holds was made by the same rules."""

    def __enter__(self) -> LintCache:
        self._stack.callback(self._let_go)
        try:
            self._attach(self._path)
        except sqlite3.DatabaseError as error:
            if file.is_damage(error):
                self._path.unlink(missing_ok=True)
                self._attach(self._path)
            else:
                self._step_aside()
        self.fits = self._get(_TAG) == self._tag
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _place(self) -> Path:
        """The file beside that of the index; of an index that is a copy, a copy at first."""
        # Whoever only reads what is kept need not load what makes an index.
        from llmwiki.index.build_file import path_of

        index = path_of(self._db)
        path, first = (index.with_name(f"lint-{name}") for name in (index.name, file.NAME))
        if not path.exists() and first.exists():
            with contextlib.suppress(OSError):
                shutil.copyfile(first, path)
        return path

    def _attach(self, path: Path) -> None:
        self._index.release()
        try:
            self._db.execute("ATTACH ? AS lint", (str(path),))
            self._db.execute("SELECT count(*) FROM lint.sqlite_master").fetchone()
        except sqlite3.DatabaseError:
            self._detach()
            raise
        finally:
            self._index.hold()

    def _detach(self) -> None:
        self._index.release()
        with contextlib.suppress(sqlite3.DatabaseError):
            self._db.execute("DETACH lint")

    def _let_go(self) -> None:
        self._detach()
        self._index.hold()

    def _step_aside(self) -> None:
        folder = self._stack.enter_context(file.temporary_folder())
        place = folder / self._path.name
        with contextlib.suppress(OSError):
            shutil.copyfile(self._path, place)
        self._detach()
        self._attach(place)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A turn and a transaction to write in; nothing of it stays where it fails."""
        with ExitStack() as turn:
            self._index.release()
            try:
                turn.enter_context(file.turn(self._path.parent))
                self._begin()
            except (OSError, sqlite3.OperationalError):
                self._index.release()
                self._step_aside()
                self._index.release()
                self._begin()
            try:
                yield
                self._db.execute("COMMIT")
                self.fits = True
            finally:
                self._index.release()
                self._index.hold()

    def _begin(self) -> None:
        if not self.fits:
            self._db.execute("PRAGMA lint.journal_mode = WAL")
        self._db.execute("BEGIN")
        if self.fits:
            # The lock is taken here, or the file cannot be written.
            self._put(_TAG, self._tag)
            return
        for name in _NAMES:
            self._db.execute(f"DROP TABLE IF EXISTS lint.{name}")
        for statement in filter(str.strip, _TABLES.split(";")):
            self._db.execute(statement)
        self._put(_TAG, self._tag)
        self._put(_CLOCK, "0")

    def _get(self, key: str) -> str:
        known = "SELECT 1 FROM lint.sqlite_master WHERE name = 'lint_meta'"
        if self._db.execute(known).fetchone() is None:
            return ""
        row = self._db.execute("SELECT value FROM lint_meta WHERE key = ?", (key,)).fetchone()
        return row[0] if row else ""

    def _put(self, key: str, value: str) -> None:
        self._db.execute("INSERT OR REPLACE INTO lint_meta VALUES (?, ?)", (key, value))

    # --- pages and groups ------------------------------------------------------------------

    @property
    def clock(self) -> str:
        """Another word whenever any page became another."""
        return self._get(_CLOCK) if self.fits else ""

    def unknown(self) -> list[tuple[int, str]]:
        """(number, path) of the pages that nothing is known of, by path."""
        where = f"WHERE NOT EXISTS (SELECT 1 FROM lint_page WHERE {_SAME})" if self.fits else ""
        rows = self._db.execute(f"SELECT id, path FROM page {where} ORDER BY path")
        return [(doc, schema.read(path)) for doc, path in rows]

    def gone(self) -> list[int]:
        """Pages that something is known of and that are no more."""
        if not self.fits:
            return []
        rows = self._db.execute(
            f"SELECT doc FROM lint_page WHERE NOT EXISTS (SELECT 1 FROM page WHERE {_SAME})"
            " ORDER BY doc"
        )
        return [doc for (doc,) in rows]

    def clock_of(self, prefix: str) -> str:
        """Another word whenever anything else is told under the keys that begin so; for the
        prefixes that `put` is told to watch."""
        return self._get(f"{_CLOCK} {prefix}") if self.fits else ""

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
        said = self._keep(pages)
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
        self._put(clock, str(int(self._get(clock) or 0) + 1))

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

    def _keep(self, pages: Sequence[LintedPage]) -> list[_Said]:
        """Returns what the pages say: by key, under one key in the order of the pages."""
        self._db.executemany(
            "INSERT OR REPLACE INTO lint_page SELECT id, path, oid, ?, ?, ? FROM page WHERE id = ?",
            ((page.claims, page.quotes, page.sources, page.doc) for page in pages),
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
            f"SELECT key, path, value FROM lint_said JOIN page ON page.id = doc {where} "
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
            "SELECT path, value FROM lint_said JOIN page ON page.id = doc WHERE key = ? "
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
            "SELECT doc, refs, texts FROM lint_quoted JOIN page ON page.id = doc ORDER BY path"
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
