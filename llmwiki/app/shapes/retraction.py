"""What is printed of knowledge that is taken out, replaced, or may have to be."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from llmwiki.app.shapes.landed import LandedJson


class GoneClaimJson(TypedDict):
    """A claim that lost its last evidence."""

    id: str
    page: str
    text: str
    note: str | None
    """Id of the note that a person's words under it, or their rewording of it, became."""


class KeptClaimJson(TypedDict):
    """A claim that other sources support as well."""

    id: str
    page: str
    text: str


class OnPageJson(TypedDict):
    """Something on a page."""

    page: str
    what: str


class RemainderJson(TypedDict):
    """A place that still holds words of the source."""

    page: str
    words: str
    """Five in a row, folded."""


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
    other_evidence: list[KeptClaimJson]
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
    remains: list[RemainderJson]
    pages_changed: list[str]


class SupersedeJson(LandedJson):
    """A claim that was struck for another."""

    schema: Literal["llmwiki.supersede/1"]
    old: KeptClaimJson
    new: KeptClaimJson
    led_on: list[str]
    """Ids of claims on the same page that were struck for the old one."""
    dry_run: bool


class TaintedJson(TypedDict):
    """A claim or a note that rests on it."""

    depth: int
    id: str
    page: str
    text: str
    how: str
    """How it rests on the last of `via`, or on what was asked for."""
    alone: bool
    """Whether it has no evidence of anything else."""
    via: list[str]
    """The ids by which it rests on it; empty at depth 1."""


class TaintJson(TypedDict):
    """All that rests on a source, an operation or a model."""

    schema: Literal["llmwiki.taint/1"]
    name: str
    kind: Literal["source", "operation", "model"]
    operations: list[str]
    """Ids of those of the operation or model, newest first."""
    pages: list[str]
    items: list[TaintedJson]
