"""What a converter gives back, and the small repairs every converted text gets."""

from __future__ import annotations

import re
from dataclasses import dataclass

from llmwiki.core.lazy_pattern import lazy_pattern

NOT_READ = "[picture, not read]"
"""The line that stands where nobody has read a picture."""
MAX_LINE = 2_000
"""Characters; longer lines are wrapped, so that evidence can name a place in them."""

_CONTROL = lazy_pattern("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff]")
_BLANK_RUN = re.compile(r"\n{3,}")


@dataclass(frozen=True, slots=True)
class UnreadPicture:
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
    """Name and version, `pypdf/7.1.0`."""
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
