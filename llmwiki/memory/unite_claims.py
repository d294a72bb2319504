"""Claims that a merge left on two pages: one of them has it, with the evidence of both.

One branch moved the claim and the other changed it, or both read one document and filed it with two
subjects. git merges each page by itself, and may see nothing to ask about.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from llmwiki.core.text import fold
from llmwiki.index.facts import is_page
from llmwiki.memory.catch_up import LOOK_BACK
from llmwiki.memory.state import WikiState
from llmwiki.pages import write
from llmwiki.pages.assembled import give_sources, settle
from llmwiki.pages.disputes import is_disputed
from llmwiki.pages.merge import merge
from llmwiki.pages.nodes import Key, PageNode
from llmwiki.pages.page import Page
from llmwiki.repo.log import Commit
from llmwiki.repo.trees import Entry

MOVING = frozenset({"merge", "split", "tidy"})
"""Kinds of operations that move claims from page to page."""


class _Arrival(NamedTuple):
    """Where an operation moved a claim, and as what."""

    path: str
    node: PageNode


def on_two_pages(state: WikiState, paths: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The claims of those pages that stand on another page too: id to all its pages."""
    held = (page for path in sorted(set(paths)) if (page := state.page(path)) is not None)
    homes = state.claim_homes(sorted({claim.id for page in held for claim in page.claims}))
    return {ident: found for ident, found in sorted(homes.items()) if len(found) > 1}


def unite(state: WikiState, doubled: Mapping[str, Collection[str]]) -> dict[str, Page]:
    """The pages after each of the claims, given with the pages it stands on, is on one of them.

    That is the page to which an operation has moved it, else the one of the smallest title. Where
    the wordings are unlike and nobody knows whose is the newer one, the claim is left.
    """
    pages: dict[str, Page] = {}
    arrivals = _arrivals(state, doubled.keys()) if doubled else {}
    for ident, paths in sorted(doubled.items()):
        held = {path: pages.get(path) or state.page(path) for path in sorted(paths)}
        here = {path: page for path, page in held.items() if page is not None}
        if not any(is_disputed(page.text) for page in here.values()):
            pages |= _united(here, ("c", ident), arrivals.get(ident))
    return pages


def _united(held: Mapping[str, Page], key: Key, arrival: _Arrival | None) -> dict[str, Page]:
    home = min(held, key=lambda path: (fold(held[path].title), path))
    if arrival is not None and arrival.path in held:
        home = arrival.path
    target = held[home]
    one = next(node for node in target.body if node.key == key)
    # Without parts: no evidence of either page is taken for one that the other has taken out.
    base = replace(arrival.node, parts=()) if arrival is not None else None
    pages = dict(held)
    for path in sorted(held.keys() - {home}):
        other = next(node for node in held[path].body if node.key == key)
        one, conflicts = merge(base, one.bare(), other.bare())
        if conflicts:
            return {}
        target = give_sources(held[path], write.replace_node(target, one))
        pages[path] = settle(held[path], write.remove_node(held[path], key))
    pages[home] = target
    return {path: Page.parse(path, page.text) for path, page in pages.items()}


def _arrivals(state: WikiState, ids: Collection[str]) -> dict[str, _Arrival]:
    """Where the newest operation that moved each of the claims has put it."""
    found: dict[str, _Arrival] = {}
    head = state.commit
    for commit in state.repo.log(head, limit=LOOK_BACK) if head else ():
        is_moving = any(each.kind in MOVING for each in commit.by_operation())
        if is_moving and commit.parents.known and ids - found.keys():
            for key, arrival in _came(state, commit).items():
                if key[1] in ids:
                    found.setdefault(key[1], arrival)
    return found


def _came(state: WikiState, commit: Commit) -> dict[Key, _Arrival]:
    """The claims that a commit brought to pages. In a rebase it may not have taken them from the
    pages where they stood: somebody had changed them there."""
    found: dict[Key, _Arrival] = {}
    for change in state.repo.diff_trees(commit.parents.first(), commit.oid, "wiki"):
        if is_page(change.path) and change.new is not None:
            had, has = (_claims(state, change.path, entry) for entry in (change.old, change.new))
            for key in has.keys() - had.keys():
                found[key] = _Arrival(change.path, has[key].bare())
    return found


def _claims(state: WikiState, path: str, entry: Entry | None) -> dict[Key, PageNode]:
    if entry is None:
        return {}
    text = state.repo.read_many([entry[1]])[0].decode("utf-8", "surrogateescape")
    page = Page.parse(path, text)
    return {node.key: node for node in page.body if node.kind == "c" and len(node.key) == 2}
