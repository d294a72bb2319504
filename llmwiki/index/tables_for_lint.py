"""What lint knows of the pages of an index, in a file beside it.

A page's rows are a function of its bytes, whatever stands in them; a tag says which code made
them, and where that is another one, all of them are forgotten. Rules over pages are queries over
these tables. A wiki that is held in memory has the same tables there.
"""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from llmwiki.git.repository import Repository
from llmwiki.index import index_file
from llmwiki.index.open_index import Index, place_of

Rows = Mapping[str, Sequence[tuple[Any, ...]]]
"""Of one page: the rows of each table, without the number of the page."""

_OWN = """
CREATE TABLE lint.meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE lint.page (id INTEGER PRIMARY KEY, path TEXT NOT NULL, oid TEXT NOT NULL);
CREATE INDEX lint.page_path ON page (path);
"""
_SAME = "kept.id = page.id AND kept.oid = page.oid AND kept.path = page.path"
"""What is known of a page is of its bytes; numbers are given again."""
_TAG, _CLOCK = "tag", "clock"
_CACHE_KIB = 16_384
"""Of the file that SQLite keeps in memory: all that lint asks of 10,000 pages (measured)."""


COLUMNS: Mapping[str, str] = {
    # One row a page: `kind` as in `kinds`, `deprecated` of one that is kept empty; `thin` as there;
    # how much of each it has; the findings of rules over single pages.
    "head": "stem, kind, thin, claims, quotes, sources, found",
    # `which`: file, title or alias; `key` as of a link that gives it; `folded` of subjects.
    "name": "line, which, text, key, stem, folded",
    # `form`: wiki, embed, address (of a wikilink), file, shown (of a Markdown link), or faint: it
    # makes a page linked, and is nothing to complain of (templates, comments).
    "link": "line, column, form, stem, key, target, heading, block, resolved",
    # `#` and a folded heading, `^` and a block: what links may point to.
    "anchor": "key",
    "spelling": "key, text, kind, is_file",
    # `own`: the page, where it is that of the one document the claim rests on.
    "claim": "line, id, is_struck, successor, digest, own",
    # `of`: what the value is of; `at`: as of when; `beside`: claims it may differ from.
    "slot": "line, claim, of, name, scope, said, value, at, beside",
    "citation": "line, column, claim, by, shown",
    "dispute": "line, one, other",
    "evidence": "line, claim, source",
    # `kind`: `at` of a claim that rests on the source of this ledger, `dead` of a tombstone.
    "record": "line, claim, kind",
    # `role`: `own` of a ledger's source, `lists`, or empty of an entry that names none of ours.
    "source": "line, id, resource, sha256, role",
    "resource": "line, resource, sha256",
    "silence": "line, at, column, codes",
    # A page beside the texts it quotes: the sources it names, what their texts were like then,
    # what the rules of sources found, how many quotes could be compared, why not the others.
    "quoted": "refs, texts, found, quotes, lacking",
}
"""Name of a table to its columns, as SQL; the number of the page comes before them.

Links find a page by its file name (`pages.link_targets`), so names and links stand under folded
file names (`stem`): that of the page, those that its title and aliases would be, those its links
give.
"""
INDEXES = (
    *("head (stem)", "name (stem)", "name (key)", "name (folded)", "link (stem)"),
    *("anchor (key)", "spelling (key)", "claim (id)", "claim (successor)", "claim (digest)"),
    *("slot (name, scope)", "citation (claim)", "record (claim)", "evidence (claim)"),
    *("source (id, role)", "resource (resource)"),
)
"""What rows are looked for by."""


class LintTables:
    """The tables of a wiki in memory."""

    def __init__(self, db: sqlite3.Connection | None = None) -> None:
        if db is None:
            db = sqlite3.connect(":memory:", isolation_level=None)
            db.execute("ATTACH ':memory:' AS lint")
            self.db = db
            self._make()
        self.db = db

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """What a query gives. The tables are `lint.link` and so on; `lint.page` has id and path."""
        return self.db.execute(sql, values).fetchall()

    def insert(self, number: int, path: str, oid: str, rows: Rows) -> None:
        """One page that nothing is known of."""
        self.db.execute("INSERT INTO lint.page VALUES (?, ?, ?)", (number, path, oid))
        for name, each in rows.items():
            self._fill(f"lint.{name}", [(number, *row) for row in each])

    def _fill(self, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
        if rows:
            marks = ", ".join("?" * len(rows[0]))
            self.db.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)

    def _make(self) -> None:
        for statement in filter(str.strip, _OWN.split(";")):
            self.db.execute(statement)
        for name, columns in COLUMNS.items():
            self.db.execute(f"CREATE TABLE lint.{name} (page INTEGER NOT NULL, {columns})")
            self.db.execute(f"CREATE INDEX lint.{name}_of ON {name} (page)")
        self.make_indexes()

    def make_indexes(self) -> None:
        """What makes looking quick; of many new rows it is made once, behind them."""
        for number, index in enumerate(INDEXES):
            self.db.execute(f"CREATE INDEX IF NOT EXISTS lint.by_{number} ON {index}")

    def drop_indexes(self) -> None:
        """Take it away, before many rows come."""
        for number in range(len(INDEXES)):
            self.db.execute(f"DROP INDEX IF EXISTS lint.by_{number}")


