"""How much one source may cost to read."""

from __future__ import annotations

from dataclasses import dataclass

from llmwiki.core.options import default_of

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class SourceLimits:
    """Bounds on one source and on the process that converts it."""

    max_bytes: int = int(default_of("ingest.max_size"))
    """Of the original, in bytes (`--max-size`)."""
    seconds: float = 50.0
    """Wall and processor time of one conversion, so that the whole command ends within a minute."""
    memory: int = 512 * MIB
    """Address space of the converting process, in bytes."""
    max_text: int = 20_000_000
    """Of the text, its own or what a conversion gives, in bytes."""
    max_lines: int = 300_000
    """Of the text; each costs some memory wherever it is read."""
    max_ratio: int = 200
    """Text bytes for each byte of the original; a small original may always give 1 MB."""

    def text_cap(self, original: int) -> int:
        """Bytes of text that an original of `original` bytes may give."""
        return min(self.max_text, max(1_000_000, self.max_ratio * original))
