"""Questions to an index file: one moment of it, whoever writes meanwhile."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.index import schema
from llmwiki.index.file import close
from llmwiki.index.rows import SUMS, ledger_row_of, read_packed, unpack
from llmwiki.pages.link_targets import GITHUB_PAGES, has_dashes

if TYPE_CHECKING:
    from llmwiki.index.facts import LedgerRow, PageFacts
    from llmwiki.index.page_words import WordCounts
    from llmwiki.pages.catalogue import Entry

WORD = "w:"
"""Prefix of the keys of search terms (`core.tokens.terms`); their postings carry counts."""
RUN = "p:"
"""Capitalised names that stand in a page's text (`page_terms.runs`)."""
TITLE = "t:"
"""Titles and aliases as they are mentioned (`page_terms.title_key`)."""
LINK = "l:"
"""Folded file names that the links of a page give (`link_targets.name_in`), its own excepted."""
PLACED = "L:"
"""The keys of those links of a page that name a folder, and `/` with the file name of each; `/`
with the page's own file name where a link gives that."""
CALLED = "b:"
"""Titles and aliases of a page as keys of links (`link_targets.called`)."""
FILE = "f:"
"""The folded file name of a page: what a link to it folds to."""


class Postings:
    """The pages that hold a key."""

    __slots__ = ("codes", "count", "docs")

    def __init__(self, docs: array[int], codes: bytes, count: int = 0) -> None:
        self.docs = docs
        """Numbers of the pages, rising; none for a name that stands on more than `LISTED`."""
        self.codes = codes
        """For each the byte of `page_terms.code`; 1 for keys without counts."""
        self.count = count or len(docs)

    def __len__(self) -> int:
        return self.count


class Card(NamedTuple):
    """What a ranking needs to know of one page."""

    doc: int
    path: str
    oid: str
    """Git's blob id of the text that was indexed."""
    type: str
    title: str
    description: str
    aliases: tuple[str, ...]
    links: tuple[str, ...]
    """The keys of its links (`pages.link_targets`), sorted."""
    runs: tuple[str, ...]
    """Keys below RUN, sorted."""


KEPT_KIB = 4_096
"""Of the file that SQLite keeps in memory between questions; it would keep 2,000. More makes no
question quicker (measured at 10,000 pages): the system has the file in memory as well."""
LISTED = 200
"""Pages that hold a name of a text up to which they are listed; of more only their number is."""
MOST_COUNTED = 2_000
"""Pages whose words are kept in memory at most, of some kilobytes each."""
_CHUNK = 400
"""Keys of one SQL question: SQLite allows 999 values in older builds (limits.html)."""
_LOOKED_UP = 20
"""Postings for each page whose words are looked up, beyond which all of them are not read."""
_NO_LENGTHS = array("I"), array("B")
_NONE = array("I")


class Sums(NamedTuple):
    """Counts over all pages."""

    pages: int = 0
    claims: int = 0
    """Claims by the pages they stand on, struck ones included."""
    struck: int = 0


