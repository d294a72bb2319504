"""The attributes of claims: `name: value` below a claim. A new one is a row here, and a field of
`extraction.schema.ExtractedClaim` where a reader of sources fills it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from llmwiki.core.quick_to_load import NamedTuple

Stance = Literal["stated", "measured", "proposed", "expected", "opinion", "reported", "rejected"]
"""How a source holds a claim. `stated` is what a claim without a stance is, and is not written."""
ClaimTie = Literal["supports", "updates", "contradicts", "disagrees", "supersedes"]
"""What a claim does to another one; of two that disagree both may hold."""
DocumentStance = Literal["proposal", "report", "opinion", "reference"]
"""How a whole document is meant."""
CLAIM_STANCES: Mapping[DocumentStance, Stance] = {"proposal": "proposed", "opinion": "opinion"}
"""The stance of claims that have none of their own, by that of their document."""
STANCES = tuple(stance for stance in get_args(Stance) if stance != "stated")


Part = Literal[
    "figures", "how it works", "use", "why", "limits", "duties", "history", "open"
]  # fmt: skip
"""Part of its page to which a claim belongs: a heading below `## Claims`."""
PARTS = {part: part.capitalize() for part in get_args(Part)}
"""Each part with its heading, in the order in which a page has them."""

DISAGREES = "disagrees with"
"""What `disagrees` is called on both claims."""
UPDATED_BY = "updated by"
"""Of `updates`: what overtakes a claim is told where the claim stands."""
CONTRADICTS = "contradicts"
"""On both claims, each with a link to the other and why they cannot both hold."""
ABOUT = "about"
"""Leads to the page of another subject that a claim tells of, whether there is such a page yet."""
MOST_ABOUT = 8
"""Pages besides its own that one claim may be about."""


class ClaimAttribute(NamedTuple):
    """One attribute."""

    name: str
    """As pages have it."""
    field: str = ""
    """Of a claim in an extraction; empty: no reader gives it."""
    values: tuple[str, ...] = ()
    """All that it may be; empty: any words."""
    is_link: bool = False
    """Whether it leads to another claim; it may stand once for each of them."""
    is_by_hand: bool = False
    """Whether only people write it."""


CLAIM_ATTRIBUTES = (
    ClaimAttribute("as of", "as_of"),
    ClaimAttribute("until", "until"),
    ClaimAttribute("stance", "stance", values=STANCES),
    ClaimAttribute("speaker", "speaker"),
    ClaimAttribute("scope", "scope"),
    ClaimAttribute("supports", is_link=True),
    ClaimAttribute(UPDATED_BY, is_link=True),
    ClaimAttribute(DISAGREES, is_link=True),
    ClaimAttribute(CONTRADICTS, is_link=True),
    ClaimAttribute(ABOUT),
    ClaimAttribute("confidence", is_by_hand=True),
)
"""In the order in which they are written."""

BY_NAME = {attribute.name: attribute for attribute in CLAIM_ATTRIBUTES}
LINKS = tuple(attribute.name for attribute in CLAIM_ATTRIBUTES if attribute.is_link)
