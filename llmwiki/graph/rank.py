"""How much of the wiki leads to each page: PageRank (Brin and Page 1998)."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

DAMPING = 0.85
"""As Brin and Page have it."""
STEPS = 15
"""Always as many, so that the outcome depends on nothing else. At 100,000 pages what further steps
move is less than a millionth of the whole (measured)."""
PLACES = 10
"""Decimals that are kept: what lies behind them depends on how a Python adds."""


def page_rank(
    leads: Sequence[Sequence[int]], more: Iterable[tuple[int, int, float]] = ()
) -> list[float]:
    """The rank of each node, in all 1, rounded; nodes lead to those in `leads` with weight 1.

    `more` are further arcs: (source, target, weight).
    """
    count = len(leads)
    if not count:
        return []
    sources: list[list[int]] = [[] for _ in range(count)]
    for source, targets in enumerate(leads):
        for target in targets:
            sources[target].append(source)
    towards = [array("I", row) for row in sources]
    del sources
    out = [float(len(targets)) for targets in leads]
    weighted: dict[int, list[tuple[int, float]]] = {}
    for source, target, weight in more:
        out[source] += weight
        weighted.setdefault(target, []).append((source, weight))
    ends = [node for node in range(count) if not out[node]]
    rank = [1 / count] * count
    for _step in range(STEPS):
        given = [held / part if part else 0.0 for held, part in zip(rank, out, strict=True)]
        lost = sum(rank[node] for node in ends)
        base = (1 - DAMPING + DAMPING * lost) / count
        share = given.__getitem__
        rank = [base + DAMPING * sum(map(share, row)) for row in towards]
        for target, arcs in weighted.items():
            rank[target] += DAMPING * sum(given[source] * weight for source, weight in arcs)
    return [round(held, PLACES) for held in rank]
