"""The ledger: a source's own page, with all that the source contributed."""

from __future__ import annotations

from pathlib import PurePosixPath

from llmwiki.core.document import SourceOrigin
from llmwiki.core.language.sentences import sentences
from llmwiki.core.text import cut, normalise
from llmwiki.ingest.extraction.schema import DocumentFacts
from llmwiki.pages import write
from llmwiki.pages.escape import escape
from llmwiki.pages.page import Page, SourceRef
from llmwiki.pages.tombstones import ledger_path


def new_ledger(
    source_id: str, facts: DocumentFacts, source: SourceRef, text_path: str, by: str
) -> Page:
    """A ledger with the summary and what the document says of itself."""
    title = normalise(facts.title) or PurePosixPath(source.resource).stem
    summary = write.prose(facts.summary)
    page = write.create(
        path=ledger_path(source_id),
        kind="source",
        title=title,
        description=first_sentence(facts.summary) or title,
        lead="" if normalise(facts.summary) == title else summary or write.prose(title),
        by=by,
    )
    return _told(page, facts, source, text_path)


def update_ledger(
    ledger: Page, facts: DocumentFacts, source: SourceRef, text_path: str, by: str
) -> Page:
    """The ledger of a source read again: new bytes, new summary where it is the tool's."""
    if normalise(facts.summary):
        is_title = normalise(facts.summary) == normalise(facts.title)
        ledger = write.set_lead(ledger, "" if is_title else write.prose(facts.summary), by)
        ledger = write.set_description(ledger, first_sentence(facts.summary), by)
    return _told(ledger, facts, source, text_path)


def _told(ledger: Page, facts: DocumentFacts, source: SourceRef, text_path: str) -> Page:
    """The ledger with its source's bytes, the text they were converted to, and what the document
    says of itself; fields it no longer says stay."""
    ledger = write.set_value(write.set_own_source(ledger, source), "text", text_path)
    for name in ("date", "status", "stance", "url"):
        if value := normalise(getattr(facts, name) or ""):
            ledger = write.set_value(ledger, name, value)
    authors = [normalise(author) for author in facts.authors if normalise(author)]
    return write.set_words(ledger, "authors", authors) if authors else ledger


def note_origin(ledger: Page, origin: SourceOrigin) -> Page:
    """The ledger that says where its source was copied from, or on which day it was fetched from
    the address that its `url` says."""
    place = "" if origin.url else origin.place
    ledger = write.set_value(write.set_value(ledger, "origin", place), "copied", "")
    return write.set_value(ledger, "fetched", origin.fetched)


def note_edited(ledger: Page, sha256: str) -> Page:
    """The ledger of a copy that was edited, and is read now as a version with that hash: it still
    says what was copied."""
    own = ledger.own_source
    if own is None or not own.origin or own.copied or own.sha256 in ("", sha256):
        return ledger
    return write.set_value(ledger, "copied", own.sha256[:16])


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


def add_question(ledger: Page, text: str) -> Page:
    """The ledger with a question the source leaves open."""
    return write.add_item(ledger, "Open questions", escape(text))


def first_sentence(text: str, limit: int = 200) -> str:
    """The first sentence of a text, cut at `limit` characters."""
    plain = normalise(text)
    return cut(next(iter(sentences(plain)), plain), limit)
