"""wiki ingest --estimate: what reading would take, before any call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from llmwiki.cli.context import say
from llmwiki.cli.models import model_settings
from llmwiki.cli.pictures import model_reads, reader_for
from llmwiki.core.config import Config
from llmwiki.extraction.extractors import shown_candidates
from llmwiki.extraction.types import nobody
from llmwiki.ingest.source_text import known_text, may_have_pictures, open_document
from llmwiki.sources import segment
from llmwiki.sources.brand import read_brand
from llmwiki.sources.pictures import PicturesError, count_pictures

if TYPE_CHECKING:
    from llmwiki.core.document import Document
    from llmwiki.ingest.types import IngestSettings, SourceInput
    from llmwiki.memory.state import WikiState
    from llmwiki.repo.repository import Repository


def estimate(
    repo: Repository,
    state: WikiState,
    items: Iterable[SourceInput],
    settings: IngestSettings,
    config: Config,
    flag: str | None,
    user: Mapping[str, object],
) -> int:
    """Says what reading would take; no model is called.

    A text that stands in pictures is not known before they are read: what they take is told, and
    that the text comes on top.
    """
    from llmwiki.extraction.model import segment_tasks
    from llmwiki.extraction.vision import estimate_pictures
    from llmwiki.models.task import Estimate
    from llmwiki.models.task import estimate as estimated

    model = model_settings(config, flag, user)
    if model is None:
        say("The embedded extractor reads: no tokens, no cost.")
        return 0
    state.advance(repo.head())
    brand = read_brand(repo)
    limit = config.whole("ingest.candidates")
    total = Estimate()
    unknown = False
    for item in items:
        count = _pictures(repo, item, settings) if model_reads(config) else 0
        if count:
            unknown = True
            one = estimate_pictures(count, model)
            total += one
            say(
                f"{item.path}: {count} pictures to be read first: {one.calls} calls,"
                f" {one.told('at most')};"
                " reading the text they give is not known yet and comes on top"
            )
        document = _text(repo, item, settings, config, count)
        if document is None:
            continue
        segments = segment(document, max_bytes=settings.segment_bytes)
        shown = partial(shown_candidates, document, state=state, limit=limit)
        one = estimated(segment_tasks(document, segments, shown, brand), model)
        total += one
        say(f"{item.path}: {one.calls} calls, {one.told()}")
    rest = ", and what reading the text of the pictures takes" if unknown else ""
    say(f"Total for {model.model}: {total.told()}{rest}")
    return 0


def _pictures(repo: Repository, item: SourceInput, settings: IngestSettings) -> int:
    """How many pictures a model would have to read."""
    if not may_have_pictures(item.path, item.data) or known_text(repo, item) is not None:
        return 0
    return count_pictures(item.path, item.data, settings.limits)


def _text(
    repo: Repository, item: SourceInput, settings: IngestSettings, config: Config, unread: int
) -> Document | None:
    """What there is of a source's text without a call; None where it is all in pictures."""
    reader = nobody if unread else reader_for(repo, config, None)
    try:
        return open_document(repo, item, settings, reader, head=repo.head())
    except PicturesError:
        if unread:
            return None
        raise
