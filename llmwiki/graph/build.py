"""From the index to the graph: nodes, edges, ranks, communities."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.graph.communities_and_bridges import (
    UNIT,
    Net,
    communities_of,
    modularity,
    net_of,
    page_rank,
)
from llmwiki.graph.ground import READ_UP_TO, GraphInput, ground_of
from llmwiki.graph.model import UNLINKED, Community, Graph, GraphNode

if TYPE_CHECKING:
    from llmwiki.graph.edge_store import PageReading
    from llmwiki.index.corpus import Card
    from llmwiki.index.open_index import Index
    from llmwiki.index.source_index import SourceIndex

HEADS = 50
"""Pages of a community, the highest-ranked, of which one may name it."""
PHANTOMS_WRITTEN = 20
"""Phantoms whose names are read from a page; the others are folded, as the index has them."""


class Phantom(NamedTuple):
    """A page that does not exist, and that several pages link to."""

    name: str
    """As it is written in the first of them; folded where that is not looked up."""
    sources: tuple[int, ...]
    """The pages that link there, rising."""


@dataclass(frozen=True, slots=True)
class BuiltGraph:
    """A graph, and what was seen while it was made."""

    graph: Graph
    net: Net
    """The same edges, to walk over."""
    named: Mapping[tuple[int, int], int]
    """(page, page it names) to how often, outside links and code; empty where texts are unread."""
    incoming: Sequence[int]
    """For each node how many pages lead to it."""
    phantoms: tuple[Phantom, ...]
    """By falling number of sources, then by name."""
    broken: int
    """Links that lead nowhere."""
    modularity: float
    was_read: bool
    """Whether the texts of the pages were read; see `ground.READ_UP_TO`."""


def build(
    index: Index,
    *,
    said: Iterable[PageReading] = (),
    sources: SourceIndex | None = None,
) -> BuiltGraph:
    """The graph of an indexed wiki. The same pages, sources and `said` give the same graph.

    Raises StateError where a page changes while it is read.
    """
    ground = ground_of(index, said=said, sources=sources)
    pages, leads = ground.pages, ground.links.leads
    ranks = page_rank(leads, ((e.source, e.target, e.weight) for e in ground.others))
    net = net_of(len(pages), ground.edges)
    communities, community = named_communities(pages, ranks, net)
    nodes = tuple(
        GraphNode(
            *(page.path, page.title, page.type, page.description, page.tags),
            *(
                ground.claims.get(place, ()),
                page.claims,
                ranks[place],
                community[place],
                page.aliases,
            ),
        )
        for place, page in enumerate(pages)
    )
    return BuiltGraph(
        graph=Graph(nodes, ground.edges, communities),
        net=net,
        named=ground.named,
        incoming=_incoming(ground),
        phantoms=_phantoms(index, pages, ground.links.missing),
        broken=sum(len(sources) for sources in ground.links.missing.values()),
        modularity=modularity(ground.edges, community),
        was_read=len(pages) <= READ_UP_TO,
    )


def _incoming(ground: GraphInput) -> array[int]:
    counts = array("I", bytes(4 * len(ground.pages)))
    for row in ground.links.leads:
        for target in row:
            counts[target] += 1
    for edge in ground.others:
        counts[edge.target] += 1
    return counts


def named_communities(
    pages: Sequence[Card], ranks: Sequence[float], net: Net
) -> tuple[tuple[Community, ...], list[int]]:
    """The communities in their order, and for each page the place of its own."""
    groups: dict[int, list[int]] = {}
    alone: list[int] = []
    for node, first in enumerate(communities_of(net)):
        if net.strength[node]:
            groups.setdefault(first, []).append(node)
        else:
            alone.append(node)
    found = []
    for nodes in groups.values():
        nodes.sort(key=lambda node: (-ranks[node], node))
        found.append(Community(pages[_head(pages, net, nodes)].title, tuple(nodes)))
    found.sort(key=lambda each: (-len(each.members), each.name, min(each.members)))
    if alone:
        alone.sort(key=lambda node: (-ranks[node], node))
        found.append(Community(UNLINKED, tuple(alone)))
    community = [0] * len(pages)
    for place, each in enumerate(found):
        for node in each.members:
            community[node] = place
    return tuple(found), community


def _head(pages: Sequence[Card], net: Net, nodes: Sequence[int]) -> int:
    """The page that a community is named by: the one joined to the most of it.

    A source is that only where it is joined to half of the others at least, and to more of them
    than any subject: then the community is what one document is about.
    """
    inside = set(nodes)
    joined = {
        node: sum(
            weight
            for other, weight in zip(net.near[node], net.weights[node], strict=True)
            if other in inside
        )
        for node in nodes[:HEADS]
    }
    best = max(joined, key=lambda node: joined[node])
    subjects = [node for node in joined if pages[node].type != "source"]
    if not subjects:
        return best
    subject = max(subjects, key=lambda node: joined[node])
    is_about_it = 2 * joined[best] >= UNIT * (len(nodes) - 1)
    return best if is_about_it and joined[best] > joined[subject] else subject


def _phantoms(
    index: Index, pages: Sequence[Card], missing: Mapping[str, tuple[int, ...]]
) -> tuple[Phantom, ...]:
    """The names without a page that at least two pages link to."""
    held = [Phantom(name, sources) for name, sources in missing.items() if len(sources) > 1]
    held.sort(key=lambda phantom: (-len(phantom.sources), phantom.name))
    shown = [_as_written(index, pages, phantom) for phantom in held[:PHANTOMS_WRITTEN]]
    return (*shown, *held[PHANTOMS_WRITTEN:])


def _as_written(index: Index, pages: Sequence[Card], phantom: Phantom) -> Phantom:
    from llmwiki.pages.links import targets
    from llmwiki.pages.names import name_key

    text = index.read(pages[phantom.sources[0]])
    names = sorted(target.rsplit("/", 1)[-1] for target in targets(text))
    written = next((name for name in names if name_key(name) == phantom.name), phantom.name)
    return phantom._replace(name=written)
