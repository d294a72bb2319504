"""The graph in the formats of other programs. The same graph gives the same bytes.

Everything a page says is text in them, never markup: it goes through the escaping of each format.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from llmwiki.graph.labels import UNSEEN, label, shown
from llmwiki.graph.model import EXTRACTED, Graph, GraphEdge
from llmwiki.graph.networkx_graph import as_gexf, as_graphml
from llmwiki.graph.pyvis_page import as_pyvis

MERMAID_EDGES = 500
"""Edges of the largest Mermaid diagram: `maxEdges` of its default configuration."""
_NOT_PLAIN = re.compile(r"[^\w .,'-]|\A-|(?<=\d)\.(?= )")
"""The last two would begin a list."""
_EDGES_AT_ONCE = 4096


class Diagram(NamedTuple):
    """A Mermaid diagram, and how much of the graph it shows."""

    text: str
    nodes: int
    edges: int


def as_json(graph: Graph, *, modularity: float = 0.0) -> Iterator[str]:
    """Node-link JSON, a node or an edge a line; `networkx.node_link_graph(data, edges="edges")`
    reads it."""
    ids = [_json(node.id) for node in graph.nodes]
    about = {
        "schema": "llmwiki.graph-file/1",
        "communities": [community.name for community in graph.communities],
        "modularity": round(modularity, 6),
    }
    yield f'{{"directed":false,"multigraph":false,"graph":{_json(about)},"nodes":[\n'
    rows = (
        _json(
            {
                "id": node.id,
                "title": node.title,
                "type": node.type,
                "path": node.path,
                "description": node.description,
                "tags": node.tags,
                "claims": node.claim_count,
                "rank": node.rank,
                "community": node.community,
            }
        )
        for node in graph.nodes
    )
    yield from _joined(rows)
    yield '],"edges":[\n'
    yield from _joined(_edge(ids, edge) for edge in graph.edges)
    yield "]}\n"


def _edge(ids: list[str], edge: GraphEdge) -> str:
    source, target, kind, weight, why = edge
    told = _json(why) if why else '""'
    return (
        f'{{"source":{ids[source]},"target":{ids[target]},"kind":"{kind}",'
        f'"weight":{weight},"why":{told}}}'
    )


def _joined(rows: Iterable[str]) -> Iterator[str]:
    """The rows, a comma and a line end between two, in pieces of some size."""
    held: list[str] = []
    before = ""
    for row in rows:
        held.append(row)
        if len(held) == _EDGES_AT_ONCE:
            yield before + ",\n".join(held)
            before = ",\n"
            held.clear()
    if held:
        yield before + ",\n".join(held)
    yield "\n"


def _json(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if text.isascii():
        return text
    return UNSEEN.sub(lambda found: _escaped(found[0]), text)


def _escaped(character: str) -> str:
    return json.dumps(character)[1:-1]


def as_dot(graph: Graph) -> Iterator[str]:
    """Graphviz: undirected; what no link says is dashed."""
    yield "graph wiki {\n  node [shape=box];\n"
    for place, node in enumerate(graph.nodes):
        title, path = _quoted(label(node.title)), _quoted(node.path)
        yield f"  n{place} [label={title}, path={path}, community={node.community}];\n"
    for edge in graph.edges:
        style = "" if edge.kind == EXTRACTED else ", style=dashed"
        told = f"kind={edge.kind}, weight={edge.weight}{style}"
        yield f"  n{edge.source} -- n{edge.target} [{told}];\n"
    yield "}\n"


def _quoted(text: str) -> str:
    """A string of DOT; a doubled backslash, for labels give meaning to a single one."""
    escaped = shown(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def as_mermaid(graph: Graph) -> Diagram:
    """A Mermaid flowchart of the whole graph, or of as many pages of the highest rank as have at
    most `MERMAID_EDGES` edges between them."""
    kept = _highest(graph)
    edges = [edge for edge in graph.edges if edge.source in kept and edge.target in kept]
    lines = ["flowchart LR"]
    if len(kept) < len(graph.nodes):
        told = f"{len(kept)} of {len(graph.nodes)} pages, those of the highest rank"
        lines.append(f"%% {told}; {len(edges)} of {len(graph.edges)} edges")
    lines += [f'n{place}["{_mermaid(graph.nodes[place].title)}"]' for place in sorted(kept)]
    for edge in edges:
        stroke = "---" if edge.kind == EXTRACTED else "-.-"
        lines.append(f"n{edge.source} {stroke} n{edge.target}")
    return Diagram("\n".join(lines) + "\n", len(kept), len(edges))


def _highest(graph: Graph) -> set[int]:
    """As many pages as fit, by falling rank."""
    if len(graph.edges) <= MERMAID_EDGES:
        return set(range(len(graph.nodes)))
    near: dict[int, list[int]] = {}
    for edge in graph.edges:
        near.setdefault(edge.source, []).append(edge.target)
        near.setdefault(edge.target, []).append(edge.source)
    kept: set[int] = set()
    edges = 0
    for place in sorted(range(len(graph.nodes)), key=lambda p: (-graph.nodes[p].rank, p)):
        edges += sum(other in kept for other in near.get(place, ()))
        if edges > MERMAID_EDGES:
            break
        kept.add(place)
    return kept


def _mermaid(text: str) -> str:
    """A title between quotes: all but letters, digits and a few marks by their numbers."""
    return _NOT_PLAIN.sub(lambda found: f"#{ord(found[0])};", label(text))


WRITERS: dict[str, Callable[[Graph], Iterable[str]]] = {
    "json": as_json,
    "graphml": as_graphml,
    "gexf": as_gexf,
    "dot": as_dot,
    "pyvis": as_pyvis,
    "mermaid": lambda graph: (as_mermaid(graph).text,),
}
"""Formats that are text to what writes them; `html` is in its own module."""
