"""Pages that are indexed together: their rows, their postings, their counts."""

from __future__ import annotations

import sqlite3
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from llmwiki.index.corpus import LINK, RUN, TITLE, WORD
from llmwiki.index.facts import PageFacts
from llmwiki.index.keys import SHARD, TAG, TYPE, entry_of, keys_of, shard_key
from llmwiki.index.page_facts import facts_of
from llmwiki.index.page_terms import (
    MAX_BODY_COUNT,
    code,
    plain_text,
    runs,
    text_counted,
    text_of_runs,
    title_key,
    title_terms,
)
from llmwiki.index.rows import SUMS, pack
from llmwiki.language.tokens import split_tokens, token_terms


@dataclass(frozen=True, slots=True)
class Version:
    """One page's bytes as they were found."""

    path: str
    oid: str
    """Git's blob id of the bytes."""
    data: bytes
    mtime: int = 0
    """In nanoseconds; 0: not known, or too fresh to be trusted."""
    size: int = 0
    inode: int = 0


def tallies_of(facts: PageFacts) -> Iterator[tuple[str, str]]:
    """The counts of the wiki that a page adds one to: (prefix, key)."""
    yield TYPE, facts.type
    yield SHARD, shard_key(entry_of(facts).shard)
    for tag in dict.fromkeys(facts.tags):
        yield TAG, tag
    for link in facts.linked_names:
        yield LINK, link


def sums_of(facts: PageFacts, length: int, title_length: int) -> dict[tuple[str, str], int]:
    """What a page adds to the sums of the wiki."""
    return {
        (SUMS, "pages"): 1,
        (SUMS, "claims"): len(facts.claims),
        (SUMS, "struck"): facts.struck,
        (SUMS, "words"): length,
        (SUMS, "title_words"): title_length,
    }


class IndexSegment:
    """A segment in the making; its pages are numbered from `first`."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.tallies: Counter[tuple[str, str]] = Counter()
        self._pages: list[tuple[object, ...]] = []
        self._lengths = array("I")
        self._titles = array("B")
        self._body = _Words()
        self._title = _Words()
        self._keys: dict[str, array[int]] = {}

    def __len__(self) -> int:
        return len(self._pages)

    def add(self, version: Version) -> None:
        """Index one page."""
        text = version.data.decode("utf-8", "ignore")
        facts = facts_of(version.path, text)
        doc = self.first + len(self._pages)
        body = plain_text(text)
        words = split_tokens(text_counted(facts.description, body))
        length = max(len(words) - self._body.add(doc, words), 1)
        for name in dict.fromkeys((facts.title, *facts.aliases)):
            self._title.add(doc, split_tokens(name))
        found = runs(text_of_runs(facts.title, body))
        keys = self._keys
        for key in search_keys(facts, found):
            held = keys.get(key)
            if held is None:
                held = keys[key] = array("I")
            held.append(doc)
        title_length = title_terms(facts.title)
        self._lengths.append(length)
        self._titles.append(title_length)
        for kind_and_key in tallies_of(facts):
            self.tallies[kind_and_key] += 1
        for sum_of, count in sums_of(facts, length, title_length).items():
            self.tallies[sum_of] += count
        self._pages.append(
            (
                *(doc, version.path, version.oid, facts.type, facts.title, facts.description),
                *(pack(facts), "\n".join(found)),
                *(version.mtime, version.size, version.inode),
            )
        )

    def write(self, db: sqlite3.Connection, number: int) -> None:
        """Put everything into the file under the number of a new segment."""
        db.executemany(f"INSERT INTO page VALUES ({','.join('?' * 11)})", self._pages)
        db.execute(
            "INSERT INTO segment VALUES (?, ?, ?, ?, ?)",
            (
                *(number, self.first, len(self._pages)),
                *(self._lengths.tobytes(), self._titles.tobytes()),
            ),
        )
        rows = {key: held.tobytes() + b"\1" * len(held) for key, held in self._keys.items()}
        bodies, titles = self._body.by_term(), self._title.by_term()
        for term in bodies.keys() | titles.keys():
            rows[WORD + term] = _stored(bodies.get(term, []), titles.get(term, []))
        db.executemany(
            "INSERT INTO posting VALUES (?, ?, ?)",
            ((number, key, rows[key]) for key in sorted(rows)),
        )
        tally(db, self.tallies)


class _Words:
    """Where each word stands, as it is written: one look-up an occurrence, one stemming a word."""

    def __init__(self) -> None:
        self._append: dict[bytes | str, Callable[[int], None]] = {}
        self._docs: dict[bytes | str, list[int]] = {}
        self._ignored: list[int] = []

    def add(self, doc: int, found: Iterable[bytes | str]) -> int:
        """Enter the words of one page; returns how many carry no term."""
        append = self._append
        for word in found:
            try:
                append[word](doc)
            except KeyError:
                self._learn(word)(doc)
        ignored = len(self._ignored)
        self._ignored.clear()
        return ignored

    def _learn(self, word: bytes | str) -> Callable[[int], None]:
        docs = self._docs[word] = [] if token_terms(word) else self._ignored
        self._append[word] = docs.append
        return docs.append

    def by_term(self) -> dict[str, list[list[int]]]:
        """Each term to where its words stand, a page as often as there are words."""
        found: dict[str, list[list[int]]] = {}
        for word, docs in self._docs.items():
            for term in token_terms(word):
                found.setdefault(term, []).append(docs)
        return found


def _stored(body: list[list[int]], title: list[list[int]]) -> bytes:
    """The postings of a term."""
    counts = Counter(body[0]) if len(body) == 1 else _sorted(body)
    values = counts.values()
    most = max(values, default=0)
    docs = array("I", counts)
    codes = bytearray(values if most <= MAX_BODY_COUNT else map(_clipped, values))
    for doc, count in Counter(chain.from_iterable(title)).items():
        # Titles are few: each is put in its place among the bodies.
        place = bisect_left(docs, doc)
        if place == len(docs) or docs[place] != doc:
            docs.insert(place, doc)
            codes.insert(place, 0)
        codes[place] = code(count, codes[place])
    return docs.tobytes() + codes


def _sorted(lists: list[list[int]]) -> Counter[int]:
    counts = Counter(chain.from_iterable(lists))
    return Counter({doc: counts[doc] for doc in sorted(counts)})


def _clipped(count: int) -> int:
    return min(count, MAX_BODY_COUNT)


def search_keys(facts: PageFacts, found: Iterable[str]) -> set[str]:
    """Every key of a page with these runs, beside its words."""
    keys = set(keys_of(facts))
    keys.update(RUN + run for run in found)
    for name in dict.fromkeys((facts.title, *facts.aliases)):
        if key := title_key(name):
            keys.add(TITLE + key)
    return keys


def blob_of(docs: list[int], codes: bytes) -> bytes:
    """Postings as they are stored: the numbers, four bytes each, then a byte of code for each."""
    return array("I", docs).tobytes() + codes


def tally(db: sqlite3.Connection, tallies: Counter[tuple[str, str]], sign: int = 1) -> None:
    """Add counts to those of the wiki; what comes to nothing goes."""
    rows = [(kind, key, sign * n) for (kind, key), n in sorted(tallies.items()) if n]
    db.executemany(
        "INSERT INTO tally VALUES (?, ?, ?) "
        "ON CONFLICT (kind, key) DO UPDATE SET count = count + excluded.count",
        rows,
    )
    if sign < 0:
        db.executemany(
            "DELETE FROM tally WHERE kind = ? AND key = ? AND count = 0", [row[:2] for row in rows]
        )
