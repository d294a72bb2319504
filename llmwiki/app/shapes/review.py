"""What waits for review, and what is taken out or replaced: shapes of JSON objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from llmwiki.app.shapes.shape import LandedJson, NullIfEmpty, Shape, at, changed_paths

if TYPE_CHECKING:
    from collections.abc import Iterator

    from llmwiki.changes.review_branch import Review
    from llmwiki.git.log import Commit
    from llmwiki.pages.review_items import ChangeItem


def _day(commit: Commit) -> str:
    return commit.date.strftime("%Y-%m-%d")


def _items(review: Review) -> Iterator[dict[str, Any]]:
    for each in review.items:
        left = review.homes.get(each.id) if each.kind == "moved" else None
        yield ReviewItemJson.of(each, page_before=left)


def _quotes(item: ChangeItem) -> Iterator[dict[str, Any]]:
    had = {e.identity for e in item.before.evidence} if item.before else set()
    for each in item.claim.evidence if item.claim else ():
        yield ReviewQuoteJson.of(each, is_new=each.identity not in had)


class WaitingReviewJson(Shape):
    """One branch, in short."""

    id: str
    branch: str
    title: str
    authors: list[str] = at(lambda review: dict.fromkeys(each.author for each in review.commits))
    """Who committed to it."""
    date: str | None = at(lambda review: _day(review.commits[-1]) if review.commits else None)
    """Of its newest operation."""
    claims: int = at(lambda review: sum(each.claim is not None for each in review.items))
    """Claims and notes left to decide."""
    items: int = at(lambda review: len(review.items))
    """All that is left to decide."""
    pages: list[str] = at(lambda review: sorted({each.path for each in review.items} - {""}))
    hindered: int = at(lambda review: sum(bool(each.hindrance) for each in review.items))
    """Items that cannot be accepted as things stand."""


class ReviewsJson(Shape):
    """What waits for review."""

    schema: Literal["llmwiki.reviews/1"]
    reviews: list[WaitingReviewJson]


class ReviewedOperationJson(Shape):
    """One operation of a branch."""

    id: str = at(lambda commit: commit.operation or "")
    kind: str = at(lambda commit: commit.kind or "")
    title: str = at(lambda commit: commit.subject.partition(": ")[2] or commit.subject)
    author: str
    date: str = at(_day)
    commit: str = at("oid")
    sources: list[str]
    model: str | None = at(lambda commit: commit.value("Wiki-Model"))


class ReviewQuoteJson(Shape):
    """A piece of evidence that an item brings or takes out."""

    source: str
    lines: list[int] | None = at(lambda each: (each.first, each.last) if each.first else None)
    """None where the source is not at hand, or does not hold the quote."""
    place: NullIfEmpty[str]
    quote: str
    is_new: bool
    """False: it stands in the wiki already."""


class ItemEffectJson(Shape):
    """What a claim does to another one; it lands with the claim."""

    what: str
    claim: str
    page: str = at("path")
    text: str


class ReviewItemJson(Shape):
    """One thing to decide."""

    id: str
    kind: str
    page: str = at("path")
    text: str
    before: str | None = at(
        lambda item: item.before.text if item.before and item.kind == "reworded" else None
    )
    """What a reworded claim says now."""
    said: str
    """The text with all that changes what a claim means: stance, speaker, scope, dates, values."""
    said_before: NullIfEmpty[str]
    """The same of the claim as it stands."""
    page_before: str | None
    """The page that a claim leaves which moves to another one."""
    quotes: list[ReviewQuoteJson] = at(_quotes)
    effects: list[ItemEffectJson]
    hindrance: NullIfEmpty[str]
    """Why it cannot be accepted as things stand."""


class ReviewJson(Shape):
    """One branch that waits for review, and what of it is left to decide."""

    schema: Literal["llmwiki.review/1"]
    id: str
    branch: str
    title: str
    tip: str
    head: str
    base: str
    operations: list[ReviewedOperationJson] = at("commits")
    whole: NullIfEmpty[str]
    """Why it is accepted or rejected as a whole; null: item by item."""
    items: list[ReviewItemJson] = at(_items)
    files: list[str] = at(lambda review: sorted(review.files))
    """Below raw/, that it brings or takes out."""
    others: list[str]
    """Files that only git can merge."""
    joins: dict[str, str]
    """Claims of the branch to those of the wiki that say the same and get their evidence."""


class UnacceptedItemJson(Shape):
    """An item that could not be accepted and waits on the branch."""

    id: str
    page: str = at("path")
    hindrance: str


class ReviewDecisionJson(LandedJson):
    """What became of a decision. `commit` is on the branch where items were rejected."""

    schema: Literal["llmwiki.review-decision/1"]
    review: str = at("review.id")
    """The id of the review."""
    decision: Literal["accepted", "rejected", "dropped"]
    dry_run: bool = False
    items: list[str] = at(lambda done: [each.id for each in done.items])
    waiting: list[UnacceptedItemJson]
    """Of an acceptance without names: what it could not land."""
    left: int
    updated: NullIfEmpty[str]
    """The commit by which the branch took over what was accepted."""
    dropped: bool
    """Whether the branch is gone."""
    returned: list[str]
    """Files that lie in the work tree again."""


class GoneClaimJson(Shape):
    """A claim that lost its last evidence."""

    id: str = at("claim.id")
    page: str = at("path")
    text: str = at("claim.text")
    note: str | None = at(lambda dropped: dropped.note_id if dropped.is_note else None)
    """Id of the note that a person's words under it, or their rewording of it, became."""


