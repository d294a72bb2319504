"""wiki ingest --estimate: what reading would take, before any call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
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
    from llmwiki.core.candidate import PageCandidate
    from llmwiki.core.document import Document, Segment
    from llmwiki.extraction.model import ExtractionEstimate
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
    from llmwiki.extraction.model import ExtractionEstimate
    from llmwiki.extraction.model import estimate as estimated
    from llmwiki.extraction.vision import estimate_pictures

    model = model_settings(config, flag, user)
    if model is None:
        say("The embedded extractor reads: no tokens, no cost.")
        return 0
    state.advance(repo.head())
    brand = read_brand(repo)
    limit = config.whole("ingest.candidates")
    total = ExtractionEstimate(0, 0, 0, 0.0)
    unknown = False
    for item in items:
        count = _pictures(repo, item, settings) if model_reads(config) else 0
        if count:
            unknown = True
            one = estimate_pictures(count, model)
            total = _sum(total, one)
            say(
                f"{item.path}: {count} pictures to be read first: {_told(one, 'at most')};"
                " reading the text they give is not known yet and comes on top"
            )
        document = _text(repo, item, settings, config, count)
        if document is None:
            continue
        segments = segment(document, max_bytes=settings.segment_bytes)
        shown = {s.number: shown_candidates(document, s, state, limit) for s in segments}
        one = estimated(document, segments, _shown(shown), brand, model)
        total = _sum(total, one)
        say(f"{item.path}: {_told(one, 'about')}")
    rest = ", and what reading the text of the pictures takes" if unknown else ""
    say(f"Total for {model.model}: {_tokens(total, 'about')}{rest}")
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


def _shown(
    candidates: Mapping[int, tuple[PageCandidate, ...]],
) -> Callable[[Segment], tuple[PageCandidate, ...]]:
    return lambda segment: candidates[segment.number]


def _sum(one: ExtractionEstimate, other: ExtractionEstimate) -> ExtractionEstimate:
    from llmwiki.extraction.model import ExtractionEstimate

    known = one.max_cost is not None and other.max_cost is not None
    return ExtractionEstimate(
        one.calls + other.calls,
        one.input_tokens + other.input_tokens,
        one.max_output_tokens + other.max_output_tokens,
        (one.max_cost or 0.0) + (other.max_cost or 0.0) if known else None,
    )


def _told(one: ExtractionEstimate, how: str) -> str:
    return f"{one.calls} calls, {_tokens(one, how)}"


def _tokens(one: ExtractionEstimate, how: str) -> str:
    cost = "price not known" if one.max_cost is None else f"at most USD {one.max_cost:.4f}"
    tokens = f"{how} {one.input_tokens} tokens in, at most {one.max_output_tokens} out"
    return f"{tokens}, {cost} (estimate)"
