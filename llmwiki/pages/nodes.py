"""A page as a tree of keyed nodes, and the algebra of changes between two such trees.

A node has a key that is unique among its siblings, its own text, and parts. Rendering a parsed
page gives back its bytes, so the algebra can promise two things at once: what a change does not
name keeps its bytes, and a change finds what it names by key, wherever later edits moved it.

    apply(diff(a, b), a) == b
    apply(invert(diff(a, b)), b) == a
    merge(base, a, b) == merge(base, b, a)
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import Literal

from llmwiki.core.lazy_pattern import lazy_pattern
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
            emptied = had and _hollow(changed) and (inner.after or not inner.before)
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


def _hollow(node: PageNode) -> bool:
    """A composite whose point was its parts, and that has none left."""
    return not node.parts and node.kind in _COMPOSITES


_COMPOSITES = frozenset({"c", "n", "rel", "front", "a", "record"})
_SINGLE = frozenset({"lead", "front"})
_SORTED = frozenset({"fn", "rel", "by", "source", "on", "at", "awaits", "dead"})
_LAST = frozenset({"tail", "close"})
_DERIVED = frozenset({"rel", "ref", "on", "at", "fn"})
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
    have = {p.key for p in current.parts}
    more = tuple(p for p in new.parts if p.key not in have)
    if not more:
        return current
    whole = {p.key: p for p in (*current.parts, *more)}
    return replace(current, parts=tuple(whole[key] for key in _ends_last(list(whole))))


def _ends_last(order: list[Key]) -> list[Key]:
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
        return _ends_last(order + begun) if begun else order
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
    return _ends_last(placed + [key for key in parts if key not in known])


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


Chooser = Callable[[PageNode | None, PageNode, PageNode], tuple[str, bool]]
"""(base, one, other) with unlike own texts → the text that stands, and whether to call it a
conflict. Must give the same for (base, other, one)."""

Side = Literal[0, 1]
"""Of the two sides of a merge: 0 the one, 1 the other."""
SIDES: tuple[Side, Side] = (0, 1)

Ranker = Callable[[PageNode], tuple[str | int, ...]]
"""Where a new node belongs among new nodes of the other side."""


def first_bytes(base: PageNode | None, one: PageNode, other: PageNode) -> tuple[str, bool]:
    """The text whose bytes sort first, as a conflict."""
    del base
    return min(one.raw, other.raw, key=lambda text: text.encode()), True


def merge(
    base: PageNode | None,
    one: PageNode,
    other: PageNode,
    choose: Chooser = first_bytes,
    rank: Ranker = lambda node: node.key,
    take: Side | None = None,
) -> tuple[PageNode, tuple[Conflict, ...]]:
    """Both sides' changes to `base`; the same whichever side is called one or other.

    What one side removed and the other left alone is removed; what one side removed and the
    other changed stays, as changed. With `take`, that side's text stands wherever the two clash.
    """
    if one.kind == "a" and bool(one.parts) != bool(other.parts):
        return _merge_unlike(base, one, other, take)
    conflicts: list[Conflict] = []
    raw, clash = _three_way_raw(base, one, other, choose)
    if clash:
        raw = raw if take is None else (one, other)[take].raw
        dropped = other.raw if raw == one.raw else one.raw
        conflicts.append(Conflict(one.key, raw, dropped))
    gaps = (base.gap if base else None, one.gap, other.gap)
    if gaps[1] == gaps[2] or gaps[0] == gaps[2]:
        gap = gaps[1]
    else:
        gap = gaps[2] if gaps[0] == gaps[1] else max(gaps[1] or "", gaps[2] or "") or None

    in_base = {p.key: p for p in base.parts} if base else {}
    in_one = {p.key: p for p in one.parts}
    in_other = {p.key: p for p in other.parts}
    parts: dict[Key, PageNode] = {}
    for key in {**in_base, **in_one, **in_other}:
        kept, found = _merge_part(
            in_base.get(key), in_one.get(key), in_other.get(key), choose, rank, take
        )
        conflicts += found
        if kept is not None:
            parts[key] = kept
    order = _merge_order(tuple(in_base), tuple(in_one), tuple(in_other), parts, rank)
    rewritten = _same_place(in_base, in_one, in_other)
    conflicts += [_of_two(key, *sides) for key, *sides in rewritten]
    unwanted: set[Key] = set()
    if take is not None:
        unwanted = {sides[1 - take].key for _key, *sides in rewritten}
        unwanted -= (in_one, in_other)[take].keys()
    merged = PageNode(one.key, raw, tuple(parts[key] for key in order if key not in unwanted), gap)
    return merged, tuple(sorted(conflicts, key=lambda c: (c.key, c.kept, c.dropped)))


def _three_way_raw(
    base: PageNode | None, one: PageNode, other: PageNode, choose: Chooser
) -> tuple[str, bool]:
    if one.raw == other.raw:
        return one.raw, False
    if base is not None and base.raw == one.raw:
        return other.raw, False
    if base is not None and base.raw == other.raw:
        return one.raw, False
    settled = three_way(one.kind, base.raw if base else None, one.raw, other.raw)
    return choose(base, one, other) if settled is None else (settled, False)


def _merge_unlike(
    base: PageNode | None, one: PageNode, other: PageNode, take: Side | None
) -> tuple[PageNode, tuple[Conflict, ...]]:
    """Attributes of which one side is parts and the other one text: they cannot be mixed."""
    if base in (one, other):
        return (other if base == one else one), ()
    sides = (one, other)
    kept = min(sides, key=_own_text) if take is None else sides[take]
    dropped = other if kept is one else one
    return kept, (Conflict(one.key, _own_text(kept), _own_text(dropped)),)


def _own_text(node: PageNode) -> str:
    return node.raw + "; ".join(part.raw for part in node.parts)


def _merge_part(
    base: PageNode | None,
    one: PageNode | None,
    other: PageNode | None,
    choose: Chooser,
    rank: Ranker,
    take: Side | None,
) -> tuple[PageNode | None, tuple[Conflict, ...]]:
    if one is None or other is None:
        here = one or other
        if here is None or base is None:
            return here, ()
        untouched = same_words(here.kind, base.raw, here.raw) and here.parts == base.parts
        return (None if untouched else here), ()
    if one == other:
        return one, ()
    kept, conflicts = merge(base, one, other, choose, rank, take)
    emptied = bool(one.parts and other.parts) and _hollow(kept) and kept.kind not in ("c", "n")
    return (None if emptied else kept), conflicts


def _merge_order(
    base: Sequence[Key],
    one: Sequence[Key],
    other: Sequence[Key],
    parts: Mapping[Key, PageNode],
    rank: Ranker,
) -> list[Key]:
    spine = _spine(base, one, other, parts)
    place = {key: index for index, key in enumerate(spine)}
    slot_of = _slots(one, place, parts)
    for key, slot in _slots(other, place, parts).items():
        slot_of[key] = min(slot, slot_of.get(key, slot))
    runs: list[tuple[list[Key], list[Key]]] = [([], []) for _ in range(len(spine) + 1)]
    for number, side in enumerate((one, other)):
        for key in side:
            if key in slot_of:
                runs[slot_of[key] + 1][number].append(key)
    order: list[Key] = []
    for slot, (mine, theirs) in enumerate(runs):
        if slot:
            order.append(spine[slot - 1])
        order += _merge_runs(mine, theirs, parts, rank)
    return _ends_last(order)


def _spine(
    base: Sequence[Key], one: Sequence[Key], other: Sequence[Key], parts: Mapping[Key, PageNode]
) -> list[Key]:
    """The base's keys that stay, in the order of the side that reordered them."""
    stays = [key for key in base if key in parts]
    staying = set(stays)
    orders = []
    for side in (one, other):
        known = [key for key in side if key in staying]
        followers: dict[Key | None, list[Key]] = {}
        before: Key | None = None
        present = set(known)
        for key in stays:
            if key in present:
                before = key
            else:
                followers.setdefault(before, []).append(key)
        whole = list(followers.get(None, ()))
        for key in known:
            whole += [key, *followers.get(key, ())]
        orders.append(whole)
    changed = sorted(order for order in orders if order != stays)
    return changed[0] if changed else stays


