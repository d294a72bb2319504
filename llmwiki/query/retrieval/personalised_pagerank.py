"""The walk: where it starts, and pages that are reached from there over links, names and titles.

The start is what words, titles and names of a question give single pages. Besides the edges of
`neighbours` the walk follows worded ones: people write a title in lower case, inflected or apart
("the backups of an index"); a page all of whose title's words stand in a text is a lead from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from llmwiki.core.language.search_terms import terms
from llmwiki.core.quick_to_load import NamedTuple
from llmwiki.index.lookups import Card, Corpus
from llmwiki.query.retrieval.linked_pages import LinkNeighbourhood, NeighbourWeights
from llmwiki.query.retrieval.title_match import rarity
from llmwiki.query.retrieval.weights import BOUNDS, RECIPE, SCALE
from llmwiki.query.retrieval.word_scores import best


class SeedScores(NamedTuple):
    """What single pages score by themselves."""

    scores: Mapping[int, int]
    """Of every page found; in units of their own."""
    most: int
    """The highest of them."""
    pool: tuple[int, ...]
    """The best pages, best first: those that later steps look at."""
    best: tuple[int, ...]
    """The first of them: those that later steps set out from."""

    def share(self, doc: int) -> int:
        """The score of a page against the best, in millionths."""
        return self.scores.get(doc, 0) * SCALE // self.most


def start_from(
    corpus: Corpus, words: Mapping[int, int], gains: Mapping[int, int], seeds: int
) -> SeedScores | None:
    """Scores by words, with what each page gains in millionths of the best; None without any."""
    most = max(words.values(), default=0)
    if not most:
        return None
    scores = dict(words)
    for doc, gain in gains.items():
        scores[doc] = scores.get(doc, 0) + most * gain // SCALE
    pool = tuple(top(corpus, scores, BOUNDS.pool))
    return SeedScores(scores, scores[pool[0]], pool, pool[:seeds])


def top(corpus: Corpus, scores: Mapping[int, int], count: int) -> list[int]:
    """The pages with the highest scores, best first; ties by path."""
    if count <= 0 or not scores:
        return []
    chosen = best(scores, count)
    paths = corpus.paths_of(chosen)
    return sorted(chosen, key=lambda doc: (-scores[doc], paths[doc]))[:count]


_NAMES = 6
"""Title and aliases of one page that are tried."""
_BODY = 63
"""The bits of a posting's code that count the text."""


def worded_edges(
    corpus: Corpus, start: SeedScores, around: LinkNeighbourhood
) -> dict[int, dict[int, int]]:
    """From each of the best pages to pages of the pool: weights by the title's rarest word."""
    pool = start.pool[: BOUNDS.title_pool]
    around.read_cards(pool)
    names = {doc: _terms_of_names(around.cards[doc]) for doc in pool}
    held = corpus.frequencies(sorted({term for each in names.values() for n in each for term in n}))
    least = RECIPE.worded_rarity * SCALE
    edges: dict[int, dict[int, int]] = {doc: {} for doc in start.best}
    standing = {
        term: {d for d, code in zip(among.docs, among.codes, strict=True) if code & _BODY}
        for term, among in corpus.among(held, start.best).items()
    }
    for doc, each in names.items():
        for name in each:
            if not all(term in held for term in name):
                continue
            rare = rarity(corpus.pages, min(held[term] for term in name))
            if rare < least:
                continue
            weight = int(rare * RECIPE.worded)
            for source in set.intersection(*(standing[term] for term in name)) - {doc}:
                edges[source][doc] = max(edges[source].get(doc, 0), weight)
    return edges


def _terms_of_names(card: Card) -> list[tuple[str, ...]]:
    names = dict.fromkeys((card.title, *card.aliases[: _NAMES - 1]))
    return [found for name in names if (found := _terms_of(name))]


@lru_cache(maxsize=1 << 13)
def _terms_of(name: str) -> tuple[str, ...]:
    return tuple(terms(name))


MASS = SCALE * SCALE
"""All of the walk's mass, as an integer."""


def seeds(start: SeedScores, named: Mapping[int, int]) -> dict[int, int]:
    """Where the walk begins: the best pages, by a high power of their scores, MASS in all.

    Sharp, because all but the first few pages that words find are noise. `named` holds what the
    pages that the question names have at least, in millionths of the best one.
    """
    powers = {
        doc: MASS * start.scores[doc] ** RECIPE.sharpness // start.most**RECIPE.sharpness
        for doc in start.best
    }
    for doc, least in named.items():
        powers[doc] = max(powers.get(doc, 0), MASS * least // SCALE)
    whole = sum(powers.values())
    return {doc: MASS * power // whole for doc, power in powers.items() if power}


def walk(
    begin: Mapping[int, int],
    start: SeedScores,
    around: LinkNeighbourhood,
    worded: Mapping[int, Mapping[int, int]],
) -> dict[int, int]:
    """Personalised PageRank, conditioned on the question, in integers.

    A step follows an edge by its weight times what the page it leads to scores by itself. Only the
    pages that were loaded are walked on from, so the cost does not grow with the wiki; of what any
    other would pass on a third goes back to the start, as its links would lead there, and the rest
    stays (measured). `worded` holds more edges of some pages.
    """
    floor = int(start.most * RECIPE.floor)
    move = round(SCALE * RECIPE.damping)
    home = {doc: mass * (SCALE - move) // SCALE for doc, mass in begin.items()}
    mass = dict(begin)
    ways = {
        doc: _ways(near, worded.get(doc, {}), start, floor) for doc, near in around.near.items()
    }
    for _ in range(RECIPE.steps):
        reached, back = dict(home), 0
        for doc, held in mass.items():
            share = held * move // SCALE
            if doc not in ways or not ways[doc][1]:
                back += share // 3
                reached[doc] = reached.get(doc, 0) + share - share // 3
                continue
            weights, whole = ways[doc]
            for to, weight in weights.items():
                if part := share * weight // whole:
                    reached[to] = reached.get(to, 0) + part
        for to, part in begin.items():
            reached[to] += back * part // MASS
        mass = reached
    return mass


def _ways(
    near: NeighbourWeights, worded: Mapping[int, int], start: SeedScores, floor: int
) -> tuple[dict[int, int], int]:
    """The edges out of a page, each by what it leads to, and their sum."""
    edges = dict(near.edges)
    for to, weight in worded.items():
        if to not in near.links:
            edges[to] = max(edges.get(to, 0), weight)
    weights = {to: weight * (floor + start.scores.get(to, 0)) for to, weight in edges.items()}
    return weights, sum(weights.values())
