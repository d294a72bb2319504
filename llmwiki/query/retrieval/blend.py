"""Two ranked lists as one: each thing by its weighted scores in both. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

_Key = TypeVar("_Key")


def rank_to_score(rank: float) -> float:
    """The score of a place in a list, from 0 for the first: 1, 1/2, 1/3 …"""
    return 1 / (1 + max(rank, 0))


def blend(
    first: Sequence[tuple[_Key, float]],
    second: Sequence[tuple[_Key, float]],
    weight: float,
    other: float,
) -> list[tuple[_Key, float]]:
    """The things of both lists with their scores, best first; those that tie in the order in which
    they were given. `weight` counts for the first list, `other` for the second."""
    scores: dict[_Key, float] = {}
    for listed, share in ((first, weight), (second, other)):
        for key, score in listed:
            scores[key] = scores.get(key, 0.0) + share * score
    return sorted(scores.items(), key=lambda row: -row[1])
