"""Worded edges: from a page to those all of whose title's words stand in its text.

People write a title in lower case, inflected or apart ("the backups of an index"); such a page is
no mention for sure, but a lead.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from functools import lru_cache

from llmwiki.index.corpus import WORD, Card, Corpus, Postings
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
    names = {doc: _keys_of_names(around.cards[doc]) for doc in pool}
    held = corpus.postings(sorted({key for each in names.values() for n in each for key in n}))
    least = recipe.worded_rarity * SCALE
    edges: dict[int, dict[int, int]] = {doc: {} for doc in start.best}
    for doc, each in names.items():
        for name in each:
            if not all(key in held for key in name):
                continue
            keys = sorted(name, key=lambda key: len(held[key]))
            rare = rarity(corpus.pages, len(held[keys[0]]))
            if rare < least:
                continue
            weight = int(rare * recipe.worded)
            standing = [source for source in start.best if source != doc]
            for key in keys:
                # The rarest word first: after it hardly a page is left.
                standing = _standing(held[key], standing) if standing else []
            for source in standing:
                edges[source][doc] = max(edges[source].get(doc, 0), weight)
    return edges


def _keys_of_names(card: Card) -> list[tuple[str, ...]]:
    names = dict.fromkeys((card.title, *card.aliases[: _NAMES - 1]))
    return [found for name in names if (found := _keys_of(name))]


@lru_cache(maxsize=1 << 13)
def _keys_of(name: str) -> tuple[str, ...]:
    """The keys of the terms of a name."""
    return tuple([WORD + term for term in terms(name)])


def _standing(postings: Postings, docs: Iterable[int]) -> list[int]:
    """On which of some pages a term stands in the text."""
    found = []
    for doc in docs:
        at = bisect_left(postings.docs, doc)
        if at < len(postings) and postings.docs[at] == doc and postings.codes[at] & _BODY:
            found.append(doc)
    return found