class KeptClaimJson(Shape):
    """A claim that other sources support as well."""

    id: str
    page: str
    text: str


class OnPageJson(Shape):
    """Something on a page."""

    page: str
    what: str


class RetractJson(LandedJson):
    """A source that was taken out of the wiki, or would be."""

    schema: Literal["llmwiki.retract/1"]
    source: str
    """The file below raw/, which stays."""
    page: str
    dry_run: bool
    quotes: int
    """Pieces of evidence that go."""
    gone: list[GoneClaimJson]
    """Claims that rested on it alone."""
    other_evidence: list[KeptClaimJson] = at(
        lambda done: [(each.id, path, each.text) for path, each in done.kept]
    )
    """Claims that lose its quotes and stand by those of others, in words that may be its own."""
    revived: list[str]
    """Ids of claims that stand again: what they were struck for is gone."""
    relations: int
    """Relations that no other source tells."""
    aliases: list[OnPageJson]
    """Aliases that no other source gives."""
    renewed: list[OnPageJson]
    """Leads and descriptions that it had brought."""
    left: list[OnPageJson]
    """Leads and descriptions of people on pages it told of, which stay."""
    answers: list[OnPageJson]
    """Notes that are taken out, for they rested on claims that go."""
    marked: list[str]
    """Pages that say now that a person's words there rested on it."""
    emptied: list[str]
    """Pages on which nothing stands any more, `status: deprecated`."""
    pages_changed: list[str] = at(changed_paths)


class SupersedeJson(LandedJson):
    """A claim that was struck for another."""

    schema: Literal["llmwiki.supersede/1"]
    old: KeptClaimJson = at(lambda done: (done.old.id, done.old_page, done.old.text))
    new: KeptClaimJson = at(lambda done: (done.new.id, done.new_page, done.new.text))
    led_on: list[str]
    """Ids of claims on the same page that were struck for the old one."""
    dry_run: bool


class TaintedJson(Shape):
    """A claim or a note that rests on it."""

    depth: int
    id: str
    page: str
    text: str
    how: str
    """How it rests on the last of `via`, or on the source."""
    alone: bool = at("is_alone")
    """Whether it has no evidence of anything else."""
    via: list[str]
    """The ids by which it rests on it; empty at depth 1."""


class TaintJson(Shape):
    """All that rests on a source."""

    schema: Literal["llmwiki.taint/1"]
    name: str
    pages: list[str]
    items: list[TaintedJson]
