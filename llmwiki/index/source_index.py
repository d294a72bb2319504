"""The texts of ingested sources, cut into passages and found by their words: one SQLite file.

It lies beside the index of pages, in WAL mode as that is, and is brought up to date with the
sources that the pages name; what is written once for a source is never changed. It can be deleted
at any time.
"""

from __future__ import annotations

import sqlite3
import zlib
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from pathlib import Path

from llmwiki.core.language.folded_text import FoldedText
from llmwiki.core.language.search_terms import count_terms, terms
from llmwiki.core.page_and_note_kinds import PARTIAL
from llmwiki.core.quick_to_load import NamedTuple
from llmwiki.index import index_file, tables
from llmwiki.index.lookups import FILE, LINK, RUN
from llmwiki.index.names_and_words import title_key
from llmwiki.index.page_facts_record import unpack
from llmwiki.pages.link_targets import PagesOfName, name_in
from llmwiki.pages.page_file_names import name_key

NAME = "sources.db"
VERSION = 5
"""Raised whenever the same text may give other passages: a file made with another is made anew."""
FOLDER = "wiki/sources/"
MOST = 500
"""Characters of a passage, from which on it ends with the line."""
LEAST = 160
"""Characters below which a passage goes on over an empty line."""
_CONVERTED = "# llmwiki-text 1 converter="
"""How line 1 of the text of a converted source begins, which is no part of the document."""
KEPT_CHARACTERS = 4_000_000
"""Of texts that stay in memory at most where a file stays open; each is one byte or two."""
KEPT_SPANS = 200_000
"""Passages whose places do, of 16 bytes each."""
MOST_PASSAGES = 60_000
"""Passages of one source that are indexed: their numbers have two bytes."""
_BITS = 16
_PLACES = (1 << _BITS) - 1
_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE source (
  id INTEGER PRIMARY KEY, page TEXT NOT NULL UNIQUE, path TEXT NOT NULL, sha256 TEXT NOT NULL,
  passages INTEGER NOT NULL, words INTEGER NOT NULL, spans BLOB NOT NULL, text BLOB NOT NULL
);
CREATE TABLE posting (
  term TEXT NOT NULL, source INTEGER NOT NULL, found BLOB NOT NULL, PRIMARY KEY (term, source)
) WITHOUT ROWID;
CREATE INDEX posting_by_source ON posting (source);
"""


class SourceRow(NamedTuple):
    """A source that a page of the wiki stands for."""

    page: str
    """Path of the page, below wiki/sources/."""
    path: str
    """Of the source, below raw/."""
    sha256: str


class SourceSpan(NamedTuple):
    """One passage of a source."""

    first: int
    last: int
    """Lines, from 1."""
    words: int
    heading: int
    """The line of the heading it stands under; 0: none."""


def source_of(place: int) -> int:
    """The number of the source of a passage."""
    return place >> _BITS


class SourceIndex:
    """The passages of sources, by their terms: of one moment until `release`, whoever takes sources
    in or out meanwhile."""

    def __init__(self, db: sqlite3.Connection, path: Path | None, state: str) -> None:
        """`path` is its file, None: nobody else sees it. A read transaction holds it at `state`."""
        self._db = db
        self._path = path
        self._inode = path.stat().st_ino if path else 0
        self._state = state, _version(db)
        row = db.execute("SELECT coalesce(sum(passages), 0), coalesce(sum(words), 0) FROM source")
        self.passages, self.words = row.fetchone()
        self._spans: dict[int, tuple[SourceRow, array[int]]] = {}
        self._texts: dict[int, list[str]] = {}
        self._held_spans = self._held_characters = 0
        self._folded: dict[int, FoldedText] = {}

    def postings(self, terms: Iterable[str]) -> dict[str, dict[int, int]]:
        """Each term to how often it stands in each passage: by its number, which rises with that
        of the source and with the place in it."""
        wanted = sorted(set(terms))
        marks = ",".join("?" * len(wanted))
        found: dict[str, dict[int, int]] = {}
        for term, source, blob in self._db.execute(
            f"SELECT term, source, found FROM posting WHERE term IN ({marks})", wanted
        ):
            numbers = array("H", blob)
            places = map((source << _BITS).__or__, numbers[::2])
            found.setdefault(term, {}).update(zip(places, numbers[1::2], strict=True))
        return found

    def keyed(self, prefix: str) -> Iterator[tuple[str, str, str]]:
        """The keys that begin so (`source_links`), each with the page and path of a source that has
        it; in order."""
        rows = self._db.execute(
            "SELECT term, page, path FROM posting JOIN source ON id = source"
            " WHERE term >= ? AND term < ? ORDER BY term, page",
            (prefix, prefix + chr(0x10FFFF)),
        )
        yield from rows.fetchall()

    def naming(self, name: str) -> set[str]:
        """The pages of the sources in whose capitalised names a folded one stands."""
        held = self.postings(terms(name))
        if not held:
            return set()
        rarest = min(sorted(held), key=lambda term: len(held[term]))
        rows = self._db.execute(
            "SELECT page FROM source WHERE id IN (SELECT source FROM posting WHERE term = ?)"
            " AND EXISTS (SELECT 1 FROM posting WHERE source = id AND term >= ? AND term < ?"
            " AND instr(' ' || substr(term, ?) || ' ', ?))",
            (rarest, RUN, RUN + chr(0x10FFFF), len(RUN) + 1, f" {name} "),
        )
        return {page for (page,) in rows}

    def words_from(self, beginning: str) -> dict[str, int]:
        """The terms that begin so, each with how many sources hold it."""
        rows = self._db.execute(
            "SELECT term, count(*) FROM posting"
            " WHERE term >= ? AND term < ? AND instr(term, ':') = 0 GROUP BY term",
            (beginning, beginning + chr(0x10FFFF)),
        )
        return dict(rows.fetchall())

    def passage(self, place: int) -> tuple[SourceRow, SourceSpan]:
        """The source of a passage, and where it stands in it."""
        number, at = source_of(place), place & _PLACES
        if number not in self._spans:
            page, path, digest, spans = self._db.execute(
                "SELECT page, path, sha256, spans FROM source WHERE id = ?", (number,)
            ).fetchone()
            self._spans[number] = SourceRow(page, path, digest), array("I", spans)
            self._held_spans += len(spans) // 16
        row, numbers = self._spans[number]
        return row, SourceSpan(*numbers[4 * at : 4 * at + 4])

    @cached_property
    def ranks(self) -> dict[int, int]:
        """The place of each source among all of them, by page."""
        rows = self._db.execute("SELECT id FROM source ORDER BY page")
        return {number: at for at, (number,) in enumerate(rows)}

    def lines(self, place: int) -> Sequence[str]:
        """The lines of the source of a passage."""
        return self._lines(source_of(place))

    def lines_of(self, page: str) -> Sequence[str]:
        """The lines of the source that a page stands for; none where it has no text here."""
        row = self._db.execute("SELECT id FROM source WHERE page = ?", (page,)).fetchone()
        return self._lines(row[0]) if row else ()

    def quoted(self, page: str, quote: str, nth: int) -> tuple[int, int] | None:
        """The first and last line of the place of that number where the source of a page has the
        words of a quote; None where it has them nowhere."""
        row = self._db.execute("SELECT id FROM source WHERE page = ?", (page,)).fetchone()
        if row is None:
            return None
        (number,) = row
        if number not in self._folded:
            lines = self._lines(number)
            self._folded[number] = FoldedText.of(lines, int(lines[0].startswith(_CONVERTED)))
        hits = self._folded[number].hits(quote, nth)
        return hits[-1] if hits else None

    def _lines(self, number: int) -> Sequence[str]:
        if number not in self._texts:
            (packed,) = self._db.execute(
                "SELECT text FROM source WHERE id = ?", (number,)
            ).fetchone()
            text = zlib.decompress(packed).decode()
            self._texts[number] = text.split("\n")
            self._held_characters += len(text)
        return self._texts[number]

    def stands_at(self, state: str) -> bool:
        """Whether its file is in its place, and nobody has changed it since it was of that `state`:
        then it is held so again."""
        try:
            self._db.execute("BEGIN")
            is_there = self._path is None or self._path.stat().st_ino == self._inode
            return is_there and (state, _version(self._db)) == self._state
        except (OSError, sqlite3.DatabaseError):
            return False

    def release(self) -> None:
        """Ends the read transaction, and lets go of what was read, where it is much."""
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")
        if self._held_characters > KEPT_CHARACTERS:
            self._texts.clear()
            self._folded.clear()
            self._held_characters = 0
        if self._held_spans > KEPT_SPANS:
            self._spans.clear()
            self._held_spans = 0

    def close(self) -> None:
        """Close the file."""
        index_file.close(self._db)


class KeptTexts:
    """A file of texts that stays open between questions, for one thread at a time."""

    def __init__(self) -> None:
        self._held: SourceIndex | None = None

    @contextmanager
    def opened(
        self,
        path: Path,
        state: str,
        wanted: Callable[[], Sequence[SourceRow]],
        read: Callable[[SourceRow], Sequence[str] | None],
        *,
        reads_only: bool = False,
    ) -> Iterator[SourceIndex | None]:
        """The texts as they are now, for one question; as `open_texts`."""
        if self._held is None or not self._held.stands_at(state):
            self.close()
            self._held = open_texts(path, state, wanted, read, reads_only=reads_only)
        try:
            yield self._held
        finally:
            if self._held is not None:
                self._held.release()

    def close(self) -> None:
        """Closes the file; the next question opens it again. Idempotent."""
        if self._held is not None:
            self._held.close()
            self._held = None


def sources_of(pages: sqlite3.Connection) -> list[SourceRow]:
    """The sources that the pages of an index stand for, by page; of one that a review has let in
    in part only what claims quote is the wiki's."""
    rows = pages.execute(
        "SELECT path, facts FROM page WHERE path >= ? AND path < ? ORDER BY path",
        (FOLDER, FOLDER[:-1] + "0"),
    )
    found = (unpack(path, "source", "", "", rest) for path, rest in rows)
    return [
        SourceRow(facts.path, source.resource.removeprefix("/"), source.sha256)
        for facts in found
        if PARTIAL not in facts.tags
        for source in facts.sources[:1]
    ]


