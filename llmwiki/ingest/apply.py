"""The answers of an agent: found their source by hash, checked, and landed like any other."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from llmwiki.core.document import Document, Segment
from llmwiki.core.errors import InputError, LockTimeout, ModelOutputError, StateError, WikiError
from llmwiki.core.message import plain_line
from llmwiki.core.text import sha256_hex
from llmwiki.extraction.extractors import AgentExtractor
from llmwiki.extraction.jobs import Job, Jobs
from llmwiki.extraction.model import read_extraction
from llmwiki.extraction.schema import EXTRACTION_SCHEMA, Extraction
from llmwiki.extraction.types import ExtractionResult
from llmwiki.ingest.run import settle
from llmwiki.ingest.size_warning import weigh
from llmwiki.ingest.source_text import open_document
from llmwiki.ingest.types import IngestResult, IngestSettings, SourceInput
from llmwiki.memory.state import WikiState
from llmwiki.repo.repository import Repository
from llmwiki.sources import SourceLimits, read_bytes
from llmwiki.sources.spelling import as_on_disk

STANDARD_INPUT = "-"
"""The name of an answer that was read from there, and cannot be read again."""

_SHOWN = 60
"""Characters of an answer's value in a message."""


@dataclass(frozen=True, slots=True)
class AnswerInput:
    """One answer as it was read from a file."""

    name: str
    data: Mapping[str, object]


def apply_answers(
    repo: Repository,
    state: WikiState,
    answers: Sequence[AnswerInput],
    settings: IngestSettings,
    model: str = "",
) -> Iterator[IngestResult | WikiError]:
    """A result for each answer; the errors of one do not stop the others.

    Status `pending`: kept until the other segments are answered. `model` names who filled the
    jobs, for the commit's trailer.
    """
    jobs = Jobs(repo)
    for answer in answers:
        try:
            yield _apply(repo, state, jobs, answer, settings, plain_line(model, 80))
        except WikiError as error:
            error.where = error.where or answer.name
            yield error


def _apply(
    repo: Repository,
    state: WikiState,
    jobs: Jobs,
    answer: AnswerInput,
    settings: IngestSettings,
    model: str,
) -> IngestResult:
    data = dict(answer.data)
    schema = data.pop("schema", None)
    if schema != EXTRACTION_SCHEMA:
        raise ModelOutputError(
            f"its `schema` is {_short(schema)}",
            where=answer.name,
            fix=f"This version takes {EXTRACTION_SCHEMA}, llmwiki.transcription/1,"
            " llmwiki.answer/1, llmwiki.findings/1 and llmwiki.edges/1.",
        )
    source = data.get("source")
    sha256 = str(source.get("sha256", "")) if isinstance(source, dict) else ""
    job = jobs.load(sha256)
    if job is None:
        raise InputError(
            "there is no job for these bytes",
            where=answer.name,
            fix="`source.sha256` must echo the job's; prepare it: wiki ingest PATH --prepare",
        )
    if not job.segments:
        raise InputError(
            "the pictures of its source are to be read first",
            where=answer.name,
            fix=f"Prepare it again{_prepare(job)}",
        )
    item = job_source(repo, job, settings.limits)
    document = open_document(repo, item, settings, head=repo.head())
    extraction = _checked(answer, data, document, job)
    if len(job.segments) > 1:
        if not settings.dry_run:
            jobs.answer(sha256, extraction)
        answers = {**jobs.answers(sha256), extraction.source.segment[0]: extraction}
        missing = [n for n in range(1, len(job.segments) + 1) if n not in answers]
        if missing:
            wanted = ", ".join(str(n) for n in missing)
            return IngestResult(
                job.path,
                sha256,
                "pending",
                note=f"segment {extraction.source.segment[0]} of {len(job.segments)} kept;"
                f" still to answer: {wanted}",
            )
        extractions = [answers[n] for n in sorted(answers)]
    else:
        extractions = [extraction]
    filler = AgentExtractor(extractions, model=model or job.model or "agent")
    weigh(repo, item, settings.notice)
    state.follow()
    try:
        result = settle(
            repo, state, item, document, ExtractionResult(extractions), filler, settings
        )
    except (StateError, LockTimeout) as error:
        if not settings.dry_run:
            error.fix = f"{error.fix} Then: {_again(jobs, answer, extraction, model)}".strip()
        raise
    if not settings.dry_run:
        jobs.done(sha256)
    return result


def _again(jobs: Jobs, answer: AnswerInput, extraction: Extraction, model: str) -> str:
    """The command that applies an answer once more. What came by standard input is kept for it."""
    name = answer.name
    if name == STANDARD_INPUT:
        source = extraction.source
        jobs.answer(source.sha256, extraction)
        name = jobs.answer_file(source.sha256, source.segment[0])
    return f"wiki apply {shlex.quote(name)}" + (f" --model {shlex.quote(model)}" if model else "")


def _checked(
    answer: AnswerInput, data: dict[str, object], document: Document, job: Job
) -> Extraction:
    source = data.get("source")
    number = source.get("segment") if isinstance(source, dict) else None
    which = number[0] if isinstance(number, list) and number else 1
    if not isinstance(which, int) or not 1 <= which <= len(job.segments):
        raise ModelOutputError(
            f"`source.segment` is {_short(number)}; the job has {len(job.segments)}",
            where=answer.name,
        )
    first, last = job.segments[which - 1]
    try:
        return read_extraction(
            data, document=document, segment=Segment(which, len(job.segments), first, last)
        )
    except ValueError as error:
        raise ModelOutputError(
            f"it does not fit the job: {error}",
            where=answer.name,
            fix="Mend the file and run `wiki apply` again.",
        ) from error


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _prepare(job: Job) -> str:
    """The command that prepares a job once more; what came by standard input lies nowhere."""
    if job.kept is not None:
        return "."
    return f": wiki ingest {shlex.quote(job.file or job.path)} --prepare"


def job_source(repo: Repository, job: Job, limits: SourceLimits) -> SourceInput:
    """The bytes of the job's source as they are now.

    Raises InputError where they are not those of the job any more.
    """
    inside = as_on_disk(repo.root / job.path)
    if not job.file and job.kept is None:
        held = None if os.path.lexists(inside) else repo.read_left_out(job.path)
        data, is_inside = read_bytes(inside, limits) if held is None else held, True
    elif job.kept is not None:
        data, is_inside = job.kept, False
    else:
        data, is_inside = read_bytes(Path(job.file), limits), False
    if sha256_hex(data) != job.sha256:
        raise InputError(
            "the source has changed since the job was prepared",
            where=job.path,
            fix=f"Prepare it again{_prepare(job)}",
        )
    return SourceInput(job.path, data, is_inside, job.file)
