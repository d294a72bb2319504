"""Supersede: a person says that one claim took the place of another."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from llmwiki.core.errors import InputError, StateError
from llmwiki.git.store.outcome import Outcome
from llmwiki.landing.land import Made, Operation, land
from llmwiki.landing.open_wiki import OpenWiki
from llmwiki.landing.state import WikiState
from llmwiki.pages import write_claims
from llmwiki.pages.claim_links import claim_link
from llmwiki.pages.ids import CLAIM_IN_LINK
from llmwiki.pages.page import Claim, Page


@dataclass(frozen=True, slots=True)
class SupersedeResult:
    """What became of it."""

    old: Claim
    """As it was."""
    old_page: str
    new: Claim
    new_page: str
    outcome: Outcome = field(default_factory=lambda: Outcome(None))
    led_on: tuple[str, ...] = ()
    """Claims on the same page that were struck for the old one, and lead to the new one now."""


def supersede(
    wiki: OpenWiki, old: str, new: str, *, dry_run: bool = False, allow_detached: bool = False
) -> SupersedeResult:
    """Strikes the claim with the id `old` for the one with the id `new`, in one commit.

    Raises InputError where one of them is none or both are one, StateError where `old` was struck
    for another already or `new` does not stand, and what `land` raises.
    """
    terms = wiki.landing(allow_detached)

    def make(current: WikiState) -> Made[SupersedeResult]:
        old_path, page, was = _standing_on(current, old)
        new_path, home, now = _standing_on(current, new)
        result = SupersedeResult(was, old_path, now, new_path)
        if was.id == now.id:
            raise InputError("a claim does not supersede itself", where=f"^{was.id}")
        link = claim_link(home.stem, home.title, now.id)
        if CLAIM_IN_LINK.findall(was.successor or "")[:1] == [now.id]:
            return Made(None, result)
        if was.successor is not None:
            raise StateError(f"it was struck already: {was.successor[:80]}", where=f"^{was.id}")
        if now.successor is not None:
            led = CLAIM_IN_LINK.search(now.successor)
            fix = f"Name the one that stands: wiki supersede {was.id} {led[1]}" if led else ""
            raise StateError("it was struck itself", where=f"^{now.id}", fix=fix)
        page = write_claims.strike(page, was.id, link)
        led_on = [c.id for c in page.claims if _leads_to(c, was.id)]
        for ident in led_on:
            page = write_claims.lead_on(page, ident, link)
        operation = Operation(
            kind="edit",
            title=f"^{now.id} supersedes ^{was.id}",
            pages={old_path: page},
            trailers={"Wiki-Supersedes": f"{was.id} {now.id}"},
        )
        return Made(operation, replace(result, led_on=tuple(led_on)))

    done = land(wiki.repo, wiki.state, make, operation="edit", terms=terms, dry_run=dry_run)
    return replace(done.extra, outcome=done.outcome)


def _standing_on(state: WikiState, name: str) -> tuple[str, Page, Claim]:
    """The page on which a claim stands, and the claim."""
    ident = name.strip().removeprefix("#").removeprefix("^")
    path = state.claim_page(ident)
    page = state.page(path) if path else None
    claim = page.claim(ident) if page else None
    if path is None or page is None or claim is None:
        raise InputError(
            "there is no such claim",
            where=name,
            fix="Name it by its id, `c-` and letters; `wiki search` and `wiki show` print them.",
        )
    return path, page, claim


def _leads_to(claim: Claim, ident: str) -> bool:
    return CLAIM_IN_LINK.findall(claim.successor or "")[:1] == [ident]
