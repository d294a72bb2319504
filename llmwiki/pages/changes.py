"""Differences between two states of pages, as values: diff, apply, invert, merge3.

Ingest makes a new state and takes the difference; undo applies the inverse to what the wiki has
become since; the merge driver is `merge3`. A state is a mapping of paths to pages.

Properties, tested: `apply(diff(a, b), a) == b`; `apply(invert(diff(a, b)), b) == a`; `merge3` gives
the same for (base, a, b) and (base, b, a), and loses no claim that either side kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from llmwiki.pages import nodes, syntax
from llmwiki.pages.nodes import Change, Conflict, Key, Node
from llmwiki.pages.page import Page, prose_hash
from llmwiki.pages.write import SECTIONS, claim_rank, drop_sources, set_source, with_body

_EMPTY = Node(
    ("page",),
    "",
    (
        Node(("front",), "---", (Node(("close",), "---"),)),
        Node(("body",), "", (Node(("tail",), "\n"),)),
    ),
)


@dataclass(frozen=True, slots=True)
class PageChange:
    """What happens to one page."""

    path: str
    existed: bool
    exists: bool
    change: Change


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


def diff(before: Mapping[str, Page], after: Mapping[str, Page]) -> Changes:
    """The changes that turn the pages `before` into the pages `after`."""
    found = []
    for path in sorted({*before, *after}):
        a, b = before.get(path), after.get(path)
        if a is not None and b is not None and (a is b or a.node == b.node):
            continue
        change = nodes.diff(a.node if a else _EMPTY, b.node if b else _EMPTY)
        found.append(PageChange(path, a is not None, b is not None, change))
    return Changes(tuple(found))


def invert(changes: Changes) -> Changes:
    """The changes that take `changes` back."""
    return Changes(
        tuple(
            PageChange(p.path, p.exists, p.existed, nodes.invert(p.change))
            for p in changes.pages
        )
    )


def apply(
    changes: Changes, pages: Mapping[str, Page]
) -> tuple[dict[str, Page], tuple[tuple[str, Conflict], ...]]:
    """The pages with the changes made, and what could not be made with the page it concerns.

    Where others changed a page since, their claims, evidence and prose stay.
    """
    result = dict(pages)
    conflicts: list[tuple[str, Conflict]] = []
    for item in changes.pages:
        current = pages.get(item.path)
        if current is None and not item.exists:
            continue
        if current is None and item.existed:
            conflicts.append((item.path, Conflict(("page",), "", "the page is gone")))
            continue
        page, found = _apply_page(item, current)
        conflicts += [(item.path, conflict) for conflict in found]
        if page is None:
            result.pop(item.path, None)
        else:
            result[item.path] = page
    return result, tuple(conflicts)


def _apply_page(
    item: PageChange, current: Page | None
) -> tuple[Page | None, tuple[Conflict, ...]]:
    start = current.node if current else _EMPTY
    node, conflicts = nodes.apply(item.change, start)
    page = _mend_lists(Page(item.path, node), item.change, current)
    if item.exists:
        return (settle(current, page) if current else page), conflicts
    if current is None or not _has_substance(page):
        return None, ()
    return settle(current, _keep_front(current, page)), ()


def _has_substance(page: Page) -> bool:
    """Whether anything stands on the page that its making did not bring."""
    return any(node.kind not in ("h1", "h", "fn", "tail") for node in page.body)


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


def _mend_lists(page: Page, change: Change, current: Page | None) -> Page:
    """Frontmatter lists that a person wrote in another style merge by what they say."""
    inner = dict(change.changed).get(("front",))
    front = page.front
    if front is None or inner is None or current is None:
        return page
    parts = list(front.parts)
    for index, node in enumerate(parts):
        if node.kind != "front" or not node.parts or node.raw == f"{node.key[1]}:":
            continue
        name = node.key[1]
        entry = dict(inner.changed).get(node.key)
        whole = [n for n in (*inner.removed,) if n.key == node.key]
        came = {p.key for p in entry.added} if entry else set()
        gone = {p.key for p in entry.removed} if entry else {p.key for n in whole for p in n.parts}
        shaped = syntax.list_node(name, syntax.list_items(name, node.raw))
        kept = [p for p in shaped.parts if p.key not in gone or p.key in came]
        kept += [p for p in node.parts if p.key not in {k.key for k in kept}]
        parts[index] = replace(shaped, parts=tuple(kept), gap=node.gap)
    if tuple(parts) == front.parts:
        return page
    rest = tuple(replace(p, parts=tuple(parts)) if p.kind == "front" else p for p in page.node.parts)
    return Page(page.path, replace(page.node, parts=rest))


def settle(before: Page, after: Page) -> Page:
    """`after` with its sources and footnotes in step with what it cites.

    A source cited before and no longer goes from both lists; one still cited whose footnote or
    entry was taken away gets it back. What never was in step stays as it is.
    """
    cited_before, cited = before.cited(), after.cited()
    gone = cited_before - cited
    if gone:
        after = drop_sources(after, gone)
    have_entries = {s.id for s in after.sources} if after.front else set()
    have_notes = {n.key[1] for n in after.body if n.kind == "fn"}
    old_entries = {s.id: s for s in before.sources} if before.front else {}
    old_notes = {n.key[1]: n for n in before.body if n.kind == "fn"}
    for source_id in sorted(cited & cited_before):
        if source_id not in have_entries and source_id in old_entries:
            after = set_source(after, old_entries[source_id])
        if source_id not in have_notes and source_id in old_notes:
            after = _put_footnote(after, old_notes[source_id])
    return after


def _put_footnote(page: Page, node: Node) -> Page:
    body = list(page.body)
    place = next((i for i, n in enumerate(body) if n.kind == "tail"), len(body))
    for index, other in enumerate(body):
        if other.kind == "fn" and other.key > node.key:
            place = index
            break
    body.insert(place, node)
    return with_body(page, body)


# --- three ways ----------------------------------------------------------------------------


def merge3(
    base: Mapping[str, Page], ours: Mapping[str, Page], theirs: Mapping[str, Page]
) -> tuple[dict[str, Page], tuple[tuple[str, Conflict], ...]]:
    """Both sides' changes to `base`. Symmetric; a conflict names the text that stands."""
    result: dict[str, Page] = {}
    conflicts: list[tuple[str, Conflict]] = []
    for path in sorted({*base, *ours, *theirs}):
        page, found = merge_page(base.get(path), ours.get(path), theirs.get(path))
        conflicts += [(path, conflict) for conflict in found]
        if page is not None:
            result[path] = page
    return result, tuple(conflicts)


