"""One ingest from a named file to a commit.

source → text → segments → extraction (outside the lock) ┊ under it: verify → resolve → Changes →
landing.land. A batch is many of these, one commit a source. The text is `source_text.py`'s: a model
may have to read it from pictures, which is paid like the extraction.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from llmwiki.core.document import Document, Segment
from llmwiki.core.errors import LockTimeout, ModelOutputError, StateError, WikiError
from llmwiki.core.secrets import refuse
from llmwiki.core.text import counted, fold, sha256_hex
from llmwiki.git.repository import Repository
from llmwiki.ingest.compile import DELETED, CompiledPages, Compiler
from llmwiki.ingest.extraction.jobs import Jobs, PaidAnswers
from llmwiki.ingest.extraction.schema import Extraction
from llmwiki.ingest.extraction.types import ExtractionResult, Extractor
from llmwiki.ingest.known import (
    NOTHING_NEW,
    NOTHING_QUOTED,
    KnownSource,
    known_source,
    moved_source,
)
from llmwiki.ingest.reading import SourceReading, cut_off, reading_of
from llmwiki.ingest.report import OperationReport, ReadingRemark, RefusedClaim
from llmwiki.ingest.source_text import open_document, picture_reader, weigh
from llmwiki.ingest.types import IngestSettings, SourceInput
from llmwiki.ingest.unquoted import unquoted
from llmwiki.landing.commit_message import spending
from llmwiki.landing.land import Made, Operation, land, review_base
from llmwiki.landing.lead_links import deleted_by_hand, without_words
from llmwiki.landing.state import WikiState
from llmwiki.pages.names import source_id
from llmwiki.pages.page import SourceRef
from llmwiki.pages.tombstones import ledger_path
from llmwiki.sources.segments import segment
from llmwiki.sources.web.page import address_hash

_TOLD = 5
"""Decisions of one sort about names that a commit's message tells; the result tells all."""


def ingest(
    repo: Repository,
    state: WikiState,
    item: SourceInput,
    filler: Extractor,
    settings: IngestSettings,
) -> OperationReport:
    """One source in, one verified commit out.

    Raises the errors of reading, filling and landing; then nothing has changed.
    """
    sha256 = sha256_hex(item.data)
    if settings.terms.review:
        review_base(repo, state, settings.terms, "ingest")
    else:
        state.follow()
    known = known_as(repo, state, item, sha256, settings)
    if known.reason:
        return OperationReport(item.path, sha256, "skipped", note=known.reason)
    before = filler.usage
    document = open_document(repo, item, settings, filler.picture_reader, head=state.commit)
    weigh(repo, item, settings.notice)
    segments = segment(document, max_bytes=settings.segment_bytes)
    extractions = filler.fill(document, segments, state)
    usage = filler.usage - before
    filled = ExtractionResult(
        extractions, filler.by, filler.model, filler.without_model, usage, filler.cost(usage)
    )
    try:
        result = land_reading(repo, state, item, document, filled, settings)
    except (StateError, LockTimeout) as error:
        if filled.usage.total:
            error.fix = f"{error.fix} What was answered is kept, and costs nothing then.".strip()
        raise
    except WikiError:
        # Who answered what is refused is to be asked again.
        _forget_paid(repo, sha256, filler)
        raise
    _forget_paid(repo, sha256, filler)
    if picture_reader(document) and not (settings.dry_run or settings.terms.review):
        Jobs(repo).done(sha256)
    return result


def known_as(
    repo: Repository, state: WikiState, item: SourceInput, sha256: str, settings: IngestSettings
) -> KnownSource:
    """What the wiki has of a source, which is read `again` only where it was named itself."""
    again, is_copy = settings.again and item.is_named, item.origin is not None
    return known_source(
        repo, state, item.path, sha256, again=again, anew=settings.anew, is_copy=is_copy
    )


def _again(item: SourceInput) -> str:
    """How to read a source once more; what came by standard input lies nowhere."""
    place = item.argument
    return f"Try again: wiki ingest {shlex.quote(place)}" if place else "Run the command again."


def _forget_paid(repo: Repository, sha256: str, filler: Extractor) -> None:
    """Drops the answers that were kept until now: they have landed, or are refused.
    Of a run that is killed before they stay."""
    if not filler.without_model:
        PaidAnswers(repo, sha256).forget()


