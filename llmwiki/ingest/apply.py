"""The answers of an agent: found their source by hash, checked, and landed like any other."""

from __future__ import annotations

import shlex
from dataclasses import replace
from functools import partial

from llmwiki.core.document import Document, Segment
from llmwiki.core.errors import InputError, LockTimeout, ModelOutputError, StateError
from llmwiki.core.forge_safe_line import plain_line
from llmwiki.ingest.extraction.extractor import AgentExtractor, Answers
from llmwiki.ingest.extraction.jobs import Job, Jobs
from llmwiki.ingest.extraction.model import read_extraction
from llmwiki.ingest.extraction.schema import Extraction
from llmwiki.ingest.report import OperationReport
from llmwiki.ingest.run import look_through, read_source
from llmwiki.ingest.source_text import (
    IngestSettings,
    job_source,
    open_document,
    prepare_command,
)
from llmwiki.landing.wiki_state import WikiState
from llmwiki.models.agent_jobs import STANDARD_INPUT, ParsedAnswer, shortened

SegmentAnswers = dict[str, dict[int, Extraction]]
"""Answers that were given together, by the SHA-256 of their source and their segment."""


def apply_answer(
    state: WikiState,
    answer: ParsedAnswer,
    settings: IngestSettings,
    model: str = "",
    beside: SegmentAnswers | None = None,
) -> OperationReport:
    """Checks the answer to a job, and lands it where no other segment is missing.

    Status `pending`: kept until the other segments are answered. A dry run keeps nothing; it takes
    the other segments from `beside`, to which it adds this one. `model` names who filled the job,
    for the commit's trailer. Raises what checking and landing raise.
    """
    repo, model = state.repo, plain_line(model, 80)
    jobs = Jobs(repo)
    source = answer.data.get("source")
    sha256 = str(source.get("sha256", "")) if isinstance(source, dict) else ""
    job = jobs.load(sha256)
    if job is None:
        state.advance(repo.head())
        read = state.ledgers_with(sha256)
        if read:
            raise InputError(
                f"{read[0].resource or read[0].stem} is read already, and no job waits for it",
                where=answer.name,
                fix="To have it read once more: wiki ingest --again --prepare"
                f" {shlex.quote(read[0].resource or 'PATH')}",
            )
        raise InputError(
            "there is no job for these bytes",
            where=answer.name,
            fix="`source.sha256` must echo the job's; prepare it: wiki ingest PATH --prepare",
        )
    if not job.segments:
        raise InputError(
            "the pictures of its source are to be read first",
            where=answer.name,
            fix=f"Prepare it again: {prepare_command(job)}",
        )
    item = job_source(repo, job, settings.limits)
    document = open_document(repo, item, settings, head=repo.head())
    extraction = _checked(answer, document, job)
    number, of = extraction.source.segment[0], len(job.segments)
    given = {} if beside is None else beside.setdefault(sha256, {})
    given[number] = extraction
    if of > 1 and not settings.dry_run:
        jobs.answer(sha256, extraction)
    answers = {**jobs.answers(sha256), **given}
    missing = [n for n in range(1, of + 1) if n not in answers]
    if missing:
        done = "checked, and not kept" if settings.dry_run else "kept"
        wanted = ", ".join(str(n) for n in missing)
        state.follow()
        before = [answers[n] for n in sorted(answers) if n < number]
        part = Segment(number, of, *job.segments[number - 1])
        return replace(
            look_through(state, item, document, part, [*before, extraction], settings),
            note=f"segment {number} of {of} {done}; still to answer: {wanted}",
        )
    agent = AgentExtractor(
        Answers([answers[n] for n in sorted(answers) if n <= of], model or "agent")
    )
    # Where it has been read meanwhile, or the job was made to read it again, the job tells.
    settings = replace(settings, anew=True)
    state.follow()
    try:
        result = read_source(state, item, agent, settings, document)
    except (StateError, LockTimeout) as error:
        if not settings.dry_run:
            error.fix = f"{error.fix} Then: {_again(jobs, answer, extraction, model)}".strip()
        raise
    if not settings.dry_run:
        jobs.done(sha256)
    return result


def _again(jobs: Jobs, answer: ParsedAnswer, extraction: Extraction, model: str) -> str:
    """The command that applies an answer once more. What came by standard input is kept for it."""
    name = answer.name
    if name == STANDARD_INPUT:
        source = extraction.source
        jobs.answer(source.sha256, extraction)
        name = jobs.answer_file(source.sha256, source.segment[0])
    return f"wiki apply {shlex.quote(name)}" + (f" --model {shlex.quote(model)}" if model else "")


def _checked(answer: ParsedAnswer, document: Document, job: Job) -> Extraction:
    source = answer.data.get("source")
    number = source.get("segment") if isinstance(source, dict) else None
    which = number[0] if isinstance(number, list) and number else 1
    if not isinstance(which, int) or not 1 <= which <= len(job.segments):
        raise ModelOutputError(
            f"`source.segment` is {shortened(number)}; the job has {len(job.segments)}",
            where=answer.name,
        )
    first, last = job.segments[which - 1]
    part = Segment(which, len(job.segments), first, last)
    return answer.read(partial(read_extraction, document=document, segment=part))
