"""The pages that words, names or a question lead to."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from llmwiki.app.as_of import as_of
from llmwiki.core.page_kinds import KINDS
from llmwiki.pages.namesakes import namesakes, told_apart
from llmwiki.query.question import MAX_BYTES, as_question

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.index.corpus import Card
    from llmwiki.retrieval.rank import Ranking, SearchHit

__all__ = ["KINDS", "MAX_BYTES", "SearchResult", "SearchRow", "search"]


class SearchRow(NamedTuple):
    """One page that was found."""

    hit: SearchHit
    text: str
    """Its description, or the passage that fits best."""
    line: int | None
    """Where that passage stands in the page, from 1; None for a description."""
    updated_by: tuple[str, ...] = ()
    """Of a passage that is a claim: the handles of those that tell what has become of it since."""

    mark: str | None = None
    """What tells the page from others of the same title among those found."""

    @property
    def path(self) -> str:
        """The page's file, below the wiki's root."""
        return self.hit.card.path

    @property
    def title(self) -> str:
        """The page's title."""
        return self.hit.card.title

    @property
    def shown_title(self) -> str:
        """The page's title, with what tells it from others found."""
        return told_apart(self.title, self.mark)


class SearchResult(NamedTuple):
    """What a search found."""

    question: str
    """The words in their normal form."""
    rows: tuple[SearchRow, ...]
    """Best first."""
    ranking: Ranking
    """What the scores are made of."""
    pages: int
    """How many pages the wiki has."""


def search(
    wiki: OpenWiki,
    words: str,
    *,
    limit: int = 10,
    kinds: Collection[str] = (),
    at: str | None = None,
    fresh: bool = False,
    day: str | None = None,
) -> SearchResult:
    """The pages that `words` lead to; see `Wiki.search`."""
    asked = as_question(words, "search green tea")
    from llmwiki.retrieval.rank import rank

    wiki, at = as_of(wiki, day, at, fresh)
    with wiki.index(at, fresh) as index:
        ranking = rank(index, asked, limit=limit, kinds=frozenset(kinds) or None)
        rows = _rows(ranking, index.read)
        marks = namesakes((row.path, row.title) for row in rows)
        rows = tuple(row._replace(mark=marks.get(row.path)) for row in rows)
        return SearchResult(asked, rows, ranking, index.pages)


def _rows(ranking: Ranking, read: Callable[[Card], str]) -> tuple[SearchRow, ...]:
    """What was found, each page with its description, or with the passage that fits best."""
    from llmwiki.query.snippet import Snippets

    snippets = Snippets({term.text: term.idf for term in ranking.terms})
    rows = []
    for hit in ranking.hits:
        card = hit.card
        text, line = card.description, None
        later: tuple[str, ...] = ()
        if not text and (best := snippets.best(card, read)):
            text, line = best.text, best.line
            later = tuple(pointer.handle for pointer in best.updated_by)
        rows.append(SearchRow(hit, text, line, later))
    return tuple(rows)