def merge_page(
    base: Page | None, ours: Page | None, theirs: Page | None
) -> tuple[Page | None, tuple[Conflict, ...]]:
    """One page three ways; None: it is not, or is gone."""
    if ours is None or theirs is None:
        here = ours or theirs
        if here is None or base is None:
            return here, ()
        return (None if here.node == base.node else here), ()
    if ours.node == theirs.node:
        return ours, ()
    b, o, t = _aligned(base, ours, theirs)
    start = b.node if b else _EMPTY
    node, conflicts = nodes.merge(start, o.node, t.node, _chooser(b, o, t), rank)
    merged = Page(ours.path, node)
    for side in (o, t):
        merged = _restore(side, merged)
    return _prune(b, o, t, merged), conflicts


def _restore(side: Page, merged: Page) -> Page:
    entries = {s.id: s for s in side.sources} if side.front else {}
    notes = {n.key[1]: n for n in side.body if n.kind == "fn"}
    have = {s.id for s in merged.sources} if merged.front else set()
    have_notes = {n.key[1] for n in merged.body if n.kind == "fn"}
    for source_id in sorted(merged.cited() & side.cited()):
        if source_id in entries and source_id not in have:
            merged = set_source(merged, entries[source_id])
        if source_id in notes and source_id not in have_notes:
            merged = _put_footnote(merged, notes[source_id])
    return merged


