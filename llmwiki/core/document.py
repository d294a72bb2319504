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
class WebOrigin:
    """Where on the web a source was fetched, and when."""

    url: str
    """The address that was asked for."""
    fetched: str
    """The day, in UTC: YYYY-MM-DD."""


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
