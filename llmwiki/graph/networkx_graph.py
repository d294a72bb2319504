"""The graph as one of networkx, and in the formats that networkx writes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from llmwiki.graph.labels import shown
from llmwiki.graph.model import Graph, GraphNode

if TYPE_CHECKING:
    import networkx

_DATE = re.compile(r' lastmodifieddate="[^"]*"')


def to_networkx(graph: Graph) -> networkx.Graph[str]:
    """The graph as one of networkx, undirected; nodes are named by `GraphNode.id`.

    Nodes have `label`, `type`, `path`, `description`, `tags`, `claims` (how many stand), `rank`
    and `community`; edges have `kind`, `weight` and `why`. All values are plain, and texts hold
    only what XML can hold, so that every writer of networkx takes them.
    """
    import networkx

    made: networkx.Graph[str] = networkx.Graph()
    ids: list[str] = []
    for node in graph.nodes:
        name = shown(node.id)
        while name in made:
            name += "'"
        ids.append(name)
        made.add_node(name, **_values(node))
    for edge in graph.edges:
        made.add_edge(
            ids[edge.source],
            ids[edge.target],
            kind=edge.kind,
            weight=edge.weight,
            why=shown(edge.why),
        )
    return made


def as_graphml(graph: Graph) -> Iterator[str]:
    """GraphML, by networkx."""
    import networkx

    lines = networkx.generate_graphml(to_networkx(graph), named_key_ids=True)
    return (f"{line}\n" for line in lines)


def as_gexf(graph: Graph) -> Iterator[str]:
    """GEXF, by networkx, without the day it was made."""
    import networkx

    lines = networkx.generate_gexf(to_networkx(graph))
    return (_DATE.sub("", line, count=1) + "\n" for line in lines)


def _values(node: GraphNode) -> dict[str, Any]:
    return {
        "label": shown(node.title),
        "type": shown(node.type),
        "path": shown(node.path),
        "description": shown(node.description),
        "tags": shown(", ".join(node.tags)),
        "claims": node.claim_count,
        "rank": node.rank,
        "community": node.community,
    }
