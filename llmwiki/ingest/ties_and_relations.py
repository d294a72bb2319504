"""What the claims of a reading do to other claims, and how its subjects are related."""

from __future__ import annotations

from collections.abc import Sequence

from llmwiki.core.claim_attributes import ABOUT, MOST_ABOUT, ClaimTie
from llmwiki.core.language.search_terms import words
from llmwiki.core.text import fold_quote, normalise
from llmwiki.ingest.claim_matcher import later_values
from llmwiki.ingest.extraction.schema import MAX_DISPUTES, MAX_TITLE
from llmwiki.ingest.filing import SubjectFiler, is_name
from llmwiki.ingest.page_workspace import PageWorkspace
from llmwiki.ingest.placed_claims import PlacedClaims
from llmwiki.ingest.reading import SourceReading, VerifiedClaim
from llmwiki.ingest.report import RefusedClaim, local_id
from llmwiki.ingest.stance_and_attributes import reads_as
from llmwiki.pages import write, write_claims
from llmwiki.pages.claim_links import verb_phrase
from llmwiki.pages.escape import link_text
from llmwiki.pages.page import Claim
from llmwiki.pages.write_claims import TiedClaim, tie


class ClaimTies:
    """Writes the ties and relations of one reading, once its claims are on their pages."""

    def __init__(self, workspace: PageWorkspace, claims: PlacedClaims, filer: SubjectFiler) -> None:
        self._workspace = workspace
        self._claims = claims
        self._filer = filer
        self._source_id = claims.source_id
        self._told, self._remarked = workspace.told, workspace.remarked

    # --- between claims ------------------------------------------------------------------

    def tie_as_read(self, reading: SourceReading) -> None:
        """Ties claims as the reading says, and those of which one denies what the other says."""
        claims, disputes = self._claims, 0
        for verified in reading.claims:
            mine = claims.final.get(verified.claim.id)
            if mine is None:
                continue
            for link in verified.claim.links:
                other = claims.final.get(link.to) or link.to.lstrip("^")
                if other == mine or not claims.where(other):
                    here = "itself, for both are one claim" if other == mine else "no claim"
                    reason = f"its link ({link.how}) leads to {here}"
                    self._lose(verified, f"^{link.to}", reason)
                    continue
                if link.how in ("supersedes", "contradicts") and other not in claims.minted:
                    disputes += 1
                    if disputes > MAX_DISPUTES:
                        reason = f"one source strikes or disputes at most {MAX_DISPUTES} claims"
                        name = local_id(verified.claim.id)
                        lost = RefusedClaim(verified.text, f"^{other}", reason, name)
                        self._told.refused.append(lost)
                        continue
                self._tie(mine, other, link.how, link.why)
        for mine, other in claims.contrary:
            self._tie(mine, other, "contradicts")

    def update_values(self) -> None:
        """Ties values of one slot that are of unlike times: the later one updates the earlier."""
        for path in sorted(set(self._claims.standing.values())):
            new = {c for c in self._claims.minted if self._claims.standing[c] == path}
            for later, earlier in later_values(self._workspace.page(path), new):
                self._tie(later, earlier, "updates")

    def strike_told_again(self) -> None:
        """Strikes earlier claims of this source alone that are its words and no more, for a new
        claim that holds those words in a longer quote."""
        told, standing = set(self._claims.final.values()), self._claims.standing
        for path in sorted(set(standing.values())):
            new = [self._claims.minted[c] for c, home in standing.items() if home == path]
            longer_quotes = [_spaced_quotes(claim) for claim in new]
            for held in self._workspace.page(path).claims:
                if held.id in told or held.successor is not None:
                    continue
                if {piece.source for piece in held.evidence} != {self._source_id}:
                    continue
                own = _spaced_quotes(held)
                pairs = zip(new, longer_quotes, strict=True)
                holding = (one for one, longer in pairs if _holds_all(longer, own))
                longer = next((one for one in holding if _adds_only_words(one, held)), None)
                if longer is not None:
                    self._tie(longer.id, held.id, "supersedes")

    def _tie(self, mine: str, other: str, how: ClaimTie, why: str = "") -> None:
        my_path, other_path = self._claims.where(mine), self._claims.where(other)
        if my_path is None or other_path is None:
            return
        held = {path: self._workspace.page(path) for path in (my_path, other_path)}
        pages = dict(held)
        tie(pages, TiedClaim(my_path, mine), TiedClaim(other_path, other), how, why)
        changed = {path: page for path, page in pages.items() if page is not held[path]}
        self._workspace.pages.update(changed)

    def _lose(self, verified: VerifiedClaim, what: str, reason: str) -> None:
        self._remarked.lose(verified.claim.id, verified.text, what, reason)

    # --- between pages -------------------------------------------------------------------

    def page_of(self, name: str) -> str | None:
        """The page of a subject, or the only one of a name that the reading does not list."""
        titled = self._filer.names.by_title(name)
        return self._filer.filed.path(name) or (titled[0] if len(titled) == 1 else None)

    def relate(self, reading: SourceReading) -> None:
        """Writes the relations of subjects onto the pages that they begin at."""
        for relation in reading.relations:
            said = f"{relation.source} {relation.label} {relation.target}"
            if relation.claim not in self._claims.final:
                reason = "the relation's claim is not in the wiki"
                self._remarked.lose(relation.claim, said, "", reason)
                continue
            source, target = self.page_of(relation.source), self.page_of(relation.target)
            label = verb_phrase(relation.label)
            if source and target and source != target:
                stem = self._workspace.page(target).stem
                self._workspace.pages[source] = write.add_relation(
                    self._workspace.page(source), stem, label, self._source_id
                )
            elif source and target:
                reason = "both ends of the relation are one page"
                self._remarked.lose(relation.claim, said, "", reason)
            else:
                lacks = relation.target if source else relation.source
                became = f"on the source's page alone, for {lacks} has no page"
                self._remarked.remark(relation.claim, f"relation {said}", became)

    def note_also(self, reading: SourceReading) -> None:
        """Notes on a claim which other pages it is about, whether they are there yet or not."""
        for verified in reading.claims:
            claim_id = self._claims.final.get(verified.claim.id)
            where = self._claims.where(claim_id) if claim_id else None
            if not claim_id or where is None:
                continue
            for name in verified.claim.also:
                path = self.page_of(name)
                if path == where or (path is None and not is_name(name)):
                    continue
                stem = self._workspace.page(path).stem if path else normalise(name)[:MAX_TITLE]
                if path is None:
                    became = "no such page yet: its links lead there once there is one"
                    self._remarked.remark(verified.claim.id, f"also {name}", became)
                self._about(verified, where, claim_id, link_text(stem))

    def _about(self, verified: VerifiedClaim, where: str, claim_id: str, stem: str) -> None:
        page = self._workspace.page(where)
        claim = page.claim(claim_id)
        told = [value for name, _, value in claim.attributes if name == ABOUT] if claim else []
        if len(told) >= MOST_ABOUT:
            full = f"a claim is about at most {MOST_ABOUT} pages besides its own"
            self._lose(verified, f"also {stem}", full)
        elif stem:
            link = write.wikilink(stem)
            self._workspace.pages[where] = write_claims.add_attribute(
                page, claim_id, ABOUT, ":", link
            )


def _spaced_quotes(claim: Claim) -> list[str]:
    """Folded quotes with blanks around them and behind the sentences of writing without blanks:
    one of them that is found in another one is found as whole words."""
    folded = (fold_quote(piece.quote).replace("。", "。 ") for piece in claim.evidence)
    return [f" {normalise(quote)} " for quote in folded]


def _holds_all(longer: Sequence[str], quotes: Sequence[str]) -> bool:
    return all(any(quote in each for each in longer) for quote in quotes)


def _adds_only_words(new: Claim, held: Claim) -> bool:
    """Whether a claim is no more than the words of its quotes, and means what one of more words
    does."""
    quoted = " ".join(piece.quote for piece in held.evidence)
    return (
        set(words(held.text)) <= set(words(quoted))
        and set(words(held.text)) < set(words(new.text))
        and reads_as(held, new)
        and held.slot == new.slot
    )
