"""What becomes of claims that lose their last evidence, and of what rests on them.

A claim goes; what a person made of it, by rewording it or by writing under it, becomes a note of
theirs. What was struck for a claim that goes stands again, or for the claim that took its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, replace

from llmwiki.core.claim_attributes import LINKS
from llmwiki.core.errors import StateError
from llmwiki.core.text import digest32, fold
from llmwiki.git.repository import Repository
from llmwiki.landing.links_to_moved_pages import without_words
from llmwiki.landing.wiki_state import WikiState
from llmwiki.pages import write, write_claims
from llmwiki.pages.claim_head import DENIED
from llmwiki.pages.id_and_evidence_patterns import CLAIM_IN_LINK
from llmwiki.pages.linked_text import markdown_of
from llmwiki.pages.page import Claim, Evidence, Page, read_claim
from llmwiki.pages.page_syntax import is_aside
from llmwiki.pages.page_tree import PageNode

_UNDER = "Said of a claim that is no longer here:"
_TOLD = "  - told by: person"


@dataclass(frozen=True, slots=True)
class DroppedClaim:
    """A claim without evidence any more."""

    path: str
    """Of the page on which it stood."""
    claim: Claim
    """As it was, with its evidence."""
    is_note: bool
    """Whether what a person made of it stands on as a note."""

    @property
    def note_id(self) -> str:
        """The id of that note."""
        return _note_id(self.claim.id)


def _note_id(claim: str) -> str:
    return "n-" + claim.removeprefix("c-")


def drop_evidence(
    state: WikiState, pages: Mapping[str, Page], goes: Callable[[str, Evidence], bool]
) -> tuple[dict[str, Page], dict[str, Claim]]:
    """The pages without the evidence of which `goes` is true, asked with the id of its claim; and
    the claims that lose their last by it, or have lost it on these pages, as they stand in the
    wiki."""
    after: dict[str, Page] = {}
    unproven: dict[str, Claim] = {}
    for path, held in sorted(pages.items()):
        page = held
        for claim in held.claims:
            left = [piece for piece in claim.evidence if not goes(claim.id, piece)]
            for piece in claim.evidence:
                if piece not in left:
                    page = write_claims.drop_evidence(page, claim.id, piece)
            had = None if left else _standing(state, claim.id)
            if had is not None and had.evidence:
                unproven[claim.id] = had
        after[path] = page
    return after, unproven


def _standing(state: WikiState, ident: str) -> Claim | None:
    page = state.page(state.claim_page(ident) or "")
    return page.claim(ident) if page else None


def drop_claims(
    repo: Repository,
    pages: dict[str, Page],
    claims: Mapping[str, Claim],
    worded: Mapping[str, str],
) -> list[DroppedClaim]:
    """Takes claims out of `pages`, or makes them notes of the person who worked on them.

    `claims` are by id, as they were with their evidence; `worded` has the `wording` that those had
    of which it is known, when what takes them out brought its evidence. Of the others the id tells
    whether they were reworded. Raises StateError where neither does, in a clone that may lack the
    commits that would.
    """
    dropped = []
    for path in sorted(pages):
        for node in pages[path].body:
            held = claims.get(node.key[1]) if node.kind == "c" else None
            if held is None:
                continue
            words = worded.get(held.id)
            if words is None and repo.beyond and not _is_as_minted(held):
                raise StateError(
                    "commits that are not in this clone tell whether a person reworded this claim",
                    where=f"^{held.id}",
                    fix=f"{repo.beyond} Then run the command again.",
                )
            note = _note(node, words is not None and fold(wording(held)) != fold(words))
            if note is None:
                pages[path] = write.remove_node(pages[path], node.key)
            else:
                pages[path] = _in_place(pages[path], node, note)
            dropped.append(DroppedClaim(path, held, note is not None))
    return dropped


def _is_as_minted(claim: Claim) -> bool:
    """Whether its id is that of its words and of a quote that it has."""
    length = len(claim.id) - len("c-")
    parts = ((e.source, fold(e.quote), fold(claim.text)) for e in claim.evidence)
    return any(claim.id == "c-" + digest32(each, length) for each in parts)


def words_brought(pages: Mapping[str, Page]) -> dict[str, str]:
    """The `wording` of each claim on pages as an operation left them."""
    return {claim.id: wording(claim) for page in pages.values() for claim in page.claims}


def without_dropped(
    state: WikiState, pages: Mapping[str, Page | None], dropped: Set[str]
) -> tuple[dict[str, Page | None], frozenset[str]]:
    """The pages without what rests on claims that are gone, by id, and the ids of those that stand
    again for it."""
    after = dict(pages)
    arrows = _arrows(state, dropped)
    revived: set[str] = set()
    for path in sorted({*state.naming(dropped), *after}) if dropped else ():
        page = after[path] if path in after else state.page(path)
        if page is None:
            continue
        new, again = _unstruck(page, arrows)
        revived |= again
        if path in after or new != page:
            after[path] = new
    return without_words(state, after, dropped), frozenset(revived)


def dangling(state: WikiState, pages: Mapping[str, Page | None]) -> frozenset[str]:
    """The ids that claims of the pages are struck for, or tied to, and that stand nowhere.

    `pages` are as they shall be; they may bring back what rests on a claim that has gone since.
    """
    held = [page for page in pages.values() if page is not None]
    named = {ident for page in held for claim in page.claims for ident in _tied(claim)}
    here = {claim.id for page in held for claim in page.claims}
    homes = state.claim_pages(sorted(named - here))
    return frozenset(i for i in named - here if i not in homes or homes[i] in pages)


def _tied(claim: Claim) -> Iterator[str]:
    yield from CLAIM_IN_LINK.findall(claim.successor or "")
    for name, op, value in claim.attributes:
        if name in LINKS and op == ":":
            yield from CLAIM_IN_LINK.findall(value)


def wording(claim: Claim) -> str:
    """The words of a claim, and whether they are denied: what a person may have put otherwise."""
    return f"{'Denied: ' * claim.is_denied}{claim.text}"


def _note(node: PageNode, is_reworded: bool) -> PageNode | None:
    """What a person made of a claim, as a note; None where nobody worked on it."""
    lines = tuple(
        replace(part, raw=f"  -{part.raw}") if is_aside(part) else part
        for part in node.parts
        if part.kind == "x" and part.raw.strip()
    )
    if not lines and not is_reworded:
        return None
    ident = _note_id(node.key[1])
    said = markdown_of(node.raw).replace(DENIED, "Denied: ", 1)
    text = said if is_reworded else _UNDER
    parts = (*lines, PageNode(("a",), _TOLD))
    return PageNode(("n", ident), f"- {text} ^{ident}", parts, node.gap)


def _in_place(page: Page, old: PageNode, new: PageNode) -> Page:
    return write.with_body(page, tuple(new if n.key == old.key else n for n in page.body))


def _arrows(state: WikiState, dropped: Set[str]) -> dict[str, str]:
    """Each dropped claim to where its arrow led on to a claim that remains; empty: nowhere."""
    arrows: dict[str, str] = {}
    for ident in dropped:
        seen, at, arrow = {ident}, ident, ""
        while at in dropped:
            claim = _standing(state, at)
            arrow = (claim.successor or "") if claim else ""
            found = CLAIM_IN_LINK.search(arrow)
            if found is None or found[1] in seen:
                arrow = ""
                break
            at = found[1]
            seen.add(at)
        arrows[ident] = arrow
    return arrows


def _unstruck(page: Page, arrows: Mapping[str, str]) -> tuple[Page, set[str]]:
    """The page with what was struck for dropped claims standing again, or struck for the next."""
    revived: set[str] = set()
    for node in page.body:
        if node.kind != "c" or node.key[1] in arrows:
            continue
        found = CLAIM_IN_LINK.search(read_claim(node).successor or "")
        if found is None or found[1] not in arrows:
            continue
        if arrows[found[1]]:
            page = write_claims.lead_on(page, node.key[1], arrows[found[1]])
        else:
            page = write_claims.restore(page, node.key[1])
            revived.add(node.key[1])
    return page, revived
