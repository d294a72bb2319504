"""Worded edges: from a page to those all of whose title's words stand in its text.

People write a title in lower case, inflected or apart ("the backups of an index"); such a page is
no mention for sure, but a lead.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from llmwiki.index.corpus import Card, Corpus
from llmwiki.language.tokens import terms
from llmwiki.retrieval.neighbours import LinkNeighbourhood
from llmwiki.retrieval.seeds import SeedScores
from llmwiki.retrieval.title_match import rarity
from llmwiki.retrieval.weights import BOUNDS, SCALE, Recipe

_NAMES = 6
"""Title and aliases of one page that are tried."""
_BODY = 63
"""The bits of a posting's code that count the text."""


def worded_edges(
    corpus: Corpus, start: SeedScores, around: LinkNeighbourhood, recipe: Recipe
) -> dict[int, dict[int, int]]:
    """From each of the best pages to pages of the pool: weights by the title's rarest word."""
    pool = start.pool[: BOUNDS.title_pool]
    around.read_cards(pool)
    names = {doc: _terms_of_names(around.cards[doc]) for doc in pool}
    held = corpus.frequencies(sorted({term for each in names.values() for n in each for term in n}))
    least = recipe.worded_rarity * SCALE
    edges: dict[int, dict[int, int]] = {doc: {} for doc in start.best}
    standing = _Standing(corpus, start.best)
    for doc, each in names.items():
        for name in each:
            if not all(term in held for term in name):
                continue
            order = sorted(name, key=lambda term: held[term])
            rare = rarity(corpus.pages, held[order[0]])
            if rare < least:
                continue
            weight = int(rare * recipe.worded)
            for source in set.intersection(*map(standing.of, order)) - {doc}:
                edges[source][doc] = max(edges[source].get(doc, 0), weight)
    return edges


class _Standing:
    """On which of some pages terms stand in the text."""

    def __init__(self, corpus: Corpus, docs: Collection[int]) -> None:
        self._corpus, self._docs = corpus, docs
        self._known: dict[str, set[int]] = {}

    def of(self, term: str) -> set[int]:
        """The pages with one term."""
        if term not in self._known:
            found = self._corpus.among(term, self._docs)
            pairs = zip(found.docs, found.codes, strict=True)
            self._known[term] = {doc for doc, code in pairs if code & _BODY}
        return self._known[term]


def _terms_of_names(card: Card) -> list[tuple[str, ...]]:
    names = dict.fromkeys((card.title, *card.aliases[: _NAMES - 1]))
    return [found for name in names if (found := _terms_of(name))]


@lru_cache(maxsize=1 << 13)
def _terms_of(name: str) -> tuple[str, ...]:
    return tuple(terms(name))
