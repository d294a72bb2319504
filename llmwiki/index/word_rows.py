"""The words of pages as the file holds them: how often each stands in title and body, and how many
there are."""

from __future__ import annotations

import sqlite3
import zlib
from array import array
from collections.abc import Iterable, Mapping

from llmwiki.index.page_terms import MAX_BODY_COUNT, MAX_TITLE_COUNT
from llmwiki.index.schema import BLOCK


def columns_of(titles: Mapping[str, int], bodies: Mapping[str, int]) -> list[str]:
    """The columns of the full text: the terms of each, sorted, with a blank on every side."""
    return [*_by_count(titles, MAX_TITLE_COUNT), *_by_count(bodies, MAX_BODY_COUNT)]


def _by_count(counts: Mapping[str, int], most: int) -> list[str]:
    found: dict[int, list[str]] = {}
    for term in sorted(counts):
        count = counts[term]
        found.setdefault(count if count < most else most, []).append(term)
    return [f" {' '.join(found[count])} " if count in found else "" for count in range(1, most + 1)]


def packed(columns: Iterable[str]) -> bytes:
    """The columns of the full text of a page, for its row."""
    return zlib.compress("\n".join(columns).encode())


def unpacked(terms: bytes) -> list[str]:
    """The columns of the full text of a page, from its row."""
    return zlib.decompress(terms).decode().split("\n")


def terms_in(columns: Iterable[str]) -> set[str]:
    """The terms of a page."""
    return {term for column in columns for term in column.split()}


class WordCounts:
    """How often words stand on a page, looked up in what its row holds."""

    __slots__ = ("_body", "_text")

    def __init__(self, terms: bytes) -> None:
        self._text = zlib.decompress(terms)
        at = -1
        for _ in range(MAX_TITLE_COUNT):
            at = self._text.index(b"\n", at + 1)
        self._body = at + 1

    def code(self, term: bytes) -> int:
        """As `page_terms.code` has it; 0: it does not stand there."""
        asked = b" %b " % term
        at = self._text.find(asked)
        if at < 0:
            return 0
        count = self._text.count(b"\n", 0, at)
        if at >= self._body:
            return count - MAX_TITLE_COUNT + 1
        code = (count + 1) << 6
        at = self._text.find(asked, self._body)
        return code if at < 0 else code + self._text.count(b"\n", self._body, at) + 1


class PageLengths:
    """How many terms the bodies and titles of pages have, in blocks of neighbouring numbers."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def of(self, number: int) -> tuple[int, int]:
        """Of one page."""
        words, titles = self._block(number // BLOCK)
        return words[number % BLOCK], titles[number % BLOCK]

    def put(self, number: int, lengths: tuple[int, int]) -> None:
        """Sets those of one page; (0, 0): there is none."""
        block, at = divmod(number, BLOCK)
        words, titles = self._block(block)
        words[at], titles[at] = lengths
        self._db.execute(
            "INSERT OR REPLACE INTO length VALUES (?, ?, ?)",
            (block, words.tobytes(), titles.tobytes()),
        )

    def all(self) -> tuple[array[int], array[int]]:
        """Of all pages, by their numbers; 0 where there is none."""
        words, titles = array("I"), array("B")
        rows = self._db.execute("SELECT block, words, titles FROM length ORDER BY block")
        for block, word_bytes, title_bytes in rows:
            hole = block * BLOCK - len(titles)
            words.frombytes(bytes(4 * hole) + word_bytes)
            titles.frombytes(bytes(hole) + title_bytes)
        return words, titles

    def _block(self, block: int) -> tuple[array[int], array[int]]:
        row = self._db.execute(
            "SELECT words, titles FROM length WHERE block = ?", (block,)
        ).fetchone() or (bytes(4 * BLOCK), bytes(BLOCK))
        return array("I", row[0]), array("B", row[1])
