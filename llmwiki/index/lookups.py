"""Questions to an index file: one moment of it, whoever writes meanwhile."""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import groupby, islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from llmwiki.core.quick_to_load import NamedTuple
from llmwiki.core.text import is_text
from llmwiki.index import tables
from llmwiki.index.index_file import close, damaged
from llmwiki.index.page_facts_record import unpack
from llmwiki.pages.link_targets import GITHUB_PAGES, called, has_dashes

if TYPE_CHECKING:
    from llmwiki.index.page_facts_record import PageFacts
    from llmwiki.index.word_rows import WordCounts
    from llmwiki.pages.catalogue import Entry

WORD = "w:"
"""Prefix of the keys of search terms (`core.language.tokens`); their postings carry counts."""
RUN = "p:"
"""Capitalised names that stand in a page's text (`names_and_words.runs`)."""
TITLE = "t:"
"""Titles and aliases as they are mentioned (`names_and_words.title_key`)."""
LINK = tables.LINK
"""Folded file names that the links of a page give (`link_targets.name_in`), its own excepted."""
CALLED = "b:"
"""Titles and aliases of a page as keys of links (`link_targets.called`)."""
FILE = "f:"
"""The folded file name of a page: what a link to it folds to."""
NAME = "n:"
"""`core.text.fold` of a title or alias of an entity or concept page."""
SPELLING = "k:"
"""`naming.folded_key` of the same names."""
ACRONYM = "a:"
"""Each short form that the initials of the same names allow."""
OPENING = "o:"
"""`keys_of_names.opening` of the same names, folded."""
CLAIM = "c:"
"""The id of a claim that stands on the page, struck or not."""
BLOCK = "u:"
"""The id of a claim that a link or the record of the page names."""
ABOUT = "q:"
"""The name of another page that a claim of this page is about."""
SOURCE = "s:"
"""The id of a source that the page lists."""
RESOURCE = "r:"
"""The file below raw/ that a ledger tells of; see `PageFacts.resource`."""
SHA = "h:"
"""The SHA-256 that a ledger records; see `PageFacts.sha256`."""
ORIGIN = "m:"
"""Where the file that a ledger tells of is a copy from."""
SHARD = "e:"
"""The part of the catalogue that lists the page: `concept/a`; see `keys_of_names.shard_key`."""
TYPE = "y:"
"""The page's type; nothing behind the prefix where it has none."""
RETRACTED = "z:"
"""Of the page of a source that was retracted: nothing stands behind the prefix."""
TAG = "g:"
"""A tag of the page."""
NOTE = "i:"
"""The id of a note of the memory, or of a sentence, that stands on the page, struck or not;
nothing behind the prefix: the page has any."""
LEADS = "j:"
"""The id of a note that a struck note of the page leads to, or of one that a note rests on."""
SLOT = "d:"
"""Kind and key of a note of the memory that stands: `fact/office`."""
LET_GO = "x:"
"""The session of a sentence whose words were taken away."""


class Postings:
    """The pages that hold a key."""

    __slots__ = ("codes", "count", "docs")

    def __init__(self, docs: array[int], codes: bytes, count: int = 0) -> None:
        self.docs = docs
        """Numbers of the pages, rising; none where more than `LISTED` have a name or a link."""
        self.codes = codes
        """For each the byte of `names_and_words.code`; 1 for keys without counts."""
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
    tags: tuple[str, ...] = ()
    claims: int = 0
    """Claims that stand on it; struck ones are not counted."""
    is_broken: bool = False
    """Whether its frontmatter cannot be read."""
    speaker: str = ""
    """Who says its text; see `PageFacts.speaker`."""
    stamp: tuple[int, int, int] = (0, 0, 0)
    """Modified at, size and inode of its file as it was indexed."""

    @property
    def is_retracted(self) -> bool:
        """Whether it is all that is left of a source that was retracted."""
        return self.type == "source" and "retracted" in self.tags

    @property
    def called(self) -> frozenset[str]:
        """The keys of wikilinks that name it by title or alias; see `link_targets.called`."""
        return called(() if self.is_broken else (self.title, *self.aliases), self.path)


