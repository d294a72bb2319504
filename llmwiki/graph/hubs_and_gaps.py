"""What a graph tells of a wiki: hubs, bridges, loose ends, links that seem missing, health."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from heapq import nsmallest
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.graph.communities_and_bridges import GraphParts, parts_of
from llmwiki.graph.nodes_and_edges import EXTRACTED, KINDS, MENTION

if TYPE_CHECKING:
    from llmwiki.graph.build import BuiltGraph

SHARED = 3
"""Neighbours that two pages share, from which on a link seems missing."""
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
    """The page that names the other; else the one of the lower rank."""
    target: int
    shared: tuple[int, ...]
    """Neighbours of both, by falling rank."""
    is_named: bool
    """Whether the text of the first holds a name of the second."""
    score: int
    """In millionths: for each neighbour shared one by the number of its neighbours (resource
    allocation: Zhou, Lü, Zhang 2009), and the weight of the mention."""


def missing_links(built: BuiltGraph) -> tuple[MissingLink, ...]:
    """The first `TOLD` by falling score, then by source and target; ledgers are never among them.

    The tool writes the text of ledgers, so no link can be added there.
    """
    search = _Search(built)
    pairs = dict.fromkeys([*search.pairs(), *search.named()])
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
        self._unlinked = {e[:2] for e in built.graph.edges if e.kind != EXTRACTED}
        self._mentions = {e[:2]: e.weight for e in built.graph.edges if e.kind == MENTION}
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

    def named(self) -> list[tuple[int, int]]:
        """Pages of which one names the other, the rarest names first."""
        pairs = (
            pair for pair in self._mentions if not any(self.is_ledger[place] for place in pair)
        )
        found = nsmallest(TOLD, pairs, key=lambda pair: (-self._mentions[pair], pair))
        return [(min(pair), max(pair)) for pair in found]

    def told(self, one: int, other: int) -> MissingLink:
        """The reasons for a link between two pages."""
        nodes, near = self._nodes, self._near
        source, target = sorted(
            (one, other),
            key=lambda place: (-self._weight(place, one + other - place), nodes[place].rank),
        )
        few, many = sorted((one, other), key=lambda place: len(near[place]))
        theirs = self._set(many)
        shared = [p for p in near[few] if p in theirs and len(near[p]) <= WIDE]
        shared.sort(key=lambda place: (-nodes[place].rank, place))
        weight = self._weight(source, target)
        score = sum(SCALE // len(near[place]) for place in shared) + round(SCALE * weight)
        return MissingLink(source, target, tuple(shared), bool(weight), score)

    def _weight(self, source: int, target: int) -> float:
        return self._mentions.get((source, target), 0)

    def _is_unlinked(self, one: int, other: int) -> bool:
        return (one, other) in self._unlinked or (other, one) in self._unlinked

    def _set(self, place: int) -> frozenset[int]:
        held = self._sets.get(place)
        if held is None:
            held = self._sets[place] = frozenset(self._near[place])
        return held


HUBS = 10
"""Hubs that are told."""
WHOLE = 0.95
"""Part of the pages that hang together in a healthy wiki."""
LOOSE = 0.05
"""Part of the pages without any edge up to which a wiki is healthy."""
BROKEN = 0.02
"""Part of the links that lead nowhere up to which a wiki is healthy."""


@dataclass(frozen=True, slots=True)
class GraphSurvey:
    """A graph in a few figures and lists; pages by their places."""

    kinds: Mapping[str, int]
    """Edges of each kind that there are, from the surest on."""
    types: Mapping[str, int]
    """Pages of each type, by type."""
    hubs: tuple[int, ...]
    """Pages of the highest rank."""
    parts: GraphParts
    unlinked: tuple[int, ...]
    """Pages without any edge."""
    missing: tuple[MissingLink, ...]
    per_page: float
    """Edges a page, each counted at both ends."""
    in_largest: float
    """Part of the pages that are in the largest connected part."""
    remarks: tuple[str, ...]
    """What is not as in a healthy wiki, a sentence each; empty where all is well."""


def survey(built: BuiltGraph) -> GraphSurvey:
    """Looks at the whole graph. Pure."""
    nodes, edges = built.graph.nodes, built.graph.edges
    count = len(nodes)
    kinds = Counter(edge.kind for edge in edges)
    parts = parts_of(built.net.near)
    unlinked = tuple(place for place in range(count) if not built.net.strength[place])
    largest = len(parts.parts[0]) / count if count else 0.0
    return GraphSurvey(
        kinds={kind: kinds[kind] for kind in KINDS if kinds[kind]},
        types=dict(sorted(Counter(node.type for node in nodes).items())),
        hubs=tuple(
            sorted(
                (place for place in range(count) if built.net.strength[place]),
                key=lambda place: (-nodes[place].rank, place),
            )[:HUBS]
        ),
        parts=parts,
        unlinked=unlinked,
        missing=missing_links(built),
        per_page=round(2 * len(edges) / count, 2) if count else 0.0,
        in_largest=round(largest, 4),
        remarks=_remarks(built, count, largest, len(unlinked), kinds["EXTRACTED"]),
    )


def _remarks(
    built: BuiltGraph, count: int, largest: float, unlinked: int, links: int
) -> tuple[str, ...]:
    told = []
    if count and largest < WHOLE:
        told.append(f"only {largest:.0%} of the pages hang together: link the isolated parts")
    if count and unlinked > LOOSE * count:
        have = "page has" if count == 1 else f"pages {'has' if unlinked == 1 else 'have'}"
        told.append(f"{unlinked} of {count} {have} no edge: link them, or ingest more of them")
    if built.broken > BROKEN * (links + built.broken):
        lead = "1 link leads" if built.broken == 1 else f"{built.broken} links lead"
        told.append(f"{lead} nowhere: make the pages, or mend the links")
    return tuple(told)
