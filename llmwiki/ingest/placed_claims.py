"""The claims of a reading on their pages: each joins one that stands there, or is minted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from llmwiki.core.claim_attributes import Part
from llmwiki.core.text import cut, digest32, fold, fold_quote, normalise
from llmwiki.ingest.claim_matcher import ClaimMatcher
from llmwiki.ingest.filing import SubjectPlacement
from llmwiki.ingest.page_workspace import ClaimLinker, PageWorkspace
from llmwiki.ingest.reading import SourceReading, VerifiedClaim
from llmwiki.ingest.report import RefusedClaim, local_id
from llmwiki.ingest.stance_and_attributes import (
    attributes_of,
    reads_as,
    stance_of_document,
    words_to_ask_by,
)
from llmwiki.landing.evidence_in_changed_source import GONE
from llmwiki.pages import write_claims
from llmwiki.pages.claim_head import phrases
from llmwiki.pages.id_and_evidence_patterns import CLAIM_IN_LINK
from llmwiki.pages.page import Claim, Evidence, Page
from llmwiki.pages.tombstones import quote_hash, tombstones
from llmwiki.sources.quotes import LocatedQuote, QuoteFinder

DELETED = "a person deleted this claim before"


class PlacedClaims:
    """The claims of one reading, each with what has become of it."""

    def __init__(
        self,
        workspace: PageWorkspace,
        reading: SourceReading,
        ledger: Page,
        filed: SubjectPlacement,
    ) -> None:
        """`ledger` is the source's page, opened for this reading."""
        buried = tombstones(ledger)
        self.source_id = ledger.stem
        self.final: dict[str, str] = {}
        """Id of a claim in its reading to the one in the wiki."""
        self.standing: dict[str, str] = {}
        """Claim id to path, for claims minted by this operation."""
        self.minted: dict[str, Claim] = {}
        self.contrary: list[tuple[str, str]] = []
        """Minted claims, each with one that denies it or that it denies."""
        self.finder = QuoteFinder(reading.document)
        self._workspace = workspace
        self._filed = filed
        self._dead_ids = buried.keys()
        self._dead_quotes = {quote for quotes in buried.values() for quote in quotes}
        self._date, self._stance = ledger.value("date"), stance_of_document(reading.facts)
        self._lines = reading.document.lines
        self._is_without_model = reading.without_model
        self._told, self._remarked = workspace.told, workspace.remarked
        self._parts: dict[str, Part] = {}
        """Minted claim to the part of its page that it belongs to."""
        self._offsets: dict[str, int] = {}
        """Minted claim to where in its line its first quote begins."""
        self._matchers: dict[str, ClaimMatcher] = {}

    def where(self, claim_id: str) -> str | None:
        """The page of a claim, minted or standing; None: there is no such claim."""
        return self.standing.get(claim_id) or self._workspace.state.claim_page(claim_id)

    def place(self, verified: VerifiedClaim) -> None:
        """Takes a claim up: as one to be minted, or as evidence for one that there is."""
        claim = verified.claim
        path = self._filed.path(claim.subject)
        if path is None or self.is_buried(verified):
            reason = DELETED if self.is_buried(verified) else "the claim has no subject"
            quote, name = verified.evidence[0].quote, local_id(claim.id)
            self._told.refused.append(RefusedClaim(verified.text, quote, reason, name))
            return
        if bool(normalise(claim.key or "")) != bool(normalise(claim.value or "")):
            has = "key" if claim.key else "value"
            lacks = "value" if claim.key else "key"
            what, reason = f"{has} {claim.key or claim.value}", f"a {has} without a {lacks}"
            self._remarked.lose(claim.id, verified.text, what, reason)
        new = self._as_read(verified)
        claim_id = self._mint(verified)
        standing = self.where(claim_id)
        target = claim_id if standing else self._matcher(path).joins(verified, new)
        first, *others = map(self._evidence, verified.evidence)
        evidence = (replace(first, asked=self._asked(verified)), *others)
        for found in verified.repeats:
            said = f"quote “{cut(found.quote, 60)}” of L{found.first}"
            self._remarked.remark(claim.id, said, "the claim has a quote of the same words already")
        if target:
            held = self._held(target) if standing else None
            if held is None or held.is_denied == new.is_denied:
                self._support(target, evidence)
            if held is not None and not reads_as(held, new):
                said = f"how “{cut(verified.text, 60)}” is meant"
                kept = f"^{target} stands as it was: who says so, when, or that it is denied"
                self._remarked.remark(claim.id, said, kept)
            self.final[claim.id] = target
            return
        new = replace(new, id=claim_id, evidence=evidence)
        if other := self._matcher(path).contrary(new):
            self.contrary.append((claim_id, other))
        self.minted[claim_id] = new
        if claim.part:
            self._parts[claim_id] = claim.part
        self._offsets[claim_id] = self._offset(verified.evidence[0])
        self.standing[claim_id] = path
        self._matcher(path).add(new)
        self.final[claim.id] = claim_id

    def shelve(self, linker: ClaimLinker) -> None:
        """Puts the minted claims onto their pages, with links in them."""
        by_page: dict[str, list[Claim]] = {}
        for claim_id, claim in self.minted.items():
            by_page.setdefault(self.standing[claim_id], []).append(claim)
        for path, claims in by_page.items():
            claims.sort(key=lambda claim: self._offsets[claim.id])
            page = write_claims.add_claims(
                self._workspace.page(path), claims, self._located, self._parts
            )
            self._workspace.pages[path] = linker.claims(page, {c.id for c in claims})

    def is_buried(self, verified: VerifiedClaim) -> bool:
        """Whether a person deleted this claim, or another one that said the same quote."""
        if not self._dead_ids:
            return False
        claim_id = self._mint(verified)
        if claim_id in self._dead_ids or self.where(claim_id):
            return claim_id in self._dead_ids
        quotes = [found.quote for found in verified.evidence]
        if self._is_without_model:
            # A reader without a model tells a quote again that has grown since it was deleted.
            quotes += [part for quote in quotes for part in _beginnings_and_ends(quote)]
        return any(quote_hash(quote) in self._dead_quotes for quote in quotes)

    # --- which claim it is ---------------------------------------------------------------

    def _mint(self, verified: VerifiedClaim) -> str:
        """The claim's id; longer than usual where another claim has the usual one, or one that
        means something else. One that an earlier reading of this source brought keeps its id,
        though it be meant otherwise by now."""
        parts = (self.source_id, fold(verified.evidence[0].quote), fold(verified.text))
        new, kept = self._as_read(verified), ""
        for length in range(10, 51):
            claim_id = "c-" + digest32(parts, length)
            held = self._held(claim_id)
            if held is None:
                return kept or claim_id
            is_own = any(e.source == self.source_id for e in held.evidence)
            if is_own or fold(held.text) == fold(verified.text):
                if reads_as(held, new):
                    return claim_id
                is_free = claim_id not in self.minted and claim_id not in self.final.values()
                if (
                    is_own
                    and is_free
                    and (held.successor is None or held.is_denied == new.is_denied)
                ):
                    kept = kept or claim_id
        return kept or claim_id

    def _as_read(self, verified: VerifiedClaim) -> Claim:
        """The claim with what it means, and no evidence yet."""
        attributes = attributes_of(verified.claim, self._date, self._stance)
        return Claim("", verified.text, attributes=attributes)

    def _held(self, claim_id: str) -> Claim | None:
        """The claim of that id, as it is now."""
        where = self._workspace.state.claim_page(claim_id)
        minted = self.minted.get(claim_id)
        return minted or (self._workspace.page(where).claim(claim_id) if where else None)

    def _matcher(self, path: str) -> ClaimMatcher:
        matcher = self._matchers.get(path)
        if matcher is None:
            matcher = self._matchers[path] = ClaimMatcher(
                self.source_id,
                self._workspace.page(path).claims,
                self._located,
                repeats=not self._is_without_model,
            )
        return matcher

    # --- evidence ------------------------------------------------------------------------

    def _evidence(self, found: LocatedQuote) -> Evidence:
        return Evidence(
            self.source_id, found.quote, found.nth,
            first=found.first, last=found.last, place=found.place,
        )  # fmt: skip

    def _located(self, evidence: Evidence) -> Evidence:
        """Evidence of this source with its lines; of another as it is."""
        return self.finder.located(evidence) if evidence.source == self.source_id else evidence

    def _asked(self, verified: VerifiedClaim) -> tuple[str, ...]:
        """The words to ask for a claim by, where they are more than its own."""
        found = words_to_ask_by(verified.claim, verified.text)
        given = normalise(verified.claim.asked or "")
        if given and not found:
            became = "left out, for it has no words beside the claim's own"
            self._remarked.remark(verified.claim.id, f"asked “{cut(given, 60)}”", became)
        return found

    def _offset(self, found: LocatedQuote) -> int:
        """Where in its first line a quote begins, folded."""
        line = fold_quote(self._lines[found.first - 1])
        return line.find(fold_quote(found.quote)[:40])

    def _support(self, claim_id: str, evidence: Sequence[Evidence]) -> None:
        """More evidence for a claim, whether it stands in the wiki or was minted just now."""
        minted = self.minted.get(claim_id)
        if minted is not None:
            held = {e.identity: e for e in minted.evidence}
            for piece in evidence:
                had = held.setdefault(piece.identity, piece)
                both = phrases("; ".join((*had.asked, *piece.asked)))
                held[piece.identity] = replace(had, asked=both)
            self.minted[claim_id] = replace(minted, evidence=tuple(held.values()))
            return
        path = self.where(claim_id)
        if path is not None:
            page = self._stands_again(self._workspace.page(path), claim_id)
            for piece in evidence:
                page = write_claims.add_evidence(page, claim_id, piece)
            self._workspace.pages[path] = page

    def _stands_again(self, page: Page, claim_id: str) -> Page:
        """The page with a claim whose words were gone standing again, without the lost ones; and
        with one that was struck for a longer one whose words are gone."""
        claim = page.claim(claim_id)
        if claim is None or claim.successor is None:
            return page
        last, seen = claim, {claim_id}
        while self._is_without_model and (led := CLAIM_IN_LINK.search(last.successor or "")):
            longer = self._held(led[1])
            if longer is None or longer.id in seen:
                break
            last = longer
            seen.add(last.id)
        if not (last.successor or "").startswith(GONE):
            return page
        for lost in claim.evidence:
            page = write_claims.drop_evidence(page, claim_id, lost)
        return write_claims.restore(page, claim_id)


def _beginnings_and_ends(quote: str) -> Iterator[str]:
    """What a quote begins and ends with, cut between words, and sentences of writing without
    blanks."""
    for at in range(1, len(quote)):
        if quote[at].isspace() or quote[at - 1] == "。":
            yield quote[:at]
            yield quote[at:]
