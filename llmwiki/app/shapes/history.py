"""Diffs and stories of claims: shapes of JSON objects."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Literal

from llmwiki.app.shapes.shape import MayLack, Shape, at

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from llmwiki.app.why import TracedClaim
    from llmwiki.history.diff import MemoryDiff
    from llmwiki.pages.events import MemoryEvent


def event_json(event: MemoryEvent, sources: Mapping[str, str]) -> dict[str, Any]:
    """One event; `sources` gives the file of a source's id."""
    held = event.facts.evidence if event.facts is not None else ()
    evidence = (event.evidence,) if event.evidence is not None else held
    quotes = [QuoteJson.of(each, path=sources.get(each.source, "")) for each in evidence]
    return EventJson.of(event, evidence=quotes)


def _events(told: MemoryDiff) -> Iterator[dict[str, Any]]:
    return (event_json(event, told.sources) for event in told.found.events)


def _counts(told: MemoryDiff) -> Counter[str]:
    return Counter(event.kind for event in told.found.events)


def _traced_quotes(traced: TracedClaim) -> Iterator[dict[str, Any]]:
    for each in traced.quotes:
        yield TracedQuoteJson.of(each.evidence, path=each.path, sha256=each.sha256)


def _story(traced: TracedClaim) -> Iterator[dict[str, Any]]:
    files = {quote.evidence.source: quote.path for quote in traced.quotes}
    for step in traced.story.steps:
        events = [event_json(event, files) for event in step.events]
        yield StoryStepJson.of(step, events=events)


class QuoteJson(Shape):
    """A quote and where it stands."""

    source: str
    """The id of its source."""
    path: str
    """The source's file below raw/; empty where that is not known."""
    quote: str
    lines: str = at("span")
    """`L12–L14`, with the place in an original that has no lines."""


class EventJson(Shape, sparse=True):
    """One thing that happened to memory. Keys that say nothing are left out."""

    kind: str
    path: str
    """Of the page it concerns."""
    title: str
    claim: MayLack[str]
    """The id of the claim or note."""
    text: MayLack[str]
    """What the claim says after; before, where it is gone."""
    name: MayLack[str]
    """Of an attribute, alias, tag, relation or link: which one."""
    before: MayLack[str]
    after: MayLack[str]
    evidence: MayLack[list[QuoteJson]]


class DiffJson(Shape):
    """What differs between two states of memory."""

    schema: Literal["llmwiki.diff/1"]
    before: str
    after: str
    """A revision as it was named, or `work tree`."""
    before_commit: str | None
    after_commit: str | None
    """Null: the work tree."""
    pages: int
    """Pages that differ in anything."""
    counts: dict[str, int] = at(_counts)
    """Events by kind."""
    quiet: dict[str, int] = at("found.quiet")
    """What else changed, counted."""
    events: list[EventJson] = at(_events)


class TracedQuoteJson(QuoteJson):
    """A quote, and the bytes in which it stands."""

    sha256: str
    """Of the bytes that were read; empty where the wiki does not say."""


class StoryStepJson(Shape):
    """What one commit did to a claim."""

    commit: str = at("commit.oid")
    date: str = at(lambda step: step.commit.date.isoformat())
    author: str = at("commit.author")
    email: str = at("commit.email")
    operation: str | None = at("commit.operation")
    """Null: a commit without trailers."""
    kind: str | None = at("commit.kind")
    model: str | None = at(lambda step: step.commit.value("Wiki-Model"))
    title: str = at("commit.subject")
    """The first line of the message."""
    path: str
    """Of the page on which the claim stood."""
    events: list[EventJson]


class TracedClaimJson(Shape):
    """A claim with its quotes and its story."""

    id: str = at("claim.id")
    text: str = at("claim.text")
    path: str
    title: str
    stands: bool
    """Whether it is in the wiki still, struck or not."""
    successor: str | None = at("claim.successor")
    evidence: list[TracedQuoteJson] = at(_traced_quotes)
    story: list[StoryStepJson] = at(_story)
    """Oldest first."""
    lacking: str = at("story.lacking")
    """Why the beginning of the story may be missing; empty: it is there."""


class FoundClaimJson(Shape):
    """A claim that holds the words asked for."""

    id: str
    path: str
    text: str


class WhyJson(Shape):
    """Where claims come from and what became of them."""

    schema: Literal["llmwiki.why/1"]
    asked: str
    exit_code: int = at(lambda found: 1 if found.candidates else 0)
    claims: list[TracedClaimJson]
    candidates: list[FoundClaimJson]
    """All claims that hold the words, where these are several."""
    unread: int
    """Commits that the table of the history still lacks."""
    more: int
    """Claims of the page beyond those that are told."""


class PageStepJson(Shape):
    """What one commit did to a page."""

    commit: str = at("commit.oid")
    date: str = at(lambda step: step.commit.date.isoformat())
    author: str = at("commit.author")
    operation: str | None = at("commit.operation")
    kind: str | None = at("commit.kind")
    title: str = at("commit.subject")
    """The first line of the message."""
    path: str
    """Of the page after it, or before where it went."""
    events: list[EventJson] = at(lambda step: _events(step.told))
    quiet: dict[str, int] = at("told.found.quiet")
    """What else changed, counted."""


class PageLogJson(Shape):
    """The commits that changed a page, newest first."""

    schema: Literal["llmwiki.page-log/1"]
    commits: list[PageStepJson]


class DigestJson(Shape):
    """What memory learned since a day."""

    schema: Literal["llmwiki.digest/1"]
    since: str = at(lambda digest: digest.since.isoformat())
    """A day, UTC."""
    complete: bool = at(lambda digest: not digest.lacking)
    """Whether this clone holds all commits of that time."""
    operations: dict[str, int]
    """Operations by kind."""
    reviews: list[str]
    """Branches that wait for review."""
    counts: dict[str, int] = at(lambda digest: _counts(digest.told))
    """Events by kind."""
    events: list[EventJson] = at(lambda digest: _events(digest.told))