KEPT_KIB = 4_096
"""Of the file that SQLite keeps in memory between questions; it would keep 2,000. More makes no
question quicker (measured at 10,000 pages): the system has the file in memory as well."""
LISTED = 200
"""Pages that hold a name in their text, or give a name in a link, up to which they are listed; of
more only their number is."""
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
    words: int = 0
    title_words: int = 0


class Corpus:
    """An open index: what retrieval and memory ask of the pages. Numbers of
    pages mean nothing beyond one moment; ties go by path.

    `hold` begins a read transaction: until `release` every answer is of that moment. Every
    question takes many keys or paths at once; what is unknown is left out of the answer. Raises
    IndexDamaged where the file proves damaged.
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

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """All that a query gives. Raises IndexDamaged."""
        try:
            return self.db.execute(sql, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise damaged(self.db, error) from error

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
        self.commit = tables.get(self.db, "commit") or None
        self.strays = tables.strays(self.db)
        self.sums = Sums(*map(int, tables.get(self.db, "sums").split()))
        self.pages, _claims, _struck, self.words, self.title_words = self.sums
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

    # --- words and names ------------------------------------------------------------------

    @cached_property
    def _lengths(self) -> tuple[array[int], array[int]]:
        from llmwiki.index.word_rows import PageLengths

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
        return dict(self._with("term", terms, "term, pages FROM term"))

    def among(self, terms: Iterable[str], docs: Collection[int]) -> dict[str, Postings]:
        """The postings of terms among some pages, however many others hold them."""
        counted = self._counted
        missing = [doc for doc in docs if doc not in counted]
        if missing:
            if len(counted) > MOST_COUNTED:
                counted.clear()
                missing = list(docs)
            from llmwiki.index.word_rows import WordCounts

            rows = self._with("page", missing, "page, terms FROM words")
            counted.update((doc, WordCounts(words)) for doc, words in rows)
        asked = dict.fromkeys(terms)
        numbers = dict(self._with("term", asked, "term, id FROM term"))
        pages = [(doc, counted[doc].code) for doc in sorted(docs) if doc in counted]
        found = {}
        for term in asked:
            number = numbers.get(term, 0)
            held = [(doc, count) for doc, code in pages if (count := code(number))]
            docs_with, codes = [doc for doc, _ in held], bytes(count for _, count in held)
            found[term] = Postings(array("I", docs_with), codes)
        return found

    def postings(self, keys: Iterable[str]) -> dict[str, Postings]:
        """The postings of those keys that stand anywhere; one look-up for all."""
        asked = dict.fromkeys(keys)
        found: dict[str, Postings] = {}
        for key, count, numbers in self._with(
            "key", (key for key in asked if key[: len(WORD)] != WORD), _NAMED
        ):
            docs = array("I", map(int, numbers.split(","))) if numbers else _NONE
            found[key] = Postings(docs, b"\1" * len(docs), count)
        terms = [key[len(WORD) :] for key in asked if key[: len(WORD)] == WORD]
        for term in terms:
            docs, columns = self.rows(_POSTING, (term,))[0] if is_text(term) else (None, None)
            if docs is not None:
                found[WORD + term] = _postings(docs, columns)
        return found

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
            docs &= set(self.among((term,), docs)[term].docs) if few else self._holding(term)
        return tuple(sorted(self.paths_of(docs).values()))

    def _holding(self, term: str) -> set[int]:
        return {doc for (doc,) in self.rows("SELECT doc FROM posting WHERE term = ?", (term,))}

    def words_from(self, beginning: str) -> dict[str, int]:
        """The terms that begin so, each with how many pages hold it."""
        sql = "SELECT term, pages FROM term WHERE term >= ? AND term < ?"
        return dict(self.rows(sql, (beginning, tables.behind(beginning))))

    # --- keys -----------------------------------------------------------------------------

    def paths(self, keys: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Each key to the paths of the pages that have it, sorted."""
        sql = "key, path FROM name JOIN named ON name = name.id JOIN page ON page = page.id"
        found: dict[str, list[str]] = {}
        for key, path in self._with("key", keys, sql):
            found.setdefault(key, []).append(path)
        return {key: tuple(sorted(paths)) for key, paths in found.items()}

    def first(self, prefix: str, names: Iterable[str]) -> dict[str, str]:
        """Those of the names that any page has under a prefix, to the first such page by path."""
        found = self.paths(prefix + name for name in names)
        return {key[len(prefix) :]: paths[0] for key, paths in found.items()}

    def present(self, keys: Iterable[str]) -> set[str]:
        """Those of the keys that any page has; quicker than `paths`, for thousands of keys."""
        return {key for (key,) in self._with("key", keys, "key FROM name")}

    def below(self, prefix: str) -> Iterator[tuple[str, array[int]]]:
        """Every key behind a prefix, without it, and the pages that hold it; by key. Words are no
        such keys; see `words_from`."""
        sql = (
            "SELECT key, page FROM name JOIN named ON name = id"
            " WHERE key >= ? AND key < ? ORDER BY key, page"
        )
        for key, found in groupby(
            self.rows(sql, (prefix, tables.behind(prefix))), key=itemgetter(0)
        ):
            yield key[len(prefix) :], array("I", [page for _key, page in found])

    def counts(self, prefix: str, names: Iterable[str]) -> dict[str, int]:
        """How many pages have each of the names under a prefix; those that none has are left
        out."""
        rows = self._with("key", (prefix + name for name in names), "key, pages FROM name")
        return {key[len(prefix) :]: pages for key, pages in rows}

    def tally(self, prefix: str) -> dict[str, int]:
        """Every key behind a prefix, without it, with how many pages have it; by key."""
        sql = "SELECT key, pages FROM name WHERE key >= ? AND key < ? ORDER BY key"
        return {key[len(prefix) :]: n for key, n in self.rows(sql, (prefix, tables.behind(prefix)))}

    def top(self, prefix: str, least: int) -> list[tuple[str, int]]:
        """The keys behind a prefix, without it, that most pages have, with their counts: by
        falling count, then by key.

        At least `least` of them, where there are as many, and all that tie with the last.
        """
        rows: list[tuple[str, int]] = []
        for more_than in (tables.OFTEN, 0):
            # In words that the index of names by their pages has, which is of those that many have.
            among = f"FROM name WHERE {tables.begins(prefix)} AND pages > {more_than}"
            last = f"SELECT pages {among} ORDER BY pages DESC LIMIT 1 OFFSET ? - 1"
            sql = f"SELECT key, pages {among} AND pages >= coalesce(({last}), 0)"
            rows = self.rows(f"{sql} ORDER BY pages DESC, key", (least,))
            if len(rows) >= least:
                break
        return [(key[len(prefix) :], pages) for key, pages in rows]

    # --- pages ----------------------------------------------------------------------------

    def cards(self, docs: Iterable[int]) -> dict[int, Card]:
        """The cards of pages; one look-up for all."""
        return {row[0]: _card(*row) for row in self._with("id", docs, f"{_OF_A_CARD} FROM page")}

    def all_cards(self) -> list[Card]:
        """The card of every page, by path."""
        return [_card(*row) for row in self.rows(f"SELECT {_OF_A_CARD} FROM page ORDER BY path")]

    def paths_of(self, docs: Iterable[int]) -> dict[int, str]:
        """The paths of pages alone, which is quicker."""
        return dict(self._with("id", docs, "id, path FROM page"))

    def doc(self, path: str) -> int | None:
        """The number of a page."""
        return next((doc for (doc,) in self._with("path", (path,), "id FROM page")), None)

    @cached_property
    def dashes(self) -> bool:
        """Whether blanks and hyphens are one in links; see `link_targets.has_dashes`."""
        if not any(self.doc(page) for page in GITHUB_PAGES):
            return False
        return has_dashes([path for (path,) in self.rows("SELECT path FROM page")])

    def facts(self, paths: Iterable[str]) -> dict[str, PageFacts]:
        """The facts of pages, as `facts_of` gives them."""
        columns = "path, type, title, description, facts FROM page"
        return {row[0]: unpack(*row) for row in self._with("path", paths, columns)}

    def entries(self, paths: Iterable[str] | None = None) -> dict[str, Entry]:
        """The pages, None: all, as the catalogue lists them (`keys_of_names.entry_of`);
        cheaper than their facts."""
        columns = "path, type, title, description FROM page"
        found = self.rows(f"SELECT {columns}") if paths is None else None
        return {
            row[0]: _entry(*row)
            for row in (self._with("path", paths or (), columns) if found is None else found)
        }

    def oids(self, paths: Iterable[str]) -> dict[str, str]:
        """Git's blob id of each page's bytes."""
        return dict(self._with("path", paths, "path, oid FROM page"))

    def _with(self, column: str, values: Iterable[Any], asked: str) -> list[tuple[Any, ...]]:
        """The rows with one of these values in a column."""
        found = []
        for chunk, marks in chunks(values):
            found += self.rows(f"SELECT {asked} WHERE {column} IN ({marks})", chunk)
        return found


