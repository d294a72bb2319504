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
    """A claim or a quote that was not accepted, and why."""

    text: str
    quote: str
    reason: str


@dataclass(frozen=True, slots=True)
class VerifiedClaim:
    """A claim with the evidence that was found; never empty."""

    claim: ExtractedClaim
    text: str
    evidence: tuple[LocatedQuote, ...]


def verify(
    document: Document, extraction: Extraction, finder: QuoteFinder
) -> tuple[tuple[VerifiedClaim, ...], tuple[RefusedClaim, ...]]:
    """The claims whose evidence stands in the text, and what was refused with the reason."""
    accepted: list[VerifiedClaim] = []
    refused: list[RefusedClaim] = []
    for claim in extraction.claims:
        text = normalise(claim.text)
        if not fold(text):
            refused.append(RefusedClaim("", claim.evidence[0].quote, "the claim says nothing"))
            continue
        if len(text) > MAX_CLAIM:
            reason = f"the claim is longer than {MAX_CLAIM} characters"
            refused.append(RefusedClaim(text[:200], claim.evidence[0].quote, reason))
            continue
        found: list[LocatedQuote] = []
        for item in claim.evidence:
            reason = _fault(item.quote)
            place = None if reason else finder.find(item.quote, item.lines[0], item.lines[1])
            if place is None:
                refused.append(
                    RefusedClaim(text, item.quote, reason or "the quote is not in the text")
                )
            elif _too_short(item.quote) and not finder.is_whole_line(item.quote, place.first):
                refused.append(
                    RefusedClaim(text, item.quote, "the quote is too short to carry a claim")
                )
            elif fold(place.quote) not in {fold(other.quote) for other in found}:
                found.append(place)
        if found:
            accepted.append(VerifiedClaim(claim, text, tuple(found)))
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
