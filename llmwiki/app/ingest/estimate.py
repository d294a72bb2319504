"""What reading sources by a model would take, before any call."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from llmwiki.app.which_model import model_settings
from llmwiki.ingest.extraction.shown_pages import pages_for
from llmwiki.ingest.source_text import open_document
from llmwiki.sources.brand import read_brand
from llmwiki.sources.conversion_limits import NOT_READ
from llmwiki.sources.pictures import PicturesError, refuse_many
from llmwiki.sources.segments import segment

if TYPE_CHECKING:
    from llmwiki.core.document import Document
    from llmwiki.git.repository import Repository
    from llmwiki.ingest.source_text import IngestSettings
    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.models.ask_and_validate import Estimate
    from llmwiki.models.model_settings import ModelSettings
    from llmwiki.sources.source_file import NamedSource


@dataclass(frozen=True, slots=True)
class SourceEstimate:
    """What one source would take."""

    path: str
    pictures: int
    """Pictures that must be read before the text is known."""
    takes: Estimate
    """Reading its pictures where there are any, else its text."""


@dataclass(frozen=True, slots=True)
class IngestEstimate:
    """What an ingest would take."""

    model: str | None
    """None: read without a model, which takes nothing."""
    sources: tuple[SourceEstimate, ...] = ()
    """Text and pictures of one source are told one by one."""
    total: Estimate | None = None

    @property
    def is_partial(self) -> bool:
        """Whether reading the text of pictures comes on top."""
        return any(source.pictures for source in self.sources)


def estimate_sources(
    wiki: OpenWiki,
    items: Iterable[NamedSource],
    settings: IngestSettings,
    flag: str | None,
    on: Callable[[SourceEstimate], None],
) -> IngestEstimate:
    """What reading would take; no model is called. `on` takes each estimate as it is made.

    A text that stands in pictures is not known before they are read: what they take is told, and
    that the text comes on top.
    """
    from llmwiki.ingest.extraction.model import segment_tasks
    from llmwiki.ingest.pictures import estimate_pictures
    from llmwiki.models.ask_and_validate import Estimate, estimate

    repo, config, state = wiki.repo, wiki.config, wiki.state
    model = model_settings(config, flag)
    if model is None:
        return IngestEstimate(None)
    state.follow()
    brand = read_brand(repo)
    limit, looks = config.whole("ingest.candidates"), config.flag("ingest.pictures")
    total = Estimate()
    sources: list[SourceEstimate] = []

    def add(path: str, pictures: int, takes: Estimate) -> None:
        nonlocal total
        total += takes
        sources.append(SourceEstimate(path, pictures, takes))
        on(sources[-1])

    for named in items:
        item = named.read(settings.limits)
        count, document = _read(repo, item, settings, looks=looks)
        if count:
            refuse_many(count, item.path)
            add(item.path, count, estimate_pictures(count, model))
        if document is None:
            continue
        segments = segment(document, max_bytes=settings.segment_bytes)
        shown = partial(pages_for, document, state=state, limit=limit)
        takes = estimate(segment_tasks(document, segments, shown, brand), model)
        add(item.path, 0, takes + _of_earlier(len(segments), settings.segment_bytes, model))
    return IngestEstimate(model.model, tuple(sources), total)


def _of_earlier(segments: int, segment_bytes: int, model: ModelSettings) -> Estimate:
    """What later segments are told of earlier ones, at most."""
    from llmwiki.core.text import tokens_of
    from llmwiki.ingest.extraction.prompt import LEAST_SHOWN, SHARE
    from llmwiki.models.ask_and_validate import Estimate

    tokens = tokens_of(max(LEAST_SHOWN, int(segment_bytes * SHARE)) // 2) * max(segments - 1, 0)
    return Estimate(0, tokens, 0, model.price.ceiling(tokens, 0) if model.price else None)


def _read(
    repo: Repository, item: NamedSource, settings: IngestSettings, *, looks: bool
) -> tuple[int, Document | None]:
    """How many pictures a model would have to read, and the text as far as it is known before."""
    try:
        document = open_document(repo, item, settings, head=repo.head())
    except PicturesError as error:
        if not looks:
            raise
        return error.count, None
    is_new = document.text_bytes is not None
    return document.lines.count(NOT_READ) if is_new and looks else 0, document