def open_texts(
    path: Path,
    state: str,
    wanted: Callable[[], Sequence[SourceRow]],
    read: Callable[[SourceRow], Sequence[str] | None],
    *,
    reads_only: bool = False,
) -> SourceIndex | None:
    """The passages of the texts that are `wanted`, in the file `path`; None where it cannot be had.

    While `state` is the same, neither is called. `reads_only`: the file of another state is copied.
    """
    try:
        is_none = reads_only and not path.is_file()
        db = index_file.private() if is_none else index_file.reached(path, "rwc", _hold)
        if _known(db) == (_tag(), state):
            return SourceIndex(db, path, state)
        if reads_only:
            copy = index_file.private()
            with closing(db):
                db.backup(copy)
            _bring_to(copy, wanted(), read, state)
            return SourceIndex(copy, None, state)
        db.execute("ROLLBACK")
        with index_file.turn(path.parent):
            db.execute("PRAGMA journal_mode = WAL")
            _bring_to(db, wanted(), read, state)
            return SourceIndex(db, path, state)
    except (OSError, sqlite3.DatabaseError) as error:
        if (
            isinstance(error, sqlite3.DatabaseError)
            and index_file.is_damage(error)
            and not reads_only
        ):
            index_file.remove(path)
        return None


def _hold(db: sqlite3.Connection) -> None:
    """Goes on seeing the file as it is now."""
    db.execute("PRAGMA synchronous = OFF")
    db.execute("BEGIN")
    db.execute("SELECT count(*) FROM sqlite_master").fetchone()


