"""A source has changed: its evidence is looked for in the new text."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from llmwiki.core.document import Document
from llmwiki.pages import write_claims
from llmwiki.pages.merge.repair_assembled_page import with_footnotes_of
from llmwiki.pages.page import Claim, Evidence, Page
from llmwiki.pages.tombstones import claim_refs, ledger_path, quote_hash
from llmwiki.sources.quotes import QuoteFinder

GONE = "gone in "


@dataclass(frozen=True, slots=True)
class Relocation:
    """The pages after it, and what was done."""

    pages: Mapping[str, Page]
    struck: int
    """Claims whose words are gone."""


def relocate(pages: Mapping[str, Page], source_id: str, document: Document) -> Relocation:
    """Follows the evidence of one source into its new text.

    A quote that is found stays as it is. One that is gone leaves a claim that has other
    evidence; where the first quote that this source gives for a claim is gone, the source carries
    it no more, and all its quotes leave. A claim that nothing carries is struck, with the new
    text's hash, and keeps its quotes: the old bytes stay in git. A struck claim whose words are
    back stands again. A quote that is not the one which the source's record has is a person's
    wording and stays.
    """
    ledger = pages.get(ledger_path(source_id))
    recorded = claim_refs(ledger) if ledger else {}
    follower = _Follower(source_id, QuoteFinder(document), GONE + document.sha256[:8], recorded)
    after = {path: follower.follow(page) for path, page in sorted(pages.items())}
    return Relocation(after, follower.struck)


class _Follower:
    def __init__(
        self,
        source_id: str,
        finder: QuoteFinder,
        gone_in: str,
        recorded: Mapping[str, Collection[str]],
    ) -> None:
        self.source_id = source_id
        self.recorded = recorded
        self.finder = finder
        self.gone_in = gone_in
        self.struck = 0

    def follow(self, page: Page) -> Page:
        after = page
        for claim in page.claims:
            if any(e.source == self.source_id for e in claim.evidence):
                after = self._claim(after, claim)
        return with_footnotes_of(after, page)

    def _claim(self, page: Page, claim: Claim) -> Page:
        own = [e for e in claim.evidence if e.source == self.source_id]
        lost = []
        for evidence in own:
            found = self.finder.find_nth(evidence.quote, evidence.nth)
            if found is None:
                if claim.successor is not None or not self._is_persons(claim, own):
                    lost.append(evidence)
            elif found.place != evidence.place:
                page = write_claims.put_place(page, claim.id, evidence, found.place)
        if own[0] in lost:
            lost = own  # What is left does not carry the claim.
        if len(lost) < len(claim.evidence):
            for evidence in lost:
                page = write_claims.drop_evidence(page, claim.id, evidence)
            if claim.successor and claim.successor.startswith(GONE):
                page = write_claims.restore(page, claim.id)
        elif claim.successor is None:
            page = write_claims.strike(page, claim.id, self.gone_in)
            self.struck += 1
        return page

    def _is_persons(self, claim: Claim, own: Sequence[Evidence]) -> bool:
        """Whether the first quote that the source gives for a claim is not the one it gave."""
        known = self.recorded.get(claim.id)
        return bool(known) and quote_hash(own[0].quote) not in (known or ())
