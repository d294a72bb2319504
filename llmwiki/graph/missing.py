"""Links that seem missing: pages that share neighbours or name each other, and do not link."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from heapq import nsmallest
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.graph.model import EXTRACTED

if TYPE_CHECKING:
    from llmwiki.graph.build import BuiltGraph

SHARED = 3
"""Neighbours that two pages share, from which on a link seems missing."""
TIMES = 2
"""How often one page names the other, from which on a link seems missing."""
TOLD = 20
"""Missing links that are told."""
WIDE = 100
"""Neighbours of a page beyond which sharing it says nothing."""
LOOKS = 300_000
"""Neighbours of neighbours that are looked at: a tenth of a second or two. Pages of the
highest rank come first."""
SCALE = 1_000_000
"""One, as whole numbers that are summed exactly."""


class MissingLink(NamedTuple):
    """Two pages between which a link seems missing."""

    source: int
    """The page that names the other more often; else the one of the lower rank."""
    target: int
    shared: tuple[int, ...]
    """Neighbours of both, by falling rank."""
    times: int
    """How often the first names the second, outside links and code."""
    score: int
    """In millionths: for each neighbour shared one by the number of its neighbours (resource
    allocation: Zhou, Lü, Zhang 2009), and a quarter for each time named, four at most."""


def missing_links(built: BuiltGraph) -> tuple[MissingLink, ...]:
    """The first `TOLD` by falling score, then by source and target; ledgers are never among them.

    The tool writes the text of ledgers, so no link can be added there.
    """
    search = _Search(built)
    named = (
        (min(pair), max(pair))
        for pair, times in sorted(built.named.items())
        if times >= TIMES and not any(search.is_ledger[place] for place in pair)
    )
    pairs = dict.fromkeys([*search.pairs(), *named])
    return tuple(
        nsmallest(
            TOLD,
            (search.told(*pair) for pair in pairs),
            key=lambda found: (-found.score, found.source, found.target),
        )
    )


class _Search:
    """A graph, and its neighbours as sets where they were asked for."""

    def __init__(self, built: BuiltGraph) -> None:
        self.is_ledger = [node.type == "source" for node in built.graph.nodes]
        self._nodes = built.graph.nodes
        self._near = built.net.near
        self._named = built.named
        self._unlinked = {e[:2] for e in built.graph.edges if e.kind != EXTRACTED}
        self._sets: dict[int, frozenset[int]] = {}

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Pages without a link between them that share enough neighbours, within `LOOKS`."""
        near = self._near
        subjects = [place for place, is_one in enumerate(self.is_ledger) if not is_one]
        subjects.sort(key=lambda place: (-self._nodes[place].rank, place))
        done = set[int]()
        looks = LOOKS
        for one in subjects:
            done.add(one)
            shared: Counter[int] = Counter()
            for other in near[one]:
                if len(near[other]) <= WIDE:
                    shared.update(near[other])
                    looks -= len(near[other])
            for other, count in shared.items():
                if count >= SHARED and other not in done and not self.is_ledger[other]:
                    pair = (min(one, other), max(one, other))
                    if other not in self._set(one) or self._is_unlinked(*pair):
                        yield pair
            if looks < 0:
                return

    def told(self, one: int, other: int) -> MissingLink:
        """The reasons for a link between two pages."""
        nodes, near = self._nodes, self._near
        source, target = sorted(
            (one, other),
            key=lambda place: (-self._times(place, one + other - place), nodes[place].rank),
        )
        few, many = sorted((one, other), key=lambda place: len(near[place]))
        theirs = self._set(many)
        shared = [p for p in near[few] if p in theirs and len(near[p]) <= WIDE]
        shared.sort(key=lambda place: (-nodes[place].rank, place))
        times = self._times(source, target)
        score = sum(SCALE // len(near[place]) for place in shared) + SCALE // 4 * min(times, 4)
        return MissingLink(source, target, tuple(shared), times, score)

    def _times(self, source: int, target: int) -> int:
        return self._named.get((source, target), 0)

    def _is_unlinked(self, one: int, other: int) -> bool:
        return (one, other) in self._unlinked or (other, one) in self._unlinked

    def _set(self, place: int) -> frozenset[int]:
        held = self._sets.get(place)
        if held is None:
            held = self._sets[place] = frozenset(self._near[place])
        return held
