"""The graph of a wiki, as JSON objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llmwiki.app.graph import Neighbourhood, PagePath, WikiGraph
    from llmwiki.app.shapes import graph as shapes
    from llmwiki.graph.ground import GraphInput
    from llmwiki.graph.model import GraphEdge
    from llmwiki.graph.survey import GraphSurvey


NO_MATCH = 1
"""The exit code where nothing was found."""
TOLD = 1000
"""Rows of a list of the graph at most."""
SHOWN = 10
"""Pages of a community that are named."""


def graph_json(
    drawn: WikiGraph, seen: GraphSurvey, files: Sequence[tuple[str, int]]
) -> shapes.GraphJson:
    """What the graph shows; pages by their paths."""
    built = drawn.built
    nodes = built.graph.nodes

    def paths(places: Sequence[int]) -> list[str]:
        return [nodes[place].path for place in places[:TOLD]]

    return {
        "schema": "llmwiki.graph/1",
        "pages": len(nodes),
        "edges": len(built.graph.edges),
        "kinds": dict(seen.kinds),
        "types": dict(seen.types),
        "edges_per_page": seen.per_page,
        "hubs": [
            {
                "path": nodes[place].path,
                "title": nodes[place].title,
                "rank": nodes[place].rank,
                "edges": len(built.net.near[place]),
            }
            for place in seen.hubs
        ],
        "modularity": round(built.modularity, 6),
        "communities": [
            {"name": each.name, "pages": len(each.members), "first": paths(each.members[:SHOWN])}
            for each in built.graph.communities[:TOLD]
        ],
        "bridges": {
            "pages": [
                {"path": nodes[page.node].path, "parted": page.parted}
                for page in seen.parts.pages[:TOLD]
            ],
            "edges": [
                {
                    "from": nodes[edge.source].path,
                    "to": nodes[edge.target].path,
                    "parted": edge.parted,
                }
                for edge in seen.parts.edges[:TOLD]
            ],
        },
        "isolated": {
            "parts": [paths(part) for part in seen.parts.parts[1:TOLD] if len(part) > 1],
            "unlinked": paths(seen.unlinked),
            "unlinked_count": len(seen.unlinked),
        },
        "orphans": paths(seen.orphans),
        "missing": [
            {
                "from": nodes[each.source].path,
                "to": nodes[each.target].path,
                "shared": paths(each.shared),
                "times": each.times,
                "score": each.score,
            }
            for each in seen.missing
        ],
        "phantoms": [
            {"name": each.name, "count": len(each.sources), "from": paths(each.sources)}
            for each in seen.phantoms[:TOLD]
        ],
        "health": {
            "in_largest": seen.in_largest,
            "unlinked": len(seen.unlinked),
            "broken_links": built.broken,
            "remarks": list(seen.remarks),
        },
        "texts_read": built.was_read,
        "files": [{"path": path, "bytes": size} for path, size in files],
    }


def path_json(way: PagePath) -> shapes.GraphPathJson:
    """A way between two pages; no steps where there is none."""
    pages = way.ground.pages
    return {
        "schema": "llmwiki.graph/1",
        "from": way.start.path,
        "to": way.goal.path,
        "length": len(way.steps) - 1 if way.steps else None,
        "steps": [
            {
                "path": pages[step.place].path,
                "title": pages[step.place].title,
                "edge": _edge(way.ground, step.edge) if step.edge else None,
            }
            for step in way.steps
        ],
        "exit_code": 0 if way.steps else NO_MATCH,
    }


def neighbours_json(around: Neighbourhood) -> shapes.NeighboursJson:
    """The pages around one, by their distance."""
    pages = around.ground.pages
    return {
        "schema": "llmwiki.graph/1",
        "page": pages[around.page].path,
        "rings": [
            [
                {
                    "path": pages[near.place].path,
                    "title": pages[near.place].title,
                    "distance": near.distance,
                    "via": pages[near.via].path,
                    "edge": _edge(around.ground, near.edge),
                }
                for near in ring
            ]
            for ring in around.rings
        ],
    }


def _edge(ground: GraphInput, edge: GraphEdge) -> shapes.GraphEdgeJson:
    return {
        "from": ground.pages[edge.source].path,
        "to": ground.pages[edge.target].path,
        "kind": edge.kind,
        "weight": edge.weight,
        "why": edge.why,
    }
