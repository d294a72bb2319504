"""The numbered text that evidence points into, its pictures, and what its reader is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Document:
    """One source as read: its identity and the numbered lines evidence points into."""

    path: str
    """Relative to the wiki's root, POSIX, below raw/: `raw/papers/attention.md`."""
    sha256: str
    """Of the original's bytes, 64 hexadecimal digits."""
    lines: tuple[str, ...]
    """The text split on LF only; line n of the text is lines[n - 1]."""
    text_path: str | None = None
    """Where a converted source's text is kept (`raw/.text/….txt`); None: its own text."""
    text_bytes: bytes | None = None
    """The bytes to commit at `text_path`; None where nothing was converted."""
    media_type: str = "text/markdown"


@dataclass(frozen=True, slots=True)
class SourceOrigin:
    """Where a source came from of which the file below raw/ is a copy."""

    place: str
    """The address that was asked for; of a file what `source_file.place_of` says; `PIPED`."""
    fetched: str = ""
    """Of an address: the day, in UTC: YYYY-MM-DD."""

    @property
    def url(self) -> str:
        """The address; empty where it is none."""
        return self.place if self.fetched else ""


PIPED = "-"
"""The place of what came by standard input, or as a text with a name."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of lines small enough for one model call."""

    number: int
    """From 1."""
    of: int
    """How many segments the document has."""
    first: int
    """First line, from 1."""
    last: int
    """Last line, inclusive."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture, encoded anew by the converting process: none of a source's own bytes."""

    label: str
    """Its place: `page 3` of a PDF, `part 2` of a tall image, "" when it is the whole source."""
    media_type: str
    """`image/png` or `image/jpeg`."""
    data: bytes
    """The file, at most 5 MB, which is what the Messages API takes."""
    width: int
    """Pixels."""
    height: int
    """Pixels."""


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
    keys: tuple[CandidateClaim, ...] = ()
    """For each slot of the page (`price`) the claim with its latest value: what a source updates,
    under the same name."""
    claims: tuple[CandidateClaim, ...] = ()
    """Claims without a slot that are like the text, best first."""


class ShownPages(NamedTuple):
    """What whoever reads a segment is shown of the wiki."""

    pages: tuple[PageCandidate, ...]
    """Those that the segment may be about, best first."""
    titles: tuple[str, ...] = ()
    """Titles with their aliases, `Tea | chai`: of all pages while they are few, else of the
    nearest."""
