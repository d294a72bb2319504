"""Questions to an index file: one moment of it, whoever writes meanwhile."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import compress, islice
from typing import TYPE_CHECKING

from llmwiki.index import schema
from llmwiki.index.base import Sums
from llmwiki.index.corpus import TITLE, Card, Postings, T
from llmwiki.index.file import close
from llmwiki.index.kept_answers import KeptAnswers
from llmwiki.index.rows import SUMS, ledger_row_of, read_packed, unpack
from llmwiki.pages.link_targets import GITHUB_PAGES, has_dashes

if TYPE_CHECKING:
    from llmwiki.index.facts import PageFacts
    from llmwiki.index.keys import LedgerRow
    from llmwiki.pages.catalogue import Entry

KEPT_KIB = 4_096
"""Of the file that SQLite keeps in memory between questions; it would keep 2,000. More makes no
question quicker (measured at 10,000 pages): the system has the file in memory as well."""
MOST_TITLED = 25_000
"""Pages up to which all titles are kept in memory between questions: some 100 bytes each."""
_CHUNK = 400
"""Keys of one SQL question: SQLite allows 999 values in older builds (limits.html)."""


class Reader:
    """An open index: a `Corpus` and a `Base`.

    `hold` begins a read transaction: until `release` every answer is of that moment. Raises
    sqlite3.DatabaseError where the file is damaged; `open_index` turns that into a new index.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db
        self.commit: str | None = None
        self.strays: Mapping[str, str | None] = {}
        self.sums = Sums()
        self.pages = self.words = self.title_words = 0
        self.lengths: array[int] = array("I")
        self.title_lengths: array[int] = array("B")
        self._segments: list[int] = []
        self._dead: set[int] = set()
        self._state: tuple[int, int] | None = None
        self._answers: KeptAnswers | None = None

    def keep_answers(self) -> None:
        """Keep what was read for the next question, as long as nothing changes."""
        self._answers = KeptAnswers(self._titles())
        self.db.execute(f"PRAGMA cache_size = {-KEPT_KIB}")

    def hold(self) -> None:
        """See the file as it is now, and go on seeing it so."""
        self.db.execute("BEGIN")
        commit = schema.get(self.db, "commit") or None
        # Changed by other connections, and by this one.
        state = self.db.execute("PRAGMA data_version").fetchone()[0], self.db.total_changes
        if state == self._state:
            return
        self._state, self.commit = state, commit
        self.__dict__.pop("dashes", None)
        self._load()
        if self._answers is not None:
            self._answers = KeptAnswers(self._titles())

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

    def _load(self) -> None:
        self.strays = schema.strays(self.db)
        sums = dict(self.db.execute("SELECT key, count FROM tally WHERE kind = ?", (SUMS,)))
        self.sums = Sums(*(sums.get(name, 0) for name in ("pages", "claims", "struck")))
        self.pages = self.sums.pages
        self.words, self.title_words = sums.get("words", 0), sums.get("title_words", 0)
        self._segments = []
        lengths, titles = array("I", [0]), array("B", [0])
        rows = self.db.execute("SELECT id, first, lengths, titles FROM segment ORDER BY first")
        for number, first, length_bytes, title_bytes in rows:
            self._segments.append(number)
            hole = first - len(lengths)
            lengths.frombytes(bytes(4 * hole) + length_bytes)
            titles.frombytes(bytes(hole) + title_bytes)
        self._dead = {doc for (doc,) in self.db.execute("SELECT doc FROM dead")}
        for doc in self._dead:
            lengths[doc] = titles[doc] = 0
        self.lengths, self.title_lengths = lengths, titles

    # --- Corpus --------------------------------------------------------------------------

    def postings(self, keys: Iterable[str]) -> dict[str, Postings]:
        """The postings of those keys that stand anywhere; one look-up for all."""
        if self._answers is None:
            return self._postings(keys)
        return self._answers.postings_of(list(keys), self._postings)

    def _postings(self, keys: Iterable[str]) -> dict[str, Postings]:
        order = {number: place for place, number in enumerate(self._segments)}
        found: dict[str, list[tuple[int, bytes]]] = {}
        for key, segment, blob in self._rows(keys, "key, segment, docs"):
            found.setdefault(key, []).append((order[segment], blob))
        postings = {}
        for key, parts in found.items():
            joined = self._joined(parts)
            if joined.docs:
                postings[key] = joined
        return postings

    def _rows(self, keys: Iterable[str], columns: str) -> Iterator[tuple[str, int, bytes]]:
        segments = ",".join(map(str, self._segments))
        for chunk in _chunks(dict.fromkeys(keys)):
            yield from self.db.execute(
                f"SELECT {columns} FROM posting WHERE segment IN ({segments}) "
                f"AND key IN ({_marks(chunk)})",
                chunk,
            )

    def _joined(self, parts: list[tuple[int, bytes]]) -> Postings:
        docs, codes = array("I"), bytearray()
        for _place, blob in sorted(parts) if len(parts) > 1 else parts:
            split = len(blob) // 5 * 4
            docs.frombytes(blob[:split])
            codes += blob[split:]
        if not self._dead.isdisjoint(docs):
            stands = [doc not in self._dead for doc in docs]
            docs, codes = array("I", compress(docs, stands)), bytearray(compress(codes, stands))
        return Postings(docs, bytes(codes))

    def _titles(self) -> set[str] | None:
        """All keys below TITLE, some of pages that are gone among them."""
        if self.pages > MOST_TITLED:
            return None
        rows = self.db.execute(
            f"SELECT key FROM posting WHERE segment IN ({','.join(map(str, self._segments))}) "
            "AND key >= ? AND key < ?",
            (TITLE, TITLE[:-1] + chr(ord(TITLE[-1]) + 1)),
        )
        return {key for (key,) in rows}

    def kept(self, make: Callable[[], T]) -> T:
        """What `make` gives, kept with the answers."""
        return make() if self._answers is None else self._answers.kept(make)

    def cards(self, docs: Iterable[int]) -> dict[int, Card]:
        """The cards of pages; one look-up for all."""
        if self._answers is None:
            return self._cards(docs)
        return self._answers.cards_of(list(docs), self._cards)

    def _cards(self, docs: Iterable[int]) -> dict[int, Card]:
        columns = "doc, path, oid, type, title, description, rest, runs"
        return {
            row[0]: _card(*row)
            for chunk in _chunks(dict.fromkeys(docs))
            for row in self.db.execute(
                f"SELECT {columns} FROM page WHERE doc IN ({_marks(chunk)})", chunk
            )
        }

    def paths_of(self, docs: Iterable[int]) -> dict[int, str]:
        """The paths of pages alone, which is quicker."""
        if self._answers is None:
            return self._paths_of(docs)
        return self._answers.paths_of(list(docs), self._paths_of)

    def _paths_of(self, docs: Iterable[int]) -> dict[int, str]:
        return {
            doc: path
            for chunk in _chunks(dict.fromkeys(docs))
            for doc, path in self.db.execute(
                f"SELECT doc, path FROM page WHERE doc IN ({_marks(chunk)})", chunk
            )
        }

    def doc(self, path: str) -> int | None:
        """The number of a page."""
        row = self.db.execute("SELECT doc FROM page WHERE path = ?", (path,)).fetchone()
        return row[0] if row else None

    @cached_property
    def dashes(self) -> bool:
        """Whether blanks and hyphens are one in links; see `link_targets.has_dashes`."""
        if not any(self.doc(page) for page in GITHUB_PAGES):
            return False
        return has_dashes([path for (path,) in self.db.execute("SELECT path FROM page")])

    # --- Base ----------------------------------------------------------------------------

    def paths(self, keys: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Each key to the paths of the pages that have it, sorted."""
        found = self.postings(keys)
        names = self.paths_of(doc for postings in found.values() for doc in postings.docs)
        return {
            key: tuple(sorted(names[doc] for doc in postings.docs))
            for key, postings in found.items()
        }

    def together(self, keys: Iterable[str]) -> tuple[str, ...]:
        """The paths of the pages that have all of some keys, WORD among them, sorted."""
        asked = set(keys)
        found = self.postings(asked)
        if not asked or len(found) < len(asked):
            return ()
        docs = set.intersection(*(set(postings.docs) for postings in found.values()))
        return tuple(sorted(self.paths_of(sorted(docs)).values()))

    def present(self, keys: Iterable[str]) -> set[str]:
        """Those of the keys that any page has; quicker than `paths`, for thousands of keys."""
        if self._dead:
            return set(self.postings(keys))
        return {row[0] for row in self._rows(keys, "key, segment, NULL")}

    def counts(self, keys: Iterable[str]) -> dict[str, int]:
        """How many pages have each key, exactly; asked for keys below LINK and TAG."""
        return {
            prefix + key: count
            for prefix, names in _by_prefix(keys).items()
            for chunk in _chunks(names)
            for key, count in self.db.execute(
                f"SELECT key, count FROM tally WHERE kind = ? AND key IN ({_marks(chunk)})",
                (prefix, *chunk),
            )
        }

    def tally(self, prefix: str) -> dict[str, int]:
        """Every key below a prefix with its exact count; asked for TYPE and SHARD."""
        rows = self.db.execute(
            "SELECT key, count FROM tally WHERE kind = ? ORDER BY key", (prefix,)
        )
        return {prefix + key: count for key, count in rows}

    def top(self, prefix: str, least: int) -> Sequence[tuple[str, int]]:
        """The keys that most pages have, with their counts: by falling count, then by key."""
        found: list[tuple[str, int]] = []
        rows = self.db.execute(
            "SELECT key, count FROM tally WHERE kind = ? ORDER BY count DESC", (prefix,)
        )
        for key, count in rows:
            if len(found) >= least and count < found[-1][1]:
                break
            found.append((prefix + key, count))
        return sorted(found, key=lambda item: (-item[1], item[0]))

    def facts(self, paths: Iterable[str]) -> dict[str, PageFacts]:
        """The facts of pages, as `facts_of` gives them."""
        columns = "path, type, title, description, rest"
        return {row[0]: unpack(*row) for row in self._by_path(paths, columns)}

    def entries(self, paths: Iterable[str]) -> dict[str, Entry]:
        """The pages as the catalogue lists them (`keys.entry_of`); cheaper than their facts."""
        from llmwiki.pages.catalogue import Entry

        return {
            row[0]: Entry(*row) for row in self._by_path(paths, "path, type, title, description")
        }

    def ledgers(self) -> Iterator[LedgerRow]:
        """The row of every page of the type `source`, by path, streamed; cheaper than facts."""
        rows = self.db.execute(
            "SELECT path, title, rest FROM page WHERE type = 'source' ORDER BY path"
        )
        return (ledger_row_of(*row) for row in rows)

    def all_entries(self) -> Iterator[Entry]:
        """Every page as the catalogue lists it, by path, streamed."""
        from llmwiki.pages.catalogue import Entry

        rows = self.db.execute("SELECT path, type, title, description FROM page ORDER BY path")
        return (Entry(*row) for row in rows)

    def oids(self, paths: Iterable[str]) -> dict[str, str]:
        """Git's blob id of each page's bytes."""
        return {row[0]: row[1] for row in self._by_path(paths, "path, oid")}

    def _by_path(self, paths: Iterable[str], columns: str) -> Iterator[tuple[str, ...]]:
        for chunk in _chunks(dict.fromkeys(paths)):
            yield from self.db.execute(
                f"SELECT {columns} FROM page WHERE path IN ({_marks(chunk)})", chunk
            )


def _card(
    doc: int, path: str, oid: str, kind: str, title: str, description: str, rest: str, runs: str
) -> Card:
    packed = read_packed(rest)
    return Card(
        doc=doc,
        path=path,
        oid=oid,
        type=kind,
        title=title,
        description=description,
        aliases=tuple(packed.aliases),
        links=tuple(packed.links),
        runs=tuple(runs.split("\n")) if runs else (),
    )


def _by_prefix(keys: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for key in dict.fromkeys(keys):
        found.setdefault(key[:2], []).append(key[2:])
    return found


def _marks(values: Sequence[object]) -> str:
    return ",".join("?" * len(values))


def _chunks(values: Iterable[object]) -> Iterator[list[object]]:
    waiting = iter(values)
    while chunk := list(islice(waiting, _CHUNK)):
        yield chunk
