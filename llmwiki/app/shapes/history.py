"""The shapes of what commands print of history: `llmwiki.diff/1`, `llmwiki.why/1`."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict


class QuoteJson(TypedDict):
    """A quote and where it stands."""

    source: str
    """The id of its source."""
    path: str
    """The source's file below raw/; empty where that is not known."""
    quote: str
    lines: str
    """`L12–L14`, with the place in an original that has no lines."""


class EventJson(TypedDict):
    """One thing that happened to memory. Keys that say nothing are left out."""

    kind: str
    path: str
    """Of the page it concerns."""
    title: str
    claim: NotRequired[str]
    """The id of the claim or note."""
    text: NotRequired[str]
    """What the claim says after; before, where it is gone."""
    name: NotRequired[str]
    """Of an attribute, alias, tag, relation or link: which one."""
    before: NotRequired[str]
    after: NotRequired[str]
    evidence: NotRequired[list[QuoteJson]]


class DiffJson(TypedDict):
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
    counts: dict[str, int]
    """Events by kind."""
    quiet: dict[str, int]
    """What else changed, counted."""
    events: list[EventJson]


class TracedQuoteJson(QuoteJson):
    """A quote, and the bytes in which it stands."""

    sha256: str
    """Of the bytes that were read; empty where the wiki does not say."""


class StoryStepJson(TypedDict):
    """What one commit did to a claim."""

    commit: str
    date: str
    author: str
    email: str
    operation: str | None
    """Null: a commit without trailers."""
    kind: str | None
    model: str | None
    title: str
    """The first line of the message."""
    path: str
    """Of the page on which the claim stood."""
    events: list[EventJson]


class TracedClaimJson(TypedDict):
    """A claim with its quotes and its story."""

    id: str
    text: str
    path: str
    title: str
    stands: bool
    """Whether it is in the wiki still, struck or not."""
    successor: str | None
    evidence: list[TracedQuoteJson]
    story: list[StoryStepJson]
    """Oldest first."""
    lacking: str
    """Why the beginning of the story may be missing; empty: it is there."""


class FoundClaimJson(TypedDict):
    """A claim that holds the words asked for."""

    id: str
    path: str
    text: str


class WhyJson(TypedDict):
    """Where claims come from and what became of them."""

    schema: Literal["llmwiki.why/1"]
    asked: str
    exit_code: int
    claims: list[TracedClaimJson]
    candidates: list[FoundClaimJson]
    """All claims that hold the words, where these are several."""
    unread: int
    """Commits that the table of the history still lacks."""
    more: int
    """Claims of the page beyond those that are told."""


class PageStepJson(TypedDict):
    """What one commit did to a page."""

    commit: str
    date: str
    author: str
    operation: str | None
    kind: str | None
    title: str
    """The first line of the message."""
    path: str
    """Of the page after it, or before where it went."""
    events: list[EventJson]
    quiet: dict[str, int]
    """What else changed, counted."""


class PageLogJson(TypedDict):
    """The commits that changed a page, newest first."""

    schema: Literal["llmwiki.page-log/1"]
    commits: list[PageStepJson]


class DigestJson(TypedDict):
    """What memory learned since a day."""

    schema: Literal["llmwiki.digest/1"]
    since: str
    """A day, UTC."""
    complete: bool
    """Whether this clone holds all commits of that time."""
    operations: dict[str, int]
    """Operations by kind."""
    reviews: list[str]
    """Branches that wait for review."""
    counts: dict[str, int]
    """Events by kind."""
    events: list[EventJson]
