"""What an operation brought and its undo must take out, wherever that stands by now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace

from llmwiki.history.fallen import FallenClaim, drop_claims
from llmwiki.memory.state import WikiState
from llmwiki.pages import write, write_claims
from llmwiki.pages.assembled import give_sources, settle, settled
from llmwiki.pages.changes import Changes
from llmwiki.pages.moves import PageMove
from llmwiki.pages.nodes import Change, Key, PageNode
from llmwiki.pages.page import Claim, Page, read_claim
from llmwiki.pages.relink import follow_names
from llmwiki.pages.tombstones import claim_refs
from llmwiki.repo.log import Commit
from llmwiki.repo.repository import Repository


@dataclass(slots=True)
class WithdrawnEvidence:
    """The quotes that operations added, by claim, and the words with which their claims came."""

    quotes: dict[str, set[Key]] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)

    def take(self, inverse: Changes) -> None:
        """Takes note of what the inverse of an operation takes out and puts back."""
        for item in inverse.pages:
            body = dict(item.change.changed).get(("body",))
            for claim_id, keys, node in _quotes(body, gone=True) if body else ():
                self.quotes.setdefault(claim_id, set()).update(keys)
                if node is not None:
                    self.words.setdefault(claim_id, read_claim(node).text)
        for item in inverse.pages:
            body = dict(item.change.changed).get(("body",))
            for claim_id, keys, _node in _quotes(body, gone=False) if body else ():
                self.quotes.get(claim_id, set()).difference_update(keys)


def _quotes(body: Change, *, gone: bool) -> Iterator[tuple[str, set[Key], PageNode | None]]:
    """(claim id, keys of quotes, the whole claim where it comes or goes) that a change of a page's
    body takes out, or puts in."""
    for node in body.removed if gone else body.added:
        if node.kind == "c":
            yield node.key[1], _evidence(node.parts), node
    for key, inner in body.changed:
        if key[0] == "c":
            yield key[1], _evidence(inner.removed if gone else inner.added), None


def _evidence(parts: Iterable[PageNode]) -> set[Key]:
    return {part.key for part in parts if part.kind == "e"}


def take_out(
    repo: Repository,
    state: WikiState,
    pages: dict[str, Page],
    touched: Set[str],
    withdrawn: WithdrawnEvidence,
) -> list[FallenClaim]:
    """Takes quotes out of the claims that still have them, and claims that have none any more.

    `pages` are those of an undo, as they shall be: of `touched` the others go. Pages that a claim
    has moved to are added.
    """
    asked = sorted(claim_id for claim_id, keys in withdrawn.quotes.items() if keys)
    homes = state.claim_page.among(asked)
    places = {claim.id: path for path, page in sorted(pages.items()) for claim in page.claims}
    falling: dict[str, Claim] = {}
    changed: set[str] = set()
    for claim_id in asked:
        path = places.get(claim_id) or homes.get(claim_id)
        page = pages.get(path or "") if path in touched else state.page(path or "")
        if path is None or page is None:
            continue
        page = _without(page, claim_id, withdrawn.quotes[claim_id])
        claim = page.claim(claim_id)
        had = _held(state, homes.get(claim_id), claim_id)
        if claim is not None and had is not None and had.evidence and not claim.evidence:
            falling[claim_id] = had
        if claim is not None and (path in pages or page != state.page(path)):
            pages[path] = page
            changed.add(path)
    fallen = drop_claims(repo, pages, falling, withdrawn.words)
    for path in sorted(changed):
        before = state.page(path)
        pages[path] = settled(settle(before, pages[path]) if before else pages[path])
    return fallen


def give_back(
    repo: Repository,
    state: WikiState,
    commit: Commit,
    inverse: Changes,
    pages: dict[str, Page],
    moved: Mapping[str, PageMove],
    stems: Mapping[str, str],
) -> frozenset[str]:
    """Brings back claims that lost a quote to an operation and went for another reason since.

    The inverse of the operation gives the quote back to a claim that is nowhere by then: another
    operation has taken out what else it had. It comes back with that quote alone. One that a person
    deleted does not: the roster of a source still names it. `moved` says what has become of pages
    that are no more, and `stems` how links to them are written now. Returns the ids.
    """
    came: set[str] = set()
    here = {claim.id for page in pages.values() for claim in page.claims}
    for item in inverse.pages:
        is_moved = item.path not in pages and item.path in moved
        path = moved[item.path].path if is_moved else item.path
        page = pages.get(path)
        body = dict(item.change.changed).get(("body",))
        wanted = {
            key[1]: keys for key, inner in (body.changed if body else ())
            if key[0] == "c" and (keys := _evidence(inner.added))
        }  # fmt: skip
        lacking = wanted.keys() - here - state.claim_page.among(sorted(wanted)).keys()
        if page is None or not (lacking or is_moved):
            continue
        data = repo.read(commit.parents.first(), item.path) or b""
        before = Page.parse(item.path, data.decode("utf-8", "surrogateescape"))
        for ident in sorted(lacking):
            node = next((n for n in before.body if n.key == ("c", ident)), None)
            if node is not None and not _is_enrolled(state, ident):
                (node,) = follow_names(Change(added=(node,)), stems).added
                page = _with_claim(page, node, wanted[ident])
                came.add(ident)
        # The changes of a page that was merged into another one leave the list of sources out.
        pages[path] = give_sources(before, page) if is_moved else page
    return frozenset(came)


def _is_enrolled(state: WikiState, claim_id: str) -> bool:
    held = (state.page(path) for path in state.naming((claim_id,)))
    return any(page is not None and claim_id in claim_refs(page) for page in held)


def _with_claim(page: Page, node: PageNode, keys: Set[Key]) -> Page:
    """The page with a claim in its place, of whose quotes only these stand."""
    parts = tuple(part for part in node.parts if part.kind == "a" or part.key in keys)
    kept = replace(node, parts=parts, gap=None)
    return write.replace_node(write_claims.add_claim(page, read_claim(kept)), kept)


def _held(state: WikiState, path: str | None, claim_id: str) -> Claim | None:
    page = state.page(path) if path else None
    return page.claim(claim_id) if page else None


def _without(page: Page, claim_id: str, keys: set[Key]) -> Page:
    claim = page.claim(claim_id)
    for piece in claim.evidence if claim else ():
        if ("e", *piece.identity) in keys:
            page = write_claims.drop_evidence(page, claim_id, piece)
    return page
