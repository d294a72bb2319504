"""Differences between two states of pages, as values: diff, apply, invert, merge_page.

Ingest makes a new state and takes the difference; undo applies the inverse to what the wiki has
become since; the merge driver is `merge_page`. A state is a mapping of paths to pages.

Properties, tested: `apply(diff(a, b), a) == b`; `apply(invert(diff(a, b)), b) == a`; `merge_page`
gives the same for (base, a, b) and (base, b, a), and loses no claim that either side kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace

from llmwiki.core.text import sha256_hex
from llmwiki.pages import nodes, syntax
from llmwiki.pages.disputes import both_stand
from llmwiki.pages.dress import three_way
from llmwiki.pages.front import in_blocks
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
from llmwiki.pages.page import (
    SECTION_ENDS,
    SECTIONS,
    GeneratedMarks,
    Page,
    read_generated,
)
from llmwiki.pages.relink import follow_names
from llmwiki.pages.upgrade import upgraded
from llmwiki.pages.write import (
    FRONT_ORDER,
    PAGE_KEYS,
    drop_sources,
    generated_node,
    put_source,
    set_value,
    with_body,
)
from llmwiki.pages.write_claims import claim_rank

_EMPTY = PageNode(
    ("page",),
    "",
    (
        PageNode(("front",), "---", (PageNode(("close",), "---"),)),
        PageNode(("body",), "", (PageNode(("tail",), "\n"),)),
    ),
)


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
        change = nodes.diff(a.node if a else _EMPTY, b.node if b else _EMPTY)
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
        page, found = _apply_page(item, current)
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
        before = nodes.apply(nodes.invert(gone.change), _EMPTY)[0]
        after = nodes.apply(came.change, _EMPTY)[0]
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
    was = next((node for node in front.removed if node.key == _TITLE), None)
    now = page.front.part(_TITLE)
    if was is None or now is None or was.raw == now.raw:
        return change
    h1 = next((node for node in page.body if node.kind == "h1"), None)
    aliases = page.front.part(("front", "aliases"))
    old = next((node for node in front.removed if node.key == ("front", "aliases")), None)
    with suppress(syntax.PageError):
        title = syntax.load_yaml(was.raw).get("title")
        names = syntax.list_node("aliases", (title if isinstance(title, str) else "",))
        old = nodes.union(old, names) if old else names
    removed = [node for node in front.removed if node.key not in (_TITLE, ("front", "aliases"))]
    removed += [now, *([old] if old and aliases else [])]
    heads = tuple(h1 if node.kind == "h1" and h1 else node for node in body.removed)
    inner[("front",)] = replace(front, removed=tuple(removed))
    inner[("body",)] = replace(body, removed=heads)
    return replace(change, changed=tuple(inner.items()))


def _apply_page(item: PageChange, current: Page | None) -> tuple[Page | None, tuple[Conflict, ...]]:
    here = _digest(current)
    if current is None or here == item.before:
        node, conflicts = nodes.apply(item.change, current.node if current else _EMPTY)
        return (Page(item.path, node) if item.exists else None), conflicts
    if here == item.after:
        return current, ()
    current = _with_lists_alike(current, item.change)
    node, conflicts = nodes.apply(item.change, current.node)
    page = _mended(Page(item.path, _sorted_newcomers(node, item.change)))
    page = _without_emptied_sections(current, page)
    if not item.exists:
        if not _has_substance(page) and not _has_persons_front(current, item.change):
            return None, ()
        page = _keep_front(current, page)
    page, found = _readable(settled(settle(current, page)), current)
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


def _readable(page: Page, instead: Page) -> tuple[Page, tuple[Conflict, ...]]:
    """The page, with the frontmatter of `instead` where its own cannot be read and that can."""
    if _is_readable(page) or not _is_readable(instead) or page.front is None:
        return page, ()
    dropped = "\n".join(syntax.render_node(entry) for entry in page.front.parts[:-1])
    head = tuple(p for p in instead.node.parts if p.kind == "front")
    kept = "\n".join(syntax.render_node(entry) for p in head for entry in p.parts[:-1])
    rest = tuple(p for p in page.node.parts if p.kind != "front")
    whole = Page(page.path, replace(page.node, parts=(*head, *rest)))
    return whole, (Conflict(("front",), kept, dropped),)


def _is_readable(page: Page) -> bool:
    try:
        return page.values is not None
    except syntax.PageError:
        return False


def settled(page: Page) -> Page:
    """The page as reading it back gives it, with every claim and footnote of the tree in it.

    Pieces of two sides that meet may not mean together what they meant apart: a paragraph right
    under a list item continues it, an open fence swallows what follows. They are set apart.
    """
    again = Page.parse(page.path, page.text)
    if _anchors(again) == _anchors(page):
        return again
    body: list[PageNode] = []
    for node in syntax.open_last(page.body):
        body.append(replace(node, gap=None) if body and node.gap == "" else node)
    page = with_body(page, body)
    return Page.parse(page.path, page.text)


def _anchors(page: Page) -> list[tuple[Key, int]]:
    """What must be read back; the number of a node that stands twice is none of its own."""
    kinds = {"c": 2, "n": 2, "fn": 2, "rel": 4, "ref": 2, "on": 2, "record": 1}
    return sorted(
        (node.key[: kinds[node.kind]], len(node.parts)) for node in page.body if node.kind in kinds
    )


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
        here = _entry(page, name)
        if here is None or here.parts:
            continue
        entry = edited.get(here.key)
        exact = entry is not None and entry.raw is not None and here.raw == entry.raw[0]
        if here.key in whole or (entry is not None and not exact):
            with suppress(syntax.PageError):
                page = _shaped(page, name)
    return page


def _mended(page: Page) -> Page:
    """The page with lists of which one half came in another style made whole."""
    front = page.front
    if front is None:
        return page
    parts = []
    for node in front.parts:
        name = node.key[-1]
        if node.kind == "front" and node.parts and node.raw != f"{name}:":
            try:
                own = syntax.list_parts(name, node.raw)
            except syntax.PageError:
                own = ()
            both = {part.key: part for part in (*node.parts, *own)} if own else {}
            kept = tuple(both.values())
            parts.append(replace(node, raw=f"{name}:" if kept else node.raw, parts=kept))
        else:
            parts.append(node)
    new = replace(front, parts=tuple(parts))
    rest = tuple(new if p.kind == "front" else p for p in page.node.parts)
    return Page(page.path, replace(page.node, parts=rest))


def settle(before: Page, after: Page) -> Page:
    """`after` with its sources and footnotes in step with what it cites.

    A source cited before and no longer goes from both lists; one still cited whose footnote or
    entry was taken away gets it back. What never was in step stays as it is.
    """
    cited_before, cited = before.cited(), after.cited()
    after = _drop(after, cited_before - cited)
    for source_id in sorted(cited & cited_before):
        after = _give_back(before, after, source_id)
    return after


def _drop(page: Page, ids: Set[str]) -> Page:
    if not ids:
        return page
    try:
        return drop_sources(page, ids)
    except syntax.PageError:
        kept = [n for n in page.body if not (n.kind == "fn" and n.key[1] in ids)]
        return with_body(page, kept)


def give_sources(side: Page, page: Page) -> Page:
    """The page with the sources and footnotes that it needs, as the page `side` has them."""
    for source_id in sorted(page.cited() & side.cited()):
        page = _give_back(side, page, source_id)
    return page


def _give_back(side: Page, page: Page, source_id: str) -> Page:
    """The page with the entry and the footnote of a source as `side` has them, if it lacks them."""
    entry = _sources(side).get(source_id)
    if entry is not None and source_id not in _sources(page):
        with suppress(syntax.PageError):
            page = put_source(page, entry)
    note = _footnotes(side).get(source_id)
    if note is not None and source_id not in _footnotes(page):
        page = _put_footnote(page, note)
    return page


def _sources(page: Page) -> dict[str, PageNode]:
    entry = _entry(page, "sources")
    if entry is None:
        return {}
    try:
        parts = entry.parts or syntax.list_parts("sources", entry.raw)
    except syntax.PageError:
        return {}
    return {part.key[1]: part for part in parts}


def _footnotes(page: Page) -> dict[str, PageNode]:
    return {n.key[1]: n for n in page.body if n.kind == "fn" and len(n.key) == 2}


def _put_footnote(page: Page, node: PageNode) -> Page:
    body = list(page.body)
    place = next((i for i, n in enumerate(body) if n.kind == "tail"), len(body))
    for index, other in enumerate(body):
        if other.kind == "fn" and other.key > node.key:
            place = index
            break
    body.insert(place, node.bare())
    return with_body(page, body)


# --- three ways ----------------------------------------------------------------------------


def merge_page(
    base: Page | None, ours: Page | None, theirs: Page | None
) -> tuple[Page | None, tuple[Conflict, ...]]:
    """One page three ways; None: it is not, or is gone.

    Where one side took the page out, what was on it goes, and what the other side has added or
    changed since stays.
    """
    if base is not None and ours is not None and theirs is not None:
        # Where one side changed nothing, the other's bytes stand.
        if theirs.node == base.node:
            return ours, ()
        if ours.node == base.node:
            return theirs, ()
    base, ours, theirs = _in_one_grammar(base, ours, theirs)
    if ours is None or theirs is None:
        here = ours or theirs
        if here is None or base is None:
            return here, ()
        (gone,) = diff({base.path: base}, {}).pages
        return _apply_page(gone, here)
    if ours.node == theirs.node or (base is not None and theirs.node == base.node):
        return ours, ()
    if base is not None and ours.node == base.node:
        return theirs, ()
    merged, conflicts = _merge_readably(base, ours, theirs)
    merged = _in_step(base, ours, theirs, merged)
    return settled(merged), conflicts


def _in_one_grammar(*sides: Page | None) -> tuple[Page | None, ...]:
    """The three pages, in the grammar of format 2 where any of them is: the same line of both
    grammars is one line."""
    new = [side and upgraded(side) for side in sides]
    if any(was is not None and was is now for was, now in zip(sides, new, strict=True)):
        return tuple(new)
    return sides


def merge_marked(base: Page | None, ours: Page | None, theirs: Page | None) -> Page | None:
    """As `merge_page`; what the sides word differently stands twice, see `pages.disputes`."""
    base, ours, theirs = _in_one_grammar(base, ours, theirs)
    merged, conflicts = merge_page(base, ours, theirs)
    if merged is None or ours is None or theirs is None or not conflicts:
        return merged
    one, other = (_merge_readably(base, ours, theirs, take)[0] for take in nodes.SIDES)
    return settled(_in_step(base, ours, theirs, both_stand(one, other)))


def _merge_readably(
    base: Page | None, ours: Page, theirs: Page, take: nodes.Side | None = None
) -> tuple[Page, tuple[Conflict, ...]]:
    """The merged page with frontmatter that can be read, if that of both sides can."""
    merged, conflicts = _merge_nodes(base, ours, theirs, take)
    if not _is_readable(merged) and all(map(_is_readable, (ours, theirs))):
        sides = [_in_blocks(page) if page else None for page in (base, ours, theirs)]
        merged, conflicts = _merge_nodes(sides[0], sides[1] or ours, sides[2] or theirs, take)
        first = min((ours, theirs), key=lambda page: page.text)
        merged, found = _readable(merged, first if take is None else (ours, theirs)[take])
        conflicts = (*conflicts, *found)
    return merged, conflicts


def _merge_nodes(
    base: Page | None, ours: Page, theirs: Page, take: nodes.Side | None
) -> tuple[Page, tuple[Conflict, ...]]:
    b, o, t = _aligned(base, ours, theirs)
    start = b.node if b else _EMPTY
    node, conflicts = nodes.merge(start, o.node, t.node, _chooser(b, o, t), rank, take)
    return _mended(Page(ours.path, node)), conflicts


def _in_blocks(page: Page) -> Page:
    """The page with its frontmatter one key a line, whatever style it had."""
    if page.front is None or not _is_readable(page):
        return page
    entries = in_blocks(page.values)
    front = replace(page.front, parts=(*entries, page.front.parts[-1]))
    rest = tuple(front if p.kind == "front" else p for p in page.node.parts)
    return Page(page.path, replace(page.node, parts=rest))


def _in_step(base: Page | None, ours: Page, theirs: Page, merged: Page) -> Page:
    """Sources and footnotes follow what the merged page cites, where a side does not say other.

    One that a side has and the other lacks only because it no longer cited it comes back; one that
    both sides still had reason for, and the merged page has not, goes.
    """
    cited = merged.cited()
    by_ours, by_theirs = ours.cited(), theirs.cited()
    for source_id in sorted(cited & by_ours - by_theirs):
        merged = _give_back(ours, merged, source_id)
    for source_id in sorted(cited & by_theirs - by_ours):
        merged = _give_back(theirs, merged, source_id)
    sides = ((by_ours, _footnotes(ours)), (by_theirs, _footnotes(theirs)))
    unkept = {
        s
        for s in (base.cited() if base else frozenset()) - cited
        if any(s not in cites and s not in notes for cites, notes in sides)
    }
    merged = _drop(merged, ((by_ours & by_theirs) - cited) | unkept)
    return _without_doubtful_bytes(base, ours, theirs, merged)


def _without_doubtful_bytes(base: Page | None, ours: Page, theirs: Page, merged: Page) -> Page:
    """The page of a source without its hash where both sides have read other bytes: lines of both
    versions stand in the wiki then, and the next operation follows all of them."""
    sides = (base, ours, theirs)
    if not all(page is None or _is_readable(page) for page in (*sides, merged)):
        return merged
    was, one, other = (page.value("sha256") if page else "" for page in sides)
    doubtful = merged.type == "source" and one != other and was not in (one, other)
    return set_value(set_value(merged, "sha256", ""), "text", "") if doubtful else merged


def _aligned(base: Page | None, ours: Page, theirs: Page) -> tuple[Page | None, Page, Page]:
    """The pages with frontmatter lists in one shape, where a side's style differs, or where both
    sides changed a list that no style of ours reads by items."""
    pages = [p for p in (base, ours, theirs) if p is not None]
    for name in syntax.LIST_KEYS:
        found = [_entry(p, name) for p in pages]
        shapes = {bool(node.parts) for node in found if node is not None}
        texts = [node.raw for node in found if node is not None]
        unlike = shapes == {False} and None not in found[-2:] and len({*texts}) == len(texts)
        if len(shapes) < 2 and not unlike:
            continue
        try:
            pages = [_shaped(p, name) for p in pages]
        except syntax.PageError:
            continue
    return (pages[0] if base is not None else None), pages[-2], pages[-1]


def _entry(page: Page, name: str) -> PageNode | None:
    return page.front.part(("front", name)) if page.front else None


def _shaped(page: Page, name: str) -> Page:
    entry = _entry(page, name)
    if entry is None or entry.parts or page.front is None:
        return page
    shaped = replace(entry, raw=f"{name}:", parts=syntax.list_parts(name, entry.raw))
    if not shaped.parts:
        return page
    parts = tuple(shaped if p.key == entry.key else p for p in page.front.parts)
    front = replace(page.front, parts=parts)
    return Page(
        page.path,
        replace(
            page.node,
            parts=tuple(front if p.kind == "front" else p for p in page.node.parts),
        ),
    )


_TITLE: Key = ("front", "title")
_DESCRIPTION: Key = ("front", "description")
_GENERATED: Key = ("front", "generated")
_ARROW = "~~ → "
_OF_A_VERSION = frozenset({("front", name) for name in ("date", "sha256", "text")})
"""Keys of a source's page that its reading writes; where two versions were read nobody is asked."""
_QUIET = frozenset(
    {"e", "source", "rel", "ref", "on", "at", "awaits", "dead", "tail", "body", "close"}
)
"""Kinds of which one text stands and nobody is asked: the tool's own, or no words."""


