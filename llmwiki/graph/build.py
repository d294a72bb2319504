"""From the index to the graph: nodes, edges, ranks, communities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from llmwiki.graph.communities_and_bridges import UNIT, Net, communities_of, net_of, page_rank
from llmwiki.graph.nodes_and_edges import UNLINKED, Community, Graph, GraphNode
from llmwiki.graph.read_edges import graph_input

if TYPE_CHECKING:
    from llmwiki.graph.read_edges import PageReading
    from llmwiki.index.lookups import Card
    from llmwiki.index.open_index import Index
    from llmwiki.index.source_index import SourceIndex

HEADS = 50
"""Pages of a community, the highest-ranked, of which one may name it."""


@dataclass(frozen=True, slots=True)
class BuiltGraph:
    """A graph, and what was seen while it was made."""

    graph: Graph
    net: Net
    """The same edges, to walk over."""
    broken: int
    """Links that lead nowhere."""


def build(
    index: Index,
    *,
    said: Iterable[PageReading] = (),
    sources: SourceIndex | None = None,
) -> BuiltGraph:
    """The graph of an indexed wiki. The same pages, sources and `said` give the same graph."""
    ground = graph_input(index, said=said, sources=sources)
    pages, leads = ground.pages, ground.links.leads
    ranks = page_rank(leads, ((e.source, e.target, e.weight) for e in ground.others))
    net = net_of(len(pages), ground.edges)
    communities, community = named_communities(pages, ranks, net)
    nodes = tuple(
        GraphNode(
            *(page.path, page.title, page.type, page.description, page.tags),
            *(page.claims, ranks[place], community[place], page.aliases),
        )
        for place, page in enumerate(pages)
    )
    broken = sum(len(sources) for sources in ground.links.missing.values())
    return BuiltGraph(Graph(nodes, ground.edges, communities), net, broken)


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
