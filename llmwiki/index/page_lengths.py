"""How many terms pages have, for all pages at once."""

from __future__ import annotations

import sqlite3
from array import array

from llmwiki.index.schema import BLOCK


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
