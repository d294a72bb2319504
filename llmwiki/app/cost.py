"""What models took for this wiki, as the trailers of its commits tell; what they may take a day."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from llmwiki.landing.settings import clock, day_of

if TYPE_CHECKING:
    from llmwiki.git.log import Commit
    from llmwiki.git.repository import Repository
    from llmwiki.git.store.private import RecordFolder
    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.models.usage import Budget

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


# --- a limit for the day -----------------------------------------------------------------------


def watch_records(repo: Repository) -> RecordFolder:
    """What `wiki watch` keeps below the git directory from one run to the next."""
    from llmwiki.git.store.private import RecordFolder, worktree_files

    return RecordFolder(worktree_files(repo), "watch", "llmwiki.watch-record/1")


class DayLimit:
    """What models may take a day (UTC) in this wiki, in US dollars.

    Counted are the commits of the day, whoever made them, and the calls of `wiki watch` that led to
    none.
    """

    def __init__(self, repo: Repository, limit: float) -> None:
        """`limit` 0: there is none."""
        self.limit = limit
        self._records = watch_records(repo)
        self._day, self._lost = self._records.get("cost", _read_cost) or ("", 0.0)
        self._earlier = 0.0
        self._budget: Budget | None = None

    def begin(self, wiki: OpenWiki) -> Budget | None:
        """What the next batch may spend; None: nothing is left, or there is no limit."""
        from llmwiki.models.usage import Budget

        if not self.limit:
            return None
        if self._day != today():
            self._day, self._lost = today(), 0.0
        self._earlier = cost(wiki, self._day).total.usd + self._lost
        left = self.limit - self._earlier
        self._budget = Budget(left) if left > 0 else None
        return self._budget

    @property
    def spent(self) -> float:
        """US dollars of this day, those of the batch under way included."""
        return self._earlier + (self._budget.spent if self._budget else 0.0)

    def end(self, landed: float) -> None:
        """Books a batch, of which commits tell of `landed` US dollars."""
        if self._budget is not None:
            self._lost += max(self._budget.spent - landed, 0.0)
            self._records.put("cost", {"day": self._day, "lost": self._lost})
            self._budget = None


def _read_cost(data: dict[str, Any]) -> tuple[str, float]:
    return str(data["day"]), float(data["lost"])


def today() -> str:
    """The day (UTC), as `wiki log --cost --since` takes it."""
    return f"{datetime.fromtimestamp(clock(), UTC):%Y-%m-%d}"
