"""Taking operations back."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.history.undo import UndoResult


def undo(wiki: OpenWiki, name: str | None, *, dry_run: bool, allow_detached: bool) -> UndoResult:
    """Takes an operation or a batch back; see `Wiki.undo`."""
    from llmwiki.history import undo as history

    terms = wiki.landing(allow_detached)
    operations = history.targets(wiki.repo, name)
    return history.undo(wiki.repo, wiki.state, operations, terms=terms, dry_run=dry_run)