def _version(db: sqlite3.Connection) -> int:
    """Another number once another connection has changed the file."""
    version: int = db.execute("PRAGMA data_version").fetchone()[0]
    return version


def _tag() -> str:
    return f"sources {VERSION} {tables.tag()}"


def _known(db: sqlite3.Connection) -> tuple[str, str]:
    if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone():
        return "", ""
    return tables.get(db, "tag"), tables.get(db, "commit")


def _bring_to(
    db: sqlite3.Connection,
    wanted: Sequence[SourceRow],
    read: Callable[[SourceRow], Sequence[str] | None],
    state: str,
) -> None:
    """Takes out what no page names any more, and in what is new; then holds what there is. Others
    write only when they have the turn."""
    db.execute("BEGIN IMMEDIATE")
    try:
        if _known(db)[0] != _tag():
            for name in ("meta", "source", "posting"):
                db.execute(f"DROP TABLE IF EXISTS {name}")
            for statement in _TABLES.split(";"):
                db.execute(statement)
            tables.put(db, "tag", _tag())
        found = db.execute("SELECT id, page, path, sha256 FROM source").fetchall()
        held = {SourceRow(*row): number for number, *row in found}
        for row in sorted(held.keys() - set(wanted)):
            db.execute("DELETE FROM posting WHERE source = ?", (held[row],))
            db.execute("DELETE FROM source WHERE id = ?", (held[row],))
        for row in wanted:
            if row not in held and (lines := read(row)) is not None:
                _add(db, row, lines)
        tables.put(db, "commit", state)
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")
    db.execute("BEGIN")


def _add(db: sqlite3.Connection, row: SourceRow, lines: Sequence[str]) -> None:
    spans = list(cut(lines))[:MOST_PASSAGES]
    postings: dict[str, array[int]] = {}
    numbers = array("I")
    whole = 0
    for at, (first, last, heading) in enumerate(spans):
        text = "\n".join(lines[first - 1 : last])
        counts, words = count_terms(f"{lines[heading - 1]}\n{text}" if heading else text)
        whole += words
        numbers.extend((first, last, words, heading))
        for term, count in counts.items():
            postings.setdefault(term, array("H")).extend((at, min(count, 255)))
    number = db.execute(
        "INSERT INTO source (page, path, sha256, passages, words, spans, text)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (*row, len(spans), whole, numbers.tobytes(), zlib.compress("\n".join(lines).encode())),
    ).lastrowid
    db.executemany(
        "INSERT INTO posting VALUES (?, ?, ?)",
        ((term, number, postings[term].tobytes()) for term in sorted(postings)),
    )
    keys = sorted(link_keys(row.path, lines))
    db.executemany("INSERT INTO posting VALUES (?, ?, '')", ((key, number) for key in keys))


