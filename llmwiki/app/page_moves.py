"""Pages that get another name, become one, or give claims away."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.edit.page_moves import PageMoveResult


def rename(
    wiki: OpenWiki, name: str, title: str, *, dry_run: bool, allow_detached: bool, review: bool
) -> PageMoveResult:
    """Gives a page another title; see `Wiki.rename`."""
    from llmwiki.edit.page_moves import rename

    terms = wiki.landing(allow_detached, review=review)
    return rename(wiki.repo, wiki.state, name, title, terms=terms, dry_run=dry_run)


def merge(
    wiki: OpenWiki, name: str, into: str, *, dry_run: bool, allow_detached: bool, review: bool
) -> PageMoveResult:
    """Makes one page of two; see `Wiki.merge`."""
    from llmwiki.edit.page_moves import merge

    terms = wiki.landing(allow_detached, review=review)
    return merge(wiki.repo, wiki.state, name, into, terms=terms, dry_run=dry_run)


def split(
    wiki: OpenWiki,
    name: str,
    title: str,
    claims: Sequence[str],
    *,
    dry_run: bool,
    allow_detached: bool,
    review: bool,
) -> PageMoveResult:
    """Moves claims to another page; see `Wiki.split`."""
    from llmwiki.edit.page_moves import split
    from llmwiki.version import __version__

    terms, by = wiki.landing(allow_detached, review=review), f"llmwiki/{__version__}"
    return split(wiki.repo, wiki.state, name, title, claims, terms=terms, by=by, dry_run=dry_run)
