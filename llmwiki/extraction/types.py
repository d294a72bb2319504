"""What an extractor is, and what one gives: the types that reading and landing share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from llmwiki.core.document import Document, Segment
from llmwiki.extraction.schema import Extraction
from llmwiki.extraction.transcripts import Transcripts
from llmwiki.memory.state import WikiState
from llmwiki.models.usage import Usage

if TYPE_CHECKING:
    from llmwiki.sources.pictures import PictureReader


@dataclass(frozen=True, slots=True)
class ExtractionResult:
    """The answers to a document's segments, and what they and its pictures cost."""

    extractions: Sequence[Extraction]
    usage: Usage = field(default_factory=Usage)
    cost: float | None = 0.0
    """US dollars; None: the price is not known."""


class Extractor(Protocol):
    """Whoever fills the extraction schema."""

    @property
    def by(self) -> str:
        """Name and version for `generated.by`, such as `llmwiki-offline/0.1.0`."""
        ...

    @property
    def model(self) -> str:
        """What the trailer `Wiki-Model` says."""
        ...

    @property
    def embedded(self) -> bool:
        """Whether it is the embedded extractor: its kinds are guesses, its leads stand-ins."""
        ...

    @property
    def pictures(self) -> ReaderFor:
        """Who reads the pictures of a source for it."""
        ...

    @property
    def usage(self) -> Usage:
        """Tokens of all its calls so far, those for pictures included."""
        ...

    def cost(self, usage: Usage) -> float | None:
        """US dollars for that usage; None: the price is not known."""
        ...

    def fill(
        self, document: Document, segments: tuple[Segment, ...], state: WikiState
    ) -> Sequence[Extraction]:
        """One extraction a segment."""
        ...


ReaderFor = Callable[[Transcripts], "PictureReader | None"]
"""Who reads the pictures of a source, given where to keep what was read; None: nobody.

It is asked only for sources that may have pictures."""


def nobody(kept: Transcripts) -> None:
    """No reader of pictures: a source that is nothing else is refused."""
    del kept
