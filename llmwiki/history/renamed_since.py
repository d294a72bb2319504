"""A branch for review whose pages the wiki has renamed since it began: the branch follows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from llmwiki.memory.moved import moved_pages, paths_since
from llmwiki.memory.state import WikiState
from llmwiki.pages.page import Page
from llmwiki.pages.relink import led_on

PageSides = Mapping[str, tuple[Page | None, Page | None, Page | None]]
"""Path to the page in the common commit, in HEAD and on the branch."""


def under_names_of_now(state: WikiState, base: str, sides: PageSides) -> PageSides:
    """The pages with what the branch changes on a page that has another name in HEAD on that one.

    `base` is the common commit. Links of the branch to such pages lead to them by their new names.
    A page that was merged into another one is left as it is: its claims stand beside others now.
    """
    gone = {path for path, (base_page, ours, _t) in sides.items() if base_page and ours is None}
    if not gone:
        return sides
    before = {path: page for path, (page, _o, _t) in sides.items() if page is not None}
    after = {path: page for path, (_b, _o, page) in sides.items() if page is not None}
    led = paths_since(state.repo.log(f"{base}..{state.commit}"))
    moved = moved_pages(state, base, before, led)
    names = {
        old: move.path
        for old, move in sorted(moved.items())
        if old in gone and old in after and move.is_same and move.path not in sides
    }
    if not names:
        return sides
    # Both sides: a line that leads there is the same line in HEAD, which has it under the new name.
    before, after = (
        {path: led_on(page, names) for path, page in pages.items()} for pages in (before, after)
    )
    return {
        names.get(path, path): (
            _at(names.get(path, path), before.get(path)),
            state.page(names[path]) if path in names else ours,
            _at(names.get(path, path), after.get(path)),
        )
        for path, (_base, ours, _theirs) in sides.items()
    }


def _at(path: str, page: Page | None) -> Page | None:
    return None if page is None else replace(page, path=path)
