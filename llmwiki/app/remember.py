"""Notes in the wiki's memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmwiki.core.note_kinds import NOTE_KINDS, SPEAKERS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.memory.land import OperationOutcome


def remember(
    wiki: OpenWiki,
    text: str,
    *,
    kind: str,
    told_by: str,
    session: str,
    turn: int,
    key: str,
    value: str,
    allow_secret: Iterable[str],
    allow_detached: bool,
    review: bool,
) -> OperationOutcome:
    """Adds one note; see `Wiki.remember`."""
    from llmwiki.learn.remember import remember
    from llmwiki.version import __version__

    return remember(
        wiki.repo,
        wiki.state,
        text,
        kind=kind,
        told_by=told_by,
        session=session,
        turn=turn,
        key=key,
        value=value,
        by=f"llmwiki/{__version__}",
        terms=wiki.landing(allow_detached, review=review),
        allowed_secrets=frozenset(allow_secret),
    )


__all__ = ["NOTE_KINDS", "SPEAKERS", "remember"]
