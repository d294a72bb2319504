"""The shapes of a question that was asked in parts, and of what `wiki tidy` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from llmwiki.app.shapes.shape import MayLack, NullIfEmpty, Shape, at

if TYPE_CHECKING:
    from llmwiki.app.desk import DeskRun


def tokens_of_run(report: DeskRun[Any]) -> int:
    """What the model took."""
    return report.run.usage.total if report.run else 0


def cost_of_run(report: DeskRun[Any]) -> float | None:
    """What that cost; None: the price is not known."""
    return report.run.cost if report.run else 0.0


class AskedJson(Shape):
    """How far a model came with a question, or the jobs of an agent."""

    exit_code: int
    parts: int
    """Parts that there were to answer."""
    files: MayLack[list[str]]
    """With --prepare: the job of each part, absolute."""
    model: MayLack[str]
    tokens: MayLack[int] = at(tokens_of_run)
    cost_usd: MayLack[float | None] = at(cost_of_run)
    """An estimate; null: the price is not known."""


class LeftOutJson(Shape):
    """A part of an answer that does not count."""

    what: str
    reason: str


class TidiedPartJson(Shape):
    """What became of the answer to one part."""

    part: str
    id: NullIfEmpty[str] = at("outcome.id")
    """Of the operation; null where nothing changed."""
    commit: str | None = at("outcome.commit")
    merges: int = at(lambda part: len(part.accepted.merges))
    pairs: int = at(lambda part: len(part.accepted.pairs))
    leads: int = at(lambda part: len(part.accepted.leads))
    pages_changed: list[str] = at("outcome.pages_changed")
    left_out: list[LeftOutJson]


class TidyJson(AskedJson):
    """What a second reading of the wiki came to."""

    schema: Literal["llmwiki.tidy/1"]
    questions: MayLack[dict[str, int]]
    """With --prepare: how many of each kind."""
    results: MayLack[list[TidiedPartJson]]
