"""A page that the subject of a source may already have, as it is shown to whoever extracts."""

from __future__ import annotations

from dataclasses import dataclass


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
    claims: tuple[tuple[str, str], ...] = ()
    """(claim id, text) of the most relevant claims, best first."""
