"""A coding agent reads pictures: the job it is shown, and the answer it gives.

The pictures are written as private files beside the job, so that the agent can open them. What it
reads is kept; nothing is committed before the extraction, whose job is the next one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import BaseModel, Field

from llmwiki.core.document import Picture
from llmwiki.core.errors import InputError
from llmwiki.core.text import sha256_hex
from llmwiki.git.repository import Repository
from llmwiki.ingest.apply import job_source, prepare_command
from llmwiki.ingest.extraction.jobs import Job, Jobs, Transcripts, with_text
from llmwiki.ingest.extraction.vision import RULES
from llmwiki.ingest.report import OperationReport
from llmwiki.ingest.source_text import (
    IngestSettings,
    SourceInput,
    known_text,
    may_have_pictures,
    open_document,
)
from llmwiki.models.agent import TRANSCRIPTION_SCHEMA, AgentJob, ParsedAnswer
from llmwiki.sources.pictures import MAX_TRANSCRIPT, pictures_of
from llmwiki.sources.segments import segment

TOOL = "agent/1"
"""Who reads, and the version of this job, for the first line of the text."""


class TranscriptionSource(BaseModel, extra="forbid", strict=True):
    """What an answer echoes."""

    sha256: str
    pictures: int


class PictureText(BaseModel, extra="forbid", strict=True):
    """What stands in one picture."""

    picture: int
    """Its number in the job, from 1."""
    text: str = Field(max_length=MAX_TRANSCRIPT)


class Transcription(BaseModel, extra="forbid", strict=True):
    """An agent's answer: the texts of some or all pictures."""

    source: TranscriptionSource
    texts: list[PictureText]
    end: Literal[True]


@dataclass(frozen=True, slots=True)
class ShownPicture:
    """A picture of a job."""

    number: int
    label: str
    file: str
    """Absolute."""
    answered: bool


@dataclass(frozen=True, slots=True)
class AgentReader:
    """The texts that an agent gave, as a `PictureReader`."""

    kept: Transcripts
    tool: str = TOOL

    def read(self, pictures: Iterable[Picture]) -> list[str]:
        """The text of each picture. Raises InputError where one is not what the agent was shown."""
        texts: list[str] = []
        for number, picture in enumerate(pictures, start=1):
            text = self.kept.read(number, self.tool, sha256_hex(picture.data))
            if text is None:
                raise InputError(
                    f"picture {number} is drawn otherwise than when the job was prepared",
                    fix="Prepare it again, and answer what it lists.",
                )
            texts.append(text)
        return texts


def prepare_pictures(repo: Repository, item: SourceInput, settings: IngestSettings) -> str:
    """The job for a source whose pictures are to be read first, recorded; empty where none are.

    Raises InputError and PolicyError for a source that cannot be read.
    """
    if not may_have_pictures(item.path, item.data) or known_text(repo, item) is not None:
        return ""
    sha256 = sha256_hex(item.data)
    transcripts = Transcripts(repo, sha256)
    shown = [
        ShownPicture(
            number,
            picture.label,
            transcripts.show(number, picture),
            transcripts.read(number, TOOL, sha256_hex(picture.data)) is not None,
        )
        for number, picture in enumerate(
            pictures_of(item.path, item.data, settings.limits), start=1
        )
    ]
    if not shown:
        return ""
    Jobs(repo).save(replace(item.job(), pictures=tuple(each.label for each in shown)))
    return render_pictures(item.path, sha256, shown)


def render_pictures(path: str, sha256: str, shown: Sequence[ShownPicture]) -> str:
    """The job as Markdown, with the pictures that nobody has answered yet."""
    source = {"sha256": sha256, "pictures": len(shown)}
    wanted = [each for each in shown if not each.answered] or list(shown)
    listed = "\n".join(
        f"{each.number}. {each.label or 'the whole picture'}: `{each.file}`" for each in wanted
    )
    done = len(shown) - len(wanted)
    rest = f" Those of {done} others are kept." if done else ""
    return AgentJob(
        title=f"Look at {len(wanted)} picture(s) and write down what stands in them",
        about=f"Job: `{json.dumps({'source': source, 'file': path})}`",
        rules=RULES,
        data=(("The pictures", f"Open each file and look at it.{rest}\n\n{listed}"),),
        record=f'{{\n  "schema": "{TRANSCRIPTION_SCHEMA}",\n  "source": {json.dumps(source)},\n'
        f'  "texts": [{{"picture": {wanted[0].number}, "text": ""}}],\n  "end": true\n}}',
        filling="One entry in `texts` for each picture, by its number in the list.",
        file=f"transcription-{sha256[:8]}.json",
        then="Many pictures may be answered in several files: what is answered is kept, and the"
        " command says what is missing. Nothing is committed yet. When all are in, it names the"
        " command that prints the next job: to read the text.",
    ).text()


def take_transcription(
    repo: Repository, answer: ParsedAnswer, settings: IngestSettings
) -> OperationReport:
    """Keeps what an agent read from pictures; status `pending`, for nothing is committed.

    With the last picture the source's text is made, scanned for secrets and kept.

    Raises ModelOutputError for an answer that does not fit its job, InputError where there is no
    job or the source has changed, PolicyError where the text holds a secret.
    """
    transcription = answer.valid(Transcription)
    jobs = Jobs(repo)
    sha256 = transcription.source.sha256
    job = jobs.load(sha256)
    if job is None or not job.pictures:
        raise InputError(
            "there is no job for pictures of these bytes",
            where=answer.name,
            fix="`source.sha256` must echo the job's; prepare it: wiki ingest PATH --prepare",
        )
    answer.read(lambda _: _check_numbers(transcription, len(job.pictures)))
    item = job_source(repo, job, settings.limits)
    transcripts = Transcripts(repo, sha256)
    if settings.dry_run:
        return _pending(job, f"{len(transcription.texts)} texts fit the job; nothing was kept")
    for each in transcription.texts:
        transcripts.keep(each.picture, TOOL, transcripts.shown(each.picture), each.text)
    missing = _missing(transcripts, len(job.pictures))
    told = f"the text of {len(job.pictures) - len(missing)} of {len(job.pictures)} pictures is kept"
    if missing:
        wanted = ", ".join(map(str, missing[:20])) + (" …" if len(missing) > 20 else "")
        return _pending(job, f"{told}; still to answer: {wanted}")
    transcripts.forget_text()
    document = open_document(repo, item, settings, AgentReader, head=repo.head())
    segments = segment(document, max_bytes=settings.segment_bytes)
    jobs.save(with_text(job, document, segments))
    return _pending(job, f"{told}; next: {prepare_command(job)}")


def _check_numbers(transcription: Transcription, count: int) -> None:
    """Raises ValueError where an answer is to other pictures than those of the job."""
    if transcription.source.pictures != count:
        raise ValueError(f"source.pictures must be {count}")
    numbers = [each.picture for each in transcription.texts]
    if not numbers:
        raise ValueError("texts is empty")
    strange = [number for number in numbers if not 1 <= number <= count]
    if strange:
        raise ValueError(f"there is no picture {strange[0]}; the job has {count}")
    if len(set(numbers)) != len(numbers):
        raise ValueError("a picture is answered twice")


def _missing(transcripts: Transcripts, count: int) -> list[int]:
    """The pictures that nobody has answered."""
    numbers = range(1, count + 1)
    return [n for n in numbers if transcripts.read(n, TOOL, transcripts.shown(n)) is None]


def _pending(job: Job, note: str) -> OperationReport:
    return OperationReport(job.path, job.sha256, "pending", note=note)
