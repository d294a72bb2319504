"""A part of some Changes: what lands of them where a person accepts some of what they bring.

`restrict` keeps the accepted items and what they need: the page a claim stands on, its footnote,
the page of its source and its line on the roster there. Links of an accepted claim to what does
not stand are cut from it; they stay in the rest, which is the difference between the pages after
and the whole of the Changes.

Accepting in any order comes to the same pages as accepting all at once (tested).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property

from llmwiki.pages.assembled import settled
from llmwiki.pages.change_items import (
    ARROW,
    NOTHING,
    ItemisedChanges,
    ItemKind,
    Relation,
    is_callout,
    is_strike,
    led_to,
    listed_item,
    relation_item,
    relation_of_line,
    sections_of,
    successor_of,
    word_id,
)
from llmwiki.pages.changes import Changes, PageChange, apply
from llmwiki.pages.dress import bare, same_words
from llmwiki.pages.ids import CLAIM_IN_LINK
from llmwiki.pages.link_targets import link_key
from llmwiki.pages.names import name_key, stem_of
from llmwiki.pages.nodes import Change, Key, PageNode
from llmwiki.pages.page import GeneratedMarks, Page, read_generated
from llmwiki.pages.syntax import render_node
from llmwiki.pages.tombstones import ledger_path
from llmwiki.pages.write import generated_node


def restrict(
    changes: Changes,
    ids: Set[str],
    pages: Mapping[str, Page],
    frames: frozenset[str] = frozenset(),
) -> Changes:
    """The changes without the items that are not among `ids`; all of them where none is left out.

    `pages` are those that the changes are made to; `frames` are paths of pages that land even where
    no item of theirs does, with their title and frontmatter. A source that was read in a new
    version is accepted whole: its quotes name lines of other bytes. Raises KeyError for an id of no
    item.
    """
    whole = ItemisedChanges(changes, pages)
    unknown = sorted(ids - whole.ids)
    if unknown:
        raise KeyError(unknown[0])
    wanted = _with_versions(whole, frozenset(ids))
    return changes if wanted == whole.ids else _Restriction(whole, wanted, frames).part()


def accept(
    changes: Changes,
    ids: Set[str],
    pages: Mapping[str, Page],
    frames: frozenset[str] = frozenset(),
) -> dict[str, Page]:
    """The pages with that part of the changes made. Raises KeyError for an id of no item."""
    part = restrict(changes, ids, pages, frames)
    after, _ = apply(part, pages)
    return {path: settled(after[path]) if path in part.paths else after[path] for path in after}


def _with_versions(whole: ItemisedChanges, wanted: frozenset[str]) -> frozenset[str]:
    """The ids, with all items of a source that was read in a new version and has one of them."""
    for page in whole.changes.pages:
        if ("front", "sha256") in dict(whole.fronts[page.path].changed):
            own = _items_of_source(whole, page.path)
            wanted = wanted | own if wanted & own else wanted
    return wanted


def _items_of_source(whole: ItemisedChanges, path: str) -> frozenset[str]:
    """The items on a source's page, and those on others that its evidence has a part in."""
    source = stem_of(path) if ledger_path(stem_of(path)) == path else ""
    return frozenset(i.id for i in whole.items if i.path == path or source in i.sources)