def link_keys(path: str, lines: Sequence[str]) -> set[str]:
    """The keys under which a source is kept beside its terms; no term holds their colon."""
    from llmwiki.index.names_and_words import plain_text, runs
    from llmwiki.pages.link_targets import name_in, outgoing

    text = "\n".join(lines)
    found = {RUN + run for run in runs(plain_text(text))}
    for link in outgoing(path, text):
        # What a Markdown link means is one file, whatever others are called.
        key = f"/{bare(link.resolved.removesuffix('.html'))}" if link.resolved else link.key
        if key:
            found.add(f"{LINK}{name_in(key)}/{key}")
    return {f"{FILE}{name_in(bare(path))}/", *found}


def bare(path: str) -> str:
    """The key of a file: folded, without the ending of a note."""
    return name_key(path).removesuffix(".md")


def cut(lines: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """The passages of a text: (first line, last line, line of the heading above or 0).

    A passage is a paragraph, a part of a long one, or several short ones below one heading, which
    is no part of it. A heading with nothing below it is one by itself, with those in the lines next
    to it: comments of a program look like that.
    """
    start = last = size = heading = bare_from = 0
    for number, line in enumerate(lines, start=1):
        if number == 1 and line.startswith(_CONVERTED):
            continue
        heads = is_heading(lines, number)
        if start and (heads or size > MOST or (size > LEAST and not line.strip())):
            yield start, last, heading
            start = size = 0
        if heads:
            if bare_from and heading < number - 1:
                yield bare_from, heading, 0
                bare_from = 0
            heading, bare_from = number, bare_from or number
        elif line.strip() and not (heading == number - 1 and is_drawn(line)):
            if bare_from and bare_from < heading:
                yield bare_from, heading - 1, 0
            start, last, bare_from = start or number, number, 0
            size += len(line)
    if start:
        yield start, last, heading
    elif bare_from:
        yield bare_from, heading, 0


def is_drawn(line: str) -> bool:
    """Whether a line is drawn, as one that marks the line above as a heading."""
    drawn = line.rstrip()
    return len(drawn) >= 4 and drawn[0] in "=-~'\"^" and len(Counter(drawn)) == 1


def is_heading(lines: Sequence[str], number: int) -> bool:
    """Whether a heading stands in that line: marked by `#`, or underlined in the next one."""
    line = lines[number - 1]
    if line.startswith("#"):
        return line.lstrip("#").startswith(" ")
    under = lines[number] if number < len(lines) else ""
    is_over = is_drawn(under) and len(under.rstrip()) >= len(line.rstrip())
    return is_over and bool(line.strip()) and not line[0].isspace() and not is_drawn(line)


# --- what texts link to and name: rows in the file of their passages ------------------------------

MOST_NAMING = 60
"""Sources that name a page, beyond which its name says nothing."""


def own_links(
    sources: SourceIndex, names: Collection[str] | None = None
) -> Iterator[tuple[str, str]]:
    """The links between sources, or those that give one of these file names: the page of the source
    one stands in, and of that it leads to. A link that leads to none is nothing."""

    def of_kind(kind: str) -> Iterator[tuple[str, str, str]]:
        for prefix in [kind] if names is None else [f"{kind}{name}/" for name in sorted(names)]:
            for term, page, path in sources.keyed(prefix):
                yield term[len(kind) :].partition("/")[2], page, path

    pages = {path: page for _, page, path in of_kind(FILE)}
    of_name: dict[str, list[str]] = {}
    for path in pages:
        of_name.setdefault(name_in(bare(path)), []).append(path)
    files = {bare(path): path for path in pages}
    known = {name: PagesOfName(paths) for name, paths in of_name.items()}
    for key, page, path in of_kind(LINK):
        to = files.get(key.replace("//", "/").removeprefix("/"))
        if "//" not in key and not key.startswith("/") and (named := known.get(name_in(key))):
            to = named.lead(key, path)
        if to is not None and pages[to] != page:
            yield page, pages[to]


def linking(sources: SourceIndex, path: str, resource: str, names: Iterable[str]) -> set[str]:
    """The pages of the sources that link to that of another, or that say one of its names.

    `resource` is the path of its source; empty: it has none.
    """
    file = {name_in(bare(resource))} if resource else set()
    found = {page for page, to in own_links(sources, file) if to == path}
    for name in {title_key(name) for name in names} - {""}:
        said = sources.naming(name)
        found.update(said if len(said) <= MOST_NAMING else ())
    return found - {path}
