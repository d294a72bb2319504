"""How much a note is used, and what that earns it. Pure.

The weights, gates and half-lives are those of OpenClaw's deep phase. Use only lifts: a note that
nobody counted here, as in a fresh clone, loses nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date
from types import MappingProxyType
from typing import NamedTuple

from llmwiki.learn.private_memory import NoteUse

WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "frequency": 0.24,
        "relevance": 0.30,
        "diversity": 0.15,
        "recency": 0.15,
        "consolidation": 0.10,
        "conceptual": 0.06,
    }
)
MIN_SCORE = 0.8
MIN_RECALLS = 3
MIN_QUERIES = 3
RECENT_DAYS = 14
"""Days in which the worth of a use halves."""
HALF_LIFE = 30
"""Days in which what was said on a day loses half of its weight in a conversation's recall."""


class UseScore(NamedTuple):
    """What the use of a note is worth."""

    components: Mapping[str, float]
    """The six numbers, each from 0 to 1."""
    score: float


def score_of(
    recalls: int,
    total: float,
    queries: int,
    days: tuple[str, ...],
    age: float,
    concepts: int,
) -> UseScore:
    """Weighs the use of a note: how often it was recalled, the sum of what it was worth, for how
    many questions, on which days, how many days ago last, and how many names it holds."""
    parts = {
        "frequency": min(math.log1p(recalls) / math.log(11), 1.0),
        "relevance": min(total / recalls, 1.0) if recalls else 0.0,
        "diversity": min(max(queries, len(days)) / 5, 1.0),
        "recency": halved(1.0, age, RECENT_DAYS),
        "consolidation": spread(days),
        "conceptual": min(concepts / 6, 1.0),
    }
    return UseScore(
        MappingProxyType(parts), sum(WEIGHTS[name] * value for name, value in parts.items())
    )


def spread(days: tuple[str, ...]) -> float:
    """How far the days of use lie apart, from 0 to 1."""
    dates = sorted({date.fromisoformat(day) for day in days})
    if len(dates) < 2:
        return 0.2 if dates else 0.0
    span = (dates[-1] - dates[0]).days
    return min(0.55 * min(math.log(len(dates)) / math.log(5), 1.0) + 0.45 * min(span / 7, 1), 1.0)


def earns(score: float, recalls: int, queries: int) -> bool:
    """Whether use promotes a note."""
    return score >= MIN_SCORE and recalls >= MIN_RECALLS and queries >= MIN_QUERIES


def use_score(use: NoteUse, today: str, concepts: int) -> UseScore:
    """What the use of a note is worth on a day."""
    last = max(use.days, default=today)
    age = (date.fromisoformat(today) - date.fromisoformat(last)).days
    return score_of(
        use.recalls, use.score / 1_000_000, len(use.queries), use.days, max(age, 0), concepts
    )


def halved(score: float, age: float, half_life: float) -> float:
    """A score after `age` days; one of the future is not raised, a half-life of 0 is none."""
    return score * 0.5 ** (max(age, 0) / half_life) if half_life > 0 else score