def _slots(
    side: Sequence[Key], place: Mapping[Key, int], parts: Mapping[Key, PageNode]
) -> dict[Key, int]:
    """New keys of one side, each with the index of the spine's key it stands after (or -1)."""
    slots: dict[Key, int] = {}
    slot = -1
    for key in side:
        if key in place:
            slot = place[key]
        elif key in parts:
            slots[key] = slot
    return slots


def _merge_runs(
    mine: list[Key], theirs: list[Key], parts: Mapping[Key, PageNode], rank: Ranker
) -> list[Key]:
    if not mine or not theirs or mine == theirs:
        return mine or theirs
    in_mine, in_theirs = set(mine), set(theirs)
    common = [key for key in mine if key in in_theirs]
    if common != [key for key in theirs if key in in_mine]:
        return sorted({*mine, *theirs}, key=lambda key: (rank(parts[key]), key))
    merged: list[Key] = []
    for stop in [*common, None]:
        left, mine = _take_until(mine, stop)
        right, theirs = _take_until(theirs, stop)
        merged += _merge_segment(left, right, parts, rank)
        if stop is not None:
            merged.append(stop)
    return merged


def _take_until(keys: list[Key], stop: Key | None) -> tuple[list[Key], list[Key]]:
    if stop is None:
        return keys, []
    at = keys.index(stop)
    return keys[:at], keys[at + 1 :]


