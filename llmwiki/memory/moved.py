"""Where the pages and claims of an older operation are by now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from llmwiki.memory.state import WikiState
from llmwiki.pages.changes import Changes
from llmwiki.pages.moves import PageMove, is_moving, places_of
from llmwiki.pages.page import Page


def moved_pages(state: WikiState, commit: str, changes: Changes) -> Mapping[str, PageMove]:
    """What has become of the pages of `changes` that stood in `commit` and are no more.

    A page without claims is known by its title, which another page has as title or alias.
    """
    moved: dict[str, PageMove] = {}
    for item in changes.pages:
        if not item.existed or state.fact(item.path) is not None:
            continue
        data = state.repo.read(commit, item.path)
        if data is None:
            continue
        then = Page.parse(item.path, data.decode("utf-8", "surrogateescape"))
        path = _successor(state, then)
        if path is not None:
            moved[item.path] = PageMove(path, state.repo.entry(commit, path) is None)
    return moved


def _successor(state: WikiState, then: Page) -> str | None:
    """The page on which most claims and notes of a page stand that is no more."""
    ids = [node.key[1] for node in then.body if is_moving(node)]
    found = Counter(state.claim_page.among(ids).values())
    if found:
        return min(found, key=lambda path: (-found[path], path))
    titled = () if ids else state.names.by_title(then.title)
    return titled[0] if len(titled) == 1 else None


def standing_on(
    state: WikiState, changes: Changes, moved: Mapping[str, PageMove]
) -> tuple[str, ...]:
    """The pages that `changes` concern as the wiki is now, by path."""
    ids = places_of({item.path: item.change for item in changes.pages})
    homes = state.claim_page.among(sorted(ids)).values()
    return tuple(sorted({*changes.paths, *homes, *(move.path for move in moved.values())}))
