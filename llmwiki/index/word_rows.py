"""The words of pages as the file holds them: how often each stands in title and body, and how many
there are."""

from __future__ import annotations

import sqlite3
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Mapping

from llmwiki.index.names_and_words import MAX_BODY_COUNT, MAX_TITLE_COUNT
from llmwiki.index.tables import BLOCK, COLUMNS

_BITS = 8
_CODE = (1 << _BITS) - 1
_WIDTH = array("Q").itemsize


def columns_of(codes: Mapping[str, int]) -> list[str]:
    """The columns of the full text (`schema.COLUMNS`), from the code of each term."""
    of_code: dict[int, list[str]] = {}
    for term, code in codes.items():
        if code in of_code:
            of_code[code].append(term)
        else:
            of_code[code] = [term]
    columns = [""] * len(COLUMNS)
    for code, terms in of_code.items():
        in_title, in_body = code >> 6, code & MAX_BODY_COUNT
        listed = f" {' '.join(terms)}"
        if in_title:
            columns[in_title - 1] += listed
        if in_body:
            columns[MAX_TITLE_COUNT - 1 + in_body] += listed
    return columns


def packed(codes: Mapping[str, int], numbers: Mapping[str, int]) -> bytes:
    """The words of a page for its row: the number of each term and its code."""
    found = sorted([numbers[term] << _BITS | code for term, code in codes.items()])
    raw = array("Q", found).tobytes()
    # Bytes of one place together: the high ones are all but zero, those of the code mostly one.
    return zlib.compress(b"".join([raw[place::_WIDTH] for place in range(_WIDTH)]), 1)


def _numbers(words: bytes) -> array[int]:
    raw = zlib.decompress(words)
    count = len(raw) // _WIDTH
    ordered = bytearray(len(raw))
    for place in range(_WIDTH):
        ordered[place::_WIDTH] = raw[place * count : (place + 1) * count]
    return array("Q", bytes(ordered))


def unpacked(words: bytes) -> dict[int, int]:
    """The number of each term and its code."""
    return {number >> _BITS: number & _CODE for number in _numbers(words)}


class WordCounts:
    """How often words stand on a page, looked up in what its row holds."""

    __slots__ = ("_numbers",)

    def __init__(self, words: bytes) -> None:
        self._numbers = _numbers(words)

    def code(self, term: int) -> int:
        """Of the term of that number (`names_and_words.code`); 0: it does not stand there."""
        numbers, wanted = self._numbers, term << _BITS
        at = bisect_left(numbers, wanted)
        if at < len(numbers) and numbers[at] >> _BITS == term:
            return numbers[at] & _CODE
        return 0


class PageLengths:
    """How many terms the bodies and titles of pages have, in blocks of neighbouring numbers."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def of(self, number: int) -> tuple[int, int]:
        """Of one page."""
        words, titles = self._block(number // BLOCK)
        return words[number % BLOCK], titles[number % BLOCK]

    def put(self, lengths: Mapping[int, tuple[int, int]]) -> None:
        """Sets those of some pages; (0, 0): there is none."""
        of_block: dict[int, dict[int, tuple[int, int]]] = {}
        for number, each in lengths.items():
            of_block.setdefault(number // BLOCK, {})[number % BLOCK] = each
        for block, found in of_block.items():
            words, titles = self._block(block)
            for at, (in_body, in_title) in found.items():
                words[at], titles[at] = in_body, in_title
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
