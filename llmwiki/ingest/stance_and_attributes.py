"""How a claim of a reading is meant: its attributes, and the stance that its document's status
gives a claim which has none of its own."""

from __future__ import annotations

from llmwiki.core.claim_attributes import CLAIM_ATTRIBUTES, CLAIM_STANCES, ClaimAttribute, Stance
from llmwiki.core.language.search_terms import words
from llmwiki.core.language.word_forms import word_set
from llmwiki.core.text import normalise
from llmwiki.ingest.extraction.schema import DocumentFacts, ExtractedClaim
from llmwiki.pages.claim_head import phrases
from llmwiki.pages.page import Claim

ACCEPTED = word_set("""accepted active adopted agreed approved complete completed final implemented
    merged passed ratified released shipped angenommen beschlossen umgesetzt 承認 承認済み 採択""")
"""Words of a document's status by which what it proposes is so by now: its claims are stated."""
DENIED = word_set("never no not partially pending un yet nicht noch")
"""Words beside them by which it is not."""


def stance_of_document(facts: DocumentFacts) -> Stance | None:
    """The stance of claims that give none; what a proposal that was accepted says is so."""
    status = set(words(facts.status or ""))
    stance = CLAIM_STANCES.get(facts.stance) if facts.stance else None
    return None if stance == "proposed" and status & ACCEPTED and not status & DENIED else stance


def attributes_of(
    claim: ExtractedClaim, document_date: str, document_stance: Stance | None
) -> tuple[tuple[str, str, str], ...]:
    """The attributes that a claim gets: (name, `:` or `=`, value), in the order of pages.

    A date that is the document's own is not said again.
    """
    if claim.stance is None:
        claim = claim.model_copy(update={"stance": document_stance})
    given = {each.name: _given(claim, each) for each in CLAIM_ATTRIBUTES if each.field}
    if given["as of"] == document_date:
        given["as of"] = ""
    pairs = [(name, ":", text) for name, text in given.items()]
    key, value = normalise(claim.key or ""), normalise(claim.value or "")
    if key and value:
        pairs.append((key, "=", value))
    return tuple((name, op, text) for name, op, text in pairs if text)


def _given(claim: ExtractedClaim, attribute: ClaimAttribute) -> str:
    text = normalise(getattr(claim, attribute.field) or "")
    return text if not attribute.values or text in attribute.values else ""


def reads_as(held: Claim, new: Claim) -> bool:
    """Whether a claim is meant as the new one, whatever its wording is by now."""
    return held.meaning[1:] == new.meaning[1:]


def words_to_ask_by(claim: ExtractedClaim, text: str) -> tuple[str, ...]:
    """The words to ask for a claim by, as its reader gives them; none where they are no more than
    those of its text."""
    found = phrases(normalise(claim.asked or ""))
    return found if set(words(" ".join(found))) - set(words(text)) else ()