def _chooser(base: Page | None, ours: Page, theirs: Page) -> nodes.Chooser:
    lead, clash = _choose_lead(base, ours, theirs)
    describes = _descriptions(base, ours, theirs)

    def choose(node: PageNode | None, one: PageNode, other: PageNode) -> tuple[str, bool]:
        if one.key == ("lead",):
            return lead, clash
        if one.kind == "h1" or (one.key == _TITLE and node is None):
            # Two readings of one document may call it by two names: that is no conflict.
            first = min((ours.title, one.raw), (theirs.title, other.raw))
            return first[1], node is not None
        if one.key == _GENERATED:
            return _choose_marks(lead, describes, ours, theirs), False
        if one.key == _DESCRIPTION:
            return _choose_description((ours, one.raw), (theirs, other.raw))
        of_a_version = one.key in _OF_A_VERSION and ours.type == theirs.type == "source"
        if one.kind == "at" or of_a_version:
            # A roster of format 1 knew no lines.
            return max(one.raw, other.raw), False
        if one.kind in _QUIET or one.key == ("front",) or _is_tools_footnote(one, other):
            return nodes.first_bytes(node, one, other)[0], False
        return _choose_claim(node, one, other)

    return choose


def _choose_claim(node: PageNode | None, one: PageNode, other: PageNode) -> tuple[str, bool]:
    if one.kind in ("c", "n"):
        struck = [n.raw for n in (one, other) if _ARROW in n.raw]
        if len(struck) == 2 and (settled := _one_strike(*struck)):
            return settled, False
        if len(struck) == 1 and node is None and one.kind == "n":
            # Both heard it, and one heard what took its place.
            return struck[0], False
        if len(struck) == 1 and node is not None and _ARROW not in node.raw:
            return struck[0], True
    return nodes.first_bytes(node, one, other)


