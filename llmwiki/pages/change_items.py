"""What Changes bring, as items that a person can accept or reject one by one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from llmwiki.core.claim_attributes import LINKS, UPDATED_BY
from llmwiki.core.text import fold
from llmwiki.pages import nodes
from llmwiki.pages.changes import Changes, PageChange
from llmwiki.pages.dress import same_words
from llmwiki.pages.escape import unescape
from llmwiki.pages.ids import CLAIM_IN_LINK
from llmwiki.pages.names import name_key, stem_of
from llmwiki.pages.nodes import Change, Key, PageNode
from llmwiki.pages.page import Claim, Page, read_claim
from llmwiki.pages.partial import PARTIAL

ItemKind = Literal[
    "claim", "evidence", "reworded", "struck", "taken out", "attributes", "lead", "description",
    "title", "alias", "tag", "relation", "words", "page removed", "page renamed", "moved",
]  # fmt: skip
"""What an item is: a claim or note that is new, that gains or loses evidence, whose words or
attributes change, that is struck, goes or comes to another page; or what no claim brings along."""

CALLOUT = "> [!warning] Contradiction"
ARROW = "~~ → "
"""What stands between a struck claim and what took its place."""
NOTHING = Change()
_DASH = " — "


@dataclass(frozen=True, slots=True)
class ItemEffect:
    """What a new claim does to another one, which lands with it."""

    what: str
    """`strikes`, `updates`, `disagrees with`, `contradicts` or `supports`."""
    claim: str
    """Id of the other claim."""
    path: str
    """The page the other one stands on."""
    text: str
    """What the other one says; empty for one that is new too."""


@dataclass(frozen=True, slots=True)
class ChangeItem:
    """One thing that a person may accept or reject."""

    id: str
    """Of the claim or note; else `w-` and 8 hexadecimal digits of what it is."""
    kind: ItemKind
    path: str
    """The page it stands on; empty for a relation, which stands on two."""
    text: str
    """What it says, as it is read; of a new wording the new one."""
    sources: frozenset[str] = frozenset()
    """Ids of the sources whose evidence it brings or takes."""
    claim: Claim | None = None
    """The claim as it shall be; where it goes, as it was. None for what is no claim."""
    before: Claim | None = None
    """The claim as it stands; None for one that is new."""
    effects: tuple[ItemEffect, ...] = ()


Relation = tuple[str, str, str]
"""(file name of the one, label, file name of the other), all folded."""


def items_of(changes: Changes, pages: Mapping[str, Page]) -> tuple[ChangeItem, ...]:
    """What the changes bring that can be accepted by itself, by page and in the order of pages.

    `pages` are those that the changes are made to. What only follows from claims (lines of rosters,
    footnotes, links) is no item.
    """
    return ItemisedChanges(changes, pages).items


class ItemisedChanges:
    """Changes with the pages that they are made to, and the items that they consist of."""

    def __init__(self, changes: Changes, pages: Mapping[str, Page]) -> None:
        self.changes = changes
        self.pages = pages
        self.bodies = {item.path: _part(item.change, "body") for item in changes.pages}
        self.fronts = {item.path: _part(item.change, "front") for item in changes.pages}
        self.new = frozenset(
            node.key[1]
            for body in self.bodies.values()
            for node in body.added
            if node.kind in ("c", "n")
        )
        """Ids of claims and notes that the changes add."""

    @cached_property
    def items(self) -> tuple[ChangeItem, ...]:
        """See `items_of`."""
        found: dict[str, ChangeItem] = {}
        for page in self.changes.pages:
            for item in self._items_of_page(page):
                found.setdefault(item.id, item)
        return tuple(found.values())

    @cached_property
    def ids(self) -> frozenset[str]:
        """Of the items."""
        return frozenset(item.id for item in self.items)

    def _items_of_page(self, page: PageChange) -> Iterator[ChangeItem]:
        claims = list(self._claims_of(page.path))
        yield from claims
        if page.exists:
            yield from self._front_items(page)
            yield from self._lead_and_title(page)
            yield from self._relation_items(page.path)
            yield from self._loose_words(page.path)
        elif not claims:
            yield _words(page.path, "page removed", stem_of(page.path))

    def _front_items(self, page: PageChange) -> Iterator[ChangeItem]:
        front = self.fronts[page.path]
        lists = [(n.key[-1], n.parts) for n in (*front.added, *front.removed)]
        lists += [(key[-1], (*inner.added, *inner.removed)) for key, inner in front.changed]
        for name, parts in lists:
            if name in ("aliases", "tags"):
                for part in parts:
                    if part.key[-1] == PARTIAL and name == "tags":
                        continue
                    yield listed_item(page.path, name, part)
        for node in (*front.added, *front.removed):
            if node.key[-1] == "description":
                said = _value(node.raw) if node in front.added else ""
                yield _words(page.path, "description", said)
        for key, inner in front.changed:
            name = key[-1]
            if name in ("description", "title") and inner.raw:
                kind: ItemKind = "title" if name == "title" else "description"
                yield _words(page.path, kind, _value(inner.raw[1]))

    def _lead_and_title(self, page: PageChange) -> Iterator[ChangeItem]:
        body = self.bodies[page.path]
        lead = next((n for n in (*body.added, *body.removed) if n.kind == "lead"), None)
        if lead is not None:
            yield _words(page.path, "lead", lead.raw if lead in body.added else "")
        for key, inner in body.changed:
            if key[0] == "lead" and inner.raw and not same_words("lead", *inner.raw):
                yield _words(page.path, "lead", inner.raw[1])
            elif key[0] == "h1" and inner.raw and page.existed:
                yield _words(page.path, "title", inner.raw[1].lstrip("# "))

    def _relation_items(self, path: str) -> Iterator[ChangeItem]:
        for node in relation_nodes(self.bodies[path]):
            relation = relation_of_line(path, node.key)
            if not self.names_both(relation, node, lambda _claim: True):
                yield relation_item(relation)

    def _loose_words(self, path: str) -> Iterator[ChangeItem]:
        """What people write, and lines of a source that no claim carries, a section an item."""
        body = self.bodies[path]
        sections = sections_of(body)
        loose: dict[str, list[str]] = {}
        for node in (*body.added, *body.removed):
            if node.kind == "x" and not is_callout(node) and self.relation_told(node) is None:
                loose.setdefault(sections.get(node.key, ""), []).append(node.raw)
        for key, inner in body.changed:
            if key[0] == "x" and inner.raw:
                loose.setdefault(sections.get(key, ""), []).append(inner.raw[1])
        for section in sorted(loose):
            said = " ".join(" ".join(raw.split()) for raw in loose[section])
            yield _words(path, "words", said, section)

    # --- claims --------------------------------------------------------------------------

    def _claims_of(self, path: str) -> Iterator[ChangeItem]:
        body, held = self.bodies[path], self.pages.get(path)
        for node in body.added:
            if node.kind in ("c", "n"):
                claim = read_claim(node)
                effects = self._effects.get(claim.id, ())
                yield ChangeItem(
                    claim.id, "claim", path, claim.text, _sources(claim), claim, None, effects
                )
        for node in body.removed:
            if node.kind in ("c", "n") and node.key[1] not in self.new:
                claim = read_claim(node)
                yield ChangeItem(
                    claim.id, "taken out", path, claim.text, _sources(claim), claim, claim
                )
        standing = {node.key: node for node in held.body} if held else {}
        for key, inner in body.changed:
            kind = self._kind_of(key, inner) if key[0] in ("c", "n") else None
            if kind is not None and key in standing:
                before = read_claim(standing[key])
                after = read_claim(nodes.apply(inner, standing[key])[0])
                parts = (*inner.added, *inner.removed)
                sources = frozenset(part.key[1] for part in parts if part.kind == "e")
                yield ChangeItem(key[1], kind, path, after.text, sources, after, before)

    def _kind_of(self, key: Key, inner: Change) -> ItemKind | None:
        """What happens to a standing claim by itself; None where only others do it something."""
        parts = (*inner.added, *inner.removed)
        if any(part.kind == "e" for part in parts):
            return "evidence"
        if inner.raw and not same_words(key[0], *inner.raw):
            if not is_strike(inner.raw):
                return "reworded"
            if successor_of(inner.raw[1]) not in self.new:
                return "struck"
        pairs = [pair for _key, change in inner.changed for pair in _parts_of(change)]
        pairs += [pair for node in parts for pair in node.parts]
        own = any(pair.kind == "p" and led_to(pair) not in self.new for pair in pairs)
        return "attributes" if own or any(part.kind == "x" for part in parts) else None

    @cached_property
    def _effects(self) -> Mapping[str, tuple[ItemEffect, ...]]:
        """What new claims do to others: id of the new one to what."""
        found: dict[str, dict[ItemEffect, None]] = {}
        for path, body in self.bodies.items():
            page = self.pages.get(path)
            for new, what, other in (*_done_to_claims(body), *_contradicted(body)):
                claim = page.claim(other) if page else None
                effect = ItemEffect(what, other, path, claim.text if claim else "")
                if new in self.new:
                    found.setdefault(new, {})[effect] = None
        return {ident: tuple(effects) for ident, effects in found.items()}

    # --- relations -----------------------------------------------------------------------

    @cached_property
    def relations(self) -> Mapping[Relation, list[PageNode]]:
        """The relations that the changes add or take out, each with its lines on pages."""
        found: dict[Relation, list[PageNode]] = {}
        for path, body in self.bodies.items():
            for node in relation_nodes(body):
                found.setdefault(relation_of_line(path, node.key), []).append(node)
        return found

    def relation_told(self, node: PageNode) -> Relation | None:
        """The relation of the changes that a line on the page of a source states."""
        parts = node.raw.removeprefix("- ").split(_DASH)
        if len(parts) != 3 or not node.raw.startswith("- "):
            return None
        one, other = (name_key(_link_name(part)) for part in (parts[0], parts[2]))
        relation = (one, fold(unescape(parts[1])), other)
        return relation if relation in self.relations else None

    def names_both(self, relation: Relation, node: PageNode, stands: Callable[[str], bool]) -> bool:
        """Whether a claim that stands names both ends, with evidence of a source that states the
        relation: a claim names the subject of its page, and what its text names."""
        ends = (relation[0], relation[2])
        sources = {part.key[1] for part in node.parts if part.kind == "by"}
        for path in sorted({*self.bodies, *self.pages}):
            stem = name_key(stem_of(path))
            if stem not in ends:
                continue
            others = [fold(end) for end in ends if end != stem]
            for claim in self._claims_at(path):
                if (
                    stands(claim.id)
                    and sources & _sources(claim)
                    and all(name in fold(claim.text) for name in others)
                ):
                    return True
        return False

    def _claims_at(self, path: str) -> Iterator[Claim]:
        """The claims of a page: those that the changes add, and those that stand."""
        for node in self.bodies.get(path, NOTHING).added:
            if node.kind == "c":
                yield read_claim(node)
        if path in self.pages:
            yield from self.pages[path].claims


def _done_to_claims(body: Change) -> Iterator[tuple[str, str, str]]:
    """(claim, what it does, claim that it does it to) of claims that change."""
    for key, inner in body.changed:
        if key[0] != "c":
            continue
        if inner.raw and is_strike(inner.raw):
            yield successor_of(inner.raw[1]), "strikes", key[1]
        pairs = [pair for _key, change in inner.changed for pair in change.added]
        pairs += [pair for node in inner.added for pair in node.parts]
        for pair in pairs:
            if pair.kind == "p" and led_to(pair):
                what = "updates" if pair.key[1] == UPDATED_BY else pair.key[1]
                yield led_to(pair), what, key[1]


def _contradicted(body: Change) -> Iterator[tuple[str, str, str]]:
    for node in body.added:
        if node.kind == "x" and is_callout(node):
            ids = CLAIM_IN_LINK.findall(node.raw)
            yield from ((one, "contradicts", other) for one in ids for other in ids if one != other)


def relation_nodes(body: Change) -> Iterator[PageNode]:
    """The lines of relations that come, go, or gain or lose a source, with those sources."""
    yield from (node for node in (*body.added, *body.removed) if node.kind == "rel")
    for key, inner in body.changed:
        if key[0] == "rel":
            yield PageNode(key, parts=(*inner.added, *inner.removed))


def relation_of_line(path: str, key: Key) -> Relation:
    """The relation that the key of a line on a page says."""
    own, other = name_key(stem_of(path)), name_key(key[2].rpartition("/")[2])
    return (own, key[3], other) if key[1] == "out" else (other, key[3], own)


def relation_item(relation: Relation) -> ChangeItem:
    """The item of a relation that no claim carries."""
    ident = word_id("", "relation", "\0".join(relation))
    return ChangeItem(ident, "relation", "", " ".join(relation))


def word_id(path: str, kind: ItemKind, detail: str = "") -> str:
    """The id of an item that is no claim: the same as long as it is of that page and kind."""
    data = "\0".join((path, kind, detail)).encode("utf-8", "surrogatepass")
    return "w-" + hashlib.sha256(data).hexdigest()[:8]


def _words(path: str, kind: ItemKind, text: str, detail: str = "") -> ChangeItem:
    return ChangeItem(word_id(path, kind, detail), kind, path, text)


def listed_item(path: str, name: str, part: PageNode) -> ChangeItem:
    """The item of one alias or tag; `name` is the key of the list."""
    kind: ItemKind = "alias" if name == "aliases" else "tag"
    return ChangeItem(word_id(path, kind, part.key[-1]), kind, path, part.raw.strip("\"'"))


def _part(change: Change, name: str) -> Change:
    """What happens to the frontmatter or the body of a page; nothing where it stays."""
    whole = next((part for part in change.added if part.kind == name), None)
    if whole is not None:
        return Change(added=whole.parts, after=tuple(p.key for p in whole.parts))
    gone = next((part for part in change.removed if part.kind == name), None)
    if gone is not None:
        return Change(removed=gone.parts, before=tuple(p.key for p in gone.parts))
    return dict(change.changed).get((name,), NOTHING)


def sections_of(body: Change) -> Mapping[Key, str]:
    """Key of a node to the title of the section that it stands in after the change, or stood."""
    found: dict[Key, str] = {}
    for order in (body.before, body.after):
        title = ""
        for key in order:
            title = key[2] if key[0] == "h" and key[1] <= "2" else title
            found[key] = title
    return found


def is_callout(node: PageNode) -> bool:
    """Whether a node says that claims contradict each other."""
    return node.raw.startswith(CALLOUT)


def is_strike(raw: tuple[str, str]) -> bool:
    """Whether the second text of a claim strikes the first."""
    return ARROW in raw[1] and ARROW not in raw[0]


def successor_of(raw: str) -> str:
    """The claim that the arrow of a struck claim leads to; empty where it leads to none."""
    found = CLAIM_IN_LINK.search(raw.rpartition(ARROW)[2])
    return found[1] if found else ""


def led_to(pair: PageNode) -> str:
    """The claim that an attribute leads to; empty for one that leads to none."""
    return pair.key[3] if len(pair.key) > 3 and pair.key[1] in LINKS else ""


def _parts_of(change: Change) -> tuple[PageNode, ...]:
    return (*change.added, *change.removed, *(PageNode(key) for key, _inner in change.changed))


def _sources(claim: Claim) -> frozenset[str]:
    return frozenset(evidence.source for evidence in claim.evidence)


def _link_name(text: str) -> str:
    """The file name that a wikilink leads to, or the plain name."""
    return unescape(text).strip("[]").partition("|")[0].rpartition("/")[2]


def _value(raw: str) -> str:
    return raw.partition(":")[2].strip().strip("\"'")
