"""A source that was named, and where its bytes are."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from llmwiki.core.text import normalise, sha256_hex
from llmwiki.sources.files import read_bytes, sha256_file
from llmwiki.sources.mailbox import read_message
from llmwiki.sources.paths import is_plain_name
from llmwiki.sources.spelling import composed

if TYPE_CHECKING:
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


def place_of(file: Path, root: Path, top: Path) -> str:
    """What identifies a file outside of raw/ in commits: its path from the wiki's root where it
    lies in the repository, whose `top` that is, and a page can hold it; of any other file
    `file:NAME#` and 16 hexadecimal digits of the SHA-256 of its real path."""
    real = file.resolve()
    path = composed(Path(os.path.relpath(real, root.resolve())).as_posix())
    # A page keeps no other blanks than single ones.
    is_kept = is_plain_name(path) and path == normalise(path)
    if is_kept and real.is_relative_to(top.resolve()):
        return path
    name = normalise(composed(real.name)) if is_plain_name(composed(real.name)) else ""
    return f"file:{name}#{sha256_hex(os.fsencode(real))[:16]}"
