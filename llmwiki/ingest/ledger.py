"""The ledger: a source's own page, with all that the source contributed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set

from llmwiki.core.text import cut, normalise
from llmwiki.extraction.schema import DocumentFacts
from llmwiki.pages import write
from llmwiki.pages.claim_links import words_of
from llmwiki.pages.escape import escape, escape_inline
from llmwiki.pages.lines import ELSEWHERE
from llmwiki.pages.nodes import PageNode
from llmwiki.pages.page import Claim, Page, SourceRef
from llmwiki.pages.tombstones import enrol, ledger_path

SHOWN = 160
"""Characters of the claims on another page that a line of the ledger shows."""


def new_ledger(
    source_id: str, facts: DocumentFacts, source: SourceRef, text_path: str, by: str
) -> Page:
    """A ledger with the summary and what the document says of itself."""
    title = normalise(facts.title) or source.resource.rsplit("/", 1)[-1]
    summary = write.prose(facts.summary) or write.prose(title)
    page = write.create(
        write.NewPage(
            path=ledger_path(source_id),
            type="source",
            title=title,
            description=first_sentence(facts.summary) or title,
            lead=summary,
            by=by,
        )
    )
    return _told(page, facts, source, text_path)


def update_ledger(
    ledger: Page, facts: DocumentFacts, source: SourceRef, text_path: str, by: str
) -> Page:
    """The ledger of a source read again: new bytes, new summary where it is the tool's."""
    if normalise(facts.summary):
        ledger = write.set_lead(ledger, write.prose(facts.summary), by)
        ledger = write.set_description(ledger, first_sentence(facts.summary), by)
    return _told(ledger, facts, source, text_path)


def _told(ledger: Page, facts: DocumentFacts, source: SourceRef, text_path: str) -> Page:
    """The ledger with its source's bytes, the text they were converted to, and what the document
    says of itself; fields it no longer says stay."""
    ledger = write.set_value(write.set_source(ledger, source), "text", text_path)
    for name in ("date", "status", "url"):
        if value := normalise(getattr(facts, name) or ""):
            ledger = write.set_value(ledger, name, value)
    authors = [normalise(author) for author in facts.authors if normalise(author)]
    return write.set_words(ledger, "authors", authors) if authors else ledger


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


def add_alias(ledger: Page, stem: str, alias: str) -> Page:
    """The ledger with an alias that its source gives a page."""
    return write.add_item(ledger, "Names", f"{escape(alias)} → {write.wikilink(stem)}")


def add_relation(ledger: Page, source: str, label: str, target: str) -> Page:
    """The ledger with a relation that its source states; names are wikilinks or escaped text."""
    return write.add_item(ledger, "Relations", f"{source} — {escape(label)} — {target}")


def add_mention(ledger: Page, name: str, description: str) -> Page:
    """The ledger with a name that got no page."""
    text = escape(name)
    return write.add_item(
        ledger, "Mentions", f"{text}: {escape(description)}" if description else text
    )


def add_question(ledger: Page, text: str, lines: Sequence[int] | None) -> Page:
    """The ledger with a question the source leaves open."""
    span = ""
    if lines:
        span = f" (L{lines[0]})" if lines[0] == lines[1] else f" (L{lines[0]}–L{lines[1]})"
    return write.add_item(ledger, "Open questions", f"{escape(text)}{span}")


_SENTENCE = re.compile(r"^.+?[.!?。！？](?=\s|$|[^\x00-\x7f])")


def first_sentence(text: str, limit: int = 200) -> str:
    """The first sentence of a text, cut at `limit` characters."""
    plain = normalise(text)
    found = _SENTENCE.match(plain)
    return cut(found[0] if found else plain, limit)
