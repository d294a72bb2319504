"""The state of a wiki, its pages, its log and what changes it directly: shapes of JSON objects."""

from __future__ import annotations

from typing import Literal

from llmwiki.app.shapes.shape import LandedJson, NullIfEmpty, Shape, at, changed_paths


class SourcesJson(Shape):
    """The files in raw/, by what is known of them."""

    ingested: list[str]
    without_claims: list[str]
    """Those of the ingested that gave no claim."""
    to_read_again: list[str]
    """Those of the ingested that were read without a model, where one is at hand now."""
    new: list[str]
    empty: list[str]
    changed: list[str]
    missing: list[str]
    retracted: list[str]
    unread: list[str]
    mailboxes: list[str]


class StatusJson(Shape):
    """What the wiki holds, and what is unfinished."""

    schema: Literal["llmwiki.status/1"]
    pages: dict[str, int]
    """By type."""
    claims: int
    struck: int
    sources: SourcesJson = at(lambda found: found)
    jobs: list[str]
    reviews: list[str]
    dirty: list[str]
    unfinished: NullIfEmpty[str]
    in_progress: NullIfEmpty[str]
    unmerged: list[str]
    last: NullIfEmpty[str]
    clone: NullIfEmpty[str]


class EvidenceJson(Shape):
    """Where a claim has its words from."""

    source: str
    lines: list[int] | None = at(lambda each: (each.first, each.last) if each.first else None)
    """None where the source is not at hand, or does not hold the quote."""
    place: NullIfEmpty[str]
    quote: str


class ClaimJson(Shape):
    """One claim of a page."""

    id: str
    text: str
    successor: str | None
    attributes: list[list[str]]
    """Pairs of name and value."""
    evidence: list[EvidenceJson]


class ShowJson(Shape):
    """One page."""

    schema: Literal["llmwiki.show/1"]
    path: str
    type: str
    title: str
    description: str
    aliases: list[str]
    claims: list[ClaimJson]


class LogRowJson(Shape):
    """One operation."""

    id: str = at(lambda commit: commit.operation or "")
    commit: str = at("oid")
    kind: str = at(lambda commit: commit.kind or "")
    title: str = at(lambda commit: commit.subject.partition(": ")[2])
    date: str = at(lambda commit: commit.date.isoformat())
    author: str
    batch: str | None
    source: str | None = at(lambda commit: commit.value("Wiki-Source"))
    model: str | None = at(lambda commit: commit.value("Wiki-Model"))
    undoes: list[str] = at(lambda commit: commit.values("Wiki-Undoes"))


class LogJson(Shape):
    """Operations, newest first."""

    schema: Literal["llmwiki.log/1"]
    complete: bool = at(lambda found: not found.lacking)
    """Whether the clone holds all that were asked for."""
    operations: list[LogRowJson]


class ModelCostJson(Shape):
    """What some operations took."""

    name: str
    """The day, the model or the source; empty for the sum of all."""
    operations: int
    input_tokens: int
    output_tokens: int
    cost_usd: float = at(lambda row: round(row.usd, 6))
    """At the prices of their time, an estimate."""
    unpriced: int
    """Operations among them whose price is not known."""


class CostJson(Shape):
    """What models took, by the commits that they had a part in."""

    schema: Literal["llmwiki.cost/1"]
    complete: bool = at(lambda found: not found.lacking)
    """Whether the clone holds all operations."""
    total: ModelCostJson
    days: list[ModelCostJson]
    models: list[ModelCostJson]
    sources: list[ModelCostJson]


class UndoConflictJson(Shape):
    """What could not be taken back, as somebody changed it since."""

    page: str
    kept: str


class UndoNoteJson(Shape):
    """A claim that a person had reworded or written under, and that is a note of theirs now."""

    page: str = at("path")
    claim: str = at("claim.id")
    note: str = at("note_id")