def _one_strike(one: str, other: str) -> str:
    """The text of a claim that both sides have struck, where one of them found it gone in another
    version of its source; empty where both say what took its place."""
    gone = [raw for raw in (one, other) if raw.partition(_ARROW)[2].startswith("gone in ")]
    if not gone or one.partition(_ARROW)[0] != other.partition(_ARROW)[0]:
        return ""
    return min(gone) if len(gone) == 2 else other if gone[0] == one else one


def _is_tools_footnote(one: PageNode, other: PageNode) -> bool:
    """Whether both are the footnote of a source, as the tool writes it."""
    start = f"[^{one.key[1]}]: [[sources/{one.key[1]}" if one.kind == "fn" else "\n"
    return one.raw.startswith(start) and other.raw.startswith(start)


def _choose_description(*sides: tuple[Page, str]) -> tuple[str, bool]:
    """As of a lead: a person's beats the tool's."""
    persons = [raw for page, raw in sides if not _describes_as_tool(page)]
    return min(persons or [raw for _page, raw in sides]), len(persons) == len(sides)


def _descriptions(base: Page | None, ours: Page, theirs: Page) -> Sequence[Page]:
    """The sides whose description stands."""
    if base is None or not all(map(_is_readable, (base, ours, theirs))):
        return (ours, theirs)
    changed = [page for page in (ours, theirs) if page.description != base.description]
    if len(changed) == 1:
        return changed
    sides = [(page, page.description) for page in (ours, theirs)]
    stands = _choose_description(*sides)[0]
    return [page for page, text in sides if text == stands]


