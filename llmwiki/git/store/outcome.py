"""What an operation will do to the repository, and what became of it: the one value from the commit
up to every face."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from llmwiki.pages.difference.row_changes import RowChange


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


@dataclass(frozen=True, slots=True)
class Difference:
    """What an operation did to one page."""

    path: str
    title: str
    type: str
    created: bool
    removed: bool
    changes: tuple[RowChange, ...]

    @property
    def claims_added(self) -> int:
        """Claims that are new to the wiki."""
        return sum(each.kind == "claim" and each.verb == "added" for each in self.changes)

    @property
    def evidence_added(self) -> int:
        """Quotes that are new to the wiki, those of new claims with them."""
        return sum(each.kind == "evidence" and each.verb == "added" for each in self.changes)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an operation, or of the plan it made."""

    commit: str | None
    """The new commit; None: there was nothing to do, or it is a dry run."""
    id: str = ""
    """Of the operation; empty where none landed."""
    differences: tuple[Difference, ...] = ()
    """By page; of a dry run those it would make."""
    pending: tuple[str, ...] = ()
    """Paths that are committed but could not be brought into the work tree; recovery does it."""
    kept: tuple[str, ...] = ()
    """Paths that somebody changed meanwhile: the work tree has their bytes, not the commit's."""
    branch: str = ""
    """The branch for review that it is on; empty: the one that HEAD is on."""
    moved: tuple[str, ...] = ()
    """Files below raw/ that lay in the work tree and are on that branch now."""

    @property
    def pages_created(self) -> tuple[str, ...]:
        """Paths of the pages it made."""
        made = (d.path for d in self.differences if d.created and not d.removed)
        return tuple(dict.fromkeys(made))

    @property
    def pages_changed(self) -> tuple[str, ...]:
        """Paths of the pages it changed or took away."""
        changed = (d.path for d in self.differences if not d.created or d.removed)
        return tuple(dict.fromkeys(changed))

    @property
    def claims_added(self) -> int:
        """Claims new to the wiki."""
        return sum(d.claims_added for d in self.differences)

    @property
    def evidence_added(self) -> int:
        """Pieces of evidence new to the wiki, those of new claims with them."""
        return sum(d.evidence_added for d in self.differences)


def all_of(outcomes: Sequence[Outcome]) -> Outcome:
    """What several operations of one command came to: all they changed, and the last commit."""
    if not outcomes:
        return Outcome(None)
    last = outcomes[-1]
    return Outcome(
        last.commit,
        last.id,
        tuple(sorted((d for each in outcomes for d in each.differences), key=lambda d: d.path)),
        tuple(path for each in outcomes for path in each.pending),
        tuple(path for each in outcomes for path in each.kept),
        last.branch,
    )
