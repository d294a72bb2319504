"""The walk: pages that are reached from the best ones over links, names and titles."""

from __future__ import annotations

from collections.abc import Mapping

from llmwiki.retrieval.neighbours import LinkNeighbourhood, NeighbourWeights
from llmwiki.retrieval.seeds import SeedScores, top
from llmwiki.retrieval.weights import BOUNDS, SCALE, Recipe

MASS = SCALE * SCALE
"""All of the walk's mass, as an integer."""


def seeds(start: SeedScores, named: Mapping[int, int], recipe: Recipe) -> dict[int, int]:
    """Where the walk begins: the best pages, by a high power of their scores, MASS in all.

    Sharp, because all but the first few pages that words find are noise. `named` holds what the
    pages that the question names have at least, in millionths of the best one.
    """
    powers = {
        doc: MASS * start.scores[doc] ** recipe.sharpness // start.most**recipe.sharpness
        for doc in start.best
    }
    for doc, least in named.items():
        powers[doc] = max(powers.get(doc, 0), MASS * least // SCALE)
    whole = sum(powers.values())
    return {doc: MASS * power // whole for doc, power in powers.items() if power}


def walk(
    begin: Mapping[int, int],
    start: SeedScores,
    around: LinkNeighbourhood,
    worded: Mapping[int, Mapping[int, int]],
    recipe: Recipe,
) -> dict[int, int]:
    """Personalised PageRank, conditioned on the question, in integers.

    A step follows an edge by its weight times what the page it leads to scores by itself. Only
    pages that hold some mass are walked on from, so the cost does not grow with the wiki; where
    a page leads nowhere the mass stays. `worded` holds more edges of some pages.
    """
    floor = int(start.most * recipe.floor)
    move = round(SCALE * recipe.damping)
    home = {doc: mass * (SCALE - move) // SCALE for doc, mass in begin.items()}
    mass = dict(begin)
    ways: dict[int, tuple[dict[int, int], int]] = {}
    for _ in range(recipe.steps):
        _load(mass, around)
        reached = dict(home)
        for doc, held in mass.items():
            share = held * move // SCALE
            if doc in around.near and doc not in ways:
                ways[doc] = _ways(around.near[doc], worded.get(doc, {}), start, floor)
            if doc not in ways or not ways[doc][1]:
                reached[doc] = reached.get(doc, 0) + share
                continue
            weights, whole = ways[doc]
            for to, weight in weights.items():
                if part := share * weight // whole:
                    reached[to] = reached.get(to, 0) + part
        mass = reached
    return mass


def _ways(
    near: NeighbourWeights, worded: Mapping[int, int], start: SeedScores, floor: int
) -> tuple[dict[int, int], int]:
    """The edges out of a page, each by what it leads to, and their sum."""
    edges = dict(near.edges)
    for to, weight in worded.items():
        if to not in near.links:
            edges[to] = max(edges.get(to, 0), weight)
    weights = {to: weight * (floor + start.scores.get(to, 0)) for to, weight in edges.items()}
    return weights, sum(weights.values())


def _load(mass: Mapping[int, int], around: LinkNeighbourhood) -> None:
    """Work out the edges of pages with mass, of too many those with most."""
    least = int(MASS * BOUNDS.mass)
    new = {doc: held for doc, held in mass.items() if held >= least and doc not in around.near}
    around.load(top(around.corpus, new, max(BOUNDS.walked - len(around.near), 0)))
