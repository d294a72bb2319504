"""The graph of a wiki: shapes of JSON objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from llmwiki.app.shapes.shape import Shape, at

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from llmwiki.app.graph import Neighbourhood, PagePath, WikiGraph
    from llmwiki.graph.ground import GraphInput
    from llmwiki.graph.hubs_and_gaps import GraphSurvey
    from llmwiki.graph.model import GraphEdge

NO_MATCH = 1
"""The exit code where nothing was found."""
TOLD = 1000
"""Rows of a list of the graph at most."""
SHOWN = 10
"""Pages of a community that are named."""


def _edge(ground: GraphInput, edge: GraphEdge) -> dict[str, Any]:
    ends = {"from": ground.pages[edge.source].path, "to": ground.pages[edge.target].path}
    return GraphEdgeJson.of(edge, **ends)


def _steps(way: PagePath) -> Iterator[dict[str, Any]]:
    for step in way.steps:
        edge = _edge(way.ground, step.edge) if step.edge else None
        yield PathStepJson.of(way.ground.pages[step.place], edge=edge)


def _rings(around: Neighbourhood) -> Iterator[list[dict[str, Any]]]:
    pages = around.ground.pages
    for ring in around.rings:
        yield [
            NearPageJson.of(
                pages[near.place],
                distance=near.distance,
                via=pages[near.via].path,
                edge=_edge(around.ground, near.edge),
            )
            for near in ring
        ]


class HubJson(Shape):
    """A page of high rank."""

    path: str
    title: str
    rank: float
    edges: int


class CommunityJson(Shape):
    """Pages that hang together."""

    name: str
    pages: int
    first: list[str]


class BridgePageJson(Shape):
    """A page whose loss would split the graph."""

    path: str
    parted: int
    """Pages that hang on it."""


class IsolatedJson(Shape):
    """What is not joined to the rest."""

    parts: list[list[str]]
    unlinked: list[str]
    unlinked_count: int


class MissingLinkJson(Shape):  # noqa: D101
    from_: str
    to: str
    shared: list[str]
    times: int
    score: int


class PhantomJson(Shape):  # noqa: D101
    name: str
    count: int
    from_: list[str]


class HealthJson(Shape):
    """How well the graph hangs together."""

    in_largest: float
    unlinked: int
    broken_links: int
    remarks: list[str]


class WrittenFileJson(Shape):
    """A file that was written."""

    path: str
    bytes: int


class GraphJson(Shape):
    """What the graph shows."""

    schema: Literal["llmwiki.graph/1"]
    pages: int
    edges: int
    kinds: dict[str, int]
    types: dict[str, int]
    edges_per_page: float = at("per_page")
    hubs: list[HubJson]
    modularity: float
    communities: list[CommunityJson]
    bridges: list[BridgePageJson]
    isolated: IsolatedJson
    orphans: list[str]
    missing: list[MissingLinkJson]
    phantoms: list[PhantomJson]
    health: HealthJson
    texts_read: bool
    files: list[WrittenFileJson]


class GraphEdgeJson(Shape):  # noqa: D101
    from_: str
    to: str
    kind: str
    weight: float
    why: str


class PathStepJson(Shape):
    """A page on a way, and the edge that leads to it."""

    path: str
    title: str
    edge: GraphEdgeJson | None


class GraphPathJson(Shape):  # noqa: D101
    schema: Literal["llmwiki.graph/1"]
    from_: str = at("start.path")
    to: str = at("goal.path")
    length: int | None = at(lambda way: len(way.steps) - 1 if way.steps else None)
    steps: list[PathStepJson] = at(_steps)
    exit_code: int = at(lambda way: 0 if way.steps else NO_MATCH)


class NearPageJson(Shape):
    """A page near another one."""

    path: str
    title: str
    distance: int
    via: str
    edge: GraphEdgeJson


class NeighboursJson(Shape):
    """The pages around one, by their distance."""

    schema: Literal["llmwiki.graph/1"]
    page: str = at(lambda around: around.ground.pages[around.page].path)
    rings: list[list[NearPageJson]] = at(_rings)


class GraphAboutJson(Shape):
    """What is told of a whole graph."""

    schema: Literal["llmwiki.graph-file/1"]
    communities: list[str]
    modularity: float


class GraphNodeJson(Shape):
    """One page."""

    id: str
    title: str
    type: str
    path: str
    description: str
    tags: list[str]
    claims: int
    rank: float
    community: int


class GraphLinkJson(Shape):
    """One edge."""

    source: str
    target: str
    kind: str
    weight: float
    why: str


class GraphFileJson(Shape):
    """The graph in networkx's node-link form."""

    directed: bool
    multigraph: bool
    graph: GraphAboutJson
    nodes: list[GraphNodeJson]
    edges: list[GraphLinkJson]


def graph_json(
    drawn: WikiGraph, seen: GraphSurvey, files: Sequence[tuple[str, int]]
) -> dict[str, Any]:
    """What the graph shows; pages by their paths."""
    built = drawn.built
    nodes, near = built.graph.nodes, built.net.near

    def paths(places: Sequence[int]) -> list[str]:
        return [nodes[place].path for place in places[:TOLD]]

    return GraphJson.of(
        seen,
        pages=len(nodes),
        edges=len(built.graph.edges),
        hubs=[HubJson.of(nodes[place], edges=len(near[place])) for place in seen.hubs],
        modularity=round(built.modularity, 6),
        communities=[
            (each.name, len(each.members), paths(each.members[:SHOWN]))
            for each in built.graph.communities[:TOLD]
        ],
        bridges=[(nodes[page.node].path, page.parted) for page in seen.parts.pages[:TOLD]],
        isolated=(
            [paths(part) for part in seen.parts.parts[1:TOLD] if len(part) > 1],
            paths(seen.unlinked),
            len(seen.unlinked),
        ),
        orphans=paths(seen.orphans),
        missing=[
            (
                nodes[each.source].path,
                nodes[each.target].path,
                paths(each.shared),
                each.times,
                each.score,
            )
            for each in seen.missing
        ],
        phantoms=[
            (each.name, len(each.sources), paths(each.sources)) for each in seen.phantoms[:TOLD]
        ],
        health=(seen.in_largest, len(seen.unlinked), built.broken, seen.remarks),
        texts_read=built.was_read,
        files=files,
    )
