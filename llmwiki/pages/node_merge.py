"""The merge of two trees that began as one (`nodes`): what either side changed, and no line twice.

merge(base, a, b) == merge(base, b, a)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

from llmwiki.pages.dress import same_words, three_way
from llmwiki.pages.nodes import Conflict, Key, PageNode, ends_last, is_hollow

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
    emptied = bool(one.parts and other.parts) and is_hollow(kept) and kept.kind not in ("c", "n")
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
    return ends_last(order)


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
