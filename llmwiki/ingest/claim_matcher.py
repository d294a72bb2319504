"""The claims of one page, found by what an incoming claim may join."""

from __future__ import annotations

from collections.abc import Sequence

from llmwiki.core.text import fold
from llmwiki.ingest.verify import VerifiedClaim
from llmwiki.pages.page import Claim
from llmwiki.pages.write_claims import Located


class ClaimMatcher:
    """The claims of one page, found by what an incoming claim may join."""

    def __init__(
        self, source_id: str, claims: Sequence[Claim], located: Located, *, repeats: bool = False
    ) -> None:
        """`located` gives the lines of evidence of this source; `repeats`: a source that gives one
        slot the same value twice repeats itself."""
        self._source_id = source_id
        self._located = located
        self._repeats = repeats
        self._by_text: dict[str, str] = {}
        self._by_slot: dict[tuple[str, str], list[Claim]] = {}
        for claim in claims:
            self.add(claim)

    def add(self, claim: Claim) -> None:
        """One more claim on the page."""
        self._by_text.setdefault(fold(claim.text), claim.id)
        if claim.slot:
            scope = fold(claim.attribute("scope") or "")
            self._by_slot.setdefault((fold(claim.slot[0]), scope), []).append(claim)

    def joins(self, verified: VerifiedClaim) -> str | None:
        """The claim that the incoming one only gives more evidence for.

        The folded text is equal, or the source is the same, the lines overlap and both have the
        same key, scope and value: where a changed source gives another value, it is another claim.
        Where sources repeat themselves, the lines need not overlap.
        """
        same = self._by_text.get(fold(verified.text))
        key = fold(verified.claim.key or "")
        if same or not key:
            return same
        value = _plain(verified.claim.value)
        for held in self._by_slot.get((key, fold(verified.claim.scope or "")), ()):
            if value and held.slot and _plain(held.slot[1]) not in ("", value):
                continue
            same_value = bool(value and held.slot and _plain(held.slot[1]) == value)
            again = self._repeats and same_value
            for evidence in map(self._located, held.evidence):
                if evidence.source == self._source_id and (
                    again
                    or any(
                        f.first <= evidence.last and evidence.first <= f.last
                        for f in verified.evidence
                    )
                ):
                    return held.id
        return None


def _plain(value: str | None) -> str:
    """A value as two readings of one line may both have written it."""
    return fold(value or "").replace(" ", "")
