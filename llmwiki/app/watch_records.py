"""What `wiki watch` keeps below the git directory from one run to the next."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from llmwiki.app.settings import clock
from llmwiki.models.usage import Budget
from llmwiki.store.private import worktree_files
from llmwiki.store.records import RecordFolder

if TYPE_CHECKING:
    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.repo.repository import Repository
    from llmwiki.sources.arrivals import FileSignature


def _records(repo: Repository) -> RecordFolder:
    return RecordFolder(worktree_files(repo), "watch", "llmwiki.watch-record/1")


class FailedFiles:
    """Files that could not be read, each as it was then: they are told and paid for once."""

    def __init__(self, repo: Repository) -> None:
        self._records = _records(repo)
        self._held = self._records.get("failed", _read_failed) or {}

    def among(self, found: Mapping[str, FileSignature]) -> list[str]:
        """Those of the files that failed and are as they were then."""
        return [p for p in self._held.keys() & found.keys() if self._held[p] == found[p].content]

    def add(self, path: str, signature: FileSignature) -> None:
        """Keeps one. Of files that are gone nothing is kept."""
        self._held[path] = signature.content
        self._held = {each: held for each, held in self._held.items() if os.path.lexists(each)}
        self._records.put("failed", {"files": self._held})


def _read_failed(data: dict[str, Any]) -> dict[str, tuple[int, int]]:
    return {str(path): (int(size), int(when)) for path, (size, when) in data["files"].items()}


class DayLimit:
    """What models may take a day (UTC) in this wiki, in US dollars.

    Counted are the commits of the day, whoever made them, and the calls of `wiki watch` that led to
    none.
    """

    def __init__(self, repo: Repository, limit: float) -> None:
        """`limit` 0: there is none."""
        self.limit = limit
        self._records = _records(repo)
        self._day, self._lost = self._records.get("cost", _read_cost) or ("", 0.0)
        self._earlier = 0.0
        self._budget: Budget | None = None

    def begin(self, wiki: OpenWiki) -> Budget | None:
        """What the next batch may spend; None: nothing is left, or there is no limit."""
        from llmwiki.app.cost import cost

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


def seconds_left() -> float:
    """Seconds until the next day begins."""
    return 86_400 - clock() % 86_400
