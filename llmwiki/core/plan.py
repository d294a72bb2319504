"""What one operation will do to the repository, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Plan:
    """The files, message and paths of one operation, computed against the commit `base`.

    All paths are relative to the wiki's root, POSIX, NFC.
    """

    base: str | None
    """The commit the plan was computed from; None on an unborn branch."""
    writes: Mapping[str, bytes | None]
    """Path to the bytes it shall hold in the commit and in the work tree; None deletes it."""
    adopts: Mapping[str, bytes | None] = field(default_factory=dict)
    """Files a person put into (or took out of) the work tree that the commit records as they
    are; the work tree is never written for these."""
    message: str = ""
    """The whole commit message, trailers included."""
    renews: frozenset[str] = frozenset()
    """Sources among `writes` that were there before, and go or are there in a new version: copies
    of files and of pages of the web, and what was reviewed."""
    merges: tuple[str, ...] = ()
    """Further parents of the commit: branches that it merges."""
