"""The ledger: a source's own page, with all that the source contributed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from llmwiki.core.document import SourceOrigin
from llmwiki.core.language.sentences import first_sentence
from llmwiki.core.text import fold, normalise
from llmwiki.ingest.extraction.schema import MAX_TITLE, DocumentFacts, Subject
from llmwiki.ingest.filing import SubjectFiler, is_name
from llmwiki.ingest.page_of_subject import owners
from llmwiki.ingest.page_workspace import PageWorkspace
from llmwiki.ingest.placed_claims import PlacedClaims
from llmwiki.ingest.reading import SourceReading
from llmwiki.ingest.ties_and_relations import ClaimTies
from llmwiki.pages import write
from llmwiki.pages.claim_links import verb_phrase
from llmwiki.pages.escape import escape
from llmwiki.pages.page import Claim, Page, SourceRef
from llmwiki.pages.tombstones import (
    bury,
    claim_refs,
    enrol,
    is_retracted,
    ledger_path,
    lifted,
    taken_whole,
    tombstones,
)
from llmwiki.sources.document_facts import names_of
from llmwiki.sources.read_source import first_quotable
from llmwiki.version import is_offline

# --- before the claims: what the document says of itself -----------------------------------------


def open_ledger(
    workspace: PageWorkspace,
    reading: SourceReading,
    source: SourceRef,
    deleted: Mapping[str, Sequence[str]],
    *,
    has_struck: bool,
) -> Page:
    """Puts the source's page as the reading has it into the workspace, made or brought up to date,
    the claims of it buried that a person deleted.

    `has_struck`: claims were struck whose words are gone from this version of the source.
    """
    path = ledger_path(source.id)
    present = workspace.find(path)
    text_path = reading.document.text_path or ""
    if present is None:
        page = _new_ledger(reading.facts, source, text_path, reading.by)
    else:
        was_retracted, present = is_retracted(present), lifted(present)
        if reading.origin is None:
            present = _note_edited(present, source.sha256)
        facts, by = reading.facts, present.marks.by
        is_worse = reading.without_model and by and not (was_retracted or is_offline(by))
        if is_worse and not has_struck:
            # What a model or an agent wrote at its head stays while it is so.
            facts = facts.model_copy(update={"summary": ""})
        page = _update_ledger(present, facts, source, text_path, reading.by)
    if reading.origin is not None:
        page = _note_origin(page, reading.origin)
    lines = reading.document.lines[first_quotable(reading.document) - 1 :]
    known = workspace.state.names
    names = [n for n in names_of(page.title, lines) if set(owners(n, known)) <= {path}]
    page = write.add_words(page, "aliases", names)
    page = bury(page, deleted)
    workspace.put(page)
    return page


def _new_ledger(facts: DocumentFacts, source: SourceRef, text_path: str, by: str) -> Page:
    """A ledger with the summary and what the document says of itself."""
    title = normalise(facts.title) or PurePosixPath(source.resource).stem
    summary = write.prose(facts.summary)
    page = write.create(
        path=ledger_path(source.id),
        kind="source",
        title=title,
        description=first_sentence(facts.summary) or title,
        lead="" if normalise(facts.summary) == title else summary or write.prose(title),
        by=by,
    )
    return _told(page, facts, source, text_path)


def _update_ledger(
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


def _note_origin(ledger: Page, origin: SourceOrigin) -> Page:
    """The ledger that says where its source was copied from, or on which day it was fetched from
    the address that its `url` says."""
    place = "" if origin.url else origin.place
    ledger = write.set_value(write.set_value(ledger, "origin", place), "copied", "")
    return write.set_value(ledger, "fetched", origin.fetched)


def _note_edited(ledger: Page, sha256: str) -> Page:
    """The ledger of a copy that was edited, and is read now as a version with that hash: it still
    says what was copied."""
    own = ledger.own_source
    if own is None or not own.origin or own.copied or own.sha256 in ("", sha256):
        return ledger
    return write.set_value(ledger, "copied", own.sha256[:16])


# --- after them: what the reading contributed ----------------------------------------------------


def close_ledger(
    workspace: PageWorkspace,
    path: str,
    reading: SourceReading,
    claims: PlacedClaims,
    filer: SubjectFiler,
    ties: ClaimTies,
) -> None:
    """Records on the source's page at `path` the claims that rest on it, and what of the reading
    stands nowhere else."""
    page = workspace.page(path)
    linked = [claims.final.get(verified.claim.id) for verified in reading.claims]
    # Those it had as well: a page may have another name since.
    record = {claim_id for claim_id in (*claim_refs(page), *linked) if claim_id}
    homes = {where for claim_id in sorted(record) if (where := claims.where(claim_id))}
    for home in sorted(homes):
        held = page if home == path else workspace.page(home)
        resting = (claim for claim in held.claims if claim.id in record)
        page = enrol(page, (claim for claim in resting if _is_quoted(claim, page.stem, claims)))
    page = page if tombstones(page) else taken_whole(page)
    for subject in sorted(reading.subjects, key=lambda s: fold(s.name)):
        page = _note_subject(page, subject, workspace, filer)
    for relation in reading.relations:
        begins, leads = ties.page_of(relation.source), ties.page_of(relation.target)
        source = _shown(begins, relation.source, workspace, path)
        target = _shown(leads, relation.target, workspace, path)
        is_on_pages = begins and leads
        if relation.claim in claims.final and not is_on_pages and source != target:
            label = escape(verb_phrase(relation.label))
            page = write.add_item(page, "Relations", f"{source} — {label} — {target}")
    for question in reading.questions:
        if normalise(question.text):
            page = write.add_item(page, "Open questions", escape(question.text))
    workspace.put(page)


def _is_quoted(claim: Claim, source_id: str, claims: PlacedClaims) -> bool:
    """Whether the source has the first quote that it is said to give for a claim: another one is a
    person's wording, and the record keeps what it has."""
    own = next((each for each in claim.evidence if each.source == source_id), None)
    return own is not None and claims.finder.find_nth(own.quote) is not None


def _note_subject(
    ledger: Page, subject: Subject, workspace: PageWorkspace, filer: SubjectFiler
) -> Page:
    """A subject without a page as a mention; of one with a page the aliases it brought."""
    target = filer.filed.path(subject.name)
    if target is None:
        name = normalise(subject.name)[:MAX_TITLE]
        described = normalise(subject.description)
        return _add_mention(ledger, name, described) if is_name(name) else ledger
    page = workspace.page(target)
    aliases = filer.filed.aliases.get(fold(subject.name), ())
    for alias in aliases if target != ledger.path else ():
        told = f"{escape(alias)} → {write.wikilink(page.stem)}"
        ledger = write.add_item(ledger, "Names", told)
    return ledger


def _shown(home: str | None, name: str, workspace: PageWorkspace, own: str) -> str:
    """A name as the source's page, which is `own`, shows it: linked where it has a page."""
    if home == own:
        return escape(workspace.page(own).title)
    return write.wikilink(workspace.page(home).stem) if home else escape(name) or "?"


def _add_mention(ledger: Page, name: str, description: str) -> Page:
    """The ledger with a name that got no page."""
    text = escape(name)
    return write.add_item(
        ledger, "Mentions", f"{text}: {escape(description)}" if description else text
    )