class _Restriction:
    """One set of accepted items, and what of the changes lands with it."""

    def __init__(
        self, whole: ItemisedChanges, wanted: Set[str], frames: frozenset[str] = frozenset()
    ) -> None:
        self._whole = whole
        self._wanted = wanted
        self._frames = frames
        pages = whole.changes.pages
        self._born = {page.path for page in pages if not page.existed and page.exists}

    def part(self) -> Changes:
        """The changes that land."""
        kept = (self._page(page) for page in self._whole.changes.pages)
        return replace(self._whole.changes, pages=tuple(page for page in kept if page is not None))

    def _stands(self, claim_id: str) -> bool:
        """Whether a claim stands once this part has landed, or is none of the changes' matter."""
        return claim_id not in self._whole.new or claim_id in self._wanted

    def _wants(self, path: str, kind: ItemKind, detail: str = "") -> bool:
        return word_id(path, kind, detail) in self._wanted

    @cached_property
    def _touched(self) -> frozenset[str]:
        """The pages on which an item lands, and those of the sources that these items cite."""
        landing = [item for item in self._whole.items if item.id in self._wanted]
        cited = {source for item in landing for source in item.sources}
        return frozenset({item.path for item in landing} | set(map(ledger_path, cited))) | (
            self._frames
        )

    @cached_property
    def _waiting(self) -> frozenset[str]:
        """File names, folded, of the pages that are new and do not land."""
        return frozenset(name_key(stem_of(path)) for path in self._born - self._touched)

    def _is_open(self, path: str) -> Callable[[str], bool]:
        """Whether a link on a page leads to a page that does not land."""
        return lambda target: "#^" not in target and _file_of(target, path) in self._waiting

    def _page(self, page: PageChange) -> PageChange | None:
        path = page.path
        if not page.exists and _items_of_source(self._whole, path) <= self._wanted:
            return page
        if path in self._born and path not in self._touched:
            return None
        body = self._body(page)
        front = self._front(page, body)
        if not (front or body) and path not in self._born:
            return None
        sides = [(("front",), front), (("body",), body)]
        change = Change(changed=tuple((key, inner) for key, inner in sides if inner))
        # Without marks of the whole text `apply` merges into what stands, and settles the page.
        return PageChange(path, page.existed, exists=True, change=change)

    # --- body ----------------------------------------------------------------------------

    def _body(self, page: PageChange) -> Change:
        body, path = self._whole.bodies[page.path], page.path
        sections = sections_of(body)
        added = {
            node.key: kept
            for node in body.added
            if node.kind not in ("h", "fn") and (kept := self._added(path, node, sections))
        }
        changed = [
            (key, part)
            for key, inner in body.changed
            if (part := self._changed(path, key, inner, sections))
        ]
        cited = _cited(list(added.values()), changed)
        full = {sections.get(key, "") for key in added}
        for node in body.added:
            if (node.kind == "h" and node.key[2] in full) or (
                node.kind == "fn" and node.key[1] in cited
            ):
                added[node.key] = node
        removed = [node for node in body.removed if self._removed(page, node, sections)]
        if not (added or removed or changed):
            return NOTHING
        ordered = tuple(added[node.key] for node in body.added if node.key in added)
        return replace(body, added=ordered, removed=tuple(removed), changed=tuple(changed))

    def _added(self, path: str, node: PageNode, sections: Mapping[Key, str]) -> PageNode | None:
        """A node of the body as it lands; None where it does not."""
        kind = node.kind
        if kind in ("c", "n"):
            return self._claim(path, node) if node.key[1] in self._wanted else None
        if kind == "record":
            parts = tuple(part for part in node.parts if self._lands_line(path, part))
            return replace(node, parts=parts) if parts else None
        if kind == "lead":
            return replace(node, raw=bare(node.raw, self._is_open(path))) if self._wants(
                path, "lead"
            ) else None  # fmt: skip
        lands = kind == "h1" or self._lands(path, node, sections)
        return node if lands else None

    def _lands(self, path: str, node: PageNode, sections: Mapping[Key, str]) -> bool:
        """Whether a line lands that is no claim, or goes."""
        kind = node.kind
        if kind == "ref":
            ident = node.key[1]
            return ident in self._wanted or (path in self._touched and self._stands(ident))
        if kind == "rel":
            return self._lands_relation(relation_of_line(path, node.key), [node])
        if kind != "x":
            # What a source's page says of other pages follows from these.
            return False
        relation = self._whole.relation_told(node)
        if relation is not None:
            return self._lands_relation(relation, self._whole.relations[relation])
        if is_callout(node):
            ids = set(CLAIM_IN_LINK.findall(node.raw))
            has_reason = bool(ids & self._wanted) or path in self._touched
            return has_reason and all(map(self._stands, ids))
        return self._wants(path, "words", sections.get(node.key, ""))

    def _removed(self, page: PageChange, node: PageNode, sections: Mapping[Key, str]) -> bool:
        kind, path = node.kind, page.path
        if kind in ("c", "n", "ref"):
            ident = node.key[1]
            return ident in self._wanted if ident in self._whole.ids else path in self._touched
        if kind == "h":
            # It stays as long as anything stands under it.
            return page.exists
        if kind == "lead":
            return self._wants(path, "lead")
        return page.exists and self._lands(path, node, sections)

    def _changed(self, path: str, key: Key, inner: Change, sections: Mapping[Key, str]) -> Change:
        kind = key[0]
        if kind in ("c", "n"):
            return self._claim_change(path, key, inner)
        if kind == "record":
            return _filtered(inner, lambda line: self._lands_line(path, line))
        lands = path in self._touched and kind != "on"
        if kind == "rel":
            parts = PageNode(key, parts=(*inner.added, *inner.removed))
            lands = self._lands_relation(relation_of_line(path, key), [parts])
        elif kind == "h1":
            lands = self._wants(path, "title")
        elif kind == "x":
            lands = self._wants(path, "words", sections.get(key, ""))
        elif kind == "lead" and inner.raw and not same_words("lead", *inner.raw):
            lands = self._wants(path, "lead")
        return inner if lands else NOTHING

    def _lands_line(self, path: str, line: PageNode) -> bool:
        """Whether a line of a source's record lands, or goes: with its claim."""
        ident = line.key[1]
        if line.kind == "awaits" and ident not in self._whole.ids:
            return any(
                ("ref", ident) == node.key
                for born in self._born & self._touched
                for node in self._whole.bodies[born].added
            )
        return ident in self._wanted if ident in self._whole.ids else path in self._touched

    def _lands_relation(self, relation: Relation, lines: Sequence[PageNode]) -> bool:
        if relation[0] in self._waiting or relation[2] in self._waiting:
            return False
        names = self._whole.names_both
        is_wanted = relation_item(relation).id in self._wanted
        return is_wanted or any(names(relation, line, self._stands) for line in lines)

    # --- claims --------------------------------------------------------------------------

    def _claim(self, path: str, node: PageNode) -> PageNode:
        """A new claim without links to what does not stand."""
        raw = node.raw
        if ARROW in raw and not self._stands(successor_of(raw)):
            raw = _unstruck(raw)
        parts = (self._with_pairs(p, lambda pair: self._stands(led_to(pair))) for p in node.parts)
        kept = tuple(part for part in parts if part is not None)
        return replace(node, raw=bare(raw, self._is_open(path)), parts=kept)

    def _with_pairs(self, part: PageNode, lands: Callable[[PageNode], bool]) -> PageNode | None:
        """The part of a claim; of attributes those that land, None where none does."""
        if part.kind != "a" or not part.parts:
            return part
        pairs = tuple(filter(lands, part.parts))
        return replace(part, parts=pairs) if pairs else None

    def _claim_change(self, path: str, key: Key, inner: Change) -> Change:
        own = key[1] in self._wanted

        def lands(pair: PageNode) -> bool:
            return led_to(pair) in self._wanted if led_to(pair) in self._whole.new else own

        changed = []
        for part, change in inner.changed:
            # Words behind a quote are no item: they land with anything else of the page.
            comes = own or (path in self._touched and _is_dress(part, change))
            kept = _filtered(change, lands) if part == ("a",) else change if comes else NOTHING
            if kept:
                changed.append((part, kept))
        added = []
        for node in inner.added:
            is_list = node.kind == "a" and node.parts
            new = self._with_pairs(node, lands) if own or is_list else None
            if new is not None:
                added.append(new)
        removed = inner.removed if own else ()
        raw = self._new_text(path, key, inner.raw, own) if inner.raw else None
        if not (raw or added or removed or changed):
            return NOTHING
        return replace(inner, raw=raw, added=tuple(added), removed=removed, changed=tuple(changed))

    def _new_text(
        self, path: str, key: Key, raw: tuple[str, str], own: bool
    ) -> tuple[str, str] | None:
        """The text of a standing claim before and after; None where it does not change."""
        old, new = raw
        plain = bare(new, self._is_open(path))
        lands = own
        if same_words(key[0], old, new):
            came = {_file_of(to, path) for to in set(_linked(plain)) - set(_linked(old))}
            landing = {name_key(stem_of(page)) for page in self._born & self._touched}
            lands = own or bool(came & landing) or path in self._touched
        elif is_strike(raw) and successor_of(new) in self._whole.new:
            lands = successor_of(new) in self._wanted
        return (old, plain) if lands and plain != old else None

    # --- frontmatter ---------------------------------------------------------------------

    def _front(self, page: PageChange, body: Change) -> Change:
        front, path = self._whole.fronts[page.path], page.path
        cited = _cited(body.added, body.changed)
        added = [kept for n in front.added if (kept := self._front_node(path, n, cited))]
        removed = [n for n in front.removed if page.exists and self._front_node(path, n, cited)]
        changed = [
            (key, part)
            for key, inner in front.changed
            if (part := self._front_change(page, key, inner, cited))
        ]
        if not (added or removed or changed):
            return NOTHING
        return replace(
            front, added=tuple(added), removed=tuple(removed), changed=tuple(changed), raw=None
        )

    def _listed(self, path: str, name: str, cited: Set[str]) -> Callable[[PageNode], bool] | None:
        """Which entries of a list land; None where it is no such list."""
        if name == "sources":
            return lambda part: part.key[1] in cited
        if name in ("aliases", "tags"):
            return lambda part: listed_item(path, name, part).id in self._wanted
        return None

    def _front_node(self, path: str, node: PageNode, cited: Set[str]) -> PageNode | None:
        name = node.key[-1]
        listed = self._listed(path, name, cited)
        if listed is not None:
            parts = tuple(filter(listed, node.parts))
            return replace(node, parts=parts) if parts else None
        if name == "generated":
            raw = self._marks(path, "", node.raw)
            return replace(node, raw=raw) if raw else None
        is_item = name == "description"
        lands = self._wants(path, "description") if is_item else path in self._touched
        return node if lands else None

    def _front_change(self, page: PageChange, key: Key, inner: Change, cited: Set[str]) -> Change:
        name, path = key[-1], page.path
        listed = self._listed(path, name, cited)
        if listed is not None:
            kept = _filtered(inner, listed)
            # Sources that nothing cites any more go by themselves.
            return replace(kept, removed=()) if name == "sources" else kept
        if name == "generated" and inner.raw:
            raw = self._marks(path, *inner.raw)
            return replace(inner, raw=(inner.raw[0], raw)) if raw != inner.raw[0] else NOTHING
        lands = path in self._touched and page.exists
        if name in ("description", "title"):
            lands = self._wants(path, "title" if name == "title" else "description")
        return inner if lands else NOTHING

    def _marks(self, path: str, old: str, new: str) -> str:
        """The line `generated` with the marks of what lands; empty where there is none.

        A new page has the line even without marks: it says which program made the page.
        """
        before, after = (read_generated(raw.partition(":")[2].strip("\"' ")) for raw in (old, new))
        lead, about = (self._is_as_after(path, kind) for kind in ("lead", "description"))
        marks = GeneratedMarks(
            after.by,
            after.prose if lead else before.prose,
            after.about if about else before.about,
        )
        if marks == after:
            return new
        if old and (marks.prose, marks.about) == (before.prose, before.about):
            return old
        if not old and not (path in self._born & self._touched or marks.prose or marks.about):
            return ""
        return generated_node(marks).raw

    def _is_as_after(self, path: str, kind: ItemKind) -> bool:
        """Whether what one mark tells of is as after the whole of the changes."""
        ident = word_id(path, kind)
        return ident in self._wanted or ident not in self._whole.ids


