"""What an extractor is, and what one gives: the types that reading and landing share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from llmwiki.core.document import Document, Segment
from llmwiki.ingest.extraction.jobs import Transcripts
from llmwiki.ingest.extraction.schema import Extraction
from llmwiki.landing.state import WikiState
from llmwiki.models.usage import Usage
from llmwiki.version import SIGNED

if TYPE_CHECKING:
    from llmwiki.sources.pictures import PictureReader


@dataclass(frozen=True, slots=True)
class ExtractionResult:
    """The answers to a document's segments, who gave them, and what they and its pictures cost."""

    extractions: Sequence[Extraction]
    by: str
    """Name and version for `generated.by`."""
    model: str
    """For the trailer `Wiki-Model`."""
    without_model: bool = False
    """Whether it is the reader without a model: its kinds are guesses, its leads stand-ins."""
    usage: Usage = field(default_factory=Usage)
    cost: float | None = 0.0
    """US dollars; None: the price is not known."""


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
    def fill(
        self, document: Document, segments: tuple[Segment, ...], state: WikiState
    ) -> Sequence[Extraction]:
        """One extraction a segment."""
