"""Where the quotes of claims stand, for those who are shown them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.sources.quote_places import QuotePlaces


def quote_places(wiki: OpenWiki) -> QuotePlaces:
    """The places of quotes in the commit that the wiki's state stands on."""
    from llmwiki.pages.tombstones import ledger_path
    from llmwiki.sources.quote_places import QuotePlaces

    def file(source: str) -> str:
        ledger = wiki.state.page(ledger_path(source))
        own = ledger.own_source if ledger is not None else None
        return own.resource.removeprefix("/") if own is not None else ""

    return QuotePlaces(wiki.repo, wiki.state.commit, file)
