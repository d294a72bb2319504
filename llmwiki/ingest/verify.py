"""Evidence before memory: every quote is looked for in the numbered text, and refused if absent."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from llmwiki.core.document import Document
from llmwiki.core.text import fold, fold_quote, normalise
from llmwiki.ingest.bounds import MAX_CLAIM
from llmwiki.ingest.extraction import ExtractedClaim, Extraction

MAX_WORDS = 60
MAX_CJK = 240
MIN_WORDS = 3
MIN_CHARACTERS = 12
"""A quote shorter than both must be a whole heading, field or row: less proves nothing."""

_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_LINE_MARKS = re.compile(r"^(?:[#>*+\-|\s]|\d+[.)]\s)+|[|\s:]+$")


@dataclass(frozen=True, slots=True)
class Refused:
    """A claim or a quote that was not accepted, and why."""

    text: str
    quote: str
    reason: str


@dataclass(frozen=True, slots=True)
class Found:
    """A quote and the lines in which it really stands."""

    quote: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class VerifiedClaim:
    """A claim with the evidence that was found; never empty."""

    claim: ExtractedClaim
    text: str
    evidence: tuple[Found, ...]


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

    def find(self, quote: str, first: int, last: int) -> Found | None:
        """Where the quote stands: in the named lines, else nearest to them; None: nowhere."""
        wanted = fold_quote(quote)
        if not wanted:
            return None
        hits = self._hits(wanted)
        if not hits:
            return None
        start, end = min(hits, key=lambda span: (_distance(span, first, last), span))
        return Found(normalise(quote), start, end)

    def _hits(self, wanted: str) -> list[tuple[int, int]]:
        spans: list[tuple[int, int]] = []
        at = self._whole.find(wanted)
        while at >= 0 and len(spans) < 1000:
            end = at + len(wanted)
            if not (_splits_word(self._whole, at) or _splits_word(self._whole, end)):
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
        held = _LINE_MARKS.sub("", self._folded[line - 1]).strip()
        return _LINE_MARKS.sub("", fold_quote(quote)).strip() == held or any(
            fold_quote(cell) == fold_quote(quote) for cell in self._lines[line - 1].split("|")
        )


def _splits_word(text: str, at: int) -> bool:
    """Whether a cut before `at` falls inside a word of a script that parts words by blanks."""
    if not 0 < at < len(text):
        return False
    left, right = text[at - 1], text[at]
    return left.isalnum() and right.isalnum() and not (_CJK.match(left) or _CJK.match(right))


def _distance(span: tuple[int, int], first: int, last: int) -> int:
    if span[0] >= first and span[1] <= last:
        return 0
    return 1 + min(abs(span[0] - first), abs(span[1] - last))


def verify(
    document: Document, extraction: Extraction, finder: QuoteFinder
) -> tuple[tuple[VerifiedClaim, ...], tuple[Refused, ...]]:
    """The claims whose evidence stands in the text, and what was refused with the reason."""
    accepted: list[VerifiedClaim] = []
    refused: list[Refused] = []
    for claim in extraction.claims:
        text = normalise(claim.text)
        if not fold(text):
            refused.append(Refused("", claim.evidence[0].quote, "the claim says nothing"))
            continue
        if len(text) > MAX_CLAIM:
            reason = f"the claim is longer than {MAX_CLAIM} characters"
            refused.append(Refused(text[:200], claim.evidence[0].quote, reason))
            continue
        found: list[Found] = []
        for item in claim.evidence:
            reason = _fault(item.quote)
            place = None if reason else finder.find(item.quote, item.lines[0], item.lines[1])
            if place is None:
                refused.append(Refused(text, item.quote, reason or "the quote is not in the text"))
            elif _too_short(item.quote) and not finder.is_whole_line(item.quote, place.first):
                refused.append(Refused(text, item.quote, "the quote is too short to carry a claim"))
            elif fold(place.quote) not in {fold(other.quote) for other in found}:
                found.append(place)
        if found:
            accepted.append(VerifiedClaim(claim, text, tuple(found)))
    return tuple(accepted), tuple(refused)


def _fault(quote: str) -> str:
    text = normalise(quote)
    if not text:
        return "the quote is empty"
    cjk = len(_CJK.findall(text))
    if cjk > MAX_CJK:
        return f"the quote is longer than {MAX_CJK} characters"
    if cjk * 4 < len(text) and len(text.split()) > MAX_WORDS:
        return f"the quote is longer than {MAX_WORDS} words"
    return ""


def _too_short(quote: str) -> bool:
    text = normalise(quote)
    if len(_CJK.findall(text)) >= 4:
        return False
    return len(text) < MIN_CHARACTERS and len(text.split()) < MIN_WORDS