def land_reading(
    repo: Repository,
    state: WikiState,
    item: SourceInput,
    document: Document,
    filled: ExtractionResult,
    settings: IngestSettings,
) -> OperationReport:
    """Verifies, compiles and lands what a filler read. Raises what `ingest` raises."""
    if not filled.without_model:
        # What is read without a model stands in the text, which was looked through already.
        _refuse_secrets(filled.extractions, item.path, settings)
    reading = reading_of(
        document,
        filled.extractions,
        by=filled.by,
        without_model=filled.without_model,
        origin=item.origin,
    )
    remarks = () if filled.without_model else tuple(cut_off(filled.extractions))
    claimed = sum(len(e.claims) for e in filled.extractions)
    if claimed and not reading.claims:
        raise ModelOutputError(
            f"none of {claimed} claims stands in the text: {reading.refused[0].reason}",
            where=item.path,
            fix=f"Nothing was written. {_again(item)}",
        )

    def make(now: WikiState) -> Made[CompiledPages]:
        known = known_as(repo, now, item, document.sha256, settings)
        if known.reason:
            return Made(None, CompiledPages(reason=known.reason))
        if known.ledger is None:
            names = (reading.facts.title, *(subject.name for subject in reading.subjects))
            is_copy = item.origin is not None
            known = moved_source(repo, now, document, names, is_copy=is_copy) or known
        here, read = item, reading
        if known.gone and known.ledger:
            here = replace(item, path=known.ledger.resource)
            read = replace(reading, document=replace(document, path=here.path))
        compiled = compile_reading(repo, now, read, known)
        if known.is_same and not compiled.changes(now):
            compiled.reason = NOTHING_NEW if read.claims else NOTHING_QUOTED
            return Made(None, compiled)
        placed = _placed(repo, now.commit, here)
        wanted = _operation(placed, read, compiled, known.renamed, filled, settings)
        if _is_renewed(item, known):
            wanted = replace(wanted, renews=frozenset({here.path}))
        compiled.path = here.path
        return Made(wanted, compiled)

    done = land(
        repo,
        state,
        make,
        operation="ingest",
        terms=settings.terms,
        dry_run=settings.dry_run,
    )
    status = "ingested" if done.outcome.commit else "planned" if done.plan else "skipped"
    told = done.extra.told
    told.remarks[:0] = remarks
    if filled.without_model:
        from llmwiki.ingest.extraction.without_model import told_lines

        told.told = ", ".join(
            filter(None, (told_lines(each.document.summary) for each in filled.extractions))
        )
    else:
        told.unquoted = unquoted(document, reading.claims, reading.questions)
    return OperationReport(
        source=done.extra.path or item.path,
        sha256=document.sha256,
        status=status,
        outcome=done.outcome,
        reading=told,
        tokens=filled.usage.total,
        cost_usd=None if filled.cost is None else round(filled.cost, 6),
        note=done.extra.reason,
        silent="" if done.extra.reason or reading.claims else item.argument or item.path,
        plan=done.plan,
    )


def look_through(
    repo: Repository,
    state: WikiState,
    item: SourceInput,
    document: Document,
    part: Segment,
    extractions: Sequence[Extraction],
) -> OperationReport:
    """What can be said of the answer to one segment, the last of `extractions`, before others are
    there: what of it would be lost or kept in another way, as the wiki is now."""
    reading = reading_of(document, extractions, by="", without_model=False)
    known = known_source(repo, state, item.path, document.sha256, again=True)
    compiled = compile_reading(repo, state, replace(reading, is_whole=False), known)
    own, names = f"{part.number}:", {fold(s.name) for s in extractions[-1].subjects}
    told = compiled.told

    def is_own(each: RefusedClaim | ReadingRemark) -> bool:
        return not each.claim or each.claim.startswith(own)

    told.refused = [*filter(is_own, told.refused)]
    told.remarks = [*filter(is_own, (*cut_off(extractions[-1:]), *told.remarks))]
    told.near = [pair for pair in told.near if fold(pair[0]) in names]
    told.merged = [joined for joined in told.merged if fold(joined.name) in names]
    told.unnamed = [alias for alias in told.unnamed if fold(alias.name) in names]
    told.unquoted = unquoted(document, reading.claims, reading.questions, part.first, part.last)
    return OperationReport(item.path, document.sha256, "pending", reading=told, segment=part.number)


