"""The graph in the formats of other programs. The same graph gives the same bytes.

Everything a page says is text in them, never markup: it goes through the escaping of each format.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from llmwiki.core.errors import InputError
from llmwiki.core.text import cut
from llmwiki.graph.nodes_and_edges import EXTRACTED, Graph, GraphEdge, GraphNode

if TYPE_CHECKING:
    import networkx
    from pyvis.network import Network

LABEL = 80
"""Characters of a title beside its dot."""

UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff"
    "\ud800-\udfff\ufffe\uffff\U000e0000-\U000e007f]"
)
"""What moves a cursor, changes direction, or may not stand in XML 1.0."""


def shown(text: str) -> str:
    """Text of others without what XML cannot hold or a terminal obeys."""
    return UNSEEN.sub("\ufffd", text)


# --- networkx ----------------------------------------------------------------------------------


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


# --- pyvis -------------------------------------------------------------------------------------
#
# pyvis' own page fetches a stylesheet and a script from a network even when it is asked for one
# file (0.3.2), and its `add_edge` compares every new edge with all others.
# So the network is filled directly, and drawn by a template of ours around the vis-network script
# that pyvis ships.

_COLOURS = (
    "#4c78a8", "#f58518", "#54a24b", "#b79a20", "#439894", "#e45756", "#9d755d", "#b279a2",
    "#79706e", "#d67195",
)  # fmt: skip
"""Of communities, by their places; the eleventh has the first again."""
_SMALLEST, _LARGEST = 8.0, 40.0
"""Diameters of the pages of least and of highest rank, in pixels."""


def to_pyvis(graph: Graph, *, heading: str = "", notebook: bool = False) -> Network:
    """The graph as a network of pyvis, one node a page; `write_html(FILE)` draws it offline.

    A page's size follows its rank, its colour its community; edges that no link shows are dashed.
    `notebook` is pyvis' own: `show(FILE)` then draws within the notebook. vis-network lays out and
    draws every node at once: beyond some 2,000 pages use the page that `wiki graph` writes.
    Raises InputError where pyvis is not installed.
    """
    try:
        from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PackageLoader
        from pyvis.network import Network
    except ImportError:
        raise InputError(
            "pyvis is not installed", fix="Install it: pip install 'git-llmwiki[notebook]'"
        ) from None
    network = Network(height="90vh", width="100%", heading=shown(heading), cdn_resources="in_line")
    network.templateEnv = Environment(
        loader=ChoiceLoader(
            [PackageLoader("llmwiki.graph", "viewer"), FileSystemLoader(network.template_dir)]
        )
    )
    network.path = "pyvis.html"
    if notebook:
        network.prep_notebook()
    network.nodes = _drawn_nodes(graph)
    network.node_ids = [node["id"] for node in network.nodes]
    network.node_map = {node["id"]: node for node in network.nodes}
    network.edges = [_drawn_edge(edge, network.node_ids) for edge in graph.edges]
    network.set_options(_OPTIONS)
    return network


def as_pyvis(graph: Graph) -> Iterator[str]:
    """The page that `to_pyvis` draws. Raises InputError where pyvis is not installed."""
    yield str(to_pyvis(graph, heading="Wiki").generate_html())


_OPTIONS = """{
  "physics": {"barnesHut": {"springLength": 120}, "stabilization": {"iterations": 150}},
  "layout": {"randomSeed": 1, "improvedLayout": false},
  "interaction": {"hover": true, "navigationButtons": false, "keyboard": true}
}"""


def _drawn_nodes(graph: Graph) -> list[dict[str, Any]]:
    most = max((node.rank for node in graph.nodes), default=0.0) or 1.0
    drawn = []
    for place, node in enumerate(graph.nodes):
        title = shown(node.title)
        told = f"{title}\n{shown(node.description)}\n{node.claim_count} claims".replace(
            "\n\n", "\n"
        )
        drawn.append(
            {
                "id": place,
                "label": cut(title, LABEL),
                "title": told,
                "shape": "dot",
                "size": round(_SMALLEST + (_LARGEST - _SMALLEST) * (node.rank / most) ** 0.5, 2),
                "color": _COLOURS[node.community % len(_COLOURS)],
            }
        )
    return drawn


def _drawn_edge(edge: GraphEdge, ids: list[int]) -> dict[str, Any]:
    told = edge.kind.lower() + (f": {shown(edge.why)}" if edge.why else "")
    return {
        "from": ids[edge.source],
        "to": ids[edge.target],
        "width": max(0.5, round(2 * edge.weight, 2)),
        "dashes": edge.kind != EXTRACTED,
        "title": told,
    }


# --- JSON ----------------------------------------------------------------------------------------

_EDGES_AT_ONCE = 4096


def as_json(graph: Graph) -> Iterator[str]:
    """Node-link JSON, a node or an edge a line; `networkx.node_link_graph(data, edges="edges")`
    reads it."""
    ids = [_json(node.id) for node in graph.nodes]
    about = {
        "schema": "llmwiki.graph-file/1",
        "communities": [community.name for community in graph.communities],
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


WRITERS: dict[str, Callable[[Graph], Iterable[str]]] = {
    "json": as_json,
    "graphml": as_graphml,
    "pyvis": as_pyvis,
}
"""Formats that are text to what writes them; `html` is in its own module."""