def _prune(base: Page | None, ours: Page, theirs: Page, merged: Page) -> Page:
    """A source that a side still cites, and the merged page no longer, leaves its lists."""
    cited = merged.cited()
    gone = {s for page in (base, ours, theirs) if page for s in page.cited()} - cited
    return drop_sources(merged, gone) if gone else merged


def _aligned(base: Page | None, ours: Page, theirs: Page) -> tuple[Page | None, Page, Page]:
    """The pages with frontmatter lists in one shape, where a side's style differs."""
    pages = [p for p in (base, ours, theirs) if p is not None]
    for name in syntax.LIST_KEYS:
        found = [_entry(p, name) for p in pages]
        shapes = {bool(node.parts) for node in found if node is not None}
        if len(shapes) < 2:
            continue
        try:
            pages = [_shaped(p, name) for p in pages]
        except syntax.PageError:
            continue
    return (pages[0] if base is not None else None), pages[-2], pages[-1]


def _entry(page: Page, name: str) -> Node | None:
    return page.front.part(("front", name)) if page.front else None


def _shaped(page: Page, name: str) -> Page:
    entry = _entry(page, name)
    if entry is None or entry.parts or page.front is None:
        return page
    shaped = syntax.list_node(name, syntax.list_items(name, entry.raw))
    parts = tuple(shaped if p.key == entry.key else p for p in page.front.parts)
    front = replace(page.front, parts=parts)
    return Page(
        page.path,
        replace(
            page.node,
            parts=tuple(front if p.kind == "front" else p for p in page.node.parts),
        ),
    )


_QUIET: frozenset[Key] = frozenset({("front", "description"), ("front", "generated")})


def _chooser(base: Page | None, ours: Page, theirs: Page) -> nodes.Chooser:
    lead, clash = _choose_lead(base, ours, theirs)

    def choose(node: Node | None, one: Node, other: Node) -> tuple[str, bool]:
        if one.key == ("lead",):
            return lead, clash
        if one.key == ("front", "generated"):
            sides = [n.raw for n, page in ((one, ours), (other, theirs)) if page.lead == lead]
            return min(sides or [one.raw, other.raw]), False
        if one.kind in ("fn", "e", "source", "rel", "tail", "body", "h1") or one.key in _QUIET:
            return nodes.first_bytes(node, one, other)[0], False
        if one.kind in ("c", "n"):
            struck = [n.raw for n in (one, other) if "~~ → " in n.raw]
            if len(struck) == 1 and node is not None and "~~ → " not in node.raw:
                return struck[0], True
        return nodes.first_bytes(node, one, other)

    return choose


def _choose_lead(base: Page | None, ours: Page, theirs: Page) -> tuple[str, bool]:
    """A person's lead beats the tool's; of two of the tool's, the one whose bytes sort first."""
    a, b = ours.lead, theirs.lead
    if a == b:
        return a, False
    if base is not None and base.lead in (a, b):
        return (b if base.lead == a else a), False
    tools = [
        bool(page.prose_mark) and page.prose_mark == prose_hash(page.lead)
        for page in (ours, theirs)
    ]
    if tools == [True, False]:
        return b, False
    if tools == [False, True]:
        return a, False
    return min(a, b, key=lambda text: text.encode()), tools == [False, False]


_KINDS = {"h1": 0, "lead": 1, "h": 2, "x": 3, "c": 4, "n": 5, "ref": 6, "rel": 7, "fn": 9}


def rank(node: Node) -> tuple[int, str, int, str]:
    """Where a new node belongs among new nodes of the other side."""
    if node.kind == "c":
        source, line, ident = claim_rank(node)
        return _KINDS["c"], source, line, ident
    if node.kind == "h":
        return _KINDS["h"], f"{SECTIONS.get(node.key[2], 999):03}", 0, node.key[2]
    return _KINDS.get(node.kind, 8), "\0".join(node.key), 0, ""
