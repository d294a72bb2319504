"""The start: words, titles and names of a question in one score, and the best pages by it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from llmwiki.index.corpus import Corpus
from llmwiki.retrieval.score import best
from llmwiki.retrieval.weights import BOUNDS, SCALE


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