def _choose_marks(lead: str, describes: Sequence[Page], ours: Page, theirs: Page) -> str:
    """`generated` with the mark of the lead from a side whose lead stands, and that of the
    description from one whose description stands."""
    sides = [p for p in (ours, theirs) if p.lead == lead and _is_readable(p)]
    marks = sorted(read_generated(p.values.get("generated")) for p in sides)
    first = marks[0] if marks else GeneratedMarks()
    abouts = sorted(p.about_mark for p in describes if _is_readable(p))
    return generated_node(GeneratedMarks(first.by, first.prose, abouts[0] if abouts else "")).raw


def _describes_as_tool(page: Page) -> bool:
    return _is_readable(page) and page.description_is_tools


def _choose_lead(base: Page | None, ours: Page, theirs: Page) -> tuple[str, bool]:
    """A person's lead beats the tool's; of two of the tool's, the one whose bytes sort first."""
    a, b = ours.lead, theirs.lead
    settled = a if a == b else three_way("lead", base.lead if base else None, a, b)
    if settled is not None:
        return settled, False
    tools = [_leads_as_tool(page) for page in (ours, theirs)]
    if tools == [True, False]:
        return b, False
    if tools == [False, True]:
        return a, False
    return min(a, b, key=lambda text: text.encode()), tools == [False, False]


def _leads_as_tool(page: Page) -> bool:
    return _is_readable(page) and bool(page.lead) and page.lead_is_tools


_KINDS = {
    "h1": 0, "lead": 1, "h": 2, "x": 3, "c": 4, "n": 5, "ref": 6, "on": 6, "rel": 7, "record": 8,
    "fn": 9,
}  # fmt: skip


def rank(node: PageNode) -> tuple[int, str, int, str]:
    """Where a new node belongs among new nodes of the other side. Claims on one line have one
    rank: in which order the reading of a side put them is kept."""
    if node.kind == "c":
        source, line = claim_rank(node)
        return _KINDS["c"], source, line, ""
    if node.kind == "h":
        return _KINDS["h"], f"{SECTIONS.get(node.key[2], 999):03}", 0, node.key[2]
    return _KINDS.get(node.kind, 8), "\0".join(node.key), 0, ""
