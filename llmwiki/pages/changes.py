"""Differences between two states of pages, as values: diff, apply, invert.

Ingest makes a new state and takes the difference; undo applies the inverse to what the wiki has
become since. A state is a mapping of paths to pages.

Properties, tested: `apply(diff(a, b), a) == b`; `apply(invert(diff(a, b)), b) == a`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from llmwiki.core.text import sha256_hex
from llmwiki.pages import nodes, syntax
from llmwiki.pages.assembled import (
    by_items,
    front_entry,
    give_sources,
    readable,
    settle,
    settled,
    with_whole_lists,
)
from llmwiki.pages.moves import (
    ClaimMove,
    FollowedChanges,
    PageMove,
    followed,
    joined,
    moves_of,
    renames_of,
    tied,
    worded,
)
from llmwiki.pages.nodes import Change, Conflict, Key, PageNode
from llmwiki.pages.page import SECTION_ENDS, SECTIONS, Page
from llmwiki.pages.relink import follow_names
from llmwiki.pages.write import FRONT_ORDER, PAGE_KEYS, with_body

EMPTY_PAGE = PageNode(
    ("page",),
    "",
    (
        PageNode(("front",), "---", (PageNode(("close",), "---"),)),
        PageNode(("body",), "", (PageNode(("tail",), "\n"),)),
    ),
)


"""A page of which nothing stands yet."""
TITLE: Key = ("front", "title")
"""Where the title stands in the tree of a page."""


@dataclass(frozen=True, slots=True)
class PageChange:
    """What happens to one page."""

    path: str
    existed: bool
    exists: bool
    change: Change
    before: str = ""
    """SHA-256 of the page's text before; empty where there was no page."""
    after: str = ""
    """The same after it."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What happens to a set of pages, sorted by path."""

    pages: tuple[PageChange, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.pages)

    @property
    def paths(self) -> tuple[str, ...]:
        """The pages concerned."""
        return tuple(page.path for page in self.pages)

    @property
    def moves(self) -> tuple[ClaimMove, ...]:
        """The claims and notes that leave one page for another, by id."""
        return moves_of({page.path: page.change for page in self.pages})

    @property
    def renames(self) -> Mapping[str, str]:
        """The pages that got another path: path before to path after.

        All claims and notes of such a page come along; one that has none is known by its lines.
        """
        gone = {p.path: p.change for p in self.pages if p.existed and not p.exists}
        came = {p.path: p.change for p in self.pages if p.exists and not p.existed}
        return renames_of(gone, came) if gone and came else {}


def diff(before: Mapping[str, Page], after: Mapping[str, Page]) -> Changes:
    """The changes that turn the pages `before` into the pages `after`."""
    found = []
    for path in sorted({*before, *after}):
        a, b = before.get(path), after.get(path)
        if a is not None and b is not None and (a is b or a.node == b.node):
            continue
        change = nodes.diff(a.node if a else EMPTY_PAGE, b.node if b else EMPTY_PAGE)
        found.append(PageChange(path, a is not None, b is not None, change, _digest(a), _digest(b)))
    return Changes(tuple(found))


def _digest(page: Page | None) -> str:
    return sha256_hex(page.text.encode("utf-8", "surrogatepass")) if page else ""


def invert(changes: Changes) -> Changes:
    """The changes that take `changes` back."""
    return Changes(
        tuple(
            PageChange(p.path, p.exists, p.existed, nodes.invert(p.change), p.after, p.before)
            for p in changes.pages
        )
    )


def under_new_names(changes: Changes, stems: Mapping[str, str]) -> Changes:
    """Changes of before some pages were renamed or merged, with links as they are written now.

    `stems` gives the file name of a page now by the one it had, folded by `name_key`.
    """
    if not stems:
        return changes
    return Changes(
        tuple(replace(item, change=follow_names(item.change, stems)) for item in changes.pages)
    )


