"""What takes back, replaces or decides what stands already; one commit an operation."""

from __future__ import annotations

from collections.abc import Sequence

from llmwiki.app.open_wiki import OpenWiki
from llmwiki.history import retract as retracting
from llmwiki.history import review as reviewing
from llmwiki.history import supersede as superseding
from llmwiki.history import undo as undoing
from llmwiki.history.retract import RetractResult
from llmwiki.history.review import ReviewOutcome
from llmwiki.history.review_branch import Review, find_branch, read_review
from llmwiki.history.supersede import SupersedeResult
from llmwiki.history.undo import UndoResult
from llmwiki.repo.survey import landed_branches, review_branches


def undo(
    wiki: OpenWiki, name: str | None = None, *, dry_run: bool = False, allow_detached: bool = False
) -> UndoResult:
    """Takes an operation or a batch back, in a commit of its own; None: the last operation.

    `name` is an operation's or a batch's id, or a commit. Raises InputError where there is
    none, StateError where it may lie beyond what this clone holds.
    """
    terms = wiki.landing(allow_detached)
    operations = undoing.targets(wiki.repo, name)
    return undoing.undo(wiki.repo, wiki.state, operations, terms=terms, dry_run=dry_run)


def retract(
    wiki: OpenWiki, source: str, *, dry_run: bool = False, allow_detached: bool = False
) -> RetractResult:
    """Takes a source out of the wiki, with all that rests on it alone, in one commit.

    `source` is its file, its page or its title. Raises InputError for none or several.
    """
    terms = wiki.landing(allow_detached)
    return retracting.retract(wiki.repo, wiki.state, source, terms=terms, dry_run=dry_run)


def supersede(
    wiki: OpenWiki, old: str, new: str, *, dry_run: bool = False, allow_detached: bool = False
) -> SupersedeResult:
    """Strikes the claim with the id `old` for the one with the id `new`, in one commit.

    Raises InputError for no such claim, StateError where one of them was struck before.
    """
    terms = wiki.landing(allow_detached)
    return superseding.supersede(wiki.repo, wiki.state, old, new, terms=terms, dry_run=dry_run)


def reviews(wiki: OpenWiki) -> tuple[Review, ...]:
    """The branches that wait for review, and what of each is left to decide."""
    wiki.state.follow()
    return tuple(read_review(wiki.repo, wiki.state, each) for each in review_branches(wiki.repo))


def landed_reviews(wiki: OpenWiki) -> tuple[str, ...]:
    """The branches for review that have landed whole, and are still there."""
    return landed_branches(wiki.repo)


def review(wiki: OpenWiki, name: str = "") -> Review:
    """One branch that waits for review: by its id, or the only one. Raises InputError."""
    wiki.state.follow()
    return read_review(wiki.repo, wiki.state, find_branch(wiki.repo, name))


def accept_review(
    wiki: OpenWiki,
    name: str = "",
    items: Sequence[str] = (),
    *,
    dry_run: bool = False,
    allow_detached: bool = False,
) -> ReviewOutcome:
    """Lands items of a review in one commit; none named: all that can land.

    `items` are ids of claims and of other items, pages and sources. Whether a person has agreed
    is the caller's to know: see `is_reviewed_always`. Raises InputError for a name of nothing,
    StateError where one of them cannot land, or nothing can.
    """
    branch, terms = find_branch(wiki.repo, name), wiki.landing(allow_detached)
    return reviewing.accept(
        wiki.repo, wiki.state, branch, tuple(items), terms=terms, dry_run=dry_run
    )


def reject_review(wiki: OpenWiki, name: str = "", items: Sequence[str] = ()) -> ReviewOutcome:
    """Takes items out of a branch, in a commit on it; none named: the branch goes, and files
    that it had taken over lie in raw/ again. Raises as `accept_review` does."""
    branch = find_branch(wiki.repo, name)
    return reviewing.reject(wiki.repo, wiki.state, branch, tuple(items), terms=wiki.landing())
