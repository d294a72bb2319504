"""Evidence before memory: every quote is looked for in the numbered text, and refused if absent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from llmwiki.core.document import Document
from llmwiki.core.language.figures_and_names import unsupported
from llmwiki.core.language.naming import folded_key
from llmwiki.core.language.scripts import count_cjk
from llmwiki.core.text import fold, normalise
from llmwiki.ingest.extraction.answer_limits import MAX_CLAIM, MIN_CHARACTERS, MIN_WORDS
from llmwiki.ingest.extraction.schema import ExtractedClaim, Extraction
from llmwiki.ingest.report import RefusedClaim
from llmwiki.sources.quotes import LocatedQuote, QuoteFinder, in_parts, too_long

MOST_PARTS = 3
"""Parts of whole sentences that one quote which is too long may become."""


@dataclass(frozen=True, slots=True)
class VerifiedClaim:
    """A claim with the evidence that was found; never empty."""

    claim: ExtractedClaim
    text: str
    evidence: tuple[LocatedQuote, ...]
    repeats: tuple[LocatedQuote, ...] = ()
    """Quotes of the same words as others of it, at other lines: they are not kept."""


def verify(
    document: Document,
    extraction: Extraction,
    finder: QuoteFinder,
    prefix: str = "",
    *,
    verbatim: bool = False,
) -> tuple[tuple[VerifiedClaim, ...], tuple[RefusedClaim, ...]]:
    """The claims whose first quote stands in the text and that say no number or date but those of
    the quotes that are left and of the names of document and page, and no name that the document
    does not; and what was refused with the reason.

    `prefix` is put before the ids of the claims that are refused. With `verbatim` the claims are
    sentences of the text, and their quotes are all that is looked for.
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
        found, repeats, faults = _located(claim, finder, whole, extraction.document.title)
        goes = bool(faults) and faults[0][0] == first
        is_quote = goes or verbatim
        reason = "" if is_quote else _unsupported(document, extraction, claim, found, finder)
        stands = "" if goes or reason else "; the claim stands on its other quotes"
        refused += [
            RefusedClaim(text, q, f"{fault}{stands or '; the claim goes'}", name)
            for q, fault in faults
        ]
        if reason:
            refused.append(RefusedClaim(text, "", f"{reason}; the claim goes", name))
        elif not goes:
            accepted.append(VerifiedClaim(claim, text, tuple(found), tuple(repeats)))
    return tuple(accepted), tuple(refused)


def _located(
    claim: ExtractedClaim, finder: QuoteFinder, whole: Sequence[int], title: str
) -> tuple[list[LocatedQuote], list[LocatedQuote], list[tuple[str, str]]]:
    """The quotes of a claim that stand in the text, those of the same words at other lines, and
    the others with what is wrong with each.

    One that is too long is several, and one that is the document's title goes beside others.
    """
    found: list[LocatedQuote] = []
    repeats: list[LocatedQuote] = []
    faults: list[tuple[str, str]] = []
    for item in claim.evidence:
        parts = in_parts(normalise(item.quote))
        if len(parts) > MOST_PARTS or not finder.find(item.quote, *(item.lines or whole)):
            parts = [item.quote]
        for quote in parts:
            reason = _fault(quote)
            place = None if reason else finder.find(quote, *(item.lines or whole))
            if place is None:
                faults.append((item.quote, reason or "the quote is not in the text"))
                break
            if _too_short(quote) and not finder.is_whole_line(quote, place.first):
                faults.append((item.quote, "the quote is too short to carry a claim"))
            elif all(fold(place.quote) != fold(other.quote) for other in found):
                found.append(place)
            elif all(place.first != other.first for other in found):
                repeats.append(place)
    telling = [place for place in found if folded_key(place.quote) != folded_key(title)]
    return telling or found, repeats, faults


def _unsupported(
    document: Document,
    extraction: Extraction,
    claim: ExtractedClaim,
    found: Sequence[LocatedQuote],
    finder: QuoteFinder,
) -> str:
    """What a claim says that neither its quotes do nor the names of its document and page."""
    names = _names(document, extraction, claim, finder)
    said = f"{normalise(claim.text)} {claim.value or ''}"
    return unsupported(said, [*(place.quote for place in found), *names], finder.support)


def _names(
    document: Document, extraction: Extraction, claim: ExtractedClaim, finder: QuoteFinder
) -> list[str]:
    """The names of the document and of a claim's subject, and the document's date, as far as the
    text bears them out: whoever gives them may have invented them."""
    facts, text = extraction.document, finder.support
    given = [facts.title, facts.date or "", *facts.authors, claim.subject]
    same = (s for s in extraction.subjects if fold(s.name) == fold(claim.subject))
    aliases = (alias for subject in same for alias in subject.aliases if text.names(alias))
    return [
        document.path, *(name for name in given if not text.lacking_number(name)), *aliases
    ]  # fmt: skip


def _fault(quote: str) -> str:
    text = normalise(quote)
    if not text:
        return "the quote is empty"
    over = too_long(text)
    return f"the quote has {over}" if over else ""


def _too_short(quote: str) -> bool:
    text = normalise(quote)
    if count_cjk(text) >= 4:
        return False
    return len(text) < MIN_CHARACTERS and len(text.split()) < MIN_WORDS
