"""What the search index holds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What the index holds."""

    pages: int
    words: int
    """Of all pages together."""
    commit: str | None
    """The commit it stands at; None: there is none yet."""
    uncommitted: int
    """Pages that it holds in other bytes than those of the commit."""
    differences: tuple[str, ...] | None
    """Where it differs from one made anew, a sentence each; None: it was not compared."""
