"""A source that is to be read, and its text, safe to show to a model: committed, kept from an
earlier run, or read now."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError
from llmwiki.core.secrets import refuse
from llmwiki.core.text import sha256_hex
from llmwiki.ingest.extraction.jobs import Job, Transcripts
from llmwiki.landing.operation import LandingOptions
from llmwiki.sources.conversion_limits import SourceLimits
from llmwiki.sources.formats import converter_for
from llmwiki.sources.pictures import PICTURES
from llmwiki.sources.raw_paths import as_on_disk
from llmwiki.sources.read_source import converter_of, read_document, text_path
from llmwiki.sources.segments import SEGMENT_BYTES
from llmwiki.sources.source_file import NamedSource

if TYPE_CHECKING:
    from llmwiki.core.document import Document
    from llmwiki.git.repository import Repository
    from llmwiki.sources.pictures import PictureReader


@dataclass(frozen=True, slots=True)
class IngestSettings:
    """What an ingest is allowed, and how it is told."""

    terms: LandingOptions
    limits: SourceLimits = field(default_factory=SourceLimits)
    segment_bytes: int = SEGMENT_BYTES
    allowed_secrets: frozenset[str] = frozenset()
    dry_run: bool = False
    again: bool = False
    """Whether a source that is named itself is read although it was retracted."""
    anew: bool = False
    """Whether bytes that were read before are read once more."""
    notice: Callable[[str], None] = lambda _sentence: None
    """Takes what a person should know before a source is committed."""


def open_document(
    repo: Repository,
    item: NamedSource,
    settings: IngestSettings,
    reader_for: Callable[[Transcripts], PictureReader] | None = None,
    *,
    head: str | None,
) -> Document:
    """The numbered text of a source as the commit `head` has it, safe to show to a model.

    `reader_for` gives who reads its pictures; without it nobody does.
    A text that was read from pictures is kept at once (`Transcripts`), so that it is read once
    whatever happens after. Raises InputError for what is not read, PolicyError where it holds a
    secret, and what the reader of its pictures raises.
    """
    sha256 = sha256_hex(item.data)
    committed = repo.read(head, text_path(sha256))
    may_show = committed is None and may_have_pictures(item.path, item.data)
    transcripts = Transcripts(repo, sha256)
    kept = transcripts.text() if may_show else None
    reader = reader_for(transcripts) if reader_for and may_show and kept is None else None
    document = read_document(
        item.path,
        item.data,
        kept_text=committed if kept is None else kept,
        limits=settings.limits,
        pictures=reader,
    )
    if kept is not None:
        document = replace(document, text_bytes=kept)
    elif may_show and document.text_bytes is not None and picture_reader(document):
        transcripts.keep_text(document.text_bytes)
    refuse(
        ["\n".join(document.lines)], allowed=settings.allowed_secrets, what="it", where=item.path
    )
    return document


def known_text(repo: Repository, item: NamedSource) -> bytes | None:
    """The text of a converted source where it is committed or kept; None where it must be read."""
    sha256 = sha256_hex(item.data)
    committed = repo.read(repo.head(), text_path(sha256))
    return Transcripts(repo, sha256).text() if committed is None else committed


def picture_reader(document: Document) -> str:
    """`NAME/VERSION` of who read the document's pictures; empty where it has none.

    A PDF's first line names the converter of its text, and after PICTURES that of its pictures.
    """
    tool = converter_of(document) or ""
    if document.media_type.startswith("image/"):
        return tool
    return tool.partition(PICTURES)[2]


def may_have_pictures(path: str, data: bytes) -> bool:
    """Whether a source is of a kind whose text may stand in pictures."""
    converter = converter_for(path, data)
    return converter is not None and bool(converter.drawing)


# --- the source of a job -------------------------------------------------------------------------


def job_of(item: NamedSource) -> Job:
    """The job for an agent to read a source, while its text is not known yet."""
    return Job(
        path=item.path,
        file=str(item.file) if item.file and not item.inside else "",
        sha256=sha256_hex(item.data),
        segments=(),
        kept=item.data if item.file is None else None,
        origin=item.origin,
    )


def prepare_command(job: Job) -> str:
    """The command that prints what comes next for a job."""
    if job.origin is not None and job.origin.url:
        return f"wiki ingest {shlex.quote(job.origin.url)} --prepare"
    if job.kept is not None:
        return f"wiki ingest - --name {shlex.quote(job.path.rpartition('/')[2])} --prepare"
    return f"wiki ingest {shlex.quote(job.file or job.path)} --prepare"


def job_source(repo: Repository, job: Job, limits: SourceLimits) -> NamedSource:
    """The job's source with its bytes as they are now.

    Raises InputError where they are not those of the job any more.
    """
    held, place = job.kept, None
    if held is None:
        place = Path(job.file) if job.file else as_on_disk(repo.root / job.path)
        if not job.file and not os.path.lexists(place):
            held = repo.read_left_out(job.path)
    is_inside = place is not None and not job.file
    item = NamedSource(job.path, place, is_inside, data=held or b"", origin=job.origin)
    item = item.read(limits) if held is None else item
    if sha256_hex(item.data) != job.sha256:
        raise InputError(
            "the source has changed since the job was prepared",
            where=job.path,
            fix=f"Prepare it again: {prepare_command(job)}",
        )
    return item