def chunks(values: Iterable[Any]) -> Iterator[tuple[list[Any], str]]:
    """Numbers or texts in portions for a question, with its marks. What is no UTF-8 stands
    nowhere."""
    wanted = iter([v for v in dict.fromkeys(values) if isinstance(v, int) or is_text(v)])
    while chunk := list(islice(wanted, _CHUNK)):
        yield chunk, ",".join("?" * len(chunk))


_CODES = tables.codes()
_OF_A_CARD = "id, path, oid, mtime, size, inode, type, title, description, facts, runs"


_FEW = " OR ".join(map(tables.begins, (RUN, LINK)))
# Joined in SQLite the numbers come in half the time.
_NAMED = (
    f"key, pages, iif(pages > {LISTED} AND ({_FEW}), NULL,"
    " (SELECT group_concat(page) FROM named WHERE name = id)) FROM name"
)


# Joined in SQLite they come in half the time.
_POSTING = "SELECT group_concat(doc), group_concat(col) FROM posting WHERE term = ?"


def _postings(docs: str, columns: str) -> Postings:
    """Those of a term from the numbers and columns of its rows, joined by commas."""
    numbers = list(map(int, docs.split(",")))
    held = list(map(_CODES.__getitem__, columns.split(",")))
    codes = dict(zip(numbers, held, strict=True))
    if len(codes) < len(numbers):
        # Some pages have it in the title and in the text.
        codes = dict.fromkeys(codes, 0)
        for doc, code in zip(numbers, held, strict=True):
            codes[doc] += code
    return Postings(array("I", codes), bytes(codes.values()))


@lru_cache(maxsize=1 << 15)
def _entry(path: str, kind: str, title: str, description: str) -> Entry:
    from llmwiki.core.text import normalise
    from llmwiki.pages.catalogue import Entry

    return Entry(path, kind, normalise(title), description)


def _card(doc: int, path: str, oid: str, *columns: Any) -> Card:
    mtime, size, inode, kind, title, description, rest, runs = columns
    # The order of `page_facts_record.pack`.
    aliases, tags, claims, struck, links, _sources, broken, *_, speaker = json.loads(rest)
    return Card(
        *(doc, path, oid, kind, title, description, tuple(aliases), tuple(links)),
        runs=tuple(runs.split("\n")) if runs else (),
        tags=tuple(tags),
        claims=len(claims) - struck,
        is_broken=bool(broken),
        speaker=speaker,
        stamp=(mtime, size, inode),
    )
