"""Where the pages and claims of an older operation are by now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from llmwiki.memory.state import WikiState
from llmwiki.pages.changes import Changes
from llmwiki.pages.moves import PageMove, is_moving, places_of
from llmwiki.pages.names import name_key, stem_of
from llmwiki.pages.page import Page
from llmwiki.repo.log import Commit

MOVED = "Wiki-Moved"
"""`<path of a page that is no more> → <path of the page that links to it lead to now>`."""
_ARROW = ".md → "


def moved_trailer(moved: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The trailer of an operation that led the links of pages to others: old path to new."""
    told = tuple(f"{old} → {new}" for old, new in sorted(moved.items()))
    return {MOVED: told} if told else {}


def paths_since(commits: Iterable[Commit]) -> Mapping[str, PageMove]:
    """Where the commits, newest first, led the links of pages: old path to what became of it."""
    found: dict[str, PageMove] = {}
    # The operations of a squashed commit stand in its message oldest first.
    for each in (part for commit in commits for part in reversed(commit.by_operation())):
        for value in each.values(MOVED):
            old, arrow, new = value.partition(_ARROW)
            if arrow:
                later = found.get(new, PageMove(new, True))
                is_same = later.is_same and each.kind == "rename"
                found[f"{old}.md"] = PageMove(later.path, is_same)
    return found


def stems_since(state: WikiState, led: Mapping[str, PageMove]) -> Mapping[str, str]:
    """The file name of the page of now for that of each page that is no more, folded."""
    return {
        name_key(stem_of(old)): stem_of(new.path)
        for old, new in sorted(led.items())
        if state.fact(old) is None and state.fact(new.path) is not None
    }


def moved_pages(
    state: WikiState, commit: str, changes: Changes, led: Mapping[str, PageMove]
) -> Mapping[str, PageMove]:
    """What has become of the pages of `changes` that stood in `commit` and are no more.

    `led` says where operations since have led links. A page that somebody moved by hand
    is known by its claims; one without claims by its title, which another page has.
    """
    moved: dict[str, PageMove] = {}
    for item in changes.pages:
        if not item.existed or state.fact(item.path) is not None:
            continue
        data = state.repo.read(commit, item.path)
        if data is None:
            continue
        then = Page.parse(item.path, data.decode("utf-8", "surrogateescape"))
        told = led.get(item.path)
        if told is not None and state.fact(told.path) is not None:
            moved[item.path] = told
            continue
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
