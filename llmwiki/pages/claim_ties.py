"""Ties between two claims, as their pages tell them."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import NamedTuple

from llmwiki.core.claim_attributes import DISAGREES, LINKS, UPDATED_BY, ClaimTie
from llmwiki.pages import write, write_claims
from llmwiki.pages.claim_links import ClaimHome, claim_link, named_link
from llmwiki.pages.escape import escape
from llmwiki.pages.ids import CLAIM_IN_LINK
from llmwiki.pages.page import Page


class TiedClaim(NamedTuple):
    """A claim on the page where it stands."""

    page: str
    """The page's path."""
    id: str


def home_of(pages: MutableMapping[str, Page], claim: TiedClaim) -> ClaimHome:
    """The claim as links to it show it. Raises KeyError where its page is not among `pages`."""
    page = pages[claim.page]
    held = page.claim(claim.id)
    return ClaimHome(page.stem, page.title, claim.id, held.text if held else "")


def tie(
    pages: MutableMapping[str, Page], mine: TiedClaim, other: TiedClaim, how: ClaimTie, why: str
) -> None:
    """Writes into `pages`, which hold both claims, what the first does to the second.

    `supports` stands on the first alone, `updates` and `disagrees` on both, each with a link to the
    other; `supersedes` strikes the second, if the first stands; a contradiction is a callout, with
    `why`, on both pages. What stands there already is not written twice.
    """
    to_other, to_mine = claim_link(home_of(pages, other)), claim_link(home_of(pages, mine))
    if how == "disagrees":
        _note(pages, mine, DISAGREES, to_other)
        _note(pages, other, DISAGREES, to_mine)
    elif how == "supersedes":
        # In a ring of claims that supersede one another the first to strike stands.
        held = pages[mine.page].claim(mine.id)
        if held is not None and held.successor is None:
            pages[other.page] = write_claims.strike(pages[other.page], other.id, to_mine)
    elif how in LINKS:
        _note(pages, mine, how, to_other)
        if how == "updates":
            _note(pages, other, UPDATED_BY, to_mine)
    else:
        _contradict(pages, mine, other, why)


def _note(pages: MutableMapping[str, Page], claim: TiedClaim, name: str, link: str) -> None:
    page = pages[claim.page]
    pages[claim.page] = write_claims.add_attribute(page, claim.id, name, ":", link)


def _contradict(
    pages: MutableMapping[str, Page], mine: TiedClaim, other: TiedClaim, why: str
) -> None:
    # Both claims are shown with it wherever it is shown: no words of theirs.
    pair = " and ".join(sorted(named_link(home_of(pages, each)) for each in (mine, other)))
    ids = {mine.id, other.id}
    told = escape(why) or "they cannot both hold"
    for path in sorted({mine.page, other.page}):
        page = pages[path]
        held = (CLAIM_IN_LINK.findall(node.raw) for node in page.section("Contradictions"))
        if not any(ids <= set(found) for found in held):
            callout = ("Contradiction", f"{pair}: {told}")
            pages[path] = write.add_callout(page, "Contradictions", callout)
