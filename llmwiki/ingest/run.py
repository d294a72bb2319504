"""One ingest from a text to a commit.

text → segments → extraction, verified (outside the lock) ┊ under it: pages → landing.land. A batch
is many of these, one commit a source. The text is `source_text.py`'s: a model may have to read it
from pictures, which is paid like the extraction.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

from llmwiki.core.document import Document, Segment
from llmwiki.core.errors import LockTimeout, ModelOutputError, StateError, WikiError
from llmwiki.core.secrets import refuse
from llmwiki.core.text import counted, fold
from llmwiki.git.repository import Repository
from llmwiki.ingest.compile import DELETED, CompiledPages, Compiler
from llmwiki.ingest.extraction.schema import Extraction
from llmwiki.ingest.extractors import Extractor
from llmwiki.ingest.known import (
    NOTHING_NEW,
    NOTHING_QUOTED,
    KnownSource,
    known_source,
    moved_source,
)
from llmwiki.ingest.reading import SourceReading, cut_off, reading_of, unquoted
from llmwiki.ingest.report import OperationReport, ReadingRemark, RefusedClaim
from llmwiki.ingest.source_text import (
    IngestSettings,
    SourceInput,
    picture_reader,
)
from llmwiki.landing.commit_message import spending
from llmwiki.landing.land import Made, Operation, land
from llmwiki.landing.state import WikiState
from llmwiki.models.usage import Usage
from llmwiki.sources.web.page import address_hash

_TOLD = 5
"""Decisions of one sort about names that a commit's message tells; the result tells all."""


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


def land_reading(
    repo: Repository,
    state: WikiState,
    item: SourceInput,
    document: Document,
    filler: Extractor,
    settings: IngestSettings,
    before: Usage | None = None,
) -> OperationReport:
    """Has a document read, verifies and compiles what was read, and lands it: one source, one
    verified commit.

    `before` is what the filler had taken before it read the document's pictures. Raises the errors
    of reading, filling and landing; then nothing has changed.
    """
    before = filler.usage if before is None else before
    extractions = filler.fill(document, state)
    usage = filler.usage - before
    with _paid_for(repo, filler, document, usage):
        if not filler.without_model:
            # What is read without a model stands in the text, which was looked through already.
            _refuse_secrets(extractions, item.path, settings)
        by, is_guess = filler.by, filler.without_model
        reading = reading_of(document, extractions, by, without_model=is_guess, origin=item.origin)
        claimed = sum(len(e.claims) for e in extractions)
        if claimed and not reading.claims:
            raise ModelOutputError(
                f"none of {claimed} claims stands in the text: {reading.refused[0].reason}",
                where=item.path,
                fix=f"Nothing was written. {_again(item)}",
            )
        trailers = {"Wiki-Model": filler.model, **spending(usage, filler.cost(usage))}
        done = land(
            state,
            "ingest",
            partial(_made, repo, item, reading, settings, trailers),
            terms=settings.terms,
            dry_run=settings.dry_run,
        )
    told, cost = done.extra.told, filler.cost(usage)
    if filler.without_model:
        from llmwiki.ingest.extraction.without_model import told_lines

        told.told = told_lines(extractions[0].document.summary)
    else:
        told.remarks[:0] = cut_off(extractions)
        told.unquoted = unquoted(document, reading.claims, reading.questions)
    return OperationReport(
        source=done.extra.path or item.path,
        sha256=document.sha256,
        status="ingested" if done.outcome.commit else "planned" if done.plan else "skipped",
        outcome=done.outcome,
        reading=told,
        tokens=usage.total,
        cost_usd=None if cost is None else round(cost, 6),
        note=done.extra.reason,
        silent="" if done.extra.reason or reading.claims else item.argument or item.path,
        plan=done.plan,
    )


@contextmanager
def _paid_for(
    repo: Repository, filler: Extractor, document: Document, usage: Usage
) -> Iterator[None]:
    """Answers that were paid for stay until they have landed, or are refused."""
    try:
        yield
    except (StateError, LockTimeout) as error:
        if usage.total:
            error.fix = f"{error.fix} What was answered is kept, and costs nothing then.".strip()
        raise
    except WikiError:
        # Who answered what is refused is to be asked again.
        filler.forget(repo, document.sha256)
        raise
    filler.forget(repo, document.sha256)


def _made(
    repo: Repository,
    item: SourceInput,
    reading: SourceReading,
    settings: IngestSettings,
    trailers: Mapping[str, str],
    now: WikiState,
) -> Made[CompiledPages]:
    """The operation that brings a reading into the pages as they are now."""
    document = reading.document
    known = known_as(repo, now, item, document.sha256, settings)
    if known.reason:
        return Made(None, CompiledPages(reason=known.reason))
    if known.ledger is None:
        names = (reading.facts.title, *(subject.name for subject in reading.subjects))
        known = moved_source(repo, now, document, names) or known
    compiled = Compiler(now, reading, known).run()
    if known.is_same and not compiled.changes(now):
        compiled.reason = NOTHING_NEW if reading.claims else NOTHING_QUOTED
        return Made(None, compiled)
    compiled.path = item.path
    new_files: dict[str, bytes] = {}
    adopts: dict[str, bytes | None] = {}
    # An undo leaves sources where they are: what stands there is taken over, not written.
    if item.inside or repo.read(now.commit, item.path) == item.data:
        adopts[item.path] = item.data
    else:
        new_files[item.path] = item.data
    if known.renamed:
        adopts[known.renamed] = None
    if document.text_path and document.text_bytes is not None:
        new_files[document.text_path] = document.text_bytes
    batch, source = settings.terms.batch, f"{item.path} sha256:{document.sha256}"
    wanted = Operation(
        title=reading.facts.title or item.path,
        pages=compiled.pages,
        new_files=new_files,
        renews=frozenset({item.path} if _is_renewed(item, known) else ()),
        adopts=adopts,
        notes=_notes(item, document, compiled, known.renamed),
        trailers={"Wiki-Batch": batch, "Wiki-Source": source, **trailers},
    )
    return Made(wanted, compiled)


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
    reading = reading_of(document, extractions)
    known = known_source(repo, state, item.path, document.sha256, again=True)
    compiled = Compiler(state, reading, known).run()
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


def _is_renewed(item: SourceInput, known: KnownSource) -> bool:
    """Whether it is a copy that was made from the same place before, and perhaps taken back
    since."""
    if item.origin is None:
        return False
    if known.ledger is None:
        return bool(item.origin.url) and address_hash(item.origin.url) in item.path
    return known.ledger.origin == item.origin.place


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
