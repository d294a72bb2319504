"""The claims of one page, found by what an incoming claim may join."""

from __future__ import annotations

from collections.abc import Sequence

from llmwiki.core.text import fold
from llmwiki.ingest.reading import VerifiedClaim
from llmwiki.pages.page import Claim, Meaning
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
        self._by_meaning: dict[Meaning, Claim] = {}
        self._on_matter: dict[Meaning, list[Claim]] = {}
        self._by_slot: dict[tuple[str, str], list[Claim]] = {}
        for claim in claims:
            self.add(claim)

    def add(self, claim: Claim) -> None:
        """One more claim on the page."""
        self._by_meaning.setdefault(claim.meaning, claim)
        if claim.successor is None:
            self._on_matter.setdefault(claim.matter, []).append(claim)
        if claim.slot:
            scope = fold(claim.attribute("scope") or "")
            self._by_slot.setdefault((fold(claim.slot[0]), scope), []).append(claim)

    def contrary(self, new: Claim) -> str | None:
        """The standing claim that denies what the new one says, or says what it denies."""
        held = self._on_matter.get(new.matter, ())
        return next((claim.id for claim in held if claim.denies(new)), None)

    def joins(self, verified: VerifiedClaim, new: Claim) -> str | None:
        """The claim that the incoming one, which would be written as `new`, only gives more
        evidence for.

        They mean the same, or the source is the same, the lines overlap and both have the same key,
        scope and value, and neither alone is denied: where a changed source gives another value, it
        is another claim. Where sources repeat themselves, the lines need not overlap.
        """
        value = _plain(verified.claim.value)
        same = self._by_meaning.get(new.meaning)
        if same is not None and not _differs(same, new):
            return same.id
        key = fold(verified.claim.key or "")
        if not key:
            return None
        for held in self._by_slot.get((key, fold(verified.claim.scope or "")), ()):
            if value and held.slot and _plain(held.slot[1]) not in ("", value):
                continue
            if held.is_denied != new.is_denied or fold(held.text) == fold(new.text):
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


def _differs(held: Claim, new: Claim) -> bool:
    """Whether they give one slot unlike values."""
    if held.slot is None or new.slot is None or fold(held.slot[0]) != fold(new.slot[0]):
        return False
    return _plain(held.slot[1]) != _plain(new.slot[1])


def _plain(value: str | None) -> str:
    """A value as two readings of one line may both have written it."""
    return fold(value or "").replace(" ", "")
