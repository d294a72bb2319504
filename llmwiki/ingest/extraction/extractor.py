"""Who fills the extraction schema, and what was filled in: by a model, an agent or neither."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from llmwiki.models.tokens_and_cost import Usage
from llmwiki.version import SIGNED

if TYPE_CHECKING:
    from llmwiki.core.document import Document
    from llmwiki.git.repository import Repository
    from llmwiki.ingest.extraction.jobs import Transcripts
    from llmwiki.ingest.extraction.schema import Extraction
    from llmwiki.landing.wiki_state import WikiState
    from llmwiki.sources.pictures import PictureReader


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers to all segments of one source, who gave them, and what they took."""

    extractions: Sequence[Extraction]
    """One a segment, in their order."""
    model: str
    """What the trailer `Wiki-Model` says."""
    by: str = SIGNED
    """Name and version for `generated.by`."""
    without_model: bool = False
    """Whether they are those of the reader without a model: its kinds are guesses, its leads
    stand-ins."""
    usage: Usage = field(default_factory=Usage)
    """Tokens, those for pictures included."""
    cost: float | None = 0.0
    """US dollars; None: the price is not known."""

    @property
    def claims(self) -> int:
        """How many claims there are in them."""
        return sum(len(each.claims) for each in self.extractions)


class Extractor(ABC):
    """Whoever can be asked to fill the extraction schema."""

    picture_reader: Callable[[Transcripts], PictureReader] | None = None
    """Who reads the pictures of a source, given where to keep what was read; None: nobody."""

    @abstractmethod
    def fill(self, document: Document, state: WikiState, before: Usage) -> Answers:
        """The answers to all segments of the document; what they took counts from `before`.

        Raises ProviderError, ModelOutputError, PolicyError.
        """

    @property
    def usage(self) -> Usage:
        """Tokens of all its calls so far, those for pictures included."""
        return Usage()

    def forget(self, repo: Repository, sha256: str) -> None:
        """Drops the answers that were kept until now: they have landed, or are refused.
        Of a run that is killed before they stay."""
        del repo, sha256


class AgentExtractor(Extractor):
    """An agent, who has answered all segments before it is asked."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers

    def fill(self, document: Document, state: WikiState, before: Usage) -> Answers:
        """Its answers."""
        del document, state, before
        return self._answers
