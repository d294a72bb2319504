"""An operation taken back: what it left, what stands now and what it found, as a merge."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from functools import partial

from llmwiki.pages.assembled import settle
from llmwiki.pages.merge_page import merge_page
from llmwiki.pages.merge_states import MergedStates, PageMove, merge_states
from llmwiki.pages.nodes import Conflict, Key, PageNode
from llmwiki.pages.page import Page
from llmwiki.pages.page_moves import is_moving
from llmwiki.pages.write import with_body

Pages = Mapping[str, Page]


def undone(
    before: Pages,
    after: Pages,
    now: Pages,
    moved: Mapping[str, PageMove] = {},
    deleted: Set[str] = frozenset(),
) -> MergedStates:
    """The pages `now` without what an operation did, which found them as `before` and left them as
    `after`: pages that it made, changed or took out.

    What others have changed since stands. `now` has the pages of the operation that are there
    still, and those on which their claims stand by now; `moved` says what has become of the
    others. A claim that is no more comes back only where the operation took evidence off it, with
    that alone, and if it is none of those `deleted` by a person.
    """
    found, left = dict(before), dict(after)
    lost = _without_lost(found, left, now, deleted)
    _stand_as_now(found, left, now, moved)
    one = partial(merge_page, take=0, ours_stands=True)
    merged = merge_states(left, now, found, one=one, known=moved, ours_stands=True)
    return merged._replace(conflicts=(*lost, *merged.conflicts))


def _without_lost(
    found: dict[str, Page], left: dict[str, Page], now: Pages, deleted: Set[str]
) -> list[tuple[str, Conflict]]:
    """Takes claims that are no more out of both states, save for evidence to give back."""
    standing = {node.key for page in now.values() for node in page.body}
    had = {n.key: n for page in found.values() for n in page.body if is_moving(n)}
    conflicts = []
    for path, page in sorted(left.items()):
        gone = {n.key: n for n in page.body if is_moving(n) and n.key not in standing}
        if not gone:
            continue
        left[path] = _with_nodes(page, dict.fromkeys(gone))
        wanted: dict[Key, PageNode | None] = {}
        for key, node in gone.items():
            was = had.get(key)
            fresh = _evidence_lost(was, node) if was and key[1] not in deleted else ()
            wanted[key] = replace(was, parts=fresh, gap=None) if was and fresh else None
            if was is not None and not fresh and was != node:
                conflicts.append((path, Conflict(key, "", was.raw)))
        for other, held in found.items():
            found[other] = _with_nodes(held, wanted)
    return conflicts


def _evidence_lost(was: PageNode, node: PageNode) -> tuple[PageNode, ...]:
    """What is to be given back to a claim that is no more: evidence, and how that is read."""
    kept = {part.key for part in node.parts}
    fresh = [part for part in was.parts if part.kind == "e" and part.key not in kept]
    return tuple(p for p in was.parts if p in fresh or p.kind == "a") if fresh else ()


def _with_nodes(page: Page, wanted: Mapping[Key, PageNode | None]) -> Page:
    """The page with other nodes in the place of those of their keys; None: without it."""
    if not any(node.key in wanted for node in page.body):
        return page
    body = (wanted.get(node.key, node) for node in page.body)
    return with_body(page, [node for node in body if node is not None])


def _stand_as_now(
    found: dict[str, Page], left: dict[str, Page], now: Pages, moved: Mapping[str, PageMove]
) -> None:
    """Puts the pages that the operation left alone into both states as they are now, without the
    lines that it knew elsewhere."""
    known = {*found, *left}
    renamed = {move.path for old, move in moved.items() if move.is_same and old in left}
    lines = {
        node.key for state in (found, left) for page in state.values() for node in page.body
        if is_moving(node)
    }  # fmt: skip
    for path, page in now.items():
        if path in known or path in renamed:
            continue
        told = {
            node.key for old, move in moved.items() if move.path == path
            for state in (found, left) if old in state
            for node in state[old].body if node.kind == "rel"
        }  # fmt: skip
        rest = _with_nodes(page, dict.fromkeys(lines | told))
        found[path] = left[path] = rest if rest is page else settle(page, rest)