def apply(
    changes: Changes, pages: Mapping[str, Page], moved: Mapping[str, PageMove] | None = None
) -> tuple[dict[str, Page], tuple[tuple[str, Conflict], ...]]:
    """The pages with the changes made, and what could not be made with the page it concerns.

    Where others changed a page since, their claims, evidence and prose stay. A claim is changed on
    the page it stands on now, if that is among `pages`; `moved` says what has become of pages that
    the changes name and that are no more.
    """
    changes, renamed = _as_one_page(changes, pages)
    changes, conflicts = _on_pages_of_today(changes, pages, moved or {})
    bodies = {path: body for path, page in pages.items() if (body := _body(page)) is not None}
    done = followed({item.path: item.change for item in changes.pages}, bodies)
    conflicts += done.conflicts
    result = dict(pages)
    for item in _rewritten(changes, done):
        current = pages.get(item.path)
        if current is None and not item.exists:
            continue
        if current is None and item.existed:
            if item.change:
                conflicts.append((item.path, Conflict(("page",), "", "the page is gone")))
            continue
        page, found = apply_to_page(item, current)
        conflicts += [(item.path, conflict) for conflict in found]
        if page is None:
            result.pop(item.path, None)
        else:
            result[item.path] = page
    for origin, path in sorted(done.carried):
        if (page := result.get(path)) is not None:
            result[path] = give_sources(pages[origin], page)
    for old, new in sorted(renamed.items()):
        if (page := result.pop(old, None)) is not None:
            result[new] = Page(new, page.node)
    return result, tuple(conflicts)


def _as_one_page(changes: Changes, pages: Mapping[str, Page]) -> tuple[Changes, Mapping[str, str]]:
    """The changes with what they rename as a change of the one page, and the paths it gets."""
    items = {item.path: item for item in changes.pages}
    renamed = {
        old: new for old, new in changes.renames.items() if old in pages and new not in pages
    }
    for old, new in renamed.items():
        gone, came = items[old], items.pop(new)
        before = nodes.apply(nodes.invert(gone.change), EMPTY_PAGE)[0]
        after = nodes.apply(came.change, EMPTY_PAGE)[0]
        change = nodes.diff(before, after)
        items[old] = PageChange(old, True, True, change, gone.before, came.after)
    return Changes(tuple(items.values())), renamed


def _body(page: Page) -> PageNode | None:
    return page.node.part(("body",))


_UNKNOWN = "?"
"""In place of a page's digest: its bytes are known to be none of those that a change began with."""


def _rewritten(changes: Changes, done: FollowedChanges) -> list[PageChange]:
    """The changes of each page after claims were followed, by path."""
    known = {item.path: item for item in changes.pages}
    found = []
    for path, change in sorted(done.changes.items()):
        item = known.get(path) or PageChange(path, True, True, change)
        if path in done.rewritten:
            item = replace(item, change=change, before=_UNKNOWN, after=_UNKNOWN)
        found.append(item)
    return found


def _on_pages_of_today(
    changes: Changes, pages: Mapping[str, Page], moved: Mapping[str, PageMove]
) -> tuple[Changes, list[tuple[str, Conflict]]]:
    """The changes with those of pages that were renamed or merged since at their new paths."""
    items: dict[str, PageChange] = {}
    conflicts: list[tuple[str, Conflict]] = []
    merged: list[tuple[str, PageChange]] = []
    for item in changes.pages:
        move = moved.get(item.path) if item.path not in pages and item.existed else None
        if move is None or move.path not in pages:
            items[item.path] = item
        elif not move.is_same or move.path in {*changes.paths, *items}:
            merged.append((move.path, item))
        else:
            change = _under_new_name(item.change, pages[move.path])
            items[move.path] = replace(
                item, path=move.path, change=change, before=_UNKNOWN, after=_UNKNOWN
            )
    for path, item in merged:
        held = items.get(path) or PageChange(path, True, True, Change())
        change = joined(held.change, tied(item.change))
        items[path] = replace(held, change=change, before=_UNKNOWN, after=_UNKNOWN)
        if item.exists:
            lost = worded(item.change)
            conflicts += [(path, Conflict(("page",), "", raw)) for raw in lost]
    return Changes(tuple(items[path] for path in sorted(items))), conflicts


def _under_new_name(change: Change, page: Page) -> Change:
    """A change of a page that has another title since: that title is the page's, and the old one
    one of its aliases."""
    inner = dict(change.changed)
    front, body = inner.get(("front",)), inner.get(("body",))
    if front is None or body is None or page.front is None:
        return change
    was = next((node for node in front.removed if node.key == TITLE), None)
    now = page.front.part(TITLE)
    if was is None or now is None or was.raw == now.raw:
        return change
    h1 = next((node for node in page.body if node.kind == "h1"), None)
    aliases = page.front.part(("front", "aliases"))
    old = next((node for node in front.removed if node.key == ("front", "aliases")), None)
    with suppress(syntax.PageError):
        title = syntax.load_yaml(was.raw).get("title")
        names = syntax.list_node("aliases", (title if isinstance(title, str) else "",))
        old = nodes.union(old, names) if old else names
    removed = [node for node in front.removed if node.key not in (TITLE, ("front", "aliases"))]
    removed += [now, *([old] if old and aliases else [])]
    heads = tuple(h1 if node.kind == "h1" and h1 else node for node in body.removed)
    inner[("front",)] = replace(front, removed=tuple(removed))
    inner[("body",)] = replace(body, removed=heads)
    return replace(change, changed=tuple(inner.items()))


