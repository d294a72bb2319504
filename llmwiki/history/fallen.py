"""What becomes of claims that lose their last evidence, and of what rests on them.

A claim goes; what a person made of it, by rewording it or by writing under it, becomes a note of
theirs. What was struck for a claim that goes stands again, or for the claim that took its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace

from llmwiki.core.claim_attributes import LINKS
from llmwiki.core.errors import StateError
from llmwiki.core.text import digest32, fold
from llmwiki.memory.state import WikiState
from llmwiki.memory.taken_out import without_words
from llmwiki.pages import write, write_claims
from llmwiki.pages.dress import markdown_of
from llmwiki.pages.ids import CLAIM_IN_LINK
from llmwiki.pages.nodes import PageNode
from llmwiki.pages.page import Claim, Page, read_claim
from llmwiki.pages.syntax import is_aside
from llmwiki.pages.taken_out import without_claims
from llmwiki.repo.repository import Repository

_UNDER = "Said of a claim that is no longer here:"
_TOLD = "  - told by: person"


@dataclass(frozen=True, slots=True)
class FallenClaim:
    """A claim without evidence any more."""

    path: str
    """Of the page on which it stood."""
    claim: Claim
    """As it was, with its evidence."""
    is_note: bool
    """Whether what a person made of it stands on as a note, `^n-…` with the same suffix."""


def drop_claims(
    repo: Repository,
    pages: dict[str, Page],
    claims: Mapping[str, Claim],
    worded: Mapping[str, str],
) -> list[FallenClaim]:
    """Takes claims out of `pages`, or makes them notes of the person who worked on them.

    `claims` are by id, as they were with their evidence; `worded` has the `wording` with which
    those came of which that is known. The others are looked up in history where their id does not
    tell.
    """
    fallen = []
    for path in sorted(pages):
        for node in pages[path].body:
            held = claims.get(node.key[1]) if node.kind == "c" else None
            if held is None:
                continue
            words = worded.get(held.id)
            is_own = _is_reworded(repo, held) if words is None else _unlike(wording(held), words)
            note = _note(node, is_own)
            if note is None:
                pages[path] = write.remove_node(pages[path], node.key)
            else:
                pages[path] = _in_place(pages[path], node, note)
            fallen.append(FallenClaim(path, held, note is not None))
    return fallen


def without_fallen(
    state: WikiState, pages: Mapping[str, Page | None], fallen: Mapping[str, bool]
) -> tuple[dict[str, Page | None], frozenset[str]]:
    """The pages without what rests on claims that are gone, and the ids that stand again for it.

    `fallen` has the id of each claim, and whether it is a note now: links of people follow it.
    """
    after = dict(pages)
    arrows = _arrows(state, fallen)
    notes = {ident for ident, is_note in fallen.items() if is_note}
    revived: set[str] = set()
    for path in sorted({*state.naming(fallen), *after}) if fallen else ():
        page = after[path] if path in after else state.page(path)
        if page is None:
            continue
        new, again = _unstruck(page, arrows)
        revived |= again
        new = without_claims(_followed(new, notes), fallen.keys())
        if path in after or new != page:
            after[path] = new
    return without_words(state, after, fallen.keys()), frozenset(revived)


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


def _unlike(one: str, other: str) -> bool:
    return fold(one) != fold(other)


def _is_reworded(repo: Repository, claim: Claim) -> bool:
    """Whether a person changed the words of a claim since it came."""
    length = len(claim.id) - len("c-")
    for piece in claim.evidence:
        parts = (piece.source, fold(piece.quote), fold(claim.text))
        if claim.id == "c-" + digest32(parts, length):
            return False
    first = _first_words(repo, claim.id)
    return first is not None and _unlike(first, claim.text)


def _first_words(repo: Repository, claim_id: str) -> str | None:
    """The words with which a claim came; None where no commit has it.

    Raises StateError where this clone may lack the commit in which it came.
    """
    from llmwiki.repo.pickaxe import commits_that_changed

    for commit in reversed(commits_that_changed(repo, f" ^{claim_id}", "wiki")):
        for change in repo.diff_trees(repo.parents(commit).first(), commit, "wiki"):
            held = repo.read(commit, change.path)
            if held is not None and f" ^{claim_id}".encode() in held:
                page = Page.parse(change.path, held.decode("utf-8", "surrogateescape"))
                claim = page.claim(claim_id)
                if claim is not None:
                    return claim.text
    if repo.beyond:
        raise StateError(
            "commits that are not in this clone tell whether a person has reworded this claim",
            where=f"^{claim_id}",
            fix=f"{repo.beyond} Then run the command again.",
        )
    return None


def _note(node: PageNode, is_reworded: bool) -> PageNode | None:
    """What a person made of a claim, as a note; None where nobody worked on it."""
    lines = tuple(
        replace(part, raw=f"  -{part.raw}") if is_aside(part) else part
        for part in node.parts
        if part.kind == "x" and part.raw.strip()
    )
    if not lines and not is_reworded:
        return None
    ident = "n-" + node.key[1].removeprefix("c-")
    said = "Denied: " * read_claim(node).is_denied + markdown_of(node.raw)
    text = said if is_reworded else _UNDER
    parts = (*lines, PageNode(("a",), _TOLD))
    return PageNode(("n", ident), f"- {text} ^{ident}", parts, node.gap)


def _in_place(page: Page, old: PageNode, new: PageNode) -> Page:
    return write.with_body(page, tuple(new if n.key == old.key else n for n in page.body))


def _arrows(state: WikiState, fallen: Mapping[str, bool]) -> dict[str, str]:
    """Each fallen claim to where its arrow led on to a claim that remains; empty: nowhere."""
    arrows: dict[str, str] = {}
    for ident in fallen:
        seen, at, arrow = {ident}, ident, ""
        while at in fallen:
            path = state.claim_page(at)
            page = state.page(path) if path else None
            claim = page.claim(at) if page else None
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
    """The page with what was struck for fallen claims standing again, or struck for the next."""
    revived: set[str] = set()
    for node in page.body:
        if node.kind != "c" or node.key[1] in arrows:
            continue
        found = CLAIM_IN_LINK.search(read_claim(node).successor or "")
        if found is None or found[1] not in arrows:
            continue
        page = write_claims.restore_claim(page, node.key[1])
        if arrows[found[1]]:
            page = write_claims.strike(page, node.key[1], arrows[found[1]])
        else:
            revived.add(node.key[1])
    return page, revived


def _followed(page: Page, notes: Set[str]) -> Page:
    """The page with what people wrote leading to the notes that claims became."""
    if not notes:
        return page

    def led(raw: str) -> str:
        for ident in sorted(notes):
            raw = raw.replace(f"#^{ident}", f"#^n-{ident.removeprefix('c-')}")
        return raw

    def renewed(node: PageNode) -> PageNode:
        if node.kind in ("x", "lead"):
            raw = led(node.raw)
            key = ("x", raw) if node.key == ("x", node.raw) else node.key
            return replace(node, raw=raw, key=key)
        if node.kind == "n":
            return replace(node, raw=led(node.raw))
        return node

    body = tuple(map(renewed, page.body))
    return page if body == page.body else write.with_body(page, body)
