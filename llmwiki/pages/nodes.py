"""A page as a tree of keyed nodes, and the algebra of changes between two such trees.

A node has a key that is unique among its siblings, its own text, and parts. Rendering a parsed
page gives back its bytes, so the algebra can promise two things at once: what a change does not
name keeps its bytes, and a change finds what it names by key, wherever later edits moved it.

    apply(diff(a, b), a) == b
    apply(invert(diff(a, b)), b) == a
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from llmwiki.core.lazy_pattern import lazy_pattern
from llmwiki.pages.asked import asked_behind, phrases, with_asked
from llmwiki.pages.dress import same_words, three_way
from llmwiki.pages.ids import ITEM_ID

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PageNode:
    """One keyed piece of a page."""

    key: Key
    """First element: the kind. Unique among siblings."""
    raw: str = ""
    """Its own text, without a final line feed; the text of its parts comes after it."""
    parts: tuple[PageNode, ...] = ()
    gap: str | None = None
    """The blank lines before it where they differ from the usual ones; None: the usual ones."""

    @property
    def kind(self) -> str:
        """The first element of the key."""
        return self.key[0]

    def part(self, key: Key) -> PageNode | None:
        """The part with that key."""
        return next((p for p in self.parts if p.key == key), None)

    def bare(self) -> PageNode:
        """The same node with the usual blank lines before it."""
        return self if self.gap is None else replace(self, gap=None)


@dataclass(frozen=True, slots=True)
class Change:
    """The difference between two nodes with one key."""

    raw: tuple[str, str] | None = None
    """Own text before and after."""
    gap: tuple[str | None, str | None] | None = None
    removed: tuple[PageNode, ...] = ()
    added: tuple[PageNode, ...] = ()
    changed: tuple[tuple[Key, Change], ...] = ()
    before: tuple[Key, ...] = ()
    """Order of the parts before; kept only when parts came, went or moved."""
    after: tuple[Key, ...] = ()

    def __bool__(self) -> bool:
        return self != _NOTHING


_NOTHING = Change()


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two wishes for one piece of text; which one stands is said, so that a person can choose."""

    key: Key
    kept: str
    dropped: str


def whole(node: PageNode) -> str:
    """All lines of a node, those of its parts with them."""
    return "\n".join([node.raw, *(whole(part) for part in node.parts)])


def diff(a: PageNode, b: PageNode) -> Change:
    """The change that turns `a` into `b`."""
    in_a = {p.key: p for p in a.parts}
    in_b = {p.key: p for p in b.parts}
    removed = tuple(p for p in a.parts if p.key not in in_b)
    added = tuple(p for p in b.parts if p.key not in in_a)
    changed = tuple(
        (p.key, diff(p, in_b[p.key])) for p in a.parts if p.key in in_b and p != in_b[p.key]
    )
    before, after = tuple(in_a), tuple(in_b)
    if not removed and not added and before == after:
        before = after = ()
    return Change(
        raw=(a.raw, b.raw) if a.raw != b.raw else None,
        gap=(a.gap, b.gap) if a.gap != b.gap else None,
        removed=removed,
        added=added,
        changed=changed,
        before=before,
        after=after,
    )


def invert(change: Change) -> Change:
    """The change that takes `change` back."""
    return Change(
        raw=change.raw and (change.raw[1], change.raw[0]),
        gap=change.gap and (change.gap[1], change.gap[0]),
        removed=change.added,
        added=change.removed,
        changed=tuple((key, invert(inner)) for key, inner in change.changed),
        before=change.after,
        after=change.before,
    )


def apply(change: Change, node: PageNode) -> tuple[PageNode, tuple[Conflict, ...]]:
    """`node` with the change made, also when others have changed it since.

    Where the node no longer holds the text the change started from, its present text stands and
    a conflict says so. A part that the change removes, and that has gained parts of others since,
    keeps those.
    """
    conflicts: list[Conflict] = []
    raw = node.raw
    if change.raw and raw != change.raw[1]:
        settled = three_way(node.kind, change.raw[0], raw, change.raw[1])
        if raw == change.raw[0]:
            raw = change.raw[1]
        elif settled is not None:
            raw = settled
        else:
            conflicts.append(Conflict(node.key, raw, change.raw[1]))
    gap = node.gap
    if change.gap and gap == change.gap[0]:
        gap = change.gap[1]

    parts, found = _apply_parts(change, node)
    order = _reorder([p.key for p in node.parts], change, parts)
    order = _drop_headings(order, change, parts)
    merged = PageNode(node.key, raw, tuple(parts[key] for key in order), gap)
    return merged, (*conflicts, *found)


