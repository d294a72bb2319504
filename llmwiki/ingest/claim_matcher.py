"""Claims of one page that meet: what an incoming one joins or denies, and what a later one updates.

Of one slot, values of unlike times both stay true of their time, so nothing is struck: the later
one updates the earlier. What is no plain value, or of no known time, is left to people: lint
reports two values of one time as a conflict.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from itertools import pairwise

from llmwiki.core.claim_attributes import DISAGREES, LINKS
from llmwiki.core.text import fold
from llmwiki.ingest.reading import VerifiedClaim
from llmwiki.pages.id_and_evidence_patterns import CLAIM_IN_LINK
from llmwiki.pages.page import Claim, Meaning, Page
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


# --- later values ---------------------------------------------------------------------------------

_DATE = re.compile(r"[0-9]{4}(?:-[0-9]{2}){0,2}")
_NUMBER = re.compile(r"([-+]?[0-9][0-9 .,']*)[ ]?([^0-9 ,;/–-]{0,20})")
_NAME = re.compile(r"[^\W\d_][^0-9,;/–]{0,60}")
_NO_VALUE = re.compile(
    r"\b(?:and|or|to|at least|at most|up to|about|over|under|more|less|between|from|not)\b"
)
_FACTUAL = frozenset(("", "stated", "measured", "reported"))


def later_values(page: Page, new: Set[str]) -> list[tuple[str, str]]:
    """(later, earlier): pairs of standing claims of a page of which one is `new`, by their slots.

    They have the same key, scope, speaker and sort of stance, and values of one kind that differ;
    both dates are known and differ. A key of which one source gives two values has many: none.
    """
    slots: dict[tuple[str, ...], list[Claim]] = {}
    for claim in page.claims:
        if (
            claim.slot
            and claim.successor is None
            and claim.attribute("stance") in (None, *_FACTUAL)
        ):
            said = (claim.attribute(name) or "" for name in ("scope", "speaker"))
            slots.setdefault((fold(claim.slot[0]), *map(fold, said)), []).append(claim)
    pairs: list[tuple[str, str]] = []
    many = _many_valued(page.claims)
    for key, claims in sorted(slots.items()):
        if key[0] not in many and any(claim.id in new for claim in claims):
            pairs += [pair for pair in _in_time(page, claims) if new & set(pair)]
    return pairs


def _many_valued(claims: Iterable[Claim]) -> set[str]:
    """The folded keys of which one source gives two values."""
    values: dict[tuple[str, str], set[str]] = {}
    for claim in claims:
        for source in {piece.source for piece in claim.evidence} if claim.slot else ():
            assert claim.slot is not None
            values.setdefault((fold(claim.slot[0]), source), set()).add(_plain(claim.slot[1]))
    return {key for (key, _source), found in values.items() if len(found) > 1}


def _in_time(page: Page, claims: Iterable[Claim]) -> list[tuple[str, str]]:
    """Each claim with the one that comes before it, where kind and value tell them apart."""
    dated = sorted(
        (date, claim.id, claim) for claim in claims if _DATE.fullmatch(date := page.date_of(claim))
    )
    pairs = []
    for (before, _id, earlier), (date, _other, later) in pairwise(dated):
        length = min(len(before), len(date))
        if (
            before[:length] < date[:length]
            and _differ(earlier, later)
            and not _tied(earlier, later)
        ):
            pairs.append((later.id, earlier.id))
    return pairs


def _differ(one: Claim, other: Claim) -> bool:
    values = [claim.slot[1] for claim in (one, other) if claim.slot]
    kinds = {_kind(value) for value in values}
    return len(kinds) == 1 and "" not in kinds and _plain(values[0]) != _plain(values[1])


def _kind(value: str) -> str:
    """What sort of value it is: a date, a number with its unit, a name; empty: none of them."""
    said = fold(value)
    if _NO_VALUE.search(said):
        return ""
    if _DATE.fullmatch(said) and "-" in said:
        return "date"
    if found := _NUMBER.fullmatch(said):
        return f"number {found[2].strip()}"
    return "name" if _NAME.fullmatch(said) else ""


def _tied(one: Claim, other: Claim) -> bool:
    """Whether a link joins two claims already."""
    for claim, target in ((one, other.id), (other, one.id)):
        for name, op, value in claim.attributes:
            if op == ":" and name in (*LINKS, DISAGREES) and target in CLAIM_IN_LINK.findall(value):
                return True
    return False
