"""Quotes looked up in the numbered text of a source."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from llmwiki.core.document import Document
from llmwiki.core.text import fold_quote, normalise
from llmwiki.sources.places import SourcePlaces

MAX_WORDS = 60
MAX_CJK = 240
"""How long a quote may be, in words, or in characters where these are CJK."""

CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_LINE_MARKS = re.compile(r"^(?:[#>*+\-|\s]|\d++[.)]\s)++")


@dataclass(frozen=True, slots=True)
class LocatedQuote:
    """A quote and the lines in which it really stands."""

    quote: str
    first: int
    last: int
    place: str = ""
    """Where the first line stands in the original, `p. 12`; empty for a text that is its own."""


class QuoteFinder:
    """Looks quotes up in one document; the whole text is folded once, O(text).

    White space, line breaks and typographic variants of quotes and dashes do not count; case and
    every other character do.
    """

    def __init__(self, document: Document) -> None:
        self._skip = 1 if document.text_path else 0
        self._lines = document.lines
        self._folded = [fold_quote(line) for line in document.lines]
        starts: list[int] = []
        pieces: list[str] = []
        at = 0
        for index, line in enumerate(self._folded):
            starts.append(at)
            if line and index >= self._skip:
                pieces.append(line)
                at += len(line) + 1
        self._starts = starts
        self._whole = " ".join(pieces) + " "
        self._places = _places(document, self._skip + 1)

    def find(self, quote: str, first: int, last: int) -> LocatedQuote | None:
        """Where the quote stands: in the named lines, else nearest to them; None: nowhere."""
        wanted = fold_quote(quote)
        if not wanted:
            return None
        hits = self._hits(wanted)
        if not hits:
            return None
        start, end = min(hits, key=lambda span: (_distance(span, first, last), span))
        return LocatedQuote(
            normalise(quote), start, end, self._places.of(start) if self._places else ""
        )

    def _hits(self, wanted: str) -> list[tuple[int, int]]:
        spans: list[tuple[int, int]] = []
        at = self._whole.find(wanted)
        while at >= 0 and len(spans) < 1000:
            end = at + len(wanted)
            if not (splits_word(self._whole, at) or splits_word(self._whole, end)):
                spans.append((self._line_at(at), self._line_at(end - 1)))
            at = self._whole.find(wanted, at + 1)
        return spans

    def _line_at(self, offset: int) -> int:
        index = bisect_right(self._starts, offset) - 1
        return index + 1

    def is_whole_line(self, quote: str, line: int) -> bool:
        """Whether the quote is all that a line says, list and table marks aside."""
        if not 1 <= line <= len(self._folded):
            return False
        held = _unmarked(self._folded[line - 1])
        return _unmarked(fold_quote(quote)) == held or any(
            fold_quote(cell) == fold_quote(quote) for cell in self._lines[line - 1].split("|")
        )


def _places(document: Document, first: int) -> SourcePlaces | None:
    """None where no converter has left markers: what a picture shows may look like one."""
    if document.text_path is None or document.media_type.startswith("image/"):
        return None
    pages_only = document.media_type == "application/pdf"
    return SourcePlaces(document.lines, first, pages_only=pages_only)


def stands_in(lines: Sequence[str], quote: str) -> bool:
    """Whether these lines hold the quote, as a QuoteFinder finds it; only they are folded."""
    wanted = fold_quote(quote)
    text = " ".join(filter(None, map(fold_quote, lines)))
    at = text.find(wanted) if wanted else -1
    while at >= 0:
        if not (splits_word(text, at) or splits_word(text, at + len(wanted))):
            return True
        at = text.find(wanted, at + 1)
    return False


def _unmarked(line: str) -> str:
    """A folded line without its list and table marks."""
    return _LINE_MARKS.sub("", line).rstrip("|: ").strip()


def splits_word(text: str, at: int) -> bool:
    """Whether a cut before `at` falls inside a word of a script that parts words by blanks."""
    if not 0 < at < len(text):
        return False
    left, right = text[at - 1], text[at]
    return left.isalnum() and right.isalnum() and not (CJK.match(left) or CJK.match(right))


def _distance(span: tuple[int, int], first: int, last: int) -> int:
    if span[0] >= first and span[1] <= last:
        return 0
    return 1 + min(abs(span[0] - first), abs(span[1] - last))


def too_long(quote: str) -> str:
    """The bound that a normalised quote passes, `60 words`; empty where it passes none."""
    cjk = len(CJK.findall(quote))
    if cjk > MAX_CJK:
        return f"{MAX_CJK} characters"
    if cjk * 4 < len(quote) and len(quote.split()) > MAX_WORDS:
        return f"{MAX_WORDS} words"
    return ""
