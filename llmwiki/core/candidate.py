"""A page that the subject of a source may already have, as it is shown to whoever extracts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class CandidateClaim(NamedTuple):
    """A claim of a page, as it is shown to whoever extracts."""

    id: str
    text: str
    key: str = ""
    """The slot it fills (`price`); empty: none."""
    value: str = ""


@dataclass(frozen=True, slots=True)
class PageCandidate:
    """One existing page that retrieval found relevant to a segment."""

    path: str
    """Relative to the wiki's root, POSIX: `wiki/concepts/Self-attention.md`."""
    title: str
    aliases: tuple[str, ...] = ()
    description: str = ""
    lead: str = ""
    """The page's opening prose as it stands, so that whoever replaces it has read it."""
    keys: tuple[str, ...] = ()
    """Slots that claims of the page fill (`price`), so that a new value uses the same name."""
    claims: tuple[CandidateClaim, ...] = ()
    """The most relevant claims, best first; those that fill a slot are what a source updates."""


class ShownPages(NamedTuple):
    """What whoever reads a segment is shown of the wiki."""

    pages: tuple[PageCandidate, ...]
    """Those that the segment may be about, best first."""
    titles: tuple[str, ...] = ()
    """Titles with their aliases, `Tea | chai`: of all pages while they are few, else of the
    nearest."""
