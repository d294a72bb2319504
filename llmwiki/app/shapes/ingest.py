"""Sources that were read, answers that were checked, questions in parts: shapes of JSON objects."""

from __future__ import annotations

from typing import Any, Literal

from llmwiki.app.shapes.shape import LandedJson, MayLack, NullIfEmpty, Shape, at


class RefusedJson(Shape):
    """A claim, statement or edge that does not count."""

    text: str
    quote: str
    reason: str
    claim: NullIfEmpty[str]
    """The id it has in the answer, such as `k7`, or `2:k7` for one of the second segment."""


class RemarkJson(Shape):
    """A part of an answer that is kept in another way than it was given."""

    claim: NullIfEmpty[str]
    what: str
    became: str


class UnquotedJson(Shape):
    """A stretch of a source's prose from which nothing was quoted."""

    lines: list[int] = at(lambda each: (each.first, each.last))
    """The first and the last."""
    characters: int


class JoinedJson(Shape):
    """A name that was filed under a page of another title."""

    name: str
    title: str
    why: str


class KeptApartJson(Shape):
    """Two names that may mean one thing, and were kept apart."""

    name: str
    title: str


class RefusedAliasJson(Shape):
    """Another name of a subject that was not recorded."""

    alias: str
    name: str
    reason: str


class OperationJson(LandedJson):
    """What became of one source, or of one answer of an agent."""

    source: str
    sha256: NullIfEmpty[str]
    status: str
    pages_created: list[str] = at("outcome.pages_created")
    pages_changed: list[str] = at("outcome.pages_changed")
    claims_added: int = at("outcome.claims_added")
    evidence_added: int = at("outcome.evidence_added")
    refused: list[RefusedJson] = at("reading.refused")
    remarks: list[RemarkJson] = at("reading.remarks")
    joined: list[JoinedJson] = at("reading.merged")
    kept_apart: list[KeptApartJson] = at("reading.near")
    aliases_refused: list[RefusedAliasJson] = at("reading.unnamed")
    leads_to_renew: list[str] = at("reading.to_renew")
    """Pages with new claims whose lead the reader was not shown."""
    unquoted: list[UnquotedJson] = at("reading.unquoted")
    tokens: int
    cost_usd: float | None
    exit_code: int
    error: NullIfEmpty[str]


class JudgedFindingJson(Shape):
    """What an agent found about claims."""

    code: str
    path: str
    line: int
    message: str
    claims: list[str]


class RejectedFindingJson(Shape):
    """What of an agent's judgement does not count."""

    kind: str
    reason: str


class JudgedJson(Shape):
    """An agent's judgement of claims that was kept."""

    part: str
    findings: list[JudgedFindingJson]
    left_out: list[RejectedFindingJson]
    outdated: int
    """Findings about what has changed since."""


class IngestJson(Shape, sparse=True):
    """What became of sources, or of answers of agents."""

    schema: Literal["llmwiki.ingest/1"]
    operations: list[OperationJson]
    left_out: MayLack[dict[str, int]] = at(lambda report: dict(getattr(report, "left_out", {})))
    judged: MayLack[list[JudgedJson]] = at(lambda report: getattr(report, "judged", ()))


def tokens_of_run(report: Any) -> int:
    """What the model took."""
    return report.run.usage.total if report.run else 0


def cost_of_run(report: Any) -> float | None:
    """What that cost; None: the price is not known."""
    return report.run.cost if report.run else 0.0


class QuestionJson(Shape):
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


class AnsweredPartJson(Shape):
    """What became of the answer to one part."""

    title: str
    """How much of what was done or found."""
    left_out: list[LeftOutJson]


class AskedJson(QuestionJson):
    """What a question came to whose answers are told alike."""

    schema: Literal["llmwiki.asked/1"]
    results: MayLack[list[AnsweredPartJson]]