class UndoJson(LandedJson):
    """What was taken back."""

    schema: Literal["llmwiki.undo/1"]
    undone: list[str] = at(lambda done: [each for commit in done.operations for each in commit.ids])
    """Ids of the operations."""
    pages_changed: list[str] = at(changed_paths)
    conflicts: list[UndoConflictJson] = at(
        lambda done: [(page, each.kept) for page, each in done.conflicts]
    )
    notes: list[UndoNoteJson]
    dry_run: bool


class VaultSurveyJson(Shape):
    """What was found in a folder of notes."""

    form: str
    """Whose form it has, in words."""
    folder: str
    """Where its pages lie, from the root; empty: everywhere."""
    pages: int
    links: int
    """Links from page to page."""
    names_without_page: int = at("nowhere")
    pages_without_type: int = at("untyped")
    pages_without_description: int = at("undescribed")
    kept: list[str]
    """Its own index, overview and log, which no operation writes."""
    has_carriage_returns: bool
    """Whether a page below wiki/ has the line ends of Windows: then .gitattributes is not
    written."""


class AdoptJson(LandedJson):
    """Notes that were made a wiki."""

    schema: Literal["llmwiki.adopt/1"]
    root: str = at(lambda done: str(done.root))
    """The wiki's root from now on."""
    found: VaultSurveyJson = at("survey")
    files: list[str]
    """The files that were written; of a dry run those that would be."""
    dry_run: bool = at(lambda done: done.outcome is None)


class RememberJson(LandedJson):
    """A note that was added."""

    schema: Literal["llmwiki.remember/1"]


class OverviewJson(LandedJson):
    """An opening that was rewritten."""

    schema: Literal["llmwiki.overview/1"]


class RecallRecordJson(Shape):
    """One text that a coding agent was given without asking for it."""

    at: int
    """Seconds since the epoch."""
    session: str
    """The agent's own id of its session; empty where it gave none."""
    occasion: Literal["start", "compaction", "prompt"]
    tokens: int
    """An estimate: bytes in UTF-8 by 3."""
    handles: list[str]
    """Of the passages in it, best first."""


class RecallsJson(Shape):
    """What coding agents were given in this work tree, newest first."""

    schema: Literal["llmwiki.recalls/1"]
    exit_code: int = 0
    recalls: list[RecallRecordJson]
    kept: int
    """How many are kept in all; the oldest go when the file is full."""
    tokens: int
    """Of all that are kept."""


class OmittedFileJson(Shape):
    """A file that is not taken along, or not as it is."""

    path: str
    reason: str


class ExportJson(Shape):
    """What was exported."""

    schema: Literal["llmwiki.export/1"]
    place: str = at(lambda done: str(done.place))
    commit: str
    """The commit whose pages were exported."""
    pages: int
    claims: int
    documents: int
    """Sources that were taken along."""
    files: int
    written: int
    """Files that were not there with these bytes."""
    removed: list[str]
    left_out: list[OmittedFileJson]


class JoinedClaimJson(Shape):
    """A claim that is no more, for another one says the same and has its evidence."""

    gone: str
    """Its id."""
    stays: str
    """The id of the other one."""


class UnledLinkJson(Shape):
    """A link that was left as it is."""

    path: str
    line: int
    why: str


class PageMoveJson(LandedJson):
    """What became of a page and its claims."""

    source: str
    """Path of the page that was named first."""
    page: str
    """Path of the page that has the claims now."""
    pages_created: list[str] = at("outcome.pages_created")
    pages_changed: list[str] = at("outcome.pages_changed")
    claims_moved: list[str] = at("claims")
    """Ids of the claims that stand on another page now."""
    claims_joined: list[JoinedClaimJson] = at(lambda done: sorted(done.joins.items()))
    links_left: list[UnledLinkJson] = at("left")
    notes: list[str]
    """What a person may want to look at."""
    dry_run: bool


class RenameJson(PageMoveJson):
    """A page that got another title."""

    schema: Literal["llmwiki.rename/1"]


class MergeJson(PageMoveJson):
    """Two pages that became one."""

    schema: Literal["llmwiki.merge/1"]


class SplitJson(PageMoveJson):
    """Claims that got a page of their own."""

    schema: Literal["llmwiki.split/1"]
