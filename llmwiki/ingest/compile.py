"""Verified reading to the operation that brings it into the pages: pure, run under the lock against
HEAD.

The order of the steps is here. What each does stands in a file of its own: `filing` finds the page
of a subject, `placed_claims` the place of a claim, `stance_and_attributes` how it is meant,
`ties_and_relations` what it does to others, `leads` the prose, `ledger` the source's own page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from llmwiki.core.document import Document
from llmwiki.core.page_and_note_kinds import is_of_subject
from llmwiki.core.text import counted, fold
from llmwiki.ingest.extraction.extractor import Answers
from llmwiki.ingest.extraction.schema import DOCUMENT, Subject
from llmwiki.ingest.filing import SubjectFiler, SubjectPlacement, is_name
from llmwiki.ingest.known import (
    NOTHING_NEW,
    NOTHING_QUOTED,
    KnownSource,
    known_source,
    moved_source,
)
from llmwiki.ingest.leads import LeadWriter, backed_subjects
from llmwiki.ingest.ledger import close_ledger, open_ledger
from llmwiki.ingest.page_of_subject import owners
from llmwiki.ingest.page_workspace import ClaimLinker, PageWorkspace, naming
from llmwiki.ingest.placed_claims import DELETED, PlacedClaims
from llmwiki.ingest.reading import SourceReading
from llmwiki.ingest.report import OperationReport, ReadingReport
from llmwiki.ingest.source_text import IngestSettings, picture_reader
from llmwiki.ingest.ties_and_relations import ClaimTies
from llmwiki.landing.commit_message import spending
from llmwiki.landing.evidence_in_changed_source import relocate
from llmwiki.landing.links_to_moved_pages import deleted_by_hand, without_words
from llmwiki.landing.operation import Made, Operation
from llmwiki.landing.wiki_state import WikiState
from llmwiki.pages import write
from llmwiki.pages.page import Page, SourceRef
from llmwiki.pages.page_file_names import source_id
from llmwiki.pages.tombstones import ledger_path
from llmwiki.sources.names_that_mean_one import Synonyms
from llmwiki.sources.read_source import first_quotable
from llmwiki.sources.source_file import NamedSource
from llmwiki.sources.web.fetched_page import address_hash

_TOLD = 5
"""Decisions of one sort about names that a commit's message tells; the result tells all."""


def compile_reading(
    item: NamedSource,
    reading: SourceReading,
    answers: Answers,
    settings: IngestSettings,
    state: WikiState,
) -> Made[OperationReport]:
    """The operation that brings a reading into the pages as the state shows them, and what is to be
    told of it so far; none where it is read already, or brings nothing new."""
    document = reading.document
    workspace = PageWorkspace(state, is_remarked=not reading.without_model)
    known = _known(state, item, reading, settings)
    if known.reason:
        return Made(None, OperationReport.skipped(item.path, document.sha256, known.reason))

    # The source's own page, under its name of now.
    had = known.ledger
    ident = had.stem if had else source_id(document.path, lambda key: bool(state.file_named(key)))
    source, own = SourceRef(ident, "/" + document.path, document.sha256), ledger_path(ident)
    page = state.page(own) if had else None
    deleted = deleted_by_hand(state, page) if page else {}
    if known.renamed:
        _rename(workspace, source)
    is_changed = had is not None and had.sha256 != document.sha256
    struck = _follow(workspace, ident, document) if is_changed else 0
    workspace.told.refused += reading.refused
    reading = replace(reading, subjects=[*backed_subjects(reading, workspace)])
    ledger = open_ledger(workspace, reading, source, deleted, has_struck=bool(struck))

    # A page for each subject, then the claims on them.
    names = [subject.name for subject in reading.subjects]
    text = Synonyms(document.lines, first_quotable(document), names)
    filer = SubjectFiler(workspace, reading.together, reading.without_model, reading.by, text)
    claims = PlacedClaims(workspace, reading, ledger, filer.filed)
    _file_subjects(filer, workspace, reading, claims, own)
    linker = ClaimLinker(workspace, filer.names, {*filer.filed.names.values()})
    for verified in reading.claims:
        claims.place(verified)
    claims.shelve(linker)

    # What they do to other claims and pages.
    ties = ClaimTies(workspace, claims, filer)
    if reading.without_model:
        ties.strike_told_again()
    _take_back_empty(filer.filed, workspace, reading, claims)
    ties.tie_as_read(reading)
    ties.relate(reading)
    _cite(source, workspace)
    ties.update_values()
    ties.note_also(reading)

    # Prose, the record, and links to what is new.
    leads = LeadWriter(workspace, filer.filed, linker, reading)
    workspace.remarked.to_renew += leads.write(claims.standing.values())
    close_ledger(workspace, own, reading, claims, filer, ties)
    new = {own} if state.page(own) is None else set()
    for page in linker.born(filer.filed.fresh | new, claims.minted):
        workspace.put(page)
    _remark_names(filer.filed, workspace, {fold(name): name for name in names}, own)
    if deleted:
        after = without_words(state, workspace.pages, deleted.keys())
        workspace.pages.update((path, page) for path, page in after.items() if page)
    return _made(item, reading, answers, settings, known, workspace, struck)