class LintFile(LintTables):
    """The tables of the pages of an open index; use `with`.

    Where the file cannot be written, what is found out is kept in a copy of it until then.
    """

    def __init__(self, repo: Repository, index: Index, tag: str) -> None:
        super().__init__(index.db)
        self._index = index
        self._tag = tag
        self._stack = ExitStack()
        place = place_of(repo)
        self._path = place.with_name(f"lint-{place.name}")
        self._is_aside = index.is_private or repo.layout.reads_only
        self.fits = False
        """Whether what the file holds was made by the same rules."""

    def __enter__(self) -> LintFile:
        self._stack.callback(self._let_go)
        try:
            if self._is_aside:
                self._step_aside()
            else:
                self._attach(self._path)
        except sqlite3.DatabaseError as error:
            if not index_file.is_damage(error):
                self._step_aside()
            elif self._is_aside:
                self._attach(Path(":memory:"))
            else:
                self._path.unlink(missing_ok=True)
                self._attach(self._path)
        self.fits = self.recall(_TAG) == self._tag
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _attach(self, path: Path) -> None:
        self._index.release()
        try:
            self.db.execute("ATTACH ? AS lint", (str(path),))
            self.db.execute(f"PRAGMA lint.cache_size = {-_CACHE_KIB}")
            self.db.execute("SELECT count(*) FROM lint.sqlite_master").fetchone()
        except sqlite3.DatabaseError:
            self._detach()
            raise
        finally:
            self._index.hold()

    def _detach(self) -> None:
        self._index.release()
        with contextlib.suppress(sqlite3.DatabaseError):
            self.db.execute("DETACH lint")

    def _let_go(self) -> None:
        self._detach()
        self._index.hold()

    def _step_aside(self) -> None:
        folder = self._stack.enter_context(TemporaryDirectory(prefix="llmwiki-"))
        place = Path(folder, self._path.name)
        with contextlib.suppress(OSError):
            shutil.copyfile(self._path, place)
        self._detach()
        self.db.execute("PRAGMA query_only = OFF")
        self._attach(place)
        self._path = place

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A turn and a transaction to write in; nothing of it stays where it fails."""
        with ExitStack() as turn:
            self._index.release()
            try:
                turn.enter_context(index_file.turn(self._path.parent))
                self._begin()
            except (OSError, sqlite3.OperationalError):
                self._index.release()
                self._step_aside()
                self._index.release()
                self._begin()
            try:
                yield
                self.db.execute("COMMIT")
                self.fits = True
            finally:
                self._index.release()
                self._index.hold()

    def _begin(self) -> None:
        if not self.fits:
            self.db.execute("PRAGMA lint.journal_mode = WAL")
        self.db.execute("BEGIN")
        if not self.fits:
            known = "SELECT name FROM lint.sqlite_master WHERE type = 'table'"
            for (name,) in self.db.execute(known).fetchall():
                self.db.execute(f"DROP TABLE lint.{name}")
            self._make()
            self.remember({_CLOCK: "0"})
        # The lock is taken here, or the file cannot be written.
        self.remember({_TAG: self._tag})

    # --- pages -----------------------------------------------------------------------------

    @property
    def clock(self) -> str:
        """Another word whenever any page became another."""
        return self.recall(_CLOCK) or "" if self.fits else ""

    def unknown(self) -> list[tuple[int, str]]:
        """(number, path) of the pages that nothing is known of, by path."""
        same = f"SELECT 1 FROM lint.page AS kept WHERE {_SAME}"
        where = f"WHERE NOT EXISTS ({same})" if self.fits else ""
        rows = self.db.execute(f"SELECT id, path FROM main.page AS page {where} ORDER BY path")
        return rows.fetchall()

    def gone(self) -> list[int]:
        """Pages that something is known of and that are no more."""
        if not self.fits:
            return []
        rows = self.db.execute(
            "SELECT id FROM lint.page AS kept WHERE NOT EXISTS "
            f"(SELECT 1 FROM main.page AS page WHERE {_SAME}) ORDER BY id"
        )
        return [number for (number,) in rows]

    def put(self, gone: Sequence[int], pages: Iterable[tuple[int, Rows]]) -> None:
        """Forget some pages, and keep what others say: (number, rows). Within `writing`."""
        for number in gone:
            self.db.execute("DELETE FROM lint.page WHERE id = ?", (number,))
            for name in COLUMNS:
                self.db.execute(f"DELETE FROM lint.{name} WHERE page = ?", (number,))
        self.db.execute("CREATE TEMP TABLE IF NOT EXISTS fresh (id INTEGER PRIMARY KEY)")
        together: dict[str, list[tuple[Any, ...]]] = {}
        for number, rows in pages:
            together.setdefault("fresh", []).append((number,))
            for name, each in rows.items():
                together.setdefault(name, []).extend((number, *row) for row in each)
        for name, each in together.items():
            self._fill("temp.fresh" if name == "fresh" else f"lint.{name}", each)
        self.db.execute(
            "INSERT INTO lint.page SELECT id, path, oid FROM main.page WHERE id IN temp.fresh"
        )
        self.db.execute("DELETE FROM temp.fresh")
        self.remember({_CLOCK: str(int(self.recall(_CLOCK) or 0) + 1)})

    def replace(self, name: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """The one row that some pages have in a table, its number first. Within `writing`."""
        for row in rows:
            self.db.execute(f"DELETE FROM lint.{name} WHERE page = ?", row[:1])
            self.db.execute(f"INSERT INTO lint.{name} VALUES (?{', ?' * (len(row) - 1)})", row)

    # --- what else is worth keeping --------------------------------------------------------

    def recall(self, key: str) -> str | None:
        """A text kept under a key."""
        known = "SELECT 1 FROM lint.sqlite_master WHERE name = 'meta'"
        if not self.fits and self.db.execute(known).fetchone() is None:
            return None
        row = self.db.execute("SELECT value FROM lint.meta WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def remember(self, texts: Mapping[str, str]) -> None:
        """Keep texts by key. Within `writing`."""
        self.db.executemany("INSERT OR REPLACE INTO lint.meta VALUES (?, ?)", sorted(texts.items()))
