"""The answers to the segments of a source as one reading of which every quote was found.

Evidence before memory: a quote is looked for in the numbered text, and refused if it is not there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from llmwiki.core.document import Document, SourceOrigin
from llmwiki.core.language.figures_and_names import unsupported
from llmwiki.core.language.name_keys import folded_key
from llmwiki.core.language.scripts import count_cjk
from llmwiki.core.text import fold, normalise
from llmwiki.ingest.extraction.extractor import Answers
from llmwiki.ingest.extraction.schema import (
    MAX_CLAIM,
    ClaimLink,
    DocumentFacts,
    ExtractedClaim,
    ExtractedRelation,
    Extraction,
    SourceQuestion,
    Subject,
)
from llmwiki.ingest.report import RefusedClaim, UnquotedStretch
from llmwiki.pages.line_patterns import closes, fence, heading, is_blank
from llmwiki.sources.quotes import LocatedQuote, QuoteFinder, in_parts, is_short, too_long
from llmwiki.sources.read_source import first_quotable

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


@dataclass(frozen=True, slots=True)
class SourceReading:
    """All that was read from one source, its segments joined."""

    document: Document
    facts: DocumentFacts
    subjects: Sequence[Subject]
    claims: Sequence[VerifiedClaim]
    relations: Sequence[ExtractedRelation]
    questions: Sequence[SourceQuestion]
    together: Sequence[frozenset[str]]
    """Folded names of the subjects of each segment."""
    by: str
    """The filler and its version, such as `llmwiki-offline/0.1.0`."""
    without_model: bool
    """Whether the reader without a model read: it guesses kinds, and its leads replace no other."""
    origin: SourceOrigin | None = None
    """Of a page of the web."""
    refused: Sequence[RefusedClaim] = ()
    """What of the answers is lost, and why."""


def reading_of(
    document: Document, answers: Answers, origin: SourceOrigin | None = None
) -> SourceReading:
    """The answers to all segments as one reading; local claim ids become unique."""
    extractions, without_model = answers.extractions, answers.without_model
    finder = QuoteFinder(document)
    claims: list[VerifiedClaim] = []
    taken: dict[str, int] = {}
    """Id of a claim to its place in `claims`."""
    refused: list[RefusedClaim] = []
    relations = []
    facts = _facts([e.document for e in extractions])
    if origin is not None and origin.url:
        facts = facts.model_copy(update={"url": origin.url})
    unsaid = "" if without_model else finder.support.lacking_number(facts.summary)
    # A number in one word may count what the text itself tells one by one.
    if unsaid and not unsaid.isalpha():
        reason = f"the number {unsaid} stands nowhere in the text; the summary goes"
        refused.append(RefusedClaim(facts.summary, "", reason))
        facts = facts.model_copy(update={"summary": ""})
    for extraction in extractions:
        number, of = extraction.source.segment
        prefix = f"{number}:" if of > 1 else ""
        good, bad = verify(document, extraction, finder, prefix, verbatim=without_model)
        # An id of an earlier segment, `1:k3`, means its claim here too.
        earlier = set(taken) if number > 1 else set[str]()
        own = {claim.id for claim in extraction.claims} - earlier
        for verified in good:
            links = [
                link.model_copy(update={"to": prefix + link.to}) if link.to in own else link
                for link in verified.claim.links
            ]
            if verified.claim.id in earlier:
                place = taken[verified.claim.id]
                claims[place] = _said_again(claims[place], verified, links)
                continue
            ident = prefix + verified.claim.id
            while ident in taken:
                # An id that stands twice means the first; the other claim still needs one.
                ident += "\0"
            taken[ident] = len(claims)
            claim = verified.claim.model_copy(update={"id": ident, "links": links})
            claims.append(replace(verified, claim=claim))
        relations += [
            r.model_copy(update={"claim": r.claim if r.claim in earlier else prefix + r.claim})
            for r in extraction.relations
        ]
        refused += bad
    return SourceReading(
        document=document,
        facts=facts,
        subjects=_subjects(extractions),
        claims=claims,
        relations=relations,
        questions=[q for e in extractions for q in e.questions],
        together=[frozenset(fold(s.name) for s in e.subjects) for e in extractions],
        by=answers.by,
        without_model=without_model,
        origin=origin,
        refused=refused,
    )


def _said_again(
    claim: VerifiedClaim, again: VerifiedClaim, links: Sequence[ClaimLink]
) -> VerifiedClaim:
    """A claim with the quotes, the other subjects and the `links` of a later segment that says it
    again."""
    have = {fold(quote.quote): quote.first for quote in claim.evidence}
    more = tuple(quote for quote in again.evidence if fold(quote.quote) not in have)
    repeats = (q for q in again.evidence if have.get(fold(q.quote), q.first) != q.first)
    also = list(dict.fromkeys([*claim.claim.also, *again.claim.also]))
    asked = "; ".join(filter(None, (claim.claim.asked, again.claim.asked)))
    told = claim.claim.model_copy(
        update={"also": also, "links": [*claim.claim.links, *links], "asked": asked or None}
    )
    return replace(
        claim,
        claim=told,
        evidence=claim.evidence + more,
        repeats=(*claim.repeats, *again.repeats, *repeats),
    )


def _facts(parts: Sequence[DocumentFacts]) -> DocumentFacts:
    """What the document says of itself: the first segment that says a thing says it for all."""
    first = parts[0]
    if len(parts) == 1:
        return first
    authors = [a for part in parts for a in part.authors]
    return DocumentFacts(
        title=first.title,
        # The last segment is asked for a summary of the whole.
        summary=parts[-1].summary.strip() or _joined(*(p.summary for p in parts)),
        authors=list(dict.fromkeys(authors)),
        date=next((p.date for p in parts if p.date), None),
        url=next((p.url for p in parts if p.url), None),
        status=next((p.status for p in parts if p.status), None),
        stance=next((p.stance for p in parts if p.stance), None),
    )


def _subjects(extractions: Sequence[Extraction]) -> list[Subject]:
    """The subjects of all segments, one entry a name; aliases and tags of all are kept."""
    merged: dict[str, Subject] = {}
    for extraction in extractions:
        for subject in extraction.subjects:
            key = fold(subject.name)
            held = merged.get(key)
            told = {"description": subject.description} if subject.description.strip() else {}
            merged[key] = (
                subject
                if held is None
                else held.model_copy(
                    update={
                        "aliases": list(dict.fromkeys([*held.aliases, *subject.aliases])),
                        "tags": list(dict.fromkeys([*held.tags, *subject.tags])),
                        # The one that was written last knew most.
                        **({"lead": subject.lead, **told} if subject.lead else {}),
                        "add_to_lead": _joined(
                            "" if subject.lead else held.add_to_lead, subject.add_to_lead
                        ),
                        "same_as": held.same_as or subject.same_as,
                    }
                )
            )
    return list(merged.values())


def _joined(*texts: str | None) -> str:
    """Sentences of several segments in a row, each once."""
    return " ".join(dict.fromkeys(text.strip() for text in texts if text and text.strip()))


# --- quotes that are looked for ------------------------------------------------------------------


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
            if is_short(quote) and not finder.is_whole_line(quote, place.first):
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


# --- stretches without a quote --------------------------------------------------------------------

LEAST = 400
"""Characters of prose in a stretch that is worth telling: more than one quote may hold. Those of
Chinese, Japanese and Korean count twice."""

_REFERENCE = re.compile(
    r"\s*+(?:\[[^\[\]]+\]:|\.\. (?:\[[^\[\]]+\]|_[^:]+:)|(?:[-*]\s++)?<?https?://\S+$)"
)
"""A definition of a link or of a note, or an address alone."""


def unquoted(
    document: Document,
    claims: Sequence[VerifiedClaim],
    questions: Sequence[SourceQuestion],
    first: int = 1,
    last: int = 0,
) -> list[UnquotedStretch]:
    """The stretches of prose from which nothing was quoted or asked, in order; of these lines only,
    where a `last` one is given.

    Headings, tables, code, references and what has no letters are no prose, and end no stretch.
    """
    quoted = {
        line
        for claim in claims
        for e in (*claim.evidence, *claim.repeats)
        for line in range(e.first, e.last + 1)
    }
    for question in questions:
        first_line, last_line = question.lines or (1, 0)
        quoted.update(range(first_line, min(last_line, len(document.lines)) + 1))
    found: list[UnquotedStretch] = []
    open_: list[tuple[int, int]] = []
    for number, size in _prose(document):
        if number < first or number > (last or number):
            continue
        if number in quoted:
            _close(open_, found)
        elif size:
            open_.append((number, size))
    _close(open_, found)
    return found


def _close(open_: list[tuple[int, int]], found: list[UnquotedStretch]) -> None:
    characters = sum(size for _number, size in open_)
    if characters >= LEAST:
        found.append(UnquotedStretch(open_[0][0], open_[-1][0], characters))
    open_.clear()


def _prose(document: Document) -> Iterator[tuple[int, int]]:
    """Each line's number with the characters of its prose; 0: it is none."""
    first, mark = first_quotable(document), ""
    for number, line in enumerate(document.lines, start=1):
        if number < first:
            continue
        if mark:
            mark = "" if closes(line, mark) else mark
            yield number, 0
            continue
        mark = fence(line)
        is_prose = not mark and not is_blank(line) and heading(line) is None
        is_prose = is_prose and not line.lstrip().startswith("|")
        is_prose = (
            is_prose and _REFERENCE.match(line) is None and any(sign.isalpha() for sign in line)
        )
        yield number, len(line.strip()) + count_cjk(line) if is_prose else 0