def _apply_parts(change: Change, node: PageNode) -> tuple[dict[Key, PageNode], list[Conflict]]:
    """The parts after the change, in no order; removed headings are still among them."""
    conflicts: list[Conflict] = []
    parts = {p.key: p for p in node.parts}
    for key, inner in change.changed:
        if key in parts:
            had = bool(parts[key].parts)
            changed, found = apply(inner, parts.pop(key))
            conflicts += found
            # A node that this change itself empties stays, empty; one emptied otherwise goes.
            emptied = had and is_hollow(changed) and (inner.after or not inner.before)
            parts |= {} if emptied else {key: changed}
        elif key[0] == "front" and inner.added and inner.added[0].kind in ("source", "item"):
            # The list has gone with its last item: what the change adds begins it again.
            parts[key] = PageNode(key, f"{key[1]}:", inner.added)
        else:
            conflicts += _lost(key, inner)
    for new in change.added:
        if new.key in parts:
            present = parts[new.key]
            parts[new.key] = union(present, new)
            if new.kind in _SINGLE and not same_words(new.kind, present.raw, new.raw):
                conflicts.append(Conflict(new.key, present.raw, new.raw))
        else:
            parts[new.key] = new
    _take_out(change.removed, parts)
    return parts, conflicts


def _take_out(removed: Iterable[PageNode], parts: dict[Key, PageNode]) -> None:
    for old in removed:
        if old.key in parts and not _is_heading(old):
            rest = _without(parts.pop(old.key), old)
            if rest is not None:
                parts[old.key] = rest


def _lost(key: Key, change: Change) -> list[Conflict]:
    wanted = [p.raw for p in change.added] + ([change.raw[1]] if change.raw else [])
    return [Conflict(key, "", text) for text in wanted]


def _is_heading(node: PageNode) -> bool:
    return node.kind == "h"


def is_hollow(node: PageNode) -> bool:
    """A composite whose point was its parts, and that has none left."""
    return not node.parts and node.kind in _COMPOSITES


_COMPOSITES = frozenset({"c", "n", "rel", "front", "a", "record"})
_SINGLE = frozenset({"lead", "front"})
_SORTED = frozenset({"fn", "rel", "by", "source", "at", "dead"})
_LAST = frozenset({"tail", "close"})
_DERIVED = frozenset({"rel", "at", "fn"})
"""Kinds whose key says all: their text is the tool's, and may be written in another way since."""
_STRUCK = lazy_pattern(rf"^([-*+] +)~~(?>(.*)~~ → (?!\^{ITEM_ID}$)).*( \^{ITEM_ID})$", re.DOTALL)


def _without(current: PageNode, old: PageNode) -> PageNode | None:
    """What stays of `current` when `old` is taken out of it; None: nothing.

    A claim struck since is still the claim that came: what struck it has its own text elsewhere.
    """
    unstruck = _STRUCK.sub(r"\1\2\3", current.raw)
    same = current.kind in _DERIVED or any(
        same_words(old.kind, old.raw, raw) for raw in (current.raw, unstruck)
    )
    if same and current.parts == old.parts:
        return None
    if current.kind not in _COMPOSITES or not old.parts:
        return None if same and not current.parts else current
    gone = {p.key: p for p in old.parts}
    kept = [
        _without(p, gone[p.key]) if p.key in gone and p.kind == "a" else p
        for p in current.parts
        if p.key not in gone or p.kind == "a"
    ]
    rest = tuple(p for p in kept if p is not None and not (p.kind == "a" and _spent(p, gone)))
    if rest:
        return replace(current, parts=rest)
    return None if same else current


def _spent(node: PageNode, gone: Mapping[Key, PageNode]) -> bool:
    """Attributes of which nothing is left but what went, however a person wrote it since."""
    old = gone.get(node.key)
    return old is not None and not ({p.key for p in node.parts} - {p.key for p in old.parts})


def union(current: PageNode, new: PageNode) -> PageNode:
    """`current` with the parts of `new` that it lacks, in the order in which they stood."""
    brought = {p.key: p for p in new.parts}
    have = tuple(_with_asked(p, brought.pop(p.key, None)) for p in current.parts)
    if not brought and have == current.parts:
        return current
    parts = {p.key: p for p in (*have, *brought.values())}
    return replace(current, parts=tuple(parts[key] for key in ends_last(list(parts))))


