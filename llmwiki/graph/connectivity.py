"""What holds a graph together: its parts, and the pages and edges whose loss would part it."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import NamedTuple


class BridgePage(NamedTuple):
    """A page on which others hang."""

    node: int
    parted: int
    """Pages that its loss would cut off from the largest piece that remains."""


class BridgeEdge(NamedTuple):
    """An edge that alone joins two pieces."""

    source: int
    target: int
    parted: int
    """Pages of the smaller piece."""


class GraphParts(NamedTuple):
    """The connected parts and what joins their pieces."""

    parts: tuple[tuple[int, ...], ...]
    """Nodes that reach each other, rising: the largest part first, then by first node."""
    pages: tuple[BridgePage, ...]
    """By falling number of pages parted, then by node; only those that part at least `PIECE`."""
    edges: tuple[BridgeEdge, ...]
    """By falling number of pages parted, then by ends; only those that part at least `PIECE`."""


PIECE = 2
"""Pages of the smallest piece worth telling: a page with a single link hangs on it, and that is
how most pages begin."""


class _Tree(NamedTuple):
    """One part as a depth-first tree."""

    order: list[int]
    """Nodes as they were reached; the root first."""
    parent: dict[int, int]
    low: dict[int, int]
    """For each node the earliest one, by its place in `order`, that its subtree reaches by an edge
    outside of the tree (Tarjan 1972)."""


def parts_of(near: Sequence[Sequence[int]]) -> GraphParts:
    """The parts, cut pages and bridges of a graph, each edge looked at twice.

    `near` gives for each node its neighbours, each once, itself excepted.
    """
    parts: list[tuple[int, ...]] = []
    pages: list[BridgePage] = []
    edges: list[BridgeEdge] = []
    seen = array("i", [-1]) * len(near)
    for root in range(len(near)):
        if seen[root] < 0:
            tree = _walked(near, root, seen)
            parts.append(tuple(sorted(tree.order)))
            if len(tree.order) > PIECE:
                pages += _cut_pages(tree, seen)
                edges += _cut_edges(tree, seen)
    parts.sort(key=lambda part: (-len(part), part[0]))
    pages.sort(key=lambda page: (-page.parted, page.node))
    edges.sort(key=lambda edge: (-edge.parted, edge.source, edge.target))
    return GraphParts(tuple(parts), tuple(pages), tuple(edges))


def _walked(near: Sequence[Sequence[int]], root: int, seen: array[int]) -> _Tree:
    """Walks the part of a node; `seen` takes for each node when it was reached."""
    order, parent, low = [root], {root: -1}, {root: 0}
    seen[root] = 0
    path: list[tuple[int, Iterator[int]]] = [(root, iter(near[root]))]
    while path:
        node, rest = path[-1]
        for other in rest:
            at = seen[other]
            if at < 0:
                seen[other] = low[other] = len(order)
                order.append(other)
                parent[other] = node
                path.append((other, iter(near[other])))
                break
            if at < low[node] and other != parent[node]:
                low[node] = at
        else:
            path.pop()
            above = parent[node]
            if above >= 0 and low[node] < low[above]:
                low[above] = low[node]
    return _Tree(order, parent, low)


def _sizes(tree: _Tree) -> dict[int, int]:
    """How many nodes hang below each, itself included."""
    size = dict.fromkeys(tree.order, 1)
    for node in reversed(tree.order):
        if (above := tree.parent[node]) >= 0:
            size[above] += size[node]
    return size


def _cut_pages(tree: _Tree, seen: array[int]) -> Iterator[BridgePage]:
    size = _sizes(tree)
    pieces: dict[int, list[int]] = {}
    for node in tree.order[1:]:
        above = tree.parent[node]
        if tree.low[node] >= seen[above]:
            pieces.setdefault(above, []).append(size[node])
    for node, below in pieces.items():
        rest = len(tree.order) - 1 - sum(below)
        parted = len(tree.order) - 1 - max(rest, *below)
        if parted >= PIECE:
            yield BridgePage(node, parted)


def _cut_edges(tree: _Tree, seen: array[int]) -> Iterator[BridgeEdge]:
    size = _sizes(tree)
    for node in tree.order[1:]:
        above = tree.parent[node]
        smaller = min(size[node], len(tree.order) - size[node])
        if tree.low[node] > seen[above] and smaller >= PIECE:
            yield BridgeEdge(min(above, node), max(above, node), smaller)
