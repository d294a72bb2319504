"""A graph as rows of numbers: what ranking, communities and analysis walk over."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import NamedTuple

from llmwiki.graph.model import GraphEdge

UNIT = 1000
"""Weight of a wikilink as a whole number: sums of these are exact and the same everywhere."""


class Net(NamedTuple):
    """An undirected graph. Arrays, for at 100,000 pages lists of numbers miss every cache."""

    near: list[array[int]]
    """For each node its neighbours, each once."""
    weights: list[array[int]]
    """For each neighbour the weight of the edge to it, in `UNIT`s."""
    strength: array[int]
    """All weight at a node; what a node of a coarser graph holds within counts twice."""

    def __len__(self) -> int:
        return len(self.near)


def net_of(count: int, edges: Sequence[GraphEdge]) -> Net:
    """The edges between `count` nodes, each unordered pair at most once."""
    rows: list[list[int]] = [[] for _ in range(count)]
    for source, target, _kind, weight, _why in edges:
        if weight == 1.0:
            rows[source].append(target)
            rows[target].append(source)
    near = [array("I", row) for row in rows]
    del rows
    unit = array("q", [UNIT])
    weights = [unit * len(row) for row in near]
    for source, target, _kind, weight, _why in edges:
        if weight != 1.0:
            heavy = max(round(weight * UNIT), 1)
            for mine, other in ((source, target), (target, source)):
                near[mine].append(other)
                weights[mine].append(heavy)
    return Net(near, weights, array("q", map(sum, weights)))
