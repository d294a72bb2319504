"""What an agent read or answered, checked and committed, or kept."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.app.questions import QUESTIONS
from llmwiki.core.declared_options import CheckedOptions, allow_detached, allow_secret, opt, review
from llmwiki.core.errors import (
    InputError,
    ModelOutputError,
    PolicyError,
    WikiError,
    fault_of,
    reason_of,
)
from llmwiki.core.forge_safe_line import plain_line
from llmwiki.ingest.report import OperationReport, ReadingReport, RefusedClaim
from llmwiki.models.agent_jobs import (
    ANSWER_SCHEMA,
    EXTRACTION_SCHEMA,
    TRANSCRIPTION_SCHEMA,
    ParsedAnswer,
    shortened,
)
from llmwiki.models.json_answers import is_deep

if TYPE_CHECKING:
    from llmwiki.ingest.apply import SegmentAnswers
    from llmwiki.ingest.source_text import IngestSettings
    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.lint.judge_verdict import AcceptedAnswer

MAX_ANSWER = 20_000_000
"""Bytes of the largest answer that is read."""
_FINDINGS = 1


class AgentAnswer(NamedTuple):
    """An answer of an agent, as it wrote it."""

    name: str
    """The file it came in, or what else to call it in messages."""
    data: bytes
    """JSON."""
    is_file: bool = False
    """Whether `name` is a file, named from the folder that the wiki was opened from."""


@dataclass(frozen=True, slots=True)
class ApplyOptions(CheckedOptions):
    """How answers land."""

    allow_secret: tuple[str, ...] = allow_secret()
    allow_detached: bool = allow_detached()
    review: bool = review()
    again: bool = opt(False, "Read a source that was retracted, too.")
    dry_run: bool = opt(False, "Write nothing; exit 1: a part of it would be refused.")
    model: str = opt("", "Who filled the job, for the commit's Wiki-Model.")
    collect: bool = False
    """Whether the failure of an answer that is the only one is reported, and not raised."""


@dataclass(frozen=True, slots=True)
class ApplyReport:
    """What became of the answers."""

    operations: tuple[OperationReport, ...]
    """In the order of the answers, but those that judge claims."""
    judged: tuple[AcceptedAnswer, ...]
    """Of answers that judge claims."""
    exit_code: int = 0
    """That of `wiki` for the first failure; 1: a dry run, and a part would be refused."""


def apply(
    wiki: OpenWiki, answers: Sequence[str | AgentAnswer], options: ApplyOptions | None = None
) -> ApplyReport:
    """Checks what an agent has written, and commits or keeps it.

    `answers` are files that hold JSON, or the JSON itself. Of several what fails is reported;
    the failure of one alone is raised, unless `options.collect`.
    """
    from llmwiki.app.ingest.ingest import settings_of
    from llmwiki.app.ingest.options_and_report import IngestOptions

    options = options or ApplyOptions()
    given = [answer_in(wiki.here, each) if isinstance(each, str) else each for each in answers]
    read = [(answer, _parsed(answer)) for answer in given]
    settings = settings_of(
        wiki,
        IngestOptions(
            dry_run=options.dry_run,
            again=options.again,
            review=options.review,
            allow_secret=options.allow_secret,
            allow_detached=options.allow_detached,
        ),
    )
    reports: list[OperationReport] = []
    judged: list[AcceptedAnswer] = []
    beside: SegmentAnswers = {}
    code = 0
    for answer, data in read:
        try:
            done = _applied(wiki, answer.name, data, settings, options.model, beside)
            if not isinstance(done, OperationReport):
                judged.append(done)
                continue
            reports.append(done)
        except WikiError as error:
            error.where = error.where or answer.name
            if len(answers) == 1 and not options.collect:
                raise
            reports.append(OperationReport.failed(error.where, error))
            code = code or error.exit_code
    whole = {report.sha256 for report in reports if report.status in ("ingested", "planned")}
    # What is to be said of one segment is said of the whole source again.
    reports = [_in_short(r) if r.segment and r.sha256 in whole else r for r in reports]
    if not options.dry_run:
        reports = _with_next(wiki, reports, settings)
    elif any(report.reading.refused or report.reading.unnamed for report in reports):
        code = code or _FINDINGS
    return ApplyReport(tuple(reports), tuple(judged), code)


def _in_short(report: OperationReport) -> OperationReport:
    return replace(report, reading=ReadingReport(to_renew=report.reading.to_renew))


def _with_next(
    wiki: OpenWiki, reports: list[OperationReport], settings: IngestSettings
) -> list[OperationReport]:
    """The reports; the last one of a source that still waits names the job to read next, which
    says what the answers so far say."""
    waiting = {r.sha256: place for place, r in enumerate(reports) if r.status == "pending"}
    landed = {r.sha256 for r in reports if r.status == "ingested"}
    for sha256, place in waiting.items():
        if sha256 not in landed and reports[place].segment:
            from llmwiki.app.ingest.jobs_for_agents import renewed

            job = renewed(wiki, sha256, settings)
            if job is not None:
                note = f"{reports[place].note}; next to read: {job.file}"
                reports[place] = replace(reports[place], note=note)
    return reports


def _applied(
    wiki: OpenWiki,
    name: str,
    data: Mapping[str, object],
    settings: IngestSettings,
    model: str,
    beside: SegmentAnswers,
) -> OperationReport | AcceptedAnswer:
    """One answer, by its schema. Raises what checking and landing raise."""
    schema, answer, by = str(data.get("schema")), ParsedAnswer(name, data), plain_line(model, 80)
    kinds = {row.schema: kind for kind, row in QUESTIONS.items()}
    known = (EXTRACTION_SCHEMA, TRANSCRIPTION_SCHEMA, ANSWER_SCHEMA, *kinds)
    if schema not in known:
        raise ModelOutputError(
            f"its `schema` is {shortened(answer.schema)}"
            if answer.schema
            else "it has no `schema`",
            where=name,
            fix=f"This version takes {', '.join(known[:-1])} and {known[-1]}.",
        )
    if schema in kinds:
        from llmwiki.app.questions.desk import opened, take

        terms, dry_run = settings.terms, settings.dry_run
        with opened(wiki, kinds[schema], dry_run=dry_run, terms=terms) as question:
            return question.report(name, take(wiki, question, answer, by))
    if schema == ANSWER_SCHEMA:
        return _filed(wiki, answer, settings, by)
    from llmwiki.ingest.apply import apply_answer
    from llmwiki.ingest.pictures import take_transcription

    if schema == TRANSCRIPTION_SCHEMA:
        return take_transcription(wiki.repo, answer, settings)
    return apply_answer(wiki.state, answer, settings, model, beside)


def _filed(
    wiki: OpenWiki, answer: ParsedAnswer, settings: IngestSettings, by: str
) -> OperationReport:
    from llmwiki.app.questions.question import report_of
    from llmwiki.query.answer_file import read_answer
    from llmwiki.query.save_answer import file_answer

    filing = read_answer(answer, model=by, allowed=settings.allowed_secrets)
    filed = file_answer(wiki, filing, terms=settings.terms, dry_run=settings.dry_run)
    refused = tuple(RefusedClaim(e.text, e.citation, e.reason) for e in filed.left_out)
    note, status = f"filed already as {filed.path}", "skipped"
    if filed.outcome.commit or filed.outcome.differences:
        note, status = "", "planned" if settings.dry_run else "filed"
    return report_of(answer.name, status, note, refused, filed.outcome, filed.notes)


def answer_in(here: Path, name: str) -> AgentAnswer:
    """The answer in a file, named from the folder `here`.

    Raises InputError where it cannot be read.
    """
    try:
        with (here / name).open("rb") as file:
            return AgentAnswer(name, file.read(MAX_ANSWER + 1), is_file=True)
    except OSError as error:
        raise InputError(
            f"cannot be read: {reason_of(error)}",
            where=name,
            fix="Name the file that holds the agent's JSON; `-` reads it from standard input.",
        ) from error


def _parsed(answer: AgentAnswer) -> dict[str, object]:
    name = answer.name
    if len(answer.data) > MAX_ANSWER:
        raise PolicyError(f"an answer of more than {MAX_ANSWER} bytes", where=name)
    try:
        value = json.loads(answer.data)
    except (ValueError, RecursionError) as error:
        raise ModelOutputError(
            f"is not JSON: {fault_of(error)}",
            where=name,
            fix="Write the object the job describes, alone.",
        ) from error
    if is_deep(value):
        raise ModelOutputError("is nested too deeply", where=name)
    if not isinstance(value, dict):
        raise ModelOutputError("is not a JSON object", where=name)
    return value
