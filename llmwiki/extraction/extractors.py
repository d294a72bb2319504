"""The three who can fill the extraction schema: the embedded extractor, a model, an agent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from llmwiki.core.candidate import PageCandidate
from llmwiki.core.document import Document, Segment
from llmwiki.extraction.schema import Extraction
from llmwiki.extraction.types import ReaderFor, nobody
from llmwiki.index.keys import SUBJECT_TYPES
from llmwiki.memory.state import WikiState
from llmwiki.models.client import Client
from llmwiki.models.usage import Usage
from llmwiki.pages.page import Page
from llmwiki.retrieval.candidates import candidates, mentioned
from llmwiki.sources import first_quotable
from llmwiki.version import __version__

OFFLINE_BY = f"llmwiki-offline/{__version__}"


@dataclass(frozen=True, slots=True)
class EmbeddedExtractor:
    """The embedded deterministic extractor; no model, no network, no cost."""

    by: str = OFFLINE_BY
    model: str = OFFLINE_BY
    embedded: bool = True
    pictures: ReaderFor = nobody
    usage: Usage = field(default_factory=Usage)

    def cost(self, usage: Usage) -> float:
        """Nothing."""
        del usage
        return 0.0

    def fill(
        self, document: Document, segments: tuple[Segment, ...], state: WikiState
    ) -> list[Extraction]:
        """One extraction of the whole document."""
        from llmwiki.extraction.embedded import extract

        del segments
        known = mentioned("\n".join(document.lines), state.names)
        return [extract(document, known, first=first_quotable(document))]


@dataclass(frozen=True, slots=True)
class ModelExtractor:
    """A model behind the Messages API; one call a segment, several at once."""

    client: Client
    brand: str = ""
    parallel: int = 4
    max_candidates: int = 30
    pictures: ReaderFor = nobody
    by: str = f"llmwiki/{__version__}"
    embedded: bool = False

    @property
    def model(self) -> str:
        """The model's id."""
        return self.client.settings.model

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
        from llmwiki.extraction.model import fill

        shown = {
            s.number: shown_candidates(document, s, state, self.max_candidates) for s in segments
        }
        return fill(
            document,
            segments,
            lambda s: shown[s.number],
            self.brand,
            self.client,
            parallel=self.parallel,
        )


@dataclass(frozen=True, slots=True)
class AgentExtractor:
    """The answers an agent gave to a prepared job."""

    answers: Sequence[Extraction]
    model: str = "agent"
    by: str = f"llmwiki/{__version__}"
    embedded: bool = False
    pictures: ReaderFor = nobody
    usage: Usage = field(default_factory=Usage)

    def cost(self, usage: Usage) -> float:
        """Nothing that is known here."""
        del usage
        return 0.0

    def fill(
        self, document: Document, segments: tuple[Segment, ...], state: WikiState
    ) -> Sequence[Extraction]:
        """The answers, as they came."""
        del document, segments, state
        return self.answers


def shown_candidates(
    document: Document, segment: Segment, state: WikiState, limit: int
) -> tuple[PageCandidate, ...]:
    """The existing pages that a segment seems to speak of, for whoever extracts."""
    text = "\n".join(document.lines[segment.first - 1 : segment.last])

    def read(path: str) -> Page | None:
        return state.page(path)

    described = {
        path: facts.description
        for path, facts in state.facts(mentioned_paths(text, state)).items()
        if facts.type in SUBJECT_TYPES and not facts.broken
    }
    return candidates(text, described, read, limit=limit)


def mentioned_paths(text: str, state: WikiState) -> tuple[str, ...]:
    """The pages whose title or alias occurs in a text, by path."""
    return state.names.by_title(*mentioned(text, state.names))
