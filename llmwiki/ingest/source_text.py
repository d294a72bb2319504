"""A source's text, safe to show to a model: committed, kept from an earlier run, or read now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from llmwiki.core.secrets import refuse
from llmwiki.core.text import sha256_hex
from llmwiki.git.objects import GitObject
from llmwiki.ingest.extraction.jobs import Transcripts
from llmwiki.sources.document import converter_of, read_document, text_path
from llmwiki.sources.formats import converter_for
from llmwiki.sources.pictures import PICTURES

if TYPE_CHECKING:
    from llmwiki.core.document import Document
    from llmwiki.git.repository import Repository
    from llmwiki.ingest.types import IngestSettings, SourceInput
    from llmwiki.sources.pictures import PictureReader


def open_document(
    repo: Repository,
    item: SourceInput,
    settings: IngestSettings,
    reader_for: Callable[[Transcripts], PictureReader | None] | None = None,
    *,
    head: str | None,
) -> Document:
    """The numbered text of a source as the commit `head` has it, safe to show to a model.

    `reader_for` gives who reads its pictures; without it nobody does.
    A text that was read from pictures is kept at once (`Transcripts`), so that it is read once
    whatever happens after. Raises InputError for what is not read, PolicyError where it holds a
    secret, and what the reader of its pictures raises.
    """
    document = _read(repo, item, settings, reader_for, head)
    refuse(
        ["\n".join(document.lines)], allowed=settings.allowed_secrets, what="it", where=item.path
    )
    return document


def known_text(repo: Repository, item: SourceInput) -> bytes | None:
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


def _read(
    repo: Repository,
    item: SourceInput,
    settings: IngestSettings,
    reader_for: Callable[[Transcripts], PictureReader | None] | None,
    head: str | None,
) -> Document:
    sha256 = sha256_hex(item.data)
    limits = settings.limits
    committed = repo.read(head, text_path(sha256))
    if committed is not None or not may_have_pictures(item.path, item.data):
        return read_document(item.path, item.data, kept_text=committed, limits=limits)
    transcripts = Transcripts(repo, sha256)
    kept = transcripts.text()
    if kept is not None:
        document = read_document(item.path, item.data, kept_text=kept, limits=limits)
        return replace(document, text_bytes=kept)
    reader = reader_for(transcripts) if reader_for else None
    document = read_document(item.path, item.data, limits=limits, pictures=reader)
    if document.text_bytes is not None and picture_reader(document):
        transcripts.keep_text(document.text_bytes)
    return document


# --- its weight in git ---------------------------------------------------------------------------

LARGE = 10_000_000
"""Bytes from which a source is called large: a hundred of them make a clone of a gigabyte."""


def weigh(repo: Repository, item: SourceInput, notice: Callable[[str], None]) -> None:
    """Give `notice` a sentence if a person should know of a source's weight.

    Raises StateError where git would change its bytes, before anybody is paid for reading it.
    """
    repo.refuse_filtered([item.path])
    if len(item.data) >= LARGE and not _committed(repo, item):
        size = f"{len(item.data) / 1e6:.1f} MB"
        notice(f"{item.path} has {size}, which every clone will hold for ever")


def _committed(repo: Repository, item: SourceInput) -> bool:
    entry = repo.entry(repo.head(), item.path)
    blob = GitObject.make("blob", item.data, repo.object_format)
    return entry is not None and entry[1] == blob.oid