def _placed(repo: Repository, head: str | None, item: SourceInput) -> SourceInput:
    """The source, as inside where the commit holds its bytes at its path.

    An undo leaves sources where they are: what stands there is taken over, not written.
    """
    is_there = item.inside or repo.read(head, item.path) == item.data
    return replace(item, inside=is_there)


def _is_renewed(item: SourceInput, known: KnownSource) -> bool:
    """Whether it is a copy that was made from the same place before, and perhaps taken back
    since."""
    if item.origin is None:
        return False
    if known.ledger is None:
        return bool(item.origin.url) and address_hash(item.origin.url) in item.path
    return known.ledger.origin in (item.origin.place, known.gone)


def _refuse_secrets(extractions: Sequence[Extraction], path: str, settings: IngestSettings) -> None:
    """Raises PolicyError where an answer brings a secret, which its source need not hold."""
    texts = [
        "\n".join(_strings(each.model_dump(mode="json", exclude={"source"})))
        for each in extractions
    ]
    refuse(texts, allowed=settings.allowed_secrets, what="what was read from it", where=path)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each)


def compile_reading(
    repo: Repository, state: WikiState, reading: SourceReading, known: KnownSource
) -> CompiledPages:
    """The pages after a reading, on top of those that the state shows."""
    document, ledger = reading.document, known.ledger
    ident = ledger.stem if ledger else source_id(document.path, _taken(state))
    page = state.page(ledger_path(ident))
    deleted = deleted_by_hand(state, page) if page and ledger else {}
    compiler = Compiler(state, ident, deleted)
    if known.renamed:
        compiler.rename(SourceRef(ident, "/" + document.path, document.sha256))
    if ledger and ledger.sha256 != document.sha256:
        compiler.follow(document)
    compiled = compiler.run(reading)
    if deleted:
        told = without_words(state, compiled.pages, deleted.keys())
        compiled.pages.update((path, page) for path, page in told.items() if page is not None)
    return compiled


def _taken(state: WikiState) -> Callable[[str], bool]:
    return lambda key: state.file_named(key) is not None


def _operation(
    item: SourceInput,
    reading: SourceReading,
    compiled: CompiledPages,
    renamed: str | None,
    filled: ExtractionResult,
    settings: IngestSettings,
) -> Operation:
    document = reading.document
    new_files: dict[str, bytes] = {}
    adopts: dict[str, bytes | None] = {}
    if item.inside:
        adopts[item.path] = item.data
    else:
        new_files[item.path] = item.data
    if renamed:
        adopts[renamed] = None
    if document.text_path and document.text_bytes is not None:
        new_files[document.text_path] = document.text_bytes
    trailers = {
        "Wiki-Batch": settings.terms.batch,
        "Wiki-Source": f"{item.path} sha256:{document.sha256}",
        "Wiki-Model": filled.model,
        **spending(filled.usage, filled.cost),
    }
    return Operation(
        kind="ingest",
        title=reading.facts.title or item.path,
        pages=compiled.pages,
        new_files=new_files,
        adopts=adopts,
        notes=_notes(item, document, compiled, renamed),
        trailers=trailers,
    )


def _notes(
    item: SourceInput, document: Document, compiled: CompiledPages, renamed: str | None
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
    if compiled.struck:
        struck = counted(compiled.struck, "claim")
        notes.append(f"A new version: {struck} struck whose words are gone.")
    if compiled.reread:
        notes.append(compiled.reread)
    report = compiled.told
    dead = sum(1 for r in report.refused if r.reason == DELETED)
    if dead:
        notes.append(f"Left out {counted(dead, 'claim')} that a person had deleted.")
    told = [f"Filed under {j.title}: {j.name} ({j.why})." for j in report.merged]
    notes += _first_few(told, "names filed under a page of another title")
    told = [f"Kept apart, and perhaps one: {name} and {title}." for name, title in report.near]
    notes += _first_few(told, "pairs kept apart")
    told = [f"No other name of {r.name}: {r.alias} ({r.reason})." for r in report.unnamed]
    notes += _first_few(told, "aliases left out")
    return tuple(notes)


def _first_few(told: Sequence[str], what: str) -> list[str]:
    more = len(told) - _TOLD
    return [*told[:_TOLD], *([f"And {more} more {what}."] if more > 0 else [])]
