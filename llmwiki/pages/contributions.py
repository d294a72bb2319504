"""What a source contributed, on its own page: the roster, and a line for each other page."""

from __future__ import annotations

from collections.abc import Mapping, Set

from llmwiki.pages import write
from llmwiki.pages.claim_links import words_of
from llmwiki.pages.escape import escape_inline
from llmwiki.pages.lines import ELSEWHERE
from llmwiki.pages.nodes import PageNode
from llmwiki.pages.page import Claim, Page
from llmwiki.pages.tombstones import enrol

SHOWN = 160
"""Characters of the claims on another page that a line of the ledger shows."""


def set_contributions(ledger: Page, pages: Mapping[str, Page], claim_ids: Set[str]) -> Page:
    """The ledger with its roster and a line for each other page that has claims of its source.

    `claim_ids` are those that its source has, or had, evidence for; `pages` are the pages on which
    they stand, by path.
    """
    shown: list[PageNode] = []
    lines: dict[str, int] = {}
    for path in sorted(pages, key=lambda path: (pages[path].stem.casefold(), path)):
        page = pages[path]
        own = {c.id: _first_line(c, ledger.stem) for c in page.claims if c.id in claim_ids}
        lines |= {claim_id: line for claim_id, line in own.items() if line}
        standing = [c.text for c in page.claims if own.get(c.id) and c.successor is None]
        if standing and path != ledger.path:
            words = escape_inline(words_of(" ".join(standing), SHOWN))
            key = ("on", page.stem.casefold())
            shown.append(PageNode(key, f"- {write.wikilink(page.stem)}: {words}"))
    return write.set_section(enrol(ledger, lines), ELSEWHERE, "on", shown)


def _first_line(claim: Claim, source_id: str) -> int:
    """The first line of a claim's first evidence of that source; 0: it has none."""
    return next((e.first for e in claim.evidence if e.source == source_id), 0)
