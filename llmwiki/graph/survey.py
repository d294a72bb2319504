"""What a graph tells of a wiki: hubs, bridges, loose ends, links that seem missing, health."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from llmwiki.graph.connectivity import GraphParts, parts_of
from llmwiki.graph.missing import MissingLink, missing_links
from llmwiki.graph.model import KINDS

if TYPE_CHECKING:
    from llmwiki.graph.build import BuiltGraph, Phantom

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
    orphans: tuple[int, ...]
    """Pages with an edge to which none leads; ledgers are not among them."""
    missing: tuple[MissingLink, ...]
    phantoms: tuple[Phantom, ...]
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
    orphans = tuple(
        place
        for place, node in enumerate(nodes)
        if built.net.strength[place] and not built.incoming[place] and node.type != "source"
    )
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
        orphans=orphans,
        missing=missing_links(built),
        phantoms=built.phantoms,
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
