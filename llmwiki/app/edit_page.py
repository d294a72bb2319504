"""Edits of a page's prose."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.edit.prose import EditedPage


def edit_page(
    wiki: OpenWiki,
    name: str,
    change: Callable[[str], str],
    *,
    session: str,
    turn: int,
    dry_run: bool,
    allow_detached: bool,
) -> EditedPage:
    """Rewrites the prose of a page; see `Wiki.edit_page`."""
    from llmwiki.edit.prose import edit_page

    return edit_page(
        wiki.repo,
        wiki.state,
        name,
        change,
        session=session,
        turn=turn,
        dry_run=dry_run,
        terms=wiki.landing(allow_detached),
    )
