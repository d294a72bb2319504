"""A branch for review that renames pages or moves claims: merged over all pages at once.

What moves cannot be decided claim by claim, for a claim stands on one page. Such a branch is merged
as `wiki resolve` merges two clones, and the items only show what it does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from llmwiki.memory.state import WikiState
from llmwiki.pages.assembled import settle
from llmwiki.pages.disputes import Dispute, decided, undecided
from llmwiki.pages.join_claims import Joins
from llmwiki.pages.merge_states import merge_states
from llmwiki.pages.page import Page
from llmwiki.pages.review_items import ChangeItem, ItemKind, items_of, word_id
from llmwiki.pages.row_changes import compare

Pages = Mapping[str, Page]


class MovedReview(NamedTuple):
    """What such a branch comes to on HEAD."""

    before: dict[str, Page]
    """The pages concerned, as HEAD has them."""
    after: dict[str, Page]
    items: tuple[ChangeItem, ...]
    """What it does, by page."""
    disputes: tuple[tuple[str, Dispute], ...]
    """What HEAD and the branch word differently, each with the path of its page; HEAD's wording
    stands in `after`."""


def moves(base: Pages, theirs: Pages) -> bool:
    """Whether a branch renames pages or moves claims between them."""
    return any(each.verb == "moved" for each in compare(base, theirs))


def merge_moved(
    state: WikiState, base: Pages, ours: Pages, theirs: Pages, joins: Joins
) -> MovedReview:
    """The branch merged into HEAD, over all pages that either has changed.

    `joins` are the claims that the branch has joined to others.
    """
    merged = merge_states(base, ours, theirs)
    disputes: list[tuple[str, Dispute]] = []
    after: dict[str, Page] = {}
    for path, page in sorted(merged.pages.items()):
        if page is not None:
            disputes += [(path, dispute) for dispute in undecided(page.text)]
            after[path] = _with_our_words(page)
    items = tuple(_items(ours, after, joins))
    return MovedReview(dict(ours), after, items, tuple(disputes))


def _with_our_words(page: Page) -> Page:
    if not undecided(page.text):
        return page
    text = decided(page.text, lambda dispute: dispute.ours)
    return settle(page, Page.parse(page.path, text))


def _items(before: Pages, after: Pages, joins: Joins) -> Iterator[ChangeItem]:
    changes = compare(before, after)
    renames = {each.before: each.page for each in changes if each.is_rename}
    moved = [each for each in changes if each.is_move and renames.get(each.before) != each.page]
    for old, new in sorted(renames.items()):
        yield _words(new, "page renamed", f"{before[old].title} to {after[new].title}")
    for path in sorted(before.keys() - after.keys() - renames.keys()):
        yield _words(path, "page removed", before[path].title)
    for move in moved:
        claim = after[move.page].claim(move.id)
        if claim is not None:
            sources = frozenset(evidence.source for evidence in claim.evidence)
            yield ChangeItem(move.id, "moved", move.page, claim.text, sources, claim, claim)
    # A page that only got another name is compared with what it was under the old one.
    known = {move.id for move in moved} | joins.keys()
    home = {renames.get(path, path): page for path, page in before.items()}
    home = {path: Page(path, page.node) for path, page in home.items()}
    for item in items_of(home, after):
        if item.kind != "page removed" and item.id not in known:
            yield item


def _words(path: str, kind: ItemKind, text: str) -> ChangeItem:
    return ChangeItem(word_id(path, kind), kind, path, text)
