"""The ledger: a source's own page, with all that the source contributed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from llmwiki.core.document import WebOrigin
from llmwiki.core.text import cut, normalise
from llmwiki.extraction.schema import DocumentFacts
from llmwiki.pages import write
from llmwiki.pages.escape import escape, escape_value
from llmwiki.pages.nodes import PageNode
from llmwiki.pages.page import Page, SourceRef
from llmwiki.pages.tombstones import ledger_path

_DOCUMENT_FIELDS = ("authors", "date", "status", "url")


def new_ledger(source_id: str, facts: DocumentFacts, source: SourceRef, by: str) -> Page:
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
    return write.set_source(update_document(page, facts), source)


def update_ledger(ledger: Page, facts: DocumentFacts, source: SourceRef, by: str) -> Page:
    """The ledger of a source read again: new bytes, new summary where it is the tool's."""
    if normalise(facts.summary):
        ledger = write.set_lead(ledger, write.prose(facts.summary), by)
        ledger = write.set_description(ledger, first_sentence(facts.summary), by)
    return write.set_source(update_document(ledger, facts), source)


def update_document(ledger: Page, facts: DocumentFacts) -> Page:
    """The ledger with what the document says of itself; fields it no longer says stay."""
    values = {
        "authors": ", ".join(normalise(a) for a in facts.authors if normalise(a)),
        "date": normalise(facts.date or ""),
        "status": normalise(facts.status or ""),
        "url": normalise(facts.url or ""),
    }
    for name in _DOCUMENT_FIELDS:
        if values[name]:
            ledger = _set_field(ledger, name, values[name])
    return ledger


def note_origin(ledger: Page, origin: WebOrigin) -> Page:
    """The ledger with the day on which its source was fetched."""
    return _set_field(ledger, "fetched", origin.fetched)


def is_from(ledger: Page, url: str) -> bool:
    """Whether the ledger says that its source was fetched from that address."""
    lines = [node.raw for node in ledger.section("Document")]
    return f"- url: {escape_value(url)}" in lines and any(
        line.startswith("- fetched: ") for line in lines
    )


def _set_field(ledger: Page, name: str, value: str) -> Page:
    for node in ledger.section("Document"):
        if node.raw.startswith(f"- {name}: "):
            if node.raw == f"- {name}: {escape_value(value)}":
                return ledger
            ledger = write.remove_node(ledger, node.key)
    return write.add_item(ledger, "Document", f"{name}: {escape_value(value)}")


def link_claim(ledger: Page, stem: str, claim_id: str) -> Page:
    """The ledger with a link to a claim it supports, on the page of that file name."""
    node = PageNode(("ref", claim_id), f"- {write.wikilink(f'{stem}#^{claim_id}')}")
    present = next((n for n in ledger.section("Claims") if n.key == node.key), None)
    if present is None:
        return write.add_to_section(ledger, "Claims", node)
    return ledger if present.raw == node.raw else write.replace_node(ledger, node)


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
