"""A source that was named, and where its bytes are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from llmwiki.sources.files import read_bytes, sha256_file
from llmwiki.sources.mailbox import read_message

if TYPE_CHECKING:
    from pathlib import Path

    from llmwiki.core.errors import WikiError
    from llmwiki.sources.limits import SourceLimits
    from llmwiki.sources.mailbox import MailMessage


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One source that was named, directly or through a folder, a pattern or a mailbox."""

    path: str
    """Relative to the wiki's root, below raw/: where it is, or where to copy it to."""
    file: Path
    """The file that holds its bytes now, absolute."""
    inside: bool
    """Whether it lies below raw/ already; if not, it has to be copied to `path`."""
    size: int
    """In bytes, when it was found."""
    message: MailMessage | None = None
    """Where in `file`, a mailbox, its bytes are; None: all of `file` is the source."""
    refused: WikiError | None = None
    """Why there is nothing to read: of what is no file, or a mailbox that could not be opened."""
    beside: str = ""
    """The path it would have if other bytes did not lie there; empty where it has its own."""

    def read(self, limits: SourceLimits) -> bytes:
        """Its bytes. Raises as `read_bytes` does, and what `refused` tells."""
        if self.refused is not None:
            raise self.refused
        if self.message is not None:
            return read_message(self.file, self.message, limits)
        return read_bytes(self.file, limits)

    def sha256(self) -> str:
        """The SHA-256 of its bytes, 64 hexadecimal digits. Raises as `read` does."""
        if self.refused is not None:
            raise self.refused
        return self.message.sha256 if self.message is not None else sha256_file(self.file)
