"""What the wiki holds, which sources wait, and what is unfinished."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmwiki.ingest.status import survey

if TYPE_CHECKING:
    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.ingest.status import WikiStatus


def status(wiki: OpenWiki) -> WikiStatus:
    """The wiki at HEAD and the files in raw/; see `Wiki.status`."""
    # Who asks how things stand should hear of settings that are ignored.
    _ = wiki.config
    return survey(wiki.repo)
