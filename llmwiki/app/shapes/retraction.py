"""What is printed of knowledge that is taken out, replaced, or may have to be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from llmwiki.app.shapes.landed import LandedJson, changed_paths
from llmwiki.app.shapes.shape import Shape, at

if TYPE_CHECKING:
    from llmwiki.history.fallen import FallenClaim


def note_id(fallen: FallenClaim) -> str:
    """The id of the note that a person's words under a claim became."""
    return "n-" + fallen.claim.id.removeprefix("c-")


class GoneClaimJson(Shape):
    """A claim that lost its last evidence."""

    id: str = at("claim.id")
    page: str = at("path")
    text: str = at("claim.text")
    note: str | None = at(lambda fallen: note_id(fallen) if fallen.is_note else None)
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


class RemainderJson(Shape):
    """A place that still holds words of the source."""

    page: str = at("path")
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
    remains: list[RemainderJson]
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
