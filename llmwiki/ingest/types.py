"""What an ingest takes, and what it gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from llmwiki.core.document import SourceOrigin
from llmwiki.core.text import sha256_hex
from llmwiki.ingest.extraction.jobs import Job
from llmwiki.landing.land import LandingOptions
from llmwiki.sources.converted import SourceLimits
from llmwiki.sources.segments import SEGMENT_BYTES


@dataclass(frozen=True, slots=True)
class SourceInput:
    """A source with its bytes."""

    path: str
    """Below raw/."""
    data: bytes
    inside: bool
    """Whether the file lies at `path` in the work tree already."""
    file: str = ""
    """Where the bytes were read; empty where no file of their own holds them: standard input,
    pages of the web."""
    origin: SourceOrigin | None = None
    """Of a copy: where it came from; None: a person put it into raw/."""
    is_named: bool = True
    """Whether it was named itself, and not only a folder that it lies in."""

    @property
    def argument(self) -> str:
        """What `wiki ingest` takes to read it again; empty for what lies nowhere."""
        if self.origin is not None and self.origin.url:
            return self.origin.url
        return self.path if self.inside else self.file

    def job(self) -> Job:
        """The job for an agent to read it, while its text is not known yet."""
        return Job(
            path=self.path,
            file="" if self.inside else self.file,
            sha256=sha256_hex(self.data),
            segments=(),
            kept=None if self.file else self.data,
            origin=self.origin,
        )


@dataclass(frozen=True, slots=True)
class IngestSettings:
    """What an ingest is allowed, and how it is told."""

    terms: LandingOptions
    limits: SourceLimits = field(default_factory=SourceLimits)
    segment_bytes: int = SEGMENT_BYTES
    allowed_secrets: frozenset[str] = frozenset()
    dry_run: bool = False
    again: bool = False
    """Whether a source that is named itself is read although it was retracted."""
    anew: bool = False
    """Whether bytes that were read before are read once more."""
    notice: Callable[[str], None] = lambda _sentence: None
    """Takes what a person should know before a source is committed."""