def apply_to_page(
    item: PageChange, current: Page | None
) -> tuple[Page | None, tuple[Conflict, ...]]:
    """What happens to one page, made on the page as it is now, and what could not be made.

    None: the page is gone. What others have added or changed on it since stays.
    """
    here = _digest(current)
    if current is None or here == item.before:
        node, conflicts = nodes.apply(item.change, current.node if current else EMPTY_PAGE)
        return (Page(item.path, node) if item.exists else None), conflicts
    if here == item.after:
        return current, ()
    current = _with_lists_alike(current, item.change)
    node, conflicts = nodes.apply(item.change, current.node)
    page = with_whole_lists(Page(item.path, _sorted_newcomers(node, item.change)))
    page = _without_emptied_sections(current, page)
    if not item.exists:
        if not _has_substance(page) and not _has_persons_front(current, item.change):
            return None, ()
        page = _keep_front(current, page)
    page, found = readable(settled(settle(current, page)), current)
    return page, (*conflicts, *found)


def _without_emptied_sections(before: Page, after: Page) -> Page:
    """The page without the headings of the tool's under which the last line has gone."""
    full = {name for node, name in before.with_sections() if node.kind not in SECTION_ENDS}
    now = {name for node, name in after.with_sections() if node.kind not in SECTION_ENDS}
    emptied = (full - now) & SECTIONS.keys()
    if not emptied:
        return after
    kept = [n for n in after.body if not (n.kind == "h" and n.key[2] in emptied)]
    return with_body(after, kept)


def _sorted_newcomers(node: PageNode, change: Change) -> PageNode:
    """The tree with what the change added to sorted lists in its place there."""
    whole = {part.key: Change(added=part.parts) for part in change.added if part.parts}
    inner = {**whole, **dict(change.changed)}
    came = {part.key for part in change.added}
    parts = [
        _sorted_newcomers(part, inner[part.key]) if part.key in inner else part
        for part in node.parts
    ]
    return replace(node, parts=nodes.sort_runs(parts, came)) if parts else node


def _has_substance(page: Page) -> bool:
    """Whether anything stands on the page that its making did not bring."""
    return any(
        node.kind not in ("h1", "fn", "tail") and not (node.kind == "h" and node.key[2] in SECTIONS)
        for node in page.body
    )


def _has_persons_front(page: Page, change: Change) -> bool:
    """Whether a person gave a page keys, words or a title that its making did not bring."""
    inner = dict(change.changed)
    sides = (inner.get((name,)) for name in ("front", "body"))
    brought = {node.key: node for side in sides if side for node in side.removed}
    entries = page.front.parts[:-1] if page.front else ()
    tools = FRONT_ORDER if page.type == "source" else PAGE_KEYS
    for node in (*entries, *(n for n in page.body if n.kind == "h1")):
        old = brought.get(node.key)
        name = node.key[1] if node.kind == "front" else "title"
        if name == "title" and old is not None and old.raw != node.raw:
            return True
        if name in ("aliases", "tags"):
            had = {part.key for part in old.parts} if old else set()
            if old is None or {part.key for part in node.parts} - had:
                return True
        if name and name not in tools and old is None:
            return True
    return False


def _keep_front(current: Page, page: Page) -> Page:
    """What survives of a page that should go keeps its frontmatter and its title."""
    head = tuple(p for p in current.node.parts if p.kind == "front")
    body = list(page.body)
    title = next((n for n in current.body if n.kind == "h1"), None)
    if title is not None and not any(n.kind == "h1" for n in body):
        body.insert(0, title)
    rest = tuple(p for p in page.node.parts if p.kind == "body")
    whole = Page(page.path, replace(current.node, parts=(*head, *rest)))
    return with_body(whole, body)


def _with_lists_alike(page: Page, change: Change) -> Page:
    """The page with the lists that the change edits by items in the style that has items."""
    inner = dict(change.changed).get(("front",))
    if inner is None:
        return page
    whole = {entry.key for entry in (*inner.removed, *inner.added) if entry.parts}
    edited = {key: entry for key, entry in inner.changed if entry.added or entry.removed}
    for name in syntax.LIST_KEYS:
        here = front_entry(page, name)
        if here is None or here.parts:
            continue
        entry = edited.get(here.key)
        exact = entry is not None and entry.raw is not None and here.raw == entry.raw[0]
        if here.key in whole or (entry is not None and not exact):
            with suppress(syntax.PageError):
                page = by_items(page, name)
    return page