def _filtered(change: Change, lands: Callable[[PageNode], bool]) -> Change:
    """The change of a list without the parts that do not land."""
    added = tuple(filter(lands, change.added))
    removed = tuple(filter(lands, change.removed))
    changed = tuple((key, inner) for key, inner in change.changed if lands(PageNode(key)))
    if not (added or removed or changed):
        return NOTHING
    return replace(change, added=added, removed=removed, changed=changed)


def _is_dress(key: Key, change: Change) -> bool:
    return change.raw is not None and same_words(key[0], *change.raw)


def _cited(nodes: Sequence[PageNode], changed: Sequence[tuple[Key, Change]]) -> set[str]:
    """Ids of the sources that the nodes, and what comes to others, cite."""
    whole = [*nodes, *(part for _key, inner in changed for part in inner.added)]
    pieces = (piece for node in whole for piece in render_node(node).split("[^")[1:])
    return {piece.partition("]")[0] for piece in pieces}


def _linked(raw: str) -> list[str]:
    """What the wikilinks of a text lead to."""
    return [piece.partition("]]")[0].partition("|")[0] for piece in raw.split("[[")[1:]]


def _file_of(target: str, path: str) -> str:
    """The file name, folded, that a link on a page leads to."""
    return link_key(target.partition("#")[0], path).rpartition("/")[2]


def _unstruck(raw: str) -> str:
    text, _, rest = raw.rpartition(ARROW)
    return f"{text.replace('~~', '', 1)} ^{rest.rpartition(' ^')[2]}"