class Corpus:
    """An open index: what retrieval and memory ask of the pages. Numbers of
    pages mean nothing beyond one moment; ties go by path.

    `hold` begins a read transaction: until `release` every answer is of that moment. Every
    question takes many keys or paths at once; what is unknown is left out of the answer. Raises
    sqlite3.DatabaseError where the file is damaged; `open_index` turns that into a new index.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db
        self.commit: str | None = None
        """The commit whose pages it holds; None: no page at all."""
        self.strays: Mapping[str, str | None] = {}
        """Pages held in other bytes than the commit's, to their blob id there; None: it has no
        such page."""
        self.sums = Sums()
        self.pages = self.words = self.title_words = 0
        self._state: tuple[int, int] | None = None
        self._counted: dict[int, WordCounts] = {}

    def hold(self) -> None:
        """See the file as it is now, and go on seeing it so."""
        self.db.execute("BEGIN")
        self.look_again()

    def look_again(self) -> None:
        """Read anew what is kept of the file, if it is another since; in a transaction."""
        # Changed by other connections, and by this one.
        state = self.db.execute("PRAGMA data_version").fetchone()[0], self.db.total_changes
        if state == self._state:
            return
        self.commit = schema.get(self.db, "commit") or None
        self.strays = schema.strays(self.db)
        sums = dict(self.db.execute("SELECT key, count FROM tally WHERE kind = ?", (SUMS,)))
        self.sums = Sums(*(sums.get(name, 0) for name in ("pages", "claims", "struck")))
        self.pages = self.sums.pages
        self.words, self.title_words = sums.get("words", 0), sums.get("title_words", 0)
        self._counted.clear()
        for name in ("dashes", "_lengths"):
            self.__dict__.pop(name, None)
        self._state = state

    def forget(self) -> None:
        """Read everything anew with the next `hold`: this connection is about to be written."""
        self._state = None

    def release(self) -> None:
        """End the read transaction, if there is one."""
        if self.db.in_transaction:
            self.db.execute("ROLLBACK")

    def close(self) -> None:
        """Close the file. Idempotent."""
        close(self.db)

    # --- Corpus --------------------------------------------------------------------------

    @cached_property
    def _lengths(self) -> tuple[array[int], array[int]]:
        from llmwiki.index.page_lengths import PageLengths

        return PageLengths(self.db).all() if self.pages else _NO_LENGTHS

    @property
    def lengths(self) -> Sequence[int]:
        """Terms in the body of each page, by its number; at least 1, 0 where there is none."""
        return self._lengths[0]

    @property
    def title_lengths(self) -> Sequence[int]:
        """Distinct terms in the title of each page, by its number, at most 255."""
        return self._lengths[1]

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        """How many pages hold each of those terms that stand anywhere."""
        return {
            term: pages
            for chunk in _chunks(dict.fromkeys(terms))
            for term, pages in self.db.execute(
                f"SELECT term, pages FROM frequency WHERE term IN ({_marks(chunk)})", chunk
            )
        }

    def among(self, term: str, docs: Collection[int]) -> Postings:
        """The postings of a term among some pages, however many others hold it."""
        counted, asked = self._counted, term.encode()
        missing = [doc for doc in docs if doc not in counted]
        if missing:
            if len(counted) > MOST_COUNTED:
                counted.clear()
                missing = list(docs)
            from llmwiki.index.page_words import WordCounts

            for chunk in _chunks(missing):
                rows = self.db.execute(
                    f"SELECT page, terms FROM words WHERE page IN ({_marks(chunk)})", chunk
                )
                counted.update((doc, WordCounts(terms)) for doc, terms in rows)
        found = [(doc, code) for doc in sorted(docs) if (code := counted[doc].code(asked))]
        return Postings(array("I", [doc for doc, _ in found]), bytes(code for _, code in found))

    def postings(self, keys: Iterable[str]) -> dict[str, Postings]:
        """The postings of those keys that stand anywhere; one look-up for all."""
        asked = dict.fromkeys(keys)
        found: dict[str, Postings] = {}
        for chunk in _chunks(schema.stored(key) for key in asked if key[: len(WORD)] != WORD):
            # Joined in SQLite the numbers come in half the time.
            rows = self.db.execute(
                "SELECT key, count(*), iif(count(*) > ? AND key >= ? AND key < ?, NULL,"
                f" group_concat(page)) FROM key WHERE key IN ({_marks(chunk)}) GROUP BY key",
                (LISTED, RUN, behind(RUN), *chunk),
            )
            for key, count, numbers in rows:
                docs = array("I", sorted(map(int, numbers.split(",")))) if numbers else _NONE
                found[schema.read(key)] = Postings(docs, b"\1" * len(docs), count)
        for key in asked:
            if key[: len(WORD)] == WORD and (held := self._word(key[len(WORD) :])) is not None:
                found[key] = held
        return found

    def _word(self, term: str) -> Postings | None:
        rows = self.db.execute("SELECT doc, col FROM posting WHERE term = ?", (term,)).fetchall()
        if not rows:
            return None
        held = {doc: _CODES[column] for doc, column in rows}
        if len(held) < len(rows):
            # Some pages have it in the title and in the text.
            held = dict.fromkeys(held, 0)
            for doc, column in rows:
                held[doc] += _CODES[column]
        return Postings(array("I", held), bytes(held.values()))

    def cards(self, docs: Iterable[int]) -> dict[int, Card]:
        """The cards of pages; one look-up for all."""
        columns = "id, path, oid, type, title, description, facts, runs"
        return {
            row[0]: _card(*row)
            for chunk in _chunks(dict.fromkeys(docs))
            for row in self.db.execute(
                f"SELECT {columns} FROM page WHERE id IN ({_marks(chunk)})", chunk
            )
        }

    def paths_of(self, docs: Iterable[int]) -> dict[int, str]:
        """The paths of pages alone, which is quicker."""
        return {
            doc: schema.read(path)
            for chunk in _chunks(dict.fromkeys(docs))
            for doc, path in self.db.execute(
                f"SELECT id, path FROM page WHERE id IN ({_marks(chunk)})", chunk
            )
        }

    def doc(self, path: str) -> int | None:
        """The number of a page."""
        found = self.db.execute("SELECT id FROM page WHERE path = ?", (schema.stored(path),))
        row = found.fetchone()
        return row[0] if row else None

    @cached_property
    def dashes(self) -> bool:
        """Whether blanks and hyphens are one in links; see `link_targets.has_dashes`."""
        if not any(self.doc(page) for page in GITHUB_PAGES):
            return False
        return has_dashes([path for (path,) in self.db.execute("SELECT path FROM page")])

    # --- what memory asks ----------------------------------------------------------------

    def paths(self, keys: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Each key to the paths of the pages that have it, sorted."""
        found = self.postings(keys)
        names = self.paths_of(doc for postings in found.values() for doc in postings.docs)
        return {
            key: tuple(sorted(names[doc] for doc in postings.docs))
            for key, postings in found.items()
        }

    def together(self, terms: Iterable[str]) -> tuple[str, ...]:
        """The paths of the pages that hold all of some terms, sorted."""
        asked = set(terms)
        known = self.frequencies(asked)
        if not asked or len(known) < len(asked):
            return ()
        rarest, *others = sorted(known, key=lambda term: (known[term], term))
        docs = self._holding(rarest)
        for term in others:
            few = known[term] > _LOOKED_UP * len(docs)
            docs &= set(self.among(term, docs).docs) if few else self._holding(term)
        return tuple(sorted(self.paths_of(docs).values()))

    def _holding(self, term: str) -> set[int]:
        rows = self.db.execute("SELECT doc FROM posting WHERE term = ?", (term,))
        return {doc for (doc,) in rows}

    def present(self, keys: Iterable[str]) -> set[str]:
        """Those of the keys that any page has; quicker than `paths`, for thousands of keys."""
        return {
            schema.read(key)
            for chunk in _chunks(map(schema.stored, dict.fromkeys(keys)))
            for (key,) in self.db.execute(
                f"SELECT DISTINCT key FROM key WHERE key IN ({_marks(chunk)})", chunk
            )
        }

    def counts(self, prefix: str, names: Iterable[str]) -> dict[str, int]:
        """How many pages have each of the keys below LINK or TAG, exactly."""
        return {
            schema.read(key): count
            for chunk in _chunks(map(schema.stored, dict.fromkeys(names)))
            for key, count in self.db.execute(
                f"SELECT key, count FROM tally WHERE kind = ? AND key IN ({_marks(chunk)})",
                (prefix, *chunk),
            )
        }

    def tally(self, prefix: str) -> dict[str, int]:
        """Every key below TYPE or SHARD, without the prefix, with its exact count."""
        rows = self.db.execute(
            "SELECT key, count FROM tally WHERE kind = ? ORDER BY key", (prefix,)
        )
        return dict(rows.fetchall())

    def top(self, prefix: str, least: int) -> list[tuple[str, int]]:
        """The keys below LINK or TAG, without the prefix, that most pages have, with their counts:
        by falling count, then by key.

        At least `least` of them, where there are as many, and all that tie with the last.
        """
        found: list[tuple[str, int]] = []
        rows = self.db.execute(
            "SELECT key, count FROM tally WHERE kind = ? ORDER BY count DESC", (prefix,)
        )
        for key, count in rows:
            if len(found) >= least and count < found[-1][1]:
                break
            found.append((key, count))
        return sorted(found, key=lambda item: (-item[1], item[0]))

    def facts(self, paths: Iterable[str]) -> dict[str, PageFacts]:
        """The facts of pages, as `facts_of` gives them."""
        columns = "path, type, title, description, facts"
        return {
            path: unpack(path, kind, schema.read(title), description, rest)
            for path, kind, title, description, rest in self._by_path(paths, columns)
        }

    def entries(self, paths: Iterable[str]) -> dict[str, Entry]:
        """The pages as the catalogue lists them (`keys.entry_of`); cheaper than their facts."""
        rows = self._by_path(paths, "path, type, title, description")
        return {row[0]: _entry(*row) for row in rows}

    def ledgers(self) -> list[LedgerRow]:
        """The row of every page of the type `source`, by path; cheaper than facts."""
        rows = self.db.execute("SELECT path, title, facts FROM page WHERE type = 'source'")
        found = (
            ledger_row_of(schema.read(path), schema.read(title), rest) for path, title, rest in rows
        )
        return sorted(found)

    def all_entries(self) -> Iterator[Entry]:
        """Every page as the catalogue lists it, streamed in no particular order."""
        rows = self.db.execute("SELECT path, type, title, description FROM page")
        return (_entry(schema.read(path), *rest) for path, *rest in rows)

    def oids(self, paths: Iterable[str]) -> dict[str, str]:
        """Git's blob id of each page's bytes."""
        return {row[0]: row[1] for row in self._by_path(paths, "path, oid")}

    def _by_path(self, paths: Iterable[str], columns: str) -> Iterator[tuple[str, ...]]:
        for chunk in _chunks(map(schema.stored, dict.fromkeys(paths))):
            for path, *rest in self.db.execute(
                f"SELECT {columns} FROM page WHERE path IN ({_marks(chunk)})", chunk
            ):
                yield schema.read(path), *rest


_CODES = schema.codes()


def behind(prefix: str) -> str:
    """What stands behind every key that begins with `prefix`, and before all others."""
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)


def _entry(path: str, kind: str, title: str, description: str) -> Entry:
    from llmwiki.core.text import normalise
    from llmwiki.pages.catalogue import Entry

    return Entry(path, kind, normalise(schema.read(title)), description)


def _card(
    doc: int, path: str, oid: str, kind: str, title: str, description: str, rest: str, runs: str
) -> Card:
    packed = read_packed(rest)
    return Card(
        doc=doc,
        path=schema.read(path),
        oid=oid,
        type=kind,
        title=schema.read(title),
        description=description,
        aliases=tuple(packed.aliases),
        links=tuple(packed.links),
        runs=tuple(runs.split("\n")) if runs else (),
    )


def _marks(values: Sequence[object]) -> str:
    return ",".join("?" * len(values))


def _chunks(values: Iterable[object]) -> Iterator[list[object]]:
    waiting = iter(values)
    while chunk := list(islice(waiting, _CHUNK)):
        yield chunk
