"""Communities: pages that hold together more than with the rest.

Louvain's method (Blondel et al. 2008) with the queue of Leiden's (Traag et al. 2019): a node is
looked at again only when a neighbour has moved. Nodes are taken in their order and weights are
whole numbers, so that the outcome is the same everywhere.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Sequence

from llmwiki.graph.model import GraphEdge
from llmwiki.graph.net import UNIT, Net

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


def modularity(edges: Sequence[GraphEdge], community: Sequence[int]) -> float:
    """Newman's modularity of a division, by the weights of the edges; 0 without edges."""
    inside = total = 0
    strength: dict[int, int] = {}
    for source, target, _kind, weight, _why in edges:
        heavy = max(round(weight * UNIT), 1)
        total += 2 * heavy
        mine, theirs = community[source], community[target]
        inside += 2 * heavy if mine == theirs else 0
        strength[mine] = strength.get(mine, 0) + heavy
        strength[theirs] = strength.get(theirs, 0) + heavy
    if not total:
        return 0.0
    squares = sum(value * value for value in strength.values())
    return (inside * total - squares) / (total * total)


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
