"""The graph as a network of pyvis, for notebooks.

pyvis' own page fetches a stylesheet and a script from a network even when it is asked for one file
(0.3.2, `templates/template.html`), and its `add_edge` compares every new edge with all others. So
the network is filled directly, and drawn by a template of ours around the vis-network script that
pyvis ships: what it draws needs no network.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from llmwiki.core.errors import InputError
from llmwiki.graph.labels import label, shown
from llmwiki.graph.model import EXTRACTED, Graph, GraphEdge

if TYPE_CHECKING:
    from pyvis.network import Network

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
                "label": label(title),
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
