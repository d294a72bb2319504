"""Who reads: choosing the filler, preparing jobs for agents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from llmwiki.cli.context import say, tell
from llmwiki.cli.models import client_for, model_to_call, was_asked_for
from llmwiki.cli.pictures import model_reads, reader_for
from llmwiki.core.bounds import DIGITS
from llmwiki.core.config import Config
from llmwiki.core.errors import InputError
from llmwiki.extraction.extractors import EmbeddedExtractor, ModelExtractor, shown_candidates
from llmwiki.extraction.jobs import Jobs, job_of
from llmwiki.extraction.types import Extractor
from llmwiki.ingest.source_text import open_document
from llmwiki.ingest.types import IngestSettings, SourceInput
from llmwiki.memory.state import WikiState
from llmwiki.repo.repository import Repository
from llmwiki.sources import segment
from llmwiki.sources.brand import read_brand
from llmwiki.store.transaction import preflight


def choose(
    repo: Repository,
    config: Config,
    flag: str | None,
    max_cost: float | None,
    user: Mapping[str, object],
    *,
    yes: bool = False,
) -> Extractor:
    """The filler for this command. Refuses what landing would refuse, before anything is paid."""
    settings = model_to_call(config, flag, user, yes=yes)
    if settings is None:
        if not was_asked_for(config, flag):
            tell("wiki: no key for a model; the embedded extractor reads (--model offline)")
        return EmbeddedExtractor(pictures=reader_for(repo, config, None))
    preflight(repo)
    client = client_for(config, settings, max_cost)
    return ModelExtractor(
        client=client,
        pictures=reader_for(repo, config, client),
        brand=read_brand(repo),
        parallel=config.whole("ingest.parallel"),
        max_candidates=config.whole("ingest.candidates"),
    )


def close(filler: Extractor) -> None:
    """Ends the filler's connections."""
    if isinstance(filler, ModelExtractor):
        filler.client.close()


def prepare(
    repo: Repository,
    state: WikiState,
    items: Iterable[SourceInput],
    settings: IngestSettings,
    config: Config,
    which: str | None,
) -> int:
    """Prints the jobs for an agent to fill and records them; writes nothing else."""
    from llmwiki.extraction.prompt import render_job
    from llmwiki.ingest.transcription import prepare_pictures

    jobs = Jobs(repo)
    state.advance(repo.head())
    brand = read_brand(repo)
    limit = config.whole("ingest.candidates")
    for item in items:
        first = prepare_pictures(repo, item, settings) if model_reads(config) else ""
        if first:
            say(first)
            continue
        document = open_document(
            repo, item, settings, reader_for(repo, config, None), head=state.commit
        )
        segments = segment(document, max_bytes=settings.segment_bytes)
        wanted = _segment_number(which, len(segments))
        kept = item.data if not item.file else None
        jobs.save(job_of(document, segments, "" if item.inside else item.file, kept))
        for part in segments:
            if wanted in (None, part.number):
                shown = shown_candidates(document, part, state, limit)
                say(render_job(document, part, shown, brand))
    return 0


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