# --- a source that was read before ---------------------------------------------------------------


def _known(
    state: WikiState, item: NamedSource, reading: SourceReading, settings: IngestSettings
) -> KnownSource:
    """What the wiki has of the source, of one whose file was moved and changed too."""
    document, again, anew = reading.document, settings.again, settings.anew
    known = known_source(state, item, document.sha256, again=again, anew=anew)
    if known.reason or known.ledger is not None:
        return known
    names = (reading.facts.title, *(subject.name for subject in reading.subjects))
    return moved_source(state, document, names) or known


def _rename(workspace: PageWorkspace, source: SourceRef) -> None:
    """Brings the source's new path into every page that names it."""
    for path in workspace.state.citing(source.id):
        workspace.put(_with_footnote(workspace.page(path), source, workspace))


def _follow(workspace: PageWorkspace, ident: str, document: Document) -> int:
    """Follows the evidence of a source into its new text; how many claims are struck whose words
    are gone. See `relocate`."""
    cited = (*workspace.state.citing(ident), ledger_path(ident))
    pages = {path: workspace.page(path) for path in cited}
    relocation = relocate(pages, ident, document)
    workspace.pages.update(relocation.pages)
    return relocation.struck


def _cite(source: SourceRef, workspace: PageWorkspace) -> None:
    """The footnote on every page that cites the source."""
    for path, page in sorted(workspace.pages.items()):
        if source.id in page.cited():
            with naming(path):
                workspace.put(_with_footnote(page, source, workspace))


def _with_footnote(page: Page, source: SourceRef, workspace: PageWorkspace) -> Page:
    """A page that cites the source, with the footnote that says what it is."""
    ledger = workspace.page(ledger_path(source.id))
    date = ledger.value("date")
    return write.add_footnote(page, source.id, ledger.title, source.resource, date)


# --- subjects ------------------------------------------------------------------------------------


def _file_subjects(
    filer: SubjectFiler,
    workspace: PageWorkspace,
    reading: SourceReading,
    claims: PlacedClaims,
    own: str,
) -> None:
    """A page for each subject that owns a claim; the others are looked for. `own` is the page of
    the document."""
    listed = _listed(workspace, reading)
    told = {fold(DOCUMENT), *(fold(subject.name) for subject in reading.subjects)}
    for verified in reading.claims:
        name = verified.claim.subject
        if fold(name) not in told and is_name(name):
            told.add(fold(name))
            held = _titled(workspace, name)
            became = "not listed: a concept, described by this claim"
            became = f"not listed: filed under {held}" if held else became
            workspace.remarked.remark(verified.claim.id, f"subject {name}", became)
    # The document is the entity or concept of its title, else its own page.
    known, page = workspace.state.names, workspace.page(own)
    titles = (page.title, reading.facts.title)
    named = {p for t in titles for p in owners(t, known) if is_of_subject(p)}
    filer.filed.names[fold(DOCUMENT)] = named.pop() if len(named) == 1 else own
    filer.add_document(page)
    owned = (v.claim.subject for v in reading.claims if not claims.is_buried(v))
    claimed = {fold(name) for name in owned} & listed.keys()
    filer.own_all(listed.values(), {name for name in claimed if is_name(name)})
    for subject in listed.values():
        filer.mention(subject)


def _listed(workspace: PageWorkspace, reading: SourceReading) -> dict[str, Subject]:
    """Folded name to subject; one that a claim names and nobody lists is what the page of its name
    is, else a concept."""
    listed: dict[str, Subject] = {}
    for subject in reading.subjects:
        if subject.name != DOCUMENT:
            listed.setdefault(fold(subject.name), subject)
    for verified in reading.claims:
        name = verified.claim.subject
        if fold(name) not in listed and name != DOCUMENT:
            held = _titled(workspace, name)
            is_entity = bool(held) and workspace.type_of(held) == "entity"
            listed[fold(name)] = Subject(
                name=name, kind="entity" if is_entity else "concept", description=verified.text
            )
    return listed


def _titled(workspace: PageWorkspace, name: str) -> str:
    """The one page of a subject that has the name; empty where there is none, or several."""
    held = [p for p in workspace.state.names.by_title(name) if is_of_subject(p)]
    return held[0] if len(held) == 1 else ""


