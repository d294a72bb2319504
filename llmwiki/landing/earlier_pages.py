"""What pages earlier commits held, and where pages and claims are by now."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from llmwiki.git.commits_and_trailers import Commit
from llmwiki.git.repository import Repository
from llmwiki.index.page_facts_record import is_page
from llmwiki.landing.wiki_state import WikiState
from llmwiki.pages.difference.row_changes import is_moving
from llmwiki.pages.id_and_evidence_patterns import CLAIM_ID
from llmwiki.pages.merge.join_claims import Joins, follow
from llmwiki.pages.merge.page_sets import PageMove
from llmwiki.pages.page import Page
from llmwiki.pages.redirect_links import led_on


def page_of(path: str, data: bytes) -> Page:
    """The page at a path with these bytes."""
    return Page.parse(path, data.decode("utf-8", "surrogateescape"))


def page_at(repo: Repository, commit: str | None, path: str) -> Page | None:
    """The page as a commit has it; None where it has none."""
    data = repo.read(commit, path)
    return None if data is None else page_of(path, data)


def pages_at(repo: Repository, commit: str | None, paths: Iterable[str]) -> dict[str, Page]:
    """Those of the pages that a commit has."""
    found = ((path, page_at(repo, commit, path)) for path in sorted(set(paths)))
    return {path: page for path, page in found if page is not None}


def pages_of(repo: Repository, commit: Commit) -> tuple[dict[str, Page], dict[str, Page]]:
    """The pages that a commit changed, against its first parent: as it found them and as it left
    them.

    Raises BeyondClone where that is not known.
    """
    before: dict[str, Page] = {}
    after: dict[str, Page] = {}
    for change in repo.diff_trees(commit.parents.first(), commit.oid, "wiki"):
        for entry, pages in ((change.old, before), (change.new, after)):
            if entry is not None and is_page(change.path):
                pages[change.path] = page_of(change.path, repo.read_many([entry[1]])[0])
    return before, after


# --- where it is now -----------------------------------------------------------------------------

JOINED = "Wiki-Joined"
"""`<id that is no more> <id that has its evidence>`: an undo of older operations follows it."""
_ID = re.compile(CLAIM_ID)
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
                is_same = later.is_same and each.kind in ("rename", "undo")
                found[f"{old}.md"] = PageMove(later.path, is_same)
    return found


def joins_of(commits: Iterable[Commit]) -> Joins:
    """What the commits, newest first, joined: each id to the one that has its evidence now."""
    joins: dict[str, str] = {}
    for commit in commits:
        for value in commit.values(JOINED):
            gone, _, stays = value.partition(" ")
            if _ID.fullmatch(gone) and _ID.fullmatch(stays):
                joins[gone] = joins.get(stays, stays)
    return joins


class EarlierChange(NamedTuple):
    """What a commit did to pages, with the claims and links in it as they are called now."""

    before: dict[str, Page]
    """The pages that it changed, as it found them."""
    after: dict[str, Page]
    """As it left them."""
    moved: Mapping[str, PageMove]
    """What has become since of those that it left and that are no more."""


def changes_now(
    state: WikiState, commits: Sequence[Commit], since: Sequence[Commit]
) -> list[EarlierChange]:
    """What each of the commits did to pages; `since` are all behind the last of them, newest first.

    Raises BeyondClone where that is not known.
    """
    joins, led = joins_of(since), paths_since(since)
    standing = state.claim_pages(joins)
    joins = {gone: stays for gone, stays in joins.items() if gone not in standing}
    changes = []
    for commit in commits:
        before, after = as_now(state, pages_of(state.repo, commit), joins, led)
        changes.append(EarlierChange(before, after, moved_pages(state, commit.oid, after, led)))
    return changes


def as_now(
    state: WikiState,
    sides: Iterable[Mapping[str, Page]],
    joins: Joins,
    led: Mapping[str, PageMove],
) -> tuple[dict[str, Page], ...]:
    """Pages of before some claims were joined and links led on, in the words of now."""
    homes = state.claim_pages(joins.values())
    held = (page for path in sorted({*homes.values()}) if (page := state.page(path)) is not None)
    standing = {node.key[1]: node for page in held for node in page.body if node.kind == "c"}
    gone = {
        old: move.path for old, move in sorted(led.items())
        if state.fact(old) is None and state.fact(move.path) is not None
    }  # fmt: skip
    return tuple(
        {path: led_on(follow(page, joins, standing), gone) for path, page in pages.items()}
        for pages in sides
    )


def moved_pages(
    state: WikiState, commit: str, then: Mapping[str, Page], led: Mapping[str, PageMove]
) -> Mapping[str, PageMove]:
    """What has become of those of the pages `then`, as they stood in `commit`, that are no more.

    `led` says where operations since have led links. A page that somebody moved by hand
    is known by its claims; one without claims by its title, which another page has.
    """
    moved: dict[str, PageMove] = {}
    for old, page in sorted(then.items()):
        if state.fact(old) is not None:
            continue
        told = led.get(old)
        if told is not None and state.fact(told.path) is not None:
            was_there = state.repo.entry(commit, told.path) is not None
            moved[old] = PageMove(told.path, told.is_same and not was_there)
        elif path := _successor(state, page):
            moved[old] = PageMove(path, state.repo.entry(commit, path) is None)
    return moved


def _successor(state: WikiState, then: Page) -> str | None:
    """The page on which most claims and notes of a page stand that is no more."""
    ids = [node.key[1] for node in then.body if is_moving(node)]
    found = Counter(state.claim_pages(ids).values())
    if found:
        return min(found, key=lambda path: (-found[path], path))
    titled = () if ids else state.names.by_title(then.title)
    return titled[0] if len(titled) == 1 else None
