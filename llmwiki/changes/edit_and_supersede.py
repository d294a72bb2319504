"""What is changed on a page directly: its prose by an agent, where what carries evidence stays as
it is; a claim that a person strikes for the one that took its place."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from llmwiki.core.errors import InputError, PolicyError, StateError
from llmwiki.core.page_and_note_kinds import MEMORY
from llmwiki.core.secrets import refuse
from llmwiki.git.store.outcome import Outcome
from llmwiki.landing.land import land
from llmwiki.landing.open_wiki import OpenWiki
from llmwiki.landing.operation import LandingOptions, Made, Operation, turn_trailers
from llmwiki.landing.page_by_typed_name import page_named
from llmwiki.landing.wiki_state import WikiState
from llmwiki.pages import write_claims
from llmwiki.pages.claim_links import claim_link
from llmwiki.pages.id_and_evidence_patterns import CLAIM_IN_LINK
from llmwiki.pages.page import Claim, Page
from llmwiki.pages.page_syntax import render_node

_PROVEN = frozenset({"c", "n", "rel", "fn"})
"""Kinds of nodes that rest on a source or on somebody's word."""
MAX_PAGE = 200_000
"""Bytes of a page after an edit."""


@dataclass(frozen=True, slots=True)
class EditedPage:
    """What an edit of a page did, or would do."""

    path: str
    outcome: Outcome
    diff: str
    """The change as a unified diff; empty where nothing changes."""


def edit_page(
    state: WikiState,
    name: str,
    change: Callable[[str], str],
    *,
    session: str,
    turn: int,
    dry_run: bool,
    terms: LandingOptions,
    demand_safe: Callable[[str, str, str], None],
) -> EditedPage:
    """Rewrites the prose of a page; see `Wiki.edit_page`.

    `demand_safe` takes the path, the text before and the new one, and raises what is wrong with it.
    """

    def make(current: WikiState) -> Made[tuple[str, str]]:
        before = _page(current, name)
        text = change(before.text)
        if len(text.encode("utf-8", "replace")) > MAX_PAGE:
            raise PolicyError(f"a page has at most {MAX_PAGE:,} bytes", where=before.path)
        after = Page.parse(before.path, text)
        if after.text == before.text:
            return Made(None, (before.path, ""))
        _demand_prose_only(before, after)
        diff = _diff(before, after)
        added = [line[1:] for line in diff.splitlines() if line.startswith("+")]
        refuse(added, allowed=(), what="the edit")
        demand_safe(before.path, before.text, after.text)
        operation = Operation(
            title=after.title,
            pages={before.path: after},
            trailers=turn_trailers(session, turn),
        )
        return Made(operation, (before.path, diff))

    landed = land(state, "edit", make, terms=terms, dry_run=dry_run)
    path, diff = landed.extra
    return EditedPage(path, landed.outcome, diff)


def _page(state: WikiState, name: str) -> Page:
    """The page of a title, a file name or a path. Raises InputError, PolicyError for memory."""
    page = page_named(state, name)
    if page.path == MEMORY or page.type == "source":
        raise PolicyError(
            "pages of sources and the memory are not edited",
            where=page.path,
            fix="Prose goes on a page of a subject; what a person says is noted with `remember`.",
        )
    return page


def _demand_prose_only(before: Page, after: Page) -> None:
    """Raises PolicyError where an edit changes what rests on a source, or the frontmatter."""
    if before.front != after.front:
        raise PolicyError("an edit may not change the frontmatter", where=before.path)
    if before.cited() != after.cited() or _proven(before) != _proven(after):
        raise PolicyError(
            "an edit may not change claims, notes, links between claims or footnotes",
            where=before.path,
            fix="Change the prose around them; what a source says comes by ingesting it.",
        )


def _proven(page: Page) -> list[str]:
    return [render_node(node) for node in page.body if node.kind in _PROVEN]


def _diff(before: Page, after: Page) -> str:
    lines = difflib.unified_diff(
        before.text.splitlines(), after.text.splitlines(), before.path, after.path, lineterm="", n=2
    )
    return "\n".join(lines)


# --- a claim struck for another one ---------------------------------------------------------------


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
            title=f"^{now.id} supersedes ^{was.id}",
            pages={old_path: page},
            trailers={"Wiki-Supersedes": f"{was.id} {now.id}"},
        )
        return Made(operation, replace(result, led_on=tuple(led_on)))

    done = land(wiki.state, "edit", make, terms=terms, dry_run=dry_run)
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