def _merge_segment(
    left: list[Key], right: list[Key], parts: Mapping[Key, PageNode], rank: Ranker
) -> list[Key]:
    """Items interleave by rank; sections stay whole and are ordered by their headings."""

    def ranked(key: Key) -> tuple[tuple[str | int, ...], Key]:
        return rank(parts[key]), key

    items_left, sections_left = _by_section(left)
    items_right, sections_right = _by_section(right)
    merged: list[Key] = []
    at_left = at_right = 0
    while at_left < len(items_left) and at_right < len(items_right):
        one, other = ranked(items_left[at_left]), ranked(items_right[at_right])
        left_end, right_end = at_left + 1, at_right + 1
        if one[0] == other[0]:
            # Neither side's run of one rank is torn apart; that with the smaller key leads.
            left_end, right_end = (
                next((i for i in range(at, len(keys)) if ranked(keys[i])[0] != one[0]), len(keys))
                for keys, at in ((items_left, at_left), (items_right, at_right))
            )
        if one < other:
            merged += items_left[at_left:left_end]
            at_left = left_end
        else:
            merged += items_right[at_right:right_end]
            at_right = right_end
    merged += items_left[at_left:] + items_right[at_right:]
    for section in sorted(sections_left + sections_right, key=lambda s: ranked(s[0])):
        merged += section
    return merged


def _by_section(keys: Iterable[Key]) -> tuple[list[Key], list[list[Key]]]:
    items: list[Key] = []
    sections: list[list[Key]] = []
    for key in keys:
        if key[0] == "h":
            sections.append([key])
        elif sections:
            sections[-1].append(key)
        else:
            items.append(key)
    return items, sections


def _same_place(
    base: Mapping[Key, PageNode], one: Mapping[Key, PageNode], other: Mapping[Key, PageNode]
) -> list[tuple[Key, PageNode, PageNode]]:
    """Passages of a person that both sides rewrote, each in another way: the key of the old one,
    and what one and other put in its place.

    A rewritten passage is a removed and an added one; it counts when both sides removed it and
    put unlike passages after the same neighbour.
    """
    rewritten = [key for key in base if key[0] == "x" and key not in one and key not in other]
    if not rewritten:
        return []
    of_one, of_other = _replacements(base, one), _replacements(base, other)
    return [
        (key, of_one[key], of_other[key])
        for key in rewritten
        if key in of_one and key in of_other and of_one[key].key != of_other[key].key
    ]


def _of_two(key: Key, one: PageNode, other: PageNode) -> Conflict:
    return Conflict(key, *sorted((one.raw, other.raw)))


def _replacements(
    base: Mapping[Key, PageNode], side: Mapping[Key, PageNode]
) -> dict[Key, PageNode]:
    """For each key of the base that the side lacks, the new passage that stands in its place."""
    first_new: dict[Key | None, PageNode] = {}
    anchor: Key | None = None
    for key, node in side.items():
        if key in base:
            anchor = key
        elif key[0] == "x":
            first_new.setdefault(anchor, node)
    found: dict[Key, PageNode] = {}
    anchor = None
    for key in base:
        if key in side:
            anchor = key
        elif anchor in first_new:
            found[key] = first_new[anchor]
    return found
