"""The graph of a wiki: shapes of JSON objects."""

from typing import Literal

from typing_extensions import TypedDict


class HubJson(TypedDict):
    """A page of high rank."""

    path: str
    title: str
    rank: float
    edges: int


class CommunityJson(TypedDict):
    """Pages that hang together."""

    name: str
    pages: int
    first: list[str]


class BridgePageJson(TypedDict):
    """A page whose loss would split the graph."""

    path: str
    parted: int
    """Pages that hang on it."""


BridgeEdgeJson = TypedDict("BridgeEdgeJson", {"from": str, "to": str, "parted": int})


class BridgesJson(TypedDict):
    """What holds parts of the graph together alone."""

    pages: list[BridgePageJson]
    edges: list[BridgeEdgeJson]


class IsolatedJson(TypedDict):
    """What is not joined to the rest."""

    parts: list[list[str]]
    unlinked: list[str]
    unlinked_count: int


MissingLinkJson = TypedDict(
    "MissingLinkJson", {"from": str, "to": str, "shared": list[str], "times": int, "score": int}
)

PhantomJson = TypedDict("PhantomJson", {"name": str, "count": int, "from": list[str]})


class HealthJson(TypedDict):
    """How well the graph hangs together."""

    in_largest: float
    unlinked: int
    broken_links: int
    remarks: list[str]


class WrittenFileJson(TypedDict):
    """A file that was written."""

    path: str
    bytes: int


class GraphJson(TypedDict):
    """What the graph shows."""

    schema: Literal["llmwiki.graph/1"]
    pages: int
    edges: int
    kinds: dict[str, int]
    types: dict[str, int]
    edges_per_page: float
    hubs: list[HubJson]
    modularity: float
    communities: list[CommunityJson]
    bridges: BridgesJson
    isolated: IsolatedJson
    orphans: list[str]
    missing: list[MissingLinkJson]
    phantoms: list[PhantomJson]
    health: HealthJson
    texts_read: bool
    files: list[WrittenFileJson]


GraphEdgeJson = TypedDict(
    "GraphEdgeJson", {"from": str, "to": str, "kind": str, "weight": float, "why": str}
)


class PathStepJson(TypedDict):
    """A page on a way, and the edge that leads to it."""

    path: str
    title: str
    edge: GraphEdgeJson | None


GraphPathJson = TypedDict(
    "GraphPathJson",
    {
        "schema": Literal["llmwiki.graph/1"],
        "from": str,
        "to": str,
        "length": int | None,
        "steps": list[PathStepJson],
        "exit_code": int,
    },
)


class NearPageJson(TypedDict):
    """A page near another one."""

    path: str
    title: str
    distance: int
    via: str
    edge: GraphEdgeJson


class NeighboursJson(TypedDict):
    """The pages around one, by their distance."""

    schema: Literal["llmwiki.graph/1"]
    page: str
    rings: list[list[NearPageJson]]


class GraphAboutJson(TypedDict):
    """What is told of a whole graph."""

    schema: Literal["llmwiki.graph-file/1"]
    communities: list[str]
    modularity: float


class GraphNodeJson(TypedDict):
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


class GraphLinkJson(TypedDict):
    """One edge."""

    source: str
    target: str
    kind: str
    weight: float
    why: str


class GraphFileJson(TypedDict):
    """The graph in networkx's node-link form."""

    directed: bool
    multigraph: bool
    graph: GraphAboutJson
    nodes: list[GraphNodeJson]
    edges: list[GraphLinkJson]
