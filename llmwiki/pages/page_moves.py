"""What became of pages between two states: renamed, merged into another one, split off."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from llmwiki.pages.dress import bare
from llmwiki.pages.nodes import Key, PageNode
from llmwiki.pages.page import Page
from llmwiki.pages.syntax import PageError

Pages = Mapping[str, Page]


class PageMoves(NamedTuple):
    """What became of pages: each path to another one."""

    renamed: dict[str, str]
    """Before to after."""
    merged: dict[str, str]
    """One that is gone to the one that has its claims."""
    split: dict[str, str]
    """A new one to the one that its claims come from."""


def is_moving(node: PageNode) -> bool:
    """Whether a node is one that keeps its identity on another page: a claim or a note."""
    return node.kind in ("c", "n") and len(node.key) == 2


def homes_on(pages: Pages) -> dict[Key, str]:
    """Where each claim and note stands; the first by path."""
    found: dict[Key, str] = {}
    for path, page in sorted(pages.items()):
        for node in page.body:
            if is_moving(node):
                found.setdefault(node.key, path)
    return found


def went_to(page: Page, pages: Pages) -> str:
    """The one of the pages that most claims of a page stand on; empty: none does."""
    homes = homes_on(pages)
    found = Counter(homes[node.key] for node in page.body if node.key in homes)
    return min(found, key=lambda path: (-found[path], path), default="")


def page_moves(
    before: Pages, after: Pages, shared: Mapping[tuple[str, str], int] | None = None
) -> PageMoves:
    """What became of pages. `shared`: how many claims of a page are on another one, by their
    paths, where that is known already.

    A page without claims is known by its title or its words.
    """
    if shared is None:
        was, now = homes_on(before), homes_on(after)
        shared = Counter((was[key], now[key]) for key in was if now.get(key, was[key]) != was[key])
    gone = before.keys() - after.keys()
    came = sorted(after.keys() - before.keys())
    found = Counter(shared)
    for path in sorted(gone - {origin for origin, _path in shared}):
        same = [other for other in came if _is_same_page(before[path], after[other])]
        found.update((path, other) for other in same[:1])
    moves = PageMoves({}, {}, {})
    for (path, other), _count in sorted(found.items(), key=lambda pair: (-pair[1], pair[0])):
        if {path, other} & {*moves.renamed, *moves.renamed.values(), *moves.merged, *moves.split}:
            continue
        if path in gone and other in came:
            moves.renamed[path] = other
        elif path in gone:
            moves.merged[path] = other
        elif other in came and path in after:
            moves.split[other] = path
    return moves


def _is_same_page(old: Page, new: Page) -> bool:
    """Whether two pages without claims in common are one under two names."""
    try:
        if old.title == new.title or old.title in new.aliases:
            return old.type == new.type
    except PageError:
        return False
    one, other = (
        bare("\n".join(n.raw for n in page.body if n.kind != "h1")) for page in (old, new)
    )
    return bool(one.strip()) and one == other
