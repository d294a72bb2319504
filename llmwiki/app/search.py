"""The pages and sources in which words stand."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from llmwiki.core.named_tuple import NamedTuple
from llmwiki.core.text import cut, listed
from llmwiki.pages.names import namesakes, stem_of, told_apart
from llmwiki.query.question import MAX_BYTES, as_question
from llmwiki.query.retrieval.weights import BUDGET

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from llmwiki.index.corpus import Card
    from llmwiki.index.open_index import Index
    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.query.retrieval.page_search import MatchedPage
    from llmwiki.query.retrieval.rank import Ranking
    from llmwiki.query.retrieval.search_words import SearchWords

NOTE = 200
"""Characters of a note on words that stand nowhere, at most."""

__all__ = ["BUDGET", "MAX_BYTES", "SearchResult", "SearchRow", "search"]


class SearchRow(NamedTuple):
    """One page that was found, with the passage for which it was."""

    found: MatchedPage
    text: str
    """The passage; the page's description where it was found by its names and links alone."""
    line: int | None
    """Where the passage stands, from 1: in `source` if there is one, else in the page; None for a
    description."""
    source: str | None
    """The file below raw/ that the passage is a line of or quotes."""
    handle: str
    """What a citation of the passage is written as."""
    updated_by: tuple[str, ...] = ()
    """Of a claim: the handles of those that took its place or tell what has become of it since; of
    lines of a source, of the claim that took the place of one that quotes them."""
    mark: str | None = None
    """What tells the page from others of the same title among those found."""

    @property
    def path(self) -> str:
        """The page's file, below the wiki's root."""
        return self.found.card.path

    @property
    def title(self) -> str:
        """The page's title."""
        return self.found.card.title

    @property
    def type(self) -> str:
        """`concept`, `source` …; empty where the page says none."""
        return self.found.card.type

    @property
    def source_id(self) -> str | None:
        """The id of the source that the passage is a line of; None for one of a page."""
        return stem_of(self.path) if self.found.passage.kind == "source" else None

    @property
    def shown_title(self) -> str:
        """The page's title, with what tells it from others found."""
        return told_apart(self.title, self.mark)

    @property
    def place(self) -> str:
        """Where the passage stands: `raw/pump.md:8`, or a line of the page."""
        return f"{self.source or self.path}:{self.line}" if self.line else self.path


class SearchResult(NamedTuple):
    """What a search found."""

    question: str
    """The words in their normal form."""
    rows: tuple[SearchRow, ...]
    """Best first."""
    ranking: Ranking
    """What the ranks of pages are made of."""
    pages: int
    """How many pages the wiki has."""
    looked_for: frozenset[str] = frozenset()
    """The search terms that were looked for, in their base forms."""
    instead: Mapping[str, str] = {}
    """Words that stand nowhere, each with the one that was looked for in its place."""
    nowhere: tuple[str, ...] = ()
    """The other words that stand nowhere, as they were typed."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What is told of words that stand nowhere."""
        found = [f"nothing says {word}; this is for {near}" for word, near in self.instead.items()]
        if self.nowhere:
            found.append(f"nothing says {listed(self.nowhere)}")
        return tuple(cut(note, NOTE) for note in found)

    def excerpt(self, row: SearchRow, width: int) -> str:
        """The part of a row's text that holds most of the words, of `width` characters at most;
        without secrets."""
        from llmwiki.core.secrets import redacted
        from llmwiki.query.retrieval.page_search import excerpt

        return excerpt(redacted(row.text), self.looked_for, width)

    def pieces(self, text: str) -> list[tuple[str, bool]]:
        """A text in pieces, each with whether it is one of the words that were looked for."""
        from llmwiki.query.retrieval.page_search import marks

        found, end = [], 0
        for first, behind in marks(text, self.looked_for):
            if first >= end:
                found += [(text[end:first], False), (text[first:behind], True)]
                end = behind
        return [*found, (text[end:], False)]


def load() -> None:
    """Imports what a search or a question needs: the first takes half as long then. Reads no
    wiki."""
    for name in ("llmwiki.index.open_index", "llmwiki.query.look"):
        importlib.import_module(name)


def search(
    wiki: OpenWiki,
    words: str,
    *,
    limit: int = 10,
    at: str | None = None,
    as_of: str | None = None,
) -> SearchResult:
    """The pages that words, names or a question lead to, best first; no model is called.

    At most `limit` pages, in the commit `at`, or as the day `as_of` (`2026-11-01`, UTC) left the
    wiki; None: as it is. Raises InputError where there are no words, for no such commit, and for
    what is no day, or one before the first commit.
    """
    typed = as_question(words, "search green tea")
    from llmwiki.query.retrieval.page_search import search_pages
    from llmwiki.query.retrieval.search_words import search_words
    from llmwiki.query.source_texts import sources_beside

    asked = search_words(typed)
    wiki, at = wiki.as_of(as_of, at)
    with wiki.index(at) as index, sources_beside(wiki, index, at) as sources:
        found = search_pages(
            index,
            index.read,
            asked,
            limit=limit,
            sources=sources,
            keep=_restriction(index, asked),
        )
        marks = namesakes((each.card.path, each.card.title) for each in found.pages)
        rows = tuple(_row(each, marks.get(each.card.path)) for each in found.pages)
        return SearchResult(
            typed, rows, found.ranking, index.pages, found.terms, found.instead, found.nowhere
        )


def _restriction(index: Index, asked: SearchWords) -> Callable[[Card], bool] | None:
    """Which pages may be found; None: all."""
    wanted = frozenset(asked.types)
    if not (wanted or asked.paths or asked.tags):
        return None
    from llmwiki.index.corpus import RESOURCE, TAG

    tagged = [
        {doc for name, docs in index.below(TAG) if _is_below(name, tag) for doc in docs}
        for tag in asked.tags
    ]
    sources: dict[int, str] = {}
    if asked.paths:
        sources = {doc: path for path, docs in index.below(RESOURCE) for doc in docs}

    def allowed(card: Card) -> bool:
        return (
            (not wanted or card.type in wanted)
            and all(card.doc in docs for docs in tagged)
            and (asked.allows(card.path) or asked.allows(sources.get(card.doc, "")))
        )

    return allowed


def _is_below(name: str, tag: str) -> bool:
    """Whether a page's tag is that one, or one below it: `tea/green` is below `tea`."""
    return f"{name.casefold()}/".startswith(f"{tag.removeprefix('#')}/")


def _row(found: MatchedPage, mark: str | None) -> SearchRow:
    passage = found.passage
    source, line = next(((path, first) for path, first, _ in passage.places), (None, 0))
    return SearchRow(
        found,
        passage.text,
        line or passage.line or None,
        source,
        passage.handle,
        tuple(pointer.handle for pointer in passage.followed_by),
        mark,
    )
