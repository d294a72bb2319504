"""The numbered text that evidence points into."""

from __future__ import annotations

from dataclasses import dataclass


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
    """The address that was asked for; of a file what `sources.found.place_of` says; `PIPED`."""
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
