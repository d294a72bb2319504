"""The state of a wiki, its pages, its log and what changes it directly: shapes of JSON objects."""

from typing import Literal

from typing_extensions import TypedDict

from llmwiki.app.shapes.landed import LandedJson


class SourcesJson(TypedDict):
    """The files in raw/, by what is known of them."""

    ingested: list[str]
    without_claims: list[str]
    """Those of the ingested that gave no claim."""
    to_read_again: list[str]
    """Those of the ingested that were read without a model, where one is at hand now."""
    new: list[str]
    changed: list[str]
    missing: list[str]
    retracted: list[str]
    unread: list[str]
    mailboxes: list[str]


class StatusJson(TypedDict):
    """What the wiki holds, and what is unfinished."""

    schema: Literal["llmwiki.status/1"]
    pages: dict[str, int]
    """By type."""
    claims: int
    struck: int
    sources: SourcesJson
    jobs: list[str]
    reviews: list[str]
    dirty: list[str]
    unfinished: str | None
    in_progress: str | None
    unmerged: list[str]
    last: str | None
    clone: str | None


class EvidenceJson(TypedDict):
    """Where a claim has its words from."""

    source: str
    lines: list[int]
    place: str | None
    quote: str


class ClaimJson(TypedDict):
    """One claim of a page."""

    id: str
    text: str
    successor: str | None
    attributes: list[list[str]]
    """Pairs of name and value."""
    evidence: list[EvidenceJson]


class ShowJson(TypedDict):
    """One page."""

    schema: Literal["llmwiki.show/1"]
    path: str
    type: str
    title: str
    description: str
    aliases: list[str]
    claims: list[ClaimJson]


class LogRowJson(TypedDict):
    """One operation."""

    id: str
    commit: str
    kind: str
    title: str
    date: str
    author: str
    batch: str | None
    source: str | None
    model: str | None
    undoes: list[str]


class LogJson(TypedDict):
    """Operations, newest first."""

    schema: Literal["llmwiki.log/1"]
    complete: bool
    """Whether the clone holds all that were asked for."""
    operations: list[LogRowJson]


class ModelCostJson(TypedDict):
    """What some operations took."""

    name: str
    """The day, the model or the source; empty for the sum of all."""
    operations: int
    input_tokens: int
    output_tokens: int
    cost_usd: float
    """At the prices of their time, an estimate."""
    unpriced: int
    """Operations among them whose price is not known."""


class CostJson(TypedDict):
    """What models took, by the commits that they had a part in."""

    schema: Literal["llmwiki.cost/1"]
    complete: bool
    """Whether the clone holds all operations."""
    total: ModelCostJson
    days: list[ModelCostJson]
    models: list[ModelCostJson]
    sources: list[ModelCostJson]


class UndoConflictJson(TypedDict):
    """What could not be taken back, as somebody changed it since."""

    page: str
    kept: str


class UndoNoteJson(TypedDict):
    """A claim that a person had reworded or written under, and that is a note of theirs now."""

    page: str
    claim: str
    note: str


class UndoJson(LandedJson):
    """What was taken back."""

    schema: Literal["llmwiki.undo/1"]
    undone: list[str]
    """Ids of the operations."""
    pages_changed: list[str]
    conflicts: list[UndoConflictJson]
    notes: list[UndoNoteJson]
    dry_run: bool


class VaultSurveyJson(TypedDict):
    """What was found in a folder of notes."""

    form: str
    """Whose form it has, in words."""
    folder: str
    """Where its pages lie, from the root; empty: everywhere."""
    pages: int
    links: int
    """Links from page to page."""
    names_without_page: int
    pages_without_type: int
    pages_without_description: int
    kept: list[str]
    """Its own index, overview and log, which no operation writes."""
    has_carriage_returns: bool
    """Whether a page below wiki/ has the line ends of Windows: then .gitattributes is not
    written."""


class AdoptJson(LandedJson):
    """Notes that were made a wiki."""

    schema: Literal["llmwiki.adopt/1"]
    root: str
    """The wiki's root from now on."""
    found: VaultSurveyJson
    files: list[str]
    """The files that were written; of a dry run those that would be."""
    dry_run: bool


class UpgradeJson(LandedJson):
    """A wiki brought into the format of this version."""

    schema: Literal["llmwiki.upgrade/1"]
    pages_changed: list[str]
    """By path; of a dry run those that would change."""
    dry_run: bool


class RememberJson(LandedJson):
    """A note that was added."""

    schema: Literal["llmwiki.remember/1"]


class OverviewJson(LandedJson):
    """An opening that was rewritten."""

    schema: Literal["llmwiki.overview/1"]
