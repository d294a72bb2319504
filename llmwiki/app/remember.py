"""Notes in the wiki's memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.memory.land import OperationOutcome

NOTE_KINDS = ("fact", "preference", "decision", "event", "procedure")
SPEAKERS = ("person", "agent")


def remember(
    wiki: OpenWiki,
    text: str,
    *,
    kind: str,
    told_by: str,
    session: str,
    turn: int,
    allow_secret: Iterable[str],
    allow_detached: bool,
    review: bool,
) -> OperationOutcome:
    """Adds one note; see `Wiki.remember`."""
    from llmwiki.edit.remember import remember
    from llmwiki.version import __version__

    return remember(
        wiki.repo,
        wiki.state,
        text,
        kind=kind,
        told_by=told_by,
        session=session,
        turn=turn,
        by=f"llmwiki/{__version__}",
        terms=wiki.landing(allow_detached, review=review),
        allowed_secrets=frozenset(allow_secret),
    )
