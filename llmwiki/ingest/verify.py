"""Evidence before memory: every quote is looked for in the numbered text, and refused if absent."""

from __future__ import annotations

from dataclasses import dataclass

from llmwiki.core.document import Document
from llmwiki.core.text import fold, normalise
from llmwiki.extraction.answer_limits import MAX_CLAIM, MIN_CHARACTERS, MIN_WORDS
from llmwiki.extraction.schema import ExtractedClaim, Extraction
from llmwiki.language.scripts import count_cjk
from llmwiki.sources.quotes import LocatedQuote, QuoteFinder, too_long


@dataclass(frozen=True, slots=True)
class RefusedClaim:
    """A claim, a quote or another part of a reading that is lost, and why."""

    text: str
    quote: str
    """The words that were refused; of a link `^` and the id it leads to."""
    reason: str
    claim: str = ""
    """The claim's id in the reading, behind the number of its segment: `2:k7`."""


@dataclass(frozen=True, slots=True)
class ReadingRemark:
    """A part of a reading that is kept in another way than it was given."""

    claim: str
    """The claim's id in the reading; empty: it is about a subject."""
    what: str
    became: str
    """What became of it, in words."""


@dataclass(frozen=True, slots=True)
class VerifiedClaim:
    """A claim with the evidence that was found; never empty."""

    claim: ExtractedClaim
    text: str
    evidence: tuple[LocatedQuote, ...]
    repeats: tuple[LocatedQuote, ...] = ()
    """Quotes of the same words as others of it, at other lines: they are not kept."""


def verify(
    document: Document, extraction: Extraction, finder: QuoteFinder, prefix: str = ""
) -> tuple[tuple[VerifiedClaim, ...], tuple[RefusedClaim, ...]]:
    """The claims whose evidence stands in the text, and what was refused with the reason.

    `prefix` is put before the ids of the claims that are refused.
    """
    accepted: list[VerifiedClaim] = []
    refused: list[RefusedClaim] = []
    whole = extraction.source.lines or [1, len(document.lines)]
    for claim in extraction.claims:
        text, name = normalise(claim.text), prefix + claim.id
        first = claim.evidence[0].quote
        if not fold(text):
            refused.append(RefusedClaim("", first, "the claim says nothing", name))
            continue
        if len(text) > MAX_CLAIM:
            reason = f"the claim is longer than {MAX_CLAIM} characters"
            refused.append(RefusedClaim(text[:200], first, reason, name))
            continue
        found: list[LocatedQuote] = []
        repeats: list[LocatedQuote] = []
        for item in claim.evidence:
            reason = _fault(item.quote)
            place = None if reason else finder.find(item.quote, *(item.lines or whole))
            if place is None:
                reason = reason or "the quote is not in the text"
                refused.append(RefusedClaim(text, item.quote, reason, name))
            elif _too_short(item.quote) and not finder.is_whole_line(item.quote, place.first):
                reason = "the quote is too short to carry a claim"
                refused.append(RefusedClaim(text, item.quote, reason, name))
            elif all(fold(place.quote) != fold(other.quote) for other in found):
                found.append(place)
            elif all(place.first != other.first for other in found):
                repeats.append(place)
        if found:
            accepted.append(VerifiedClaim(claim, text, tuple(found), tuple(repeats)))
    return tuple(accepted), tuple(refused)


def _fault(quote: str) -> str:
    text = normalise(quote)
    if not text:
        return "the quote is empty"
    over = too_long(text)
    return f"the quote is longer than {over}" if over else ""


def _too_short(quote: str) -> bool:
    text = normalise(quote)
    if count_cjk(text) >= 4:
        return False
    return len(text) < MIN_CHARACTERS and len(text.split()) < MIN_WORDS
