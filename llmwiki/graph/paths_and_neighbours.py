"""The page that a name means, the shortest path between two pages, the pages around one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from llmwiki.core.errors import InputError
from llmwiki.core.text import nearest
from llmwiki.graph.nodes_and_edges import KINDS, GraphEdge
from llmwiki.graph.read_edges import GraphInput
from llmwiki.index.lookups import Card
from llmwiki.pages.link_targets import link_key, resolver_of
from llmwiki.pages.page_file_names import several_pages


class PathStep(NamedTuple):
    """One page, and how it was reached."""

    place: int
    edge: GraphEdge | None
    """The edge it was reached by; None at the start."""


class NearPage(NamedTuple):
    """A page around another."""

    place: int
    distance: int
    """Edges between them at least."""
    via: int
    """The page it was reached from."""
    edge: GraphEdge


def page_named(pages: Sequence[Card], name: str) -> int:
    """The place of the page that a person means: the one that a link of that name leads to.

    A ledger is meant only where no other page has the name: often it has its subject's title.

    Raises InputError where there is none, or several.
    """
    wanted = name.strip().removeprefix("[[").removesuffix("]]").partition("|")[0].partition("#")[0]
    place_of = {page.path: place for place, page in enumerate(pages)}
    fitting = resolver_of((page.path, page.called) for page in pages).fitting(link_key(wanted))
    found = [path for path in fitting if pages[place_of[path]].type != "source"] or fitting
    if len(found) > 1:
        raise several_pages(name, found)
    if found:
        return place_of[found[0]]
    near = nearest(wanted, dict.fromkeys(page.title for page in pages), 3)
    hint = f"Perhaps: {', '.join(near)}." if near else "wiki/index.md lists the pages."
    raise InputError("there is no such page", where=name, fix=hint)


def shortest_path(ground: GraphInput, start: int, goal: int) -> tuple[PathStep, ...]:
    """A shortest way from page to page, whichever way the edges point; empty where there is none.

    Of several the one over surer edges, step by step from the start, then over earlier paths.
    """
    around = _around(ground)
    reached: dict[int, GraphEdge | None] = {start: None}
    ring = [start]
    while ring and goal not in reached:
        ring = [near.place for near in _ring(around, ring, reached, 0)]
    if goal not in reached:
        return ()
    steps = [PathStep(goal, reached[goal])]
    while (edge := steps[-1].edge) is not None:
        before = _other(edge, steps[-1].place)
        steps.append(PathStep(before, reached[before]))
    return tuple(reversed(steps))


def neighbours(ground: GraphInput, start: int, depth: int) -> tuple[tuple[NearPage, ...], ...]:
    """The pages around one, a ring for each distance from 1 to `depth`; outer ones may be missing.

    A ring is sorted by the kind of edge, then by path.
    """
    around = _around(ground)
    reached: dict[int, GraphEdge | None] = {start: None}
    rings: list[tuple[NearPage, ...]] = []
    ring = [start]
    for distance in range(1, depth + 1):
        found = _ring(around, ring, reached, distance)
        if not found:
            break
        rings.append(tuple(sorted(found, key=lambda near: (_order(near.edge), near.place))))
        ring = [near.place for near in found]
    return tuple(rings)


def _around(ground: GraphInput) -> list[list[GraphEdge]]:
    """For each page its edges, the surest first."""
    around: list[list[GraphEdge]] = [[] for _ in ground.pages]
    for edge in ground.edges:
        around[edge.source].append(edge)
        around[edge.target].append(edge)
    return around


def _ring(
    around: Sequence[Sequence[GraphEdge]],
    ring: Iterable[int],
    reached: dict[int, GraphEdge | None],
    distance: int,
) -> list[NearPage]:
    """The pages one edge further than a ring, and that they are reached."""
    found = []
    for place in ring:
        ways = sorted((_order(edge), _other(edge, place), edge) for edge in around[place])
        for _kind, other, edge in ways:
            if other not in reached:
                reached[other] = edge
                found.append(NearPage(other, distance, place, edge))
    return found


def _order(edge: GraphEdge) -> int:
    return KINDS.index(edge.kind)


def _other(edge: GraphEdge, place: int) -> int:
    return edge.source + edge.target - place
