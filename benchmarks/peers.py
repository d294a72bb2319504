"""The search engines that the product is measured against, each over the same documents."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Protocol

from benchmarks.evaluation_sets import Document
from llmwiki.core.language.search_terms import STOP_WORDS, words


class Engine(Protocol):
    """Answers a question with the ids of pages, best first."""

    def search(self, question: str, limit: int, exclude: AbstractSet[str]) -> list[str]:
        """At most `limit` ids, none of them in `exclude`."""


class Fts5:
    """SQLite FTS5 with its own BM25, titles three times as heavy, any content word may match."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._base = sqlite3.connect(":memory:")
        self._base.execute(
            "CREATE VIRTUAL TABLE pages USING fts5(title, body, tokenize = 'porter unicode61')"
        )
        self._base.executemany(
            "INSERT INTO pages(rowid, title, body) VALUES (?, ?, ?)",
            ((n, d.title, d.text) for n, d in enumerate(documents)),
        )
        self._base.execute("INSERT INTO pages(pages) VALUES ('optimize')")
        self._ids = [document.id for document in documents]

    def search(self, question: str, limit: int, exclude: AbstractSet[str]) -> list[str]:
        """At most `limit` ids, none of them in `exclude`."""
        asked = dict.fromkeys(words(question))
        content = [word for word in asked if word not in STOP_WORDS] or list(asked)
        if not content:
            return []
        rows = self._base.execute(
            "SELECT rowid FROM pages WHERE pages MATCH ? ORDER BY bm25(pages, 3.0, 1.0), rowid"
            " LIMIT ?",
            (" OR ".join(f'"{word}"' for word in content), limit + len(exclude)),
        )
        found = [self._ids[row[0]] for row in rows]
        return [page for page in found if page not in exclude][:limit]


class Bm25s:
    """The package bm25s with English stop words and Snowball stems; title and text as one field."""

    def __init__(self, documents: Sequence[Document]) -> None:
        """Raises ImportError where the package is not installed."""
        import bm25s
        import Stemmer

        self._tokenise: Any = bm25s.tokenize
        self._stemmer = Stemmer.Stemmer("english")
        self._ids = [document.id for document in documents]
        self._index = bm25s.BM25(k1=1.5, b=0.75)
        texts = [f"{document.title}\n{document.text}" for document in documents]
        tokens = self._tokens(texts)
        # It divides by the mean length of the texts.
        self._has_words = any(len(ids) for ids in tokens.ids)
        if self._has_words:
            self._index.index(tokens, show_progress=False)

    def _tokens(self, texts: list[str]) -> Any:
        return self._tokenise(texts, stopwords="en", stemmer=self._stemmer, show_progress=False)

    def search(self, question: str, limit: int, exclude: AbstractSet[str]) -> list[str]:
        """At most `limit` ids, none of them in `exclude`."""
        if not self._has_words:
            return []
        wanted = min(limit + len(exclude), len(self._ids))
        places, scores = self._index.retrieve(
            self._tokens([question]), k=wanted, show_progress=False, n_threads=0
        )
        found = [
            self._ids[int(place)]
            for place, score in zip(places[0], scores[0], strict=True)
            if score > 0
        ]
        return [page for page in found if page not in exclude][:limit]
