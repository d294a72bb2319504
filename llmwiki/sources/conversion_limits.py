"""What a conversion may cost, what it gives back, and small repairs of every converted text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from llmwiki.core.quick_to_load import lazy_pattern
from llmwiki.core.settings_table import default_of

MIB = 1 << 20
NOT_READ = "[picture, not read]"
"""The line that stands where nobody has read a picture."""
MAX_LINE = 2_000
"""Characters; longer lines are wrapped, so that evidence can name a place in them."""

_CONTROL = lazy_pattern("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff]")
_BLANK_RUN = re.compile(r"\n{3,}")


@dataclass(frozen=True, slots=True)
class SourceLimits:
    """Bounds on one source and on the process that converts it."""

    max_bytes: int = int(default_of("ingest.max_size"))
    """Of the original, in bytes."""
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


class UnreadPicture(NamedTuple):
    """A line NOT_READ in a converted text, and the picture that it stands for."""

    line: int
    """Of the text without the metadata line, from 1."""
    page: int
    """Of the document, from 1."""


@dataclass(frozen=True, slots=True)
class ConvertedText:
    """A text and the program that read it out of a document."""

    text: str
    """Lines split by LF, without the metadata line."""
    tool: str
    """Name and version, `pypdfium2/5.15.2`."""
    unread: tuple[UnreadPicture, ...] = ()
    """Pictures whose text is wanting, in the order of their lines. Such a text is tidy."""
    bare: bool = False
    """Whether there is nothing but such pictures, empty pages and a few characters on them."""


def tidy(text: str) -> str:
    """Converted text as it is kept: no controls, no ends of blanks, lines of MAX_LINE at most.

    Runs of empty lines become one; the ends are trimmed. The result may be empty.
    """
    plain = _CONTROL.sub(" ", text.replace("\r\n", "\n").replace("\r", "\n"))
    lines = (piece for line in plain.split("\n") for piece in _wrap(line.rstrip()))
    return _BLANK_RUN.sub("\n\n", "\n".join(lines)).strip("\n")


def _wrap(line: str) -> list[str]:
    pieces: list[str] = []
    start = 0
    while len(line) - start > MAX_LINE:
        cut = line.rfind(" ", start + 1, start + MAX_LINE)
        stop = cut if cut > start else start + MAX_LINE
        pieces.append(line[start:stop].rstrip())
        start = stop + 1 if cut > start else stop
    pieces.append(line[start:])
    return pieces
