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
