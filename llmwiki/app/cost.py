"""What models took for this wiki, as the trailers of its commits tell."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from llmwiki.landing.clock import day_of

if TYPE_CHECKING:
    from llmwiki.git.log import Commit
    from llmwiki.landing.open_wiki import OpenWiki

_TOKENS = re.compile(r"in=(\d{1,15}) out=(\d{1,15})\Z")
_COST = re.compile(r"USD (\d{1,12}(?:\.\d{1,9})?)\b")


@dataclass(frozen=True, slots=True)
class ModelCost:
    """What some operations took."""

    name: str = ""
    """The day (UTC), the model or the source; empty for the sum of all."""
    operations: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0
    """US dollars at the prices of their time, an estimate."""
    unpriced: int = 0
    """Operations among them whose model had no price: their tokens count, and no money."""

    def __add__(self, other: ModelCost) -> ModelCost:
        return ModelCost(
            self.name,
            self.operations + other.operations,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.usd + other.usd,
            self.unpriced + other.unpriced,
        )


@dataclass(frozen=True, slots=True)
class CostReport:
    """What models took, in all and by what."""

    total: ModelCost
    days: tuple[ModelCost, ...]
    """By day, newest first."""
    models: tuple[ModelCost, ...]
    """The dearest first, then by tokens and name."""
    sources: tuple[ModelCost, ...]
    """The same; operations without a source, such as an answer that was filed, are left out."""
    lacking: str = ""
    """Why this clone may lack operations, and what to do; empty: it has all."""


def cost(wiki: OpenWiki, since: str | None = None) -> CostReport:
    """What models took, by the commits that they had a part in: by day, model and source.

    `since` is the first day that counts, `2026-11-01`. Raises InputError for what is no day.
    """
    first = day_of(since) if since else date.min
    head = wiki.repo.head()
    commits = (c for each in (wiki.repo.log(head) if head else ()) for c in each.by_operation())
    told = [(c, took) for c in commits if c.own and (took := _took(c)) and c.date.date() >= first]
    return CostReport(
        sum((took for _commit, took in told), ModelCost()),
        tuple(reversed(_by((f"{c.date:%Y-%m-%d}", took) for c, took in told))),
        _dearest(_by((c.value("Wiki-Model") or "", took) for c, took in told)),
        _dearest(_by((_source(c), took) for c, took in told if c.sources)),
        wiki.repo.beyond,
    )


def _took(commit: Commit) -> ModelCost | None:
    tokens = _TOKENS.match(commit.value("Wiki-Tokens") or "")
    if tokens is None:
        return None
    money = _COST.match(commit.value("Wiki-Cost") or "")
    return ModelCost(
        operations=1,
        input_tokens=int(tokens[1]),
        output_tokens=int(tokens[2]),
        usd=float(money[1]) if money else 0.0,
        unpriced=0 if money else 1,
    )


def _source(commit: Commit) -> str:
    return commit.sources[0].rpartition(" sha256:")[0]


def _by(rows: Iterable[tuple[str, ModelCost]]) -> list[ModelCost]:
    """The sums by name, in its order."""
    sums: dict[str, ModelCost] = {}
    for name, took in rows:
        sums[name] = sums.get(name, ModelCost(name)) + took
    return [sums[name] for name in sorted(sums)]


def _dearest(rows: Iterable[ModelCost]) -> tuple[ModelCost, ...]:
    return tuple(sorted(rows, key=lambda r: (-r.usd, -r.input_tokens - r.output_tokens, r.name)))
