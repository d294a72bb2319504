"""Values of one slot that are of unlike times: the later one updates the earlier.

Both stay true of their time, so nothing is struck. What is no plain value, or of no known time, is
left to people: lint reports two values of one time as a conflict.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from itertools import pairwise

from llmwiki.core.claim_attributes import DISAGREES, LINKS
from llmwiki.core.text import fold
from llmwiki.pages.ids import CLAIM_IN_LINK
from llmwiki.pages.page import Claim, Page

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


def _plain(value: str) -> str:
    return fold(value).replace(" ", "")


def _tied(one: Claim, other: Claim) -> bool:
    """Whether a link joins two claims already."""
    for claim, target in ((one, other.id), (other, one.id)):
        for name, op, value in claim.attributes:
            if op == ":" and name in (*LINKS, DISAGREES) and target in CLAIM_IN_LINK.findall(value):
                return True
    return False
