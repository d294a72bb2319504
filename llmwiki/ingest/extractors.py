"""The three who can fill the extraction schema: the reader without a model, a model, an agent."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from llmwiki.core.document import Document, Segment, ShownPages
from llmwiki.core.options import default_of
from llmwiki.core.page_kinds import SUBJECTS, is_of_subject
from llmwiki.ingest.extraction.schema import Extraction
from llmwiki.ingest.known import is_signed_offline
from llmwiki.landing.state import WikiState
from llmwiki.models.usage import Usage
from llmwiki.query.retrieval.candidates import (
    MOST_LOOKED_AT,
    candidates,
    nearest,
    partly_named,
    touched,
)
from llmwiki.query.retrieval.page_names_in_text import mentioned
from llmwiki.sources.document import first_quotable
from llmwiki.sources.segments import SEGMENT_BYTES, segment
from llmwiki.version import OFFLINE, SIGNED

if TYPE_CHECKING:
    from llmwiki.git.repository import Repository
    from llmwiki.ingest.extraction.jobs import Transcripts
    from llmwiki.models.client import Client
    from llmwiki.sources.pictures import PictureReader

MOST_NEAREST, MOST_LISTED, MOST_SOURCES = 200, 100, 16
"""Nearest pages that are looked at, pages of subjects among them whose titles may be listed, and
documents."""
LAST_READ, FEW_SOURCES = 2, 20
"""Documents that most of the nearest pages rest on, of which all subjects are listed by title, and
documents of a page that count for that."""


class Extractor(ABC):
    """Whoever fills the extraction schema; without cost, unless it says otherwise."""

    by = SIGNED
    """Name and version for `generated.by`."""
    without_model = False
    """Whether it is the reader without a model: its kinds are guesses, its leads stand-ins."""

    def __init__(self, model: str) -> None:
        """`model` is what the trailer `Wiki-Model` says."""
        self.model = model

    def picture_reader(self, kept: Transcripts) -> PictureReader | None:
        """Who reads the pictures of a source, given where to keep what was read; None: nobody.

        It is asked only for sources that may have pictures.
        """
        del kept
        return None

    @property
    def usage(self) -> Usage:
        """Tokens of all its calls so far, those for pictures included."""
        return Usage()

    def cost(self, usage: Usage) -> float | None:
        """US dollars for that usage; None: the price is not known."""
        del usage
        return 0.0

    @abstractmethod
    def fill(self, document: Document, state: WikiState) -> Sequence[Extraction]:
        """One extraction a segment of the document."""

    def forget(self, repo: Repository, sha256: str) -> None:
        """Drops the answers that were kept until now: they have landed, or are refused.
        Of a run that is killed before they stay."""
        del repo, sha256


class AgentAnswers(Extractor):
    """An agent, whose answers are there."""

    def __init__(self, model: str, answers: Sequence[Extraction]) -> None:
        super().__init__(model or "agent")
        self._answers = answers

    def fill(self, document: Document, state: WikiState) -> Sequence[Extraction]:
        """The answers, by segment."""
        del document, state
        return self._answers


class ReaderWithoutModel(Extractor):
    """The reader without a model: no network, no cost, the same answer each time."""

    by = OFFLINE
    without_model = True

    def __init__(self) -> None:
        super().__init__(OFFLINE)

    def fill(self, document: Document, state: WikiState) -> Sequence[Extraction]:
        """One extraction of the whole document."""
        from llmwiki.ingest.extraction.without_model import read_without_model

        del state
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
        segment_bytes: int = SEGMENT_BYTES,
        looks: bool = True,
    ) -> None:
        """`brand` is the text of raw/brand/; `max_candidates` pages are shown with a segment.

        `looks`: whether the model reads pictures too.
        """
        super().__init__(client.settings.model)
        self._looks = looks
        self.client = client
        self._brand = brand
        self._parallel = parallel
        self._max_candidates = max_candidates
        self._segment_bytes = segment_bytes

    @property
    def usage(self) -> Usage:
        """Of every call of its client, whatever it was for."""
        return self.client.usage

    def picture_reader(self, kept: Transcripts) -> PictureReader | None:
        """The model itself."""
        from llmwiki.ingest.pictures import ModelReader

        return ModelReader(self.client, kept, self._parallel) if self._looks else None

    def cost(self, usage: Usage) -> float | None:
        """US dollars at the user's prices; None: the price is not known."""
        return self.client.cost(usage)

    def fill(self, document: Document, state: WikiState) -> Sequence[Extraction]:
        """Calls the model for each segment. Raises ProviderError, ModelOutputError, PolicyError."""
        from llmwiki.ingest.extraction.jobs import PaidAnswers
        from llmwiki.ingest.extraction.model import fill

        return fill(
            document,
            segment(document, max_bytes=self._segment_bytes),
            partial(shown_candidates, document, state=state, limit=self._max_candidates),
            self._brand,
            self.client,
            parallel=self._parallel,
            paid=PaidAnswers(state.repo, document.sha256),
        )

    def forget(self, repo: Repository, sha256: str) -> None:
        """Drops the answers that were paid for."""
        from llmwiki.ingest.extraction.jobs import PaidAnswers

        PaidAnswers(repo, sha256).forget()


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
    own = state.ledger_of(document.path)
    named = {path for path in mentioned_paths(text, state) if own is None or path != own.path}
    near = nearest(state.index, text, MOST_NEAREST)
    entries = state.index.entries(near)
    kinds = {path: entry.type for path, entry in entries.items()}
    sources = [p for p in near if kinds[p] == "source" and (own is None or p != own.path)]
    unread = [path for path in sources[:MOST_SOURCES] if is_signed_offline(state.repo, path)]
    listed = [path for path in near if kinds[path] in SUBJECTS]
    # A page that says little is far off by its words, though the text may say its name.
    far = partly_named(text, {path: (entries[path].title,) for path in listed[MOST_LISTED:]}, named)
    facts = state.facts({*named, *listed[:MOST_LISTED], *far})
    shown = {*SUBJECTS, "source"}
    subjects = {path for path, f in facts.items() if f.type in shown and not f.broken}
    near = [path for path in near if path in subjects and kinds[path] in SUBJECTS]
    names = {path: (facts[path].title, *facts[path].aliases) for path in near}
    told = Counter(s.id for p in near[:MOST_LOOKED_AT] for s in facts[p].sources[-FEW_SOURCES:])
    read = [i for i in sorted(told, key=lambda i: (-told[i], i)) if own is None or i != own.stem]
    partly = partly_named(text, names, named)
    first = {*named, *partly}
    said = first.union(
        touched(text, names, state.index), *(_kin(state, source) for source in read[:LAST_READ])
    )
    return ShownPages(
        candidates(
            text,
            subjects.intersection(named),
            near,
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


def _kin(state: WikiState, source: str) -> list[str]:
    """The pages of subjects that a source tells of."""
    return [path for path in state.citing(source) if is_of_subject(path)]


def mentioned_paths(text: str, state: WikiState) -> tuple[str, ...]:
    """The pages whose title or alias occurs in a text, by path."""
    return state.names.by_title(*mentioned(text, state.names))
