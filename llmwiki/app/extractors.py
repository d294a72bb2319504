"""The extractor of an ingest, and the jobs for an agent that reads instead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from llmwiki.app.models import client_for, model_to_call, was_asked_for
from llmwiki.app.pictures import model_reads, reader_for
from llmwiki.core.errors import InputError
from llmwiki.core.text_lengths import DIGITS
from llmwiki.extraction.extractors import EmbeddedExtractor, ModelExtractor, shown_candidates
from llmwiki.extraction.jobs import Jobs, with_text
from llmwiki.ingest.source_text import open_document
from llmwiki.sources.brand import read_brand
from llmwiki.sources.segments import segment
from llmwiki.store.transaction import preflight

if TYPE_CHECKING:
    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.extraction.types import Extractor
    from llmwiki.ingest.types import IngestSettings, SourceInput


@contextmanager
def extractor(wiki: OpenWiki, model: str | None, max_cost: float | None) -> Iterator[Extractor]:
    """A model or the embedded extractor; its connections are closed at the end.

    Refuses what landing would refuse, before anything is paid.
    """
    settings = model_to_call(wiki, model)
    if settings is None:
        if not was_asked_for(wiki.config, model):
            wiki.tell.notice("no key for a model; the embedded extractor reads (--model offline)")
        yield EmbeddedExtractor(pictures=reader_for(wiki.repo, wiki.config, None))
        return
    preflight(wiki.repo)
    with client_for(wiki.config, settings, max_cost) as client:
        yield ModelExtractor(
            client=client,
            pictures=reader_for(wiki.repo, wiki.config, client),
            brand=read_brand(wiki.repo),
            parallel=wiki.config.whole("ingest.parallel"),
            max_candidates=wiki.config.whole("ingest.candidates"),
        )


def prepare_jobs(
    wiki: OpenWiki, items: Iterable[SourceInput], settings: IngestSettings, which: str | None
) -> Iterator[str]:
    """Makes the jobs for an agent to fill and records them; writes nothing else.

    Only segment `which` (`K` or `K/N`) where one is named.
    """
    from llmwiki.extraction.prompt import render_job
    from llmwiki.ingest.transcription import prepare_pictures

    repo, config = wiki.repo, wiki.config
    jobs = Jobs(repo)
    wiki.state.advance(repo.head())
    brand = read_brand(repo)
    limit = config.whole("ingest.candidates")
    for item in items:
        first = prepare_pictures(repo, item, settings) if model_reads(config) else ""
        if first:
            yield first
            continue
        reader = reader_for(repo, config, None)
        document = open_document(repo, item, settings, reader, head=wiki.state.commit)
        segments = segment(document, max_bytes=settings.segment_bytes)
        wanted = _segment_number(which, len(segments))
        jobs.save(with_text(item.job(), document, segments))
        for part in segments:
            if wanted in (None, part.number):
                shown = shown_candidates(document, part, wiki.state, limit)
                yield render_job(document, part, shown, brand)


def _segment_number(which: str | None, count: int) -> int | None:
    if which is None:
        return None
    number, _, of = which.partition("/")
    is_number = number.isdecimal() and len(number) <= DIGITS
    if not is_number or (of and of != str(count)) or not 1 <= int(number) <= count:
        raise InputError(
            f"there is no segment {which}", fix=f"The source has {count}: --segment 1 … {count}."
        )
    return int(number)
