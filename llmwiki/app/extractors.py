"""The extractor of an ingest."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from llmwiki.app.models import client_for, model_to_call, was_asked_for
from llmwiki.app.pictures import reader_for
from llmwiki.extraction.extractors import EmbeddedExtractor, ModelExtractor
from llmwiki.sources.brand import read_brand
from llmwiki.store.transaction import preflight

if TYPE_CHECKING:
    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.extraction.types import Extractor
    from llmwiki.models.usage import Budget


@contextmanager
def extractor(
    wiki: OpenWiki, model: str | None, max_cost: float | None, budget: Budget | None = None
) -> Iterator[Extractor]:
    """A model or the embedded extractor; its connections are closed at the end.

    Refuses what landing would refuse, before anything is paid. A `budget` takes the place of the
    limits on cost.
    """
    settings = model_to_call(wiki, model)
    if settings is None:
        if not was_asked_for(wiki.config, model):
            wiki.tell.notice("no key for a model; the embedded extractor reads (--model offline)")
        yield EmbeddedExtractor(pictures=reader_for(wiki.repo, wiki.config, None))
        return
    preflight(wiki.repo)
    with client_for(wiki.config, settings, max_cost, budget=budget) as client:
        yield ModelExtractor(
            client=client,
            pictures=reader_for(wiki.repo, wiki.config, client),
            brand=read_brand(wiki.repo),
            parallel=wiki.config.whole("ingest.parallel"),
            max_candidates=wiki.config.whole("ingest.candidates"),
        )
