"""The values a graph of the wiki is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

EXTRACTED = "EXTRACTED"
"""A wikilink in the page's text; weight 1.0."""
MENTION = "MENTION"
"""The title or an alias of the other page stands in the text, without a link."""
INFERRED = "INFERRED"
"""Said by a model or an agent with a confidence of at least `SURE`."""
AMBIGUOUS = "AMBIGUOUS"
"""Said by a model or an agent with less confidence."""

KINDS = (EXTRACTED, MENTION, INFERRED, AMBIGUOUS)
"""From the surest to the least sure: of several edges between two pages the first is kept."""

SURE = 0.7
"""Confidence from which a model's edge is INFERRED (as llm-wiki-agent has it)."""


FORMATS = ("html", "json", "graphml", "pyvis")
"""What a graph is written as."""

UNLINKED = "(unlinked)"
"""The community of the pages without any edge, which share nothing but that."""


class GraphNode(NamedTuple):
    """One page."""

    path: str
    """`wiki/concepts/Self-attention.md`; unique, and the order of nodes."""
    title: str
    type: str
    description: str
    tags: tuple[str, ...]
    claim_count: int
    """Claims that stand on it."""
    rank: float
    """PageRank; the sum over all nodes is 1."""
    community: int
    """Place in `Graph.communities`."""
    aliases: tuple[str, ...] = ()
    """Other names of its subject."""

    @property
    def id(self) -> str:
        """Its name in exports: the path without `wiki/` and `.md`."""
        return self.path.removeprefix("wiki/").removesuffix(".md")


class GraphEdge(NamedTuple):
    """What joins two pages; nodes are given by their place in `Graph.nodes`."""

    source: int
    target: int
    kind: str
    """One of `KINDS`."""
    weight: float
    """0 to 1: 1.0 for a wikilink, the confidence of a model."""
    why: str = ""
    """A model's or an agent's reason; empty for what the text shows."""


class Community(NamedTuple):
    """Pages that hold together more than with the rest."""

    name: str
    """The title of the page joined to the most of it, or `UNLINKED`; see `build`."""
    members: tuple[int, ...]
    """Places in `Graph.nodes`: by falling rank, then by path."""


@dataclass(frozen=True, slots=True)
class Graph:
    """All pages and the edges between them; each unordered pair of pages at most once."""

    nodes: tuple[GraphNode, ...]
    """Sorted by path."""
    edges: tuple[GraphEdge, ...]
    """Sorted by (source, target)."""
    communities: tuple[Community, ...]
    """By falling size, then by name and first member's path; last the pages without any edge."""
