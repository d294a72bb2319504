"""One source from its name to a commit.

bytes → text → answers to its segments, verified (outside the lock) ┊ under it: pages →
landing.land. The text is `source_text.py`'s: a model may have to read it from pictures, which is
paid like the extraction.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from llmwiki.core.agent_file_names import is_agent_file, is_renamed
from llmwiki.core.document import Document, Segment
from llmwiki.core.errors import LockTimeout, ModelOutputError, StateError, WikiError
from llmwiki.core.secrets import refuse
from llmwiki.core.text import fold
from llmwiki.ingest.compile import compile_reading
from llmwiki.ingest.extraction.extractor import Answers, Extractor
from llmwiki.ingest.extraction.jobs import Jobs
from llmwiki.ingest.extraction.schema import Extraction, cut_off
from llmwiki.ingest.reading import SourceReading, reading_of, unquoted
from llmwiki.ingest.report import OperationReport, ReadingRemark, RefusedClaim
from llmwiki.ingest.source_size import notice_large
from llmwiki.ingest.source_text import (
    IngestSettings,
    open_document,
    picture_reader,
)
from llmwiki.landing.land import Landing, land
from llmwiki.landing.wiki_state import WikiState
from llmwiki.sources.source_file import NamedSource

_BESIDE = (
    "{path} has other bytes, so this lies beside it; if it is a new version of that file, copy it"
    " over it and ingest that"
)
_RENAMED = "it has another name here: coding agents obey a file of its own name, wherever it lies"
_OBEYED = "coding agents obey a file of this name, wherever it lies; rename it unless they shall"


def read_source(
    state: WikiState,
    item: NamedSource,
    extractor: Extractor,
    settings: IngestSettings,
    document: Document | None = None,
) -> OperationReport:
    """One source in, one verified commit out, on top of what `state` stands at.

    `document` is its text, where that is open already; `item` has its bytes then. Raises the errors
    of reading, filling, verifying and landing; then nothing has changed.
    """
    repo, before = state.repo, extractor.usage
    if document is None:
        item = item.read(settings.limits)
        document = open_document(repo, item, settings, extractor.picture_reader, head=state.commit)
    repo.settings.refuse_filtered([item.path])
    notice_large(repo, item, settings.notice)
    answers = extractor.fill(document, state, before)
    # Answers that were paid for stay until they have landed, or are refused.
    try:
        # What is read without a model stands in the text, which was looked through already.
        if not answers.without_model:
            _refuse_secrets(answers.extractions, item.path, settings)
        reading = reading_of(document, answers, item.origin)
        if answers.claims and not reading.claims:
            raise _nothing_stands(item, answers, reading)
        make = partial(compile_reading, item, reading, answers, settings)
        done = land(state, "ingest", make, terms=settings.terms, dry_run=settings.dry_run)
    except (StateError, LockTimeout) as error:
        if answers.usage.total:
            error.fix = f"{error.fix} What was answered is kept, and costs nothing then.".strip()
        raise
    except WikiError:
        # Who answered what is refused is to be asked again.
        extractor.forget(repo, document.sha256)
        raise
    extractor.forget(repo, document.sha256)
    if picture_reader(document) and not (settings.dry_run or settings.terms.review):
        Jobs(repo).done(document.sha256)
    return _report(done, item, reading, answers)


def _report(
    done: Landing[OperationReport], item: NamedSource, reading: SourceReading, answers: Answers
) -> OperationReport:
    """What is to be said of a reading that was landed, or had nothing to change."""
    report, extractions, cost = done.extra, answers.extractions, answers.cost
    if answers.without_model:
        from llmwiki.ingest.extraction.without_model import told_lines

        report.reading.told = told_lines(extractions[0].document.summary)
    else:
        report.reading.remarks[:0] = cut_off(extractions)
        report.reading.unquoted = unquoted(reading.document, reading.claims, reading.questions)
    status = "ingested" if done.outcome.commit else "planned" if done.plan else "skipped"
    return replace(
        report,
        status=status,
        outcome=done.outcome,
        tokens=answers.usage.total,
        cost_usd=None if cost is None else round(cost, 6),
        plan=done.plan,
        note=report.note if status == "skipped" else _about_name(item) or report.note,
    )


def _about_name(item: NamedSource) -> str:
    """What is to be said of a source's name."""
    if is_agent_file(item.path):
        return _OBEYED
    if is_renamed(item.path) and not item.inside:
        return _RENAMED
    return _BESIDE.format(path=item.beside) if item.beside else ""


def _nothing_stands(
    item: NamedSource, answers: Answers, reading: SourceReading
) -> ModelOutputError:
    return ModelOutputError(
        f"none of {answers.claims} claims stands in the text: {reading.refused[0].reason}",
        where=item.path,
        fix=f"Nothing was written. {_again(item)}",
    )


def _again(item: NamedSource) -> str:
    """How to read a source once more; what came by standard input lies nowhere."""
    place = item.argument
    return f"Try again: wiki ingest {shlex.quote(place)}" if place else "Run the command again."


def look_through(
    state: WikiState,
    item: NamedSource,
    document: Document,
    part: Segment,
    extractions: Sequence[Extraction],
    settings: IngestSettings,
) -> OperationReport:
    """What can be said of the answer to one segment, the last of `extractions`, before others are
    there: what of it would be lost or kept in another way, as the wiki is now."""
    answers, settings = Answers(extractions, ""), replace(settings, again=True, anew=True)
    reading = reading_of(document, answers)
    told = compile_reading(item, reading, answers, settings, state).extra.reading
    own, names = f"{part.number}:", {fold(s.name) for s in extractions[-1].subjects}

    def is_own(each: RefusedClaim | ReadingRemark) -> bool:
        return not each.claim or each.claim.startswith(own)

    told.refused = [*filter(is_own, told.refused)]
    told.remarks = [*filter(is_own, (*cut_off(extractions[-1:]), *told.remarks))]
    told.near = [pair for pair in told.near if fold(pair[0]) in names]
    told.merged = [joined for joined in told.merged if fold(joined.name) in names]
    told.unnamed = [alias for alias in told.unnamed if fold(alias.name) in names]
    told.unquoted = unquoted(document, reading.claims, reading.questions, part.first, part.last)
    return OperationReport(item.path, document.sha256, "pending", reading=told, segment=part.number)


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
