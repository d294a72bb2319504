"""Sources that were read, and answers that were checked: shapes of JSON objects."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from llmwiki.app.shapes.landed import LandedJson


class RefusedJson(TypedDict):
    """A claim, statement or edge that does not count."""

    text: str
    quote: str
    reason: str
    claim: str | None
    """The id it has in the answer, such as `k7`, or `2:k7` for one of the second segment."""


class RemarkJson(TypedDict):
    """A part of an answer that is kept in another way than it was given."""

    claim: str | None
    what: str
    became: str


class UnquotedJson(TypedDict):
    """A stretch of a source's prose from which nothing was quoted."""

    lines: list[int]
    """The first and the last."""
    characters: int


class JoinedJson(TypedDict):
    """A name that was filed under a page of another title."""

    name: str
    title: str
    why: str


class KeptApartJson(TypedDict):
    """Two names that may mean one thing, and were kept apart."""

    name: str
    title: str


class RefusedAliasJson(TypedDict):
    """Another name of a subject that was not recorded."""

    alias: str
    name: str
    reason: str


class OperationJson(LandedJson):
    """What became of one source, or of one answer of an agent."""

    source: str
    sha256: str | None
    status: str
    pages_created: list[str]
    pages_changed: list[str]
    claims_added: int
    evidence_added: int
    refused: list[RefusedJson]
    remarks: list[RemarkJson]
    joined: list[JoinedJson]
    kept_apart: list[KeptApartJson]
    aliases_refused: list[RefusedAliasJson]
    leads_to_renew: list[str]
    """Pages with new claims whose lead the reader was not shown."""
    unquoted: list[UnquotedJson]
    tokens: int
    cost_usd: float | None
    exit_code: int
    error: str | None


class JudgedFindingJson(TypedDict):
    """What an agent found about claims."""

    code: str
    path: str
    line: int
    message: str
    claims: list[str]


class RejectedFindingJson(TypedDict):
    """What of an agent's judgement does not count."""

    kind: str
    reason: str


class JudgedJson(TypedDict):
    """An agent's judgement of claims that was kept."""

    part: str
    findings: list[JudgedFindingJson]
    left_out: list[RejectedFindingJson]
    outdated: int
    """Findings about what has changed since."""


class IngestJson(TypedDict):
    """What became of sources, or of answers of agents."""

    schema: Literal["llmwiki.ingest/1"]
    operations: list[OperationJson]
    judged: NotRequired[list[JudgedJson]]
