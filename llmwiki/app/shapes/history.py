"""Diffs and stories of claims: shapes of JSON objects."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Literal

from llmwiki.app.shapes.shape import MayLack, Shape, at

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from llmwiki.app.why import TracedClaim
    from llmwiki.changes.diff import MemoryDiff
    from llmwiki.pages.page import Evidence
    from llmwiki.pages.row_changes import RowChange
    from llmwiki.sources.quote_places import QuotePlace


def _rows(told: MemoryDiff) -> Iterator[dict[str, Any]]:
    quotes = {
        " ".join(each.identity): (each, told.places.get(each.identity))
        for claim in told.claims.values()
        for each in claim.evidence
    }
    for change in told.changes:
        held = told.claims.get(change.id)
        yield row_json(change, told.sources, quotes, held.text if held else "")


def row_json(
    change: RowChange,
    sources: Mapping[str, str],
    quotes: Mapping[str, tuple[Evidence, QuotePlace | None]],
    text: str = "",
) -> dict[str, Any]:
    """One row; `sources` gives the file of a source's id, `quotes` evidence by its row's name."""
    shown = []
    if change.kind == "evidence" and change.verb != "gone" and change.name in quotes:
        evidence, place = quotes[change.name]
        path, lines, url = place or (sources.get(evidence.source, ""), evidence.span, "")
        shown = [QuoteJson.of(evidence, path=path, lines=lines, url=url)]
    return RowJson.of(change, quotes=shown, text=text)


def _counts(told: MemoryDiff) -> Counter[str]:
    return Counter(f"{each.kind} {each.verb}" for each in told.changes)


def _traced_quotes(traced: TracedClaim) -> Iterator[dict[str, Any]]:
    for each in traced.quotes:
        yield TracedQuoteJson.of(each.evidence, path=each.path, sha256=each.sha256)


def _story(traced: TracedClaim) -> Iterator[dict[str, Any]]:
    files = {quote.evidence.source: quote.path for quote in traced.quotes}
    quotes = {" ".join(q.evidence.identity): (q.evidence, None) for q in traced.quotes}
    for step in traced.story.steps:
        rows = [row_json(change, files, quotes) for change in step.changes]
        yield StoryStepJson.of(step, rows=rows)


class QuoteJson(Shape, sparse=True):
    """A quote and where it stands."""

    source: str
    """The id of its source."""
    path: str
    """The source's file below raw/; empty where that is not known."""
    quote: str
    lines: str = at("span")
    """`L12–L14`, with the place in an original that has no lines."""
    url: MayLack[str]
    """Of these lines at GitHub or GitLab, where the remote `origin` is there."""


class RowJson(Shape, sparse=True):
    """One row of memory that differs. Keys that say nothing are left out."""

    kind: str
    """What it says: `claim`, `evidence`, `attribute`, `slot`, `tie`, `strike`, `relation` …"""
    verb: Literal["added", "changed", "gone", "moved"]
    id: str
    """Of the claim or note; else the path of its page, and of a relation the page that does."""
    name: MayLack[str]
    """Which attribute, key, relation or quote."""
    before: MayLack[str]
    after: MayLack[str]
    page: str
    """Path of the page on which it stands, or stood."""
    text: MayLack[str]
    """What the claim says after; before, where it is gone."""
    other: MayLack[str]
    """Of a claim that is gone the one that it was joined to, of a slot that changed the claim that
    had the value before; of a page the one that it was merged into or split off from."""
    quotes: MayLack[list[QuoteJson]]
    """Of evidence: the quote, with its lines."""


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
    """Rows by kind and verb: `claim added`."""
    rows: list[RowJson] = at(_rows)


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
    rows: list[RowJson]


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
    rows: list[RowJson] = at(lambda step: _rows(step.told))


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
    """Rows by kind and verb."""
    rows: list[RowJson] = at(lambda digest: _rows(digest.told))
