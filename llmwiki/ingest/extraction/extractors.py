"""The three who can fill the extraction schema: the reader without a model, a model, an agent."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from llmwiki.core.document import Document, Segment, ShownPages
from llmwiki.core.options import default_of
from llmwiki.core.page_kinds import SUBJECTS, is_of_subject
from llmwiki.index.open_index import open_corpus
from llmwiki.ingest.extraction.schema import Extraction
from llmwiki.ingest.extraction.types import Extractor, ReaderFor, nobody
from llmwiki.landing.state import WikiState
from llmwiki.models.client import Client
from llmwiki.models.usage import Usage
from llmwiki.pages.page import Page
from llmwiki.query.retrieval.candidates import candidates, nearest, partly_named, touched
from llmwiki.query.retrieval.page_names_in_text import mentioned
from llmwiki.sources.document import first_quotable
from llmwiki.version import OFFLINE, is_offline

MOST_TITLES = 400
"""Pages up to which the titles of all are looked at, and nearest ones that are listed beyond."""
LAST_READ = 2
"""Nearest documents of which all subjects are listed by title."""


class EmbeddedExtractor(Extractor):
    """The embedded deterministic extractor; no model, no network, no cost."""

    by = OFFLINE
    embedded = True

    def __init__(self, pictures: ReaderFor = nobody) -> None:
        """`pictures` is who reads pictures for it."""
        super().__init__(OFFLINE, pictures)

    def fill(
        self, document: Document, segments: tuple[Segment, ...], state: WikiState
    ) -> list[Extraction]:
        """One extraction of the whole document."""
        from llmwiki.ingest.extraction.without_model import read_without_model

        del segments, state
        return [read_without_model(document, first=first_quotable(document))]


class ModelExtractor(Extractor):
    """A model behind the Messages API; one call a segment, several at once."""

    def __init__(
        self,
        client: Client,
        brand: str = "",
        *,
        parallel: int = int(default_of("ingest.parallel")),
        max_candidates: int = int(default_of("ingest.candidates")),
        pictures: ReaderFor = nobody,
    ) -> None:
        """`brand` is the text of raw/brand/; `max_candidates` pages are shown with a segment."""
        super().__init__(client.settings.model, pictures)
        self.client = client
        self._brand = brand
        self._parallel = parallel
        self._max_candidates = max_candidates

    @property
    def usage(self) -> Usage:
        """Of every call of its client, whatever it was for."""
        return self.client.usage

    def cost(self, usage: Usage) -> float | None:
        """US dollars at the user's prices; None: the price is not known."""
        return self.client.cost(usage)

    def fill(
        self, document: Document, segments: tuple[Segment, ...], state: WikiState
    ) -> list[Extraction]:
        """Calls the model for each segment. Raises ProviderError, ModelOutputError, PolicyError."""
        from llmwiki.ingest.extraction.jobs import PaidAnswers
        from llmwiki.ingest.extraction.model import fill

        return fill(
            document,
            segments,
            partial(shown_candidates, document, state=state, limit=self._max_candidates),
            self._brand,
            self.client,
            parallel=self._parallel,
            paid=PaidAnswers(state.repo, document.sha256),
        )


class AgentExtractor(Extractor):
    """The answers an agent gave to a prepared job."""

    def __init__(self, answers: Sequence[Extraction], model: str = "agent") -> None:
        """`answers` in the order of their segments."""
        super().__init__(model)
        self._answers = answers

    def fill(
        self, document: Document, segments: tuple[Segment, ...], state: WikiState
    ) -> Sequence[Extraction]:
        """The answers, as they came."""
        del document, segments, state
        return self._answers


def shown_candidates(
    document: Document, segment: Segment, state: WikiState, limit: int
) -> ShownPages:
    """What whoever extracts is shown of the wiki for a segment.

    Of the `limit` nearest pages more than their titles: among them documents that the text names,
    those that no model has read, so that what contradicts them is seen, and the pages that the
    nearest document is about. Titles are of pages with a distinctive word in the text, and of those
    that the nearest documents are about; of many hundred pages, those nearest to the text.
    """
    text = "\n".join(document.lines[segment.first - 1 : segment.last])
    everything = state.subjects(MOST_TITLES)
    own = state.ledger_of(document.path)
    named = {path for path in mentioned_paths(text, state) if own is None or path != own.path}
    near: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    if limit and (everything or state.types()):
        with open_corpus(state.repo) as corpus:
            near = nearest(corpus, text, max(limit, 0 if everything else MOST_TITLES))
            sources = nearest(corpus, text, limit, ("source",))
    pages = (state.page(path) for path in sources if own is None or path != own.path)
    others = [page for page in pages if page]
    unread = [page.path for page in others if is_offline(page.value("generated"))]
    read = [page for page in others if page.path not in unread]
    facts = state.facts({*named, *near})
    shown = {*SUBJECTS, "source"}
    subjects = {p for p, f in facts.items() if f.type in shown and not f.broken}
    listed = everything or [facts[path] for path in near if path in subjects]
    names = {f.path: (f.title, *f.aliases) for f in listed if not f.broken}
    partly = partly_named(text, names)
    first = {*named, *partly}
    said = first.union(touched(text, names), *(_kin(state, page) for page in read[:LAST_READ]))
    return ShownPages(
        candidates(
            text,
            subjects.intersection(named),
            [path for path in near if path in subjects],
            state.page,
            limit=limit,
            partly=partly,
            kin=_kin(state, read[0]) if read else (),
            unread=unread,
        ),
        tuple(
            " | ".join(names[p])
            for p in sorted(names, key=lambda path: path not in first)
            if p in said
        ),
    )


def _kin(state: WikiState, ledger: Page) -> list[str]:
    """The pages of subjects that a document tells of."""
    return [path for path in sorted(state.citing(ledger.stem)) if is_of_subject(path)]


def mentioned_paths(text: str, state: WikiState) -> tuple[str, ...]:
    """The pages whose title or alias occurs in a text, by path."""
    return state.names.by_title(*mentioned(text, state.names))
