"""A graph as rows of numbers: ranks, communities, and what holds it together."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from llmwiki.graph.nodes_and_edges import GraphEdge

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


# --- ranks: PageRank (Brin and Page 1998) ------------------------------------------------------

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


# --- communities: pages that hold together more than with the rest -----------------------------
#
# Louvain's method (Blondel et al. 2008) with the queue of Leiden's (Traag et al. 2019): a node is
# looked at again only when a neighbour has moved. Nodes are taken in their order and weights are
# whole numbers, so that the outcome is the same everywhere.

ROUNDS = 2
"""How often a node is looked at, on average and at most: in graphs without structure more looks
take two and a half times as long and raise the modularity by a fiftieth (at 10,000 pages)."""
FREE = 20_000
"""Looks that are always allowed: enough for small graphs."""


def communities_of(net: Net) -> list[int]:
    """For each node the first member of its community; each community is connected.

    A node without edges is alone.
    """
    total = sum(net.strength)
    place = list(range(len(net)))
    if not total:
        return place
    level, looks = net, len(net)
    while True:
        found, size = _renumbered(_moved(level, range(len(level)), total, looks))
        place = [found[at] for at in place]
        if size == len(level):
            break
        level = _joined(level, found, size)
        looks = max(ROUNDS * size, FREE)
    # Once more page by page: what was put together as one may fit elsewhere alone.
    settled = _moved(net, _by_first(place), total, max(ROUNDS * len(net), FREE))
    return _connected(net, settled)


def _moved(net: Net, start: Sequence[int], total: int, looks: int) -> array[int]:
    """Moves single nodes while that raises the modularity, within so many looks."""
    near, weights, strength = net
    place = array("I", start)
    inside = array("q", bytes(8 * len(net)))
    for node, at in enumerate(place):
        inside[at] += strength[node]
    waiting = deque(range(len(net)))
    is_waiting = bytearray(b"\1") * len(net)
    while waiting and looks:
        looks -= 1
        node = waiting.popleft()
        is_waiting[node] = 0
        old, mine = place[node], strength[node]
        towards: dict[int, int] = {}
        held = towards.get
        for other, weight in zip(near[node], weights[node], strict=True):
            at = place[other]
            towards[at] = held(at, 0) + weight
        inside[old] -= mine
        best, most = old, held(old, 0) * total - mine * inside[old]
        for at, weight in towards.items():
            gain = weight * total - mine * inside[at]
            # Staying wins a tie, else two nodes could change places for ever.
            if gain > most or (gain == most and best != old and at < best):
                best, most = at, gain
        inside[best] += mine
        if best != old:
            place[node] = best
            for other in near[node]:
                if not is_waiting[other] and place[other] != best:
                    is_waiting[other] = 1
                    waiting.append(other)
    return place


def _renumbered(place: Sequence[int]) -> tuple[array[int], int]:
    """The same division, numbered from 0 in the order of the first members, and its size."""
    numbers: dict[int, int] = {}
    return array("I", (numbers.setdefault(at, len(numbers)) for at in place)), len(numbers)


def _by_first(place: Sequence[int]) -> list[int]:
    """The same division, each community by the number of its first member."""
    first: dict[int, int] = {}
    return [first.setdefault(at, node) for node, at in enumerate(place)]


def _joined(net: Net, place: Sequence[int], size: int) -> Net:
    """The graph of the communities: one node each."""
    members: list[list[int]] = [[] for _ in range(size)]
    for node, at in enumerate(place):
        members[at].append(node)
    near, weights, strength = [], [], array("q")
    for at, nodes in enumerate(members):
        between: dict[int, int] = {}
        held = between.get
        for node in nodes:
            for other, weight in zip(net.near[node], net.weights[node], strict=True):
                to = place[other]
                between[to] = held(to, 0) + weight
        between.pop(at, None)
        near.append(array("I", between))
        weights.append(array("q", between.values()))
        strength.append(sum(net.strength[node] for node in nodes))
    return Net(near, weights, strength)


def _connected(net: Net, place: Sequence[int]) -> list[int]:
    """Communities in several pieces become several: that never lowers the modularity."""
    found = [-1] * len(place)
    for first, at in enumerate(place):
        if found[first] >= 0:
            continue
        found[first] = first
        waiting = [first]
        while waiting:
            for other in net.near[waiting.pop()]:
                if found[other] < 0 and place[other] == at:
                    found[other] = first
                    waiting.append(other)
    return found


# --- parts, and the pages whose loss would part them -------------------------------------------


class BridgePage(NamedTuple):
    """A page on which others hang."""

    node: int
    parted: int
    """Pages that its loss would cut off from the largest piece that remains."""


class GraphParts(NamedTuple):
    """The connected parts and what joins their pieces."""

    parts: tuple[tuple[int, ...], ...]
    """Nodes that reach each other, rising: the largest part first, then by first node."""
    pages: tuple[BridgePage, ...]
    """By falling number of pages parted, then by node; only those that part at least `PIECE`."""


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
    """The parts and cut pages of a graph, each edge looked at twice.

    `near` gives for each node its neighbours, each once, itself excepted.
    """
    parts: list[tuple[int, ...]] = []
    pages: list[BridgePage] = []
    seen = array("i", [-1]) * len(near)
    for root in range(len(near)):
        if seen[root] < 0:
            tree = _walked(near, root, seen)
            parts.append(tuple(sorted(tree.order)))
            if len(tree.order) > PIECE:
                pages += _cut_pages(tree, seen)
    parts.sort(key=lambda part: (-len(part), part[0]))
    pages.sort(key=lambda page: (-page.parted, page.node))
    return GraphParts(tuple(parts), tuple(pages))


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


def _cut_pages(tree: _Tree, seen: array[int]) -> Iterator[BridgePage]:
    size = dict.fromkeys(tree.order, 1)
    pieces: dict[int, list[int]] = {}
    for node in reversed(tree.order[1:]):
        above = tree.parent[node]
        size[above] += size[node]
        if tree.low[node] >= seen[above]:
            pieces.setdefault(above, []).append(size[node])
    for node, below in pieces.items():
        rest = len(tree.order) - 1 - sum(below)
        parted = len(tree.order) - 1 - max(rest, *below)
        if parted >= PIECE:
            yield BridgePage(node, parted)