def _take_back_empty(
    filed: SubjectPlacement, workspace: PageWorkspace, reading: SourceReading, claims: PlacedClaims
) -> None:
    """Takes back pages made for subjects whose claims all stand on another page already."""
    homes: dict[str, str] = {}
    for verified in reading.claims:
        made = filed.path(verified.claim.subject)
        where = claims.where(claims.final.get(verified.claim.id, ""))
        if made in filed.fresh and where and where != made:
            homes.setdefault(made, where)
    for made, home in sorted(homes.items()):
        if not workspace.page(made).claims:
            del workspace.pages[made]
            filed.fresh.discard(made)
            for name in [n for n, path in filed.names.items() if path == made]:
                filed.names[name] = home
                filed.aliases.pop(name, None)


def _remark_names(
    filed: SubjectPlacement,
    workspace: PageWorkspace,
    given: Mapping[str, str],
    own: str,
) -> None:
    """Remarks on subjects that got a page which is not theirs; `given` are their names, by their
    folded ones, `own` is the page of the document."""
    for name, meant in filed.disagreed:
        path = filed.path(name)
        where = f"filed under {workspace.page(path).title}" if path else "has no page"
        workspace.remarked.remark("", f"same_as {meant} of {name}", f"no name agrees; {where}")
    for name in sorted(n for n, path in filed.names.items() if path == own):
        if name != fold(DOCUMENT):
            became = f"is this document itself, whose subject is `{DOCUMENT}` and page {own}"
            workspace.remarked.remark("", f"subject {given[name]}", became)


# --- the operation -------------------------------------------------------------------------------


def _made(
    item: NamedSource,
    reading: SourceReading,
    answers: Answers,
    settings: IngestSettings,
    known: KnownSource,
    workspace: PageWorkspace,
    struck: int,
) -> Made[OperationReport]:
    """What lands: the pages, the source and its text, and the message's words."""
    document, state = reading.document, workspace.state
    report = OperationReport(item.path, document.sha256, "planned", reading=workspace.told)
    if known.is_same and state.pages(workspace.pages) == workspace.pages:
        note = NOTHING_NEW if reading.claims else NOTHING_QUOTED
        return Made(None, replace(report, note=note))
    if not reading.claims:
        report = replace(report, silent=item.argument or item.path)
    new_files: dict[str, bytes] = {}
    adopts: dict[str, bytes | None] = {}
    # An undo leaves sources where they are: what stands there is taken over, not written.
    if item.inside or state.repo.read(state.commit, item.path) == item.data:
        adopts[item.path] = item.data
    else:
        new_files[item.path] = item.data
    if known.renamed:
        adopts[known.renamed] = None
    if document.text_path and document.text_bytes is not None:
        new_files[document.text_path] = document.text_bytes
    wanted = Operation(
        title=reading.facts.title or item.path,
        pages=workspace.pages,
        new_files=new_files,
        renews=frozenset({item.path} if _is_renewed(item, known) else ()),
        adopts=adopts,
        notes=_notes(item, document, known.renamed, workspace.told, struck),
        trailers={
            "Wiki-Batch": settings.terms.batch,
            "Wiki-Source": f"{item.path} sha256:{document.sha256}",
            "Wiki-Model": answers.model,
            **spending(answers.usage, answers.cost),
        },
    )
    return Made(wanted, report)


def _is_renewed(item: NamedSource, known: KnownSource) -> bool:
    """Whether it is a copy that was made from the same place before, and perhaps taken back
    since."""
    if item.origin is None:
        return False
    if known.ledger is None:
        return bool(item.origin.url) and address_hash(item.origin.url) in item.path
    return known.ledger.origin == item.origin.place


def _notes(
    item: NamedSource,
    document: Document,
    renamed: str | None,
    told: ReadingReport,
    struck: int,
) -> tuple[str, ...]:
    notes = [f"Read {item.path}."]
    if item.origin and item.origin.url:
        place = item.origin.url.partition("://")[2]
        notes.append(f"Fetched on {item.origin.fetched} from {place}")
    reader = picture_reader(document)
    if reader:
        notes.append(f"What stands in its pictures was read by {reader}.")
    if renamed:
        notes.append(f"It was {renamed} before.")
    if struck:
        gone = counted(struck, "claim")
        notes.append(f"A new version: {gone} struck whose words are gone.")
    dead = sum(1 for r in told.refused if r.reason == DELETED)
    if dead:
        notes.append(f"Left out {counted(dead, 'claim')} that a person had deleted.")
    said = [f"Filed under {j.title}: {j.name} ({j.why})." for j in told.merged]
    notes += _first_few(said, "names filed under a page of another title")
    said = [f"Kept apart, and perhaps one: {name} and {title}." for name, title in told.near]
    notes += _first_few(said, "pairs kept apart")
    said = [f"No other name of {r.name}: {r.alias} ({r.reason})." for r in told.unnamed]
    notes += _first_few(said, "aliases left out")
    return tuple(notes)


def _first_few(said: Sequence[str], what: str) -> list[str]:
    more = len(said) - _TOLD
    return [*said[:_TOLD], *([f"And {more} more {what}."] if more > 0 else [])]
