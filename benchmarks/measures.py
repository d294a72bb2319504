"""How good a ranking is, and how long it took.

Recall, reciprocal rank and nDCG with binary relevance as in Järvelin and Kekäläinen, "Cumulated
gain-based evaluation of IR techniques" (2002).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

DEPTH = 10
"""Pages of a ranking that are looked at; reciprocal rank is 0 beyond."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What one system gave for one question."""

    ranking: tuple[str, ...]
    """Ids, best first, at most DEPTH."""
    gold: frozenset[str]
    milliseconds: float


def recall(ranking: Sequence[str], gold: AbstractSet[str], depth: int) -> float:
    """The share of the gold pages among the first `depth`."""
    return sum(1 for page in ranking[:depth] if page in gold) / len(gold)


def reciprocal_rank(ranking: Sequence[str], gold: AbstractSet[str]) -> float:
    """1 / rank of the first gold page; 0 where none is."""
    return next((1 / rank for rank, page in enumerate(ranking, 1) if page in gold), 0.0)


def ndcg(ranking: Sequence[str], gold: AbstractSet[str], depth: int = DEPTH) -> float:
    """Normalised discounted cumulated gain of the first `depth`."""
    seen = enumerate(ranking[:depth], 2)
    gain = math.fsum(1 / math.log2(place) for place, page in seen if page in gold)
    best = math.fsum(1 / math.log2(place) for place in range(2, min(depth, len(gold)) + 2))
    return gain / best


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of the values do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def summarise(answers: Sequence[Answered]) -> dict[str, float]:
    """Means over the questions, as fractions of 1, and latencies in milliseconds."""
    figures = {f"r@{k}": _mean([recall(a.ranking, a.gold, k) for a in answers]) for k in (2, 5, 10)}
    figures["ndcg@10"] = _mean([ndcg(a.ranking, a.gold) for a in answers])
    figures["mrr"] = _mean([reciprocal_rank(a.ranking, a.gold) for a in answers])
    times = [a.milliseconds for a in answers]
    figures["p50_ms"] = round(percentile(times, 0.5), 3)
    figures["p95_ms"] = round(percentile(times, 0.95), 3)
    return figures


def _mean(values: Sequence[float]) -> float:
    return round(math.fsum(values) / len(values), 6)
