"""What is printed of branches that wait for review."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from llmwiki.app.shapes.landed import LandedJson


class WaitingReviewJson(TypedDict):
    """One branch, in short."""

    id: str
    branch: str
    title: str
    authors: list[str]
    """Who committed to it."""
    date: str | None
    """Of its newest operation."""
    claims: int
    """Claims and notes left to decide."""
    items: int
    """All that is left to decide."""
    pages: list[str]
    hindered: int
    """Items that cannot be accepted as things stand."""


class ReviewsJson(TypedDict):
    """What waits for review."""

    schema: Literal["llmwiki.reviews/1"]
    reviews: list[WaitingReviewJson]


class ReviewedOperationJson(TypedDict):
    """One operation of a branch."""

    id: str
    kind: str
    title: str
    author: str
    date: str
    commit: str
    sources: list[str]
    model: str | None


class ReviewQuoteJson(TypedDict):
    """A piece of evidence that an item brings or takes out."""

    source: str
    lines: list[int]
    place: str | None
    quote: str
    is_new: bool
    """False: it stands in the wiki already."""


class ItemEffectJson(TypedDict):
    """What a claim does to another one; it lands with the claim."""

    what: str
    claim: str
    page: str
    text: str


class ReviewItemJson(TypedDict):
    """One thing to decide."""

    id: str
    kind: str
    page: str
    text: str
    before: str | None
    """What a reworded claim says now."""
    page_before: str | None
    """The page that a claim leaves which moves to another one."""
    quotes: list[ReviewQuoteJson]
    effects: list[ItemEffectJson]
    hindrance: str | None
    """Why it cannot be accepted as things stand."""


class ReviewJson(TypedDict):
    """One branch that waits for review, and what of it is left to decide."""

    schema: Literal["llmwiki.review/1"]
    id: str
    branch: str
    title: str
    tip: str
    head: str
    base: str
    operations: list[ReviewedOperationJson]
    whole: str | None
    """Why it is accepted or rejected as a whole; null: item by item."""
    items: list[ReviewItemJson]
    files: list[str]
    """Below raw/, that it brings or takes out."""
    others: list[str]
    """Files that only git can merge."""
    joins: dict[str, str]
    """Claims of the branch to those of the wiki that say the same and get their evidence."""


class ReviewDecisionJson(LandedJson):
    """What became of a decision. `commit` is on the branch where items were rejected."""

    schema: Literal["llmwiki.review-decision/1"]
    review: str
    """The id of the review."""
    decision: Literal["accepted", "rejected", "dropped"]
    dry_run: bool
    items: list[str]
    left: int
    updated: str | None
    """The commit by which the branch took over what was accepted."""
    dropped: bool
    """Whether the branch is gone."""
    returned: list[str]
    """Files that lie in the work tree again."""
