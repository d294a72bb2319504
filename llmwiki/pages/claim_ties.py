"""Ties between two claims, as their pages tell them."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import NamedTuple

from llmwiki.core.claim_attributes import CONTRADICTS, DISAGREES, UPDATED_BY, ClaimTie
from llmwiki.core.text import normalise
from llmwiki.pages import write_claims
from llmwiki.pages.claim_links import ClaimHome, claim_link
from llmwiki.pages.page import Page


class TiedClaim(NamedTuple):
    """A claim on the page where it stands."""

    page: str
    """The page's path."""
    id: str


def home_of(pages: MutableMapping[str, Page], claim: TiedClaim) -> ClaimHome:
    """The claim as links to it show it. Raises KeyError where its page is not among `pages`."""
    page = pages[claim.page]
    return ClaimHome(page.stem, page.title, claim.id)


def tie(
    pages: MutableMapping[str, Page], mine: TiedClaim, other: TiedClaim, how: ClaimTie, why: str
) -> None:
    """Writes into `pages`, which hold both claims, what the first does to the second.

    It stands on the claim whose reading it changes: `supports` on the first, `updates` on the
    second, `disagrees` and `contradicts`, with `why`, on both; `supersedes` strikes the second, if
    the first stands. What stands there already is not written twice.
    """
    to_other, to_mine = claim_link(home_of(pages, other)), claim_link(home_of(pages, mine))
    if how == "supersedes":
        # In a ring of claims that supersede one another the first to strike stands.
        held = pages[mine.page].claim(mine.id)
        if held is not None and held.successor is None:
            pages[other.page] = write_claims.strike(pages[other.page], other.id, to_mine)
    elif how == "updates":
        _note(pages, other, UPDATED_BY, to_mine)
    elif how == "supports":
        _note(pages, mine, how, to_other)
    else:
        name, told = (DISAGREES, "") if how == "disagrees" else (CONTRADICTS, normalise(why))
        _note(pages, mine, name, f"{to_other} {told}".rstrip())
        _note(pages, other, name, f"{to_mine} {told}".rstrip())


def _note(pages: MutableMapping[str, Page], claim: TiedClaim, name: str, link: str) -> None:
    page = pages[claim.page]
    pages[claim.page] = write_claims.add_attribute(page, claim.id, name, ":", link)
