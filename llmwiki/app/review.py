"""Branches that wait for review: what they hold, and deciding it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmwiki.history.review import accept, drop, reject
from llmwiki.history.review_branch import find_branch, read_review
from llmwiki.repo.survey import review_branches

if TYPE_CHECKING:
    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.history.review import ReviewOutcome
    from llmwiki.history.review_branch import Review


def reviews(wiki: OpenWiki) -> tuple[Review, ...]:
    """What waits; see `Wiki.reviews`."""
    wiki.state.follow()
    return tuple(
        read_review(wiki.repo, wiki.state, branch) for branch in review_branches(wiki.repo)
    )


def review(wiki: OpenWiki, name: str) -> Review:
    """One of them; see `Wiki.review`."""
    wiki.state.follow()
    return read_review(wiki.repo, wiki.state, find_branch(wiki.repo, name))


def accept_review(
    wiki: OpenWiki,
    name: str,
    items: tuple[str, ...],
    *,
    dry_run: bool,
    allow_detached: bool,
) -> ReviewOutcome:
    """Lands items; see `Wiki.accept_review`."""
    branch = find_branch(wiki.repo, name)
    terms = wiki.landing(allow_detached)
    return accept(wiki.repo, wiki.state, branch, items, terms=terms, dry_run=dry_run)


def reject_review(wiki: OpenWiki, name: str, items: tuple[str, ...]) -> ReviewOutcome:
    """Takes items out; see `Wiki.reject_review`."""
    branch = find_branch(wiki.repo, name)
    terms = wiki.landing()
    if not items:
        return drop(wiki.repo, wiki.state, branch, terms=terms)
    return reject(wiki.repo, wiki.state, branch, items, terms=terms)