def _with_asked(held: PageNode, new: PageNode | None) -> PageNode:
    """A piece of evidence with the words behind the same piece elsewhere; any other node."""
    if new is None or held.kind != "e":
        return held
    return replace(held, raw=with_asked(held.raw, phrases(asked_behind(new.raw))))


def ends_last(order: list[Key]) -> list[Key]:
    """What closes a page or its frontmatter stays behind all that joined it; the front leads."""
    ends = [key for key in order if key[0] in _LAST]
    front = [key for key in order if key == ("front",)]
    if not ends and not front:
        return order
    between = [key for key in order if key[0] not in _LAST and key != ("front",)]
    return front + between + ends


def _reorder(order: list[Key], change: Change, parts: Mapping[Key, PageNode]) -> list[Key]:
    """The order of `parts` after the change: what it adds or moves stands after the nearest
    part that came before it in `change.after` and is still there."""
    order = [key for key in order if key in parts]
    have = set(order)
    if not change.after:
        begun = [key for key in parts if key not in have]
        return ends_last(order + begun) if begun else order
    moving = _moved(change.before, change.after) & have
    chain: dict[Key | None, Key | None] = {}
    last: Key | None = None
    for key in order:
        if key not in moving:
            chain[last] = key
            last = key
    chain[last] = None
    anchor: Key | None = None
    for key in change.after:
        if key not in parts:
            continue
        if key in moving or key not in have:
            chain[key] = chain[anchor]
            chain[anchor] = key
        elif key not in chain:
            continue
        anchor = key
    placed: list[Key] = []
    at = chain[None]
    while at is not None:
        placed.append(at)
        at = chain[at]
    known = {*placed}
    return ends_last(placed + [key for key in parts if key not in known])


def sort_runs(parts: Sequence[PageNode], came: Set[Key]) -> tuple[PageNode, ...]:
    """Parts with the newcomers of each run of footnotes, relations, sources in their sorted place.

    A run that a person has in an order of their own stays as it is.
    """
    out: list[PageNode] = []
    for kind, run in groupby(parts, key=lambda part: part.kind):
        group = list(run)
        rest = [part.key for part in group if part.key not in came]
        if kind in _SORTED and len(rest) < len(group) and is_sorted(rest):
            group.sort(key=lambda part: part.key)
        out += group
    return tuple(out)


def is_sorted(keys: Sequence[Key]) -> bool:
    """Whether keys stand in ascending order."""
    return all(a <= b for a, b in pairwise(keys))


def _moved(before: Sequence[Key], after: Sequence[Key]) -> set[Key]:
    """The fewest common keys that must move to bring `before` into the order of `after`."""
    rank = {key: index for index, key in enumerate(before)}
    common = [key for key in after if key in rank]
    return set(common) - {common[i] for i in _longest_increasing([rank[k] for k in common])}


def _longest_increasing(values: Sequence[int]) -> list[int]:
    """Indices of one longest increasing subsequence (patience sorting, O(n log n))."""
    tails: list[int] = []
    tail_index: list[int] = []
    previous: list[int] = []
    for index, value in enumerate(values):
        slot = bisect_left(tails, value)
        previous.append(tail_index[slot - 1] if slot else -1)
        if slot == len(tails):
            tails.append(value)
            tail_index.append(index)
        else:
            tails[slot] = value
            tail_index[slot] = index
    chain: list[int] = []
    at = tail_index[-1] if tail_index else -1
    while at >= 0:
        chain.append(at)
        at = previous[at]
    return chain[::-1]


def _drop_headings(order: list[Key], change: Change, parts: dict[Key, PageNode]) -> list[Key]:
    """Removed headings go, unless their section has gained something since the change was made."""
    if not any(_is_heading(old) for old in change.removed):
        return order
    survivors = {p.key for p in change.removed if p.key in parts and not _is_heading(p)}
    known = {*change.before, *change.after} - survivors
    for old in change.removed:
        if not _is_heading(old) or old.key not in parts:
            continue
        start = order.index(old.key) + 1
        section: list[Key] = []
        for key in order[start:]:
            if key[0] == "h":
                break
            if key[0] not in ("fn", "tail"):
                section.append(key)
        if all(key in known for key in section):
            del parts[old.key]
            order = [key for key in order if key != old.key]
    return order
