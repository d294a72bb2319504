"""Two records that began as one, as one record: what either side changed, and no line twice.

There are two rules, at every level: a record's own text three ways, and its parts as a set three
ways. The order of the parts is diff3 over their keys.

    merge(base, one, other) == merge(base, other, one)

Where both worded one thing, one wording stands, and the other beside it, see `OTHER`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from heapq import merge as interleaved
from itertools import combinations, groupby

from llmwiki.core.claim_attributes import LINKS
from llmwiki.core.quick_to_load import lazy_pattern
from llmwiki.pages.id_and_evidence_patterns import ITEM_ID
from llmwiki.pages.linked_text import same_words, three_way, unstruck
from llmwiki.pages.page_syntax import SAID, is_aside, is_inline, is_mark, render_node
from llmwiki.pages.page_tree import Conflict, Key, PageNode, ends_last, is_hollow

Chooser = Callable[[PageNode | None, PageNode, PageNode], tuple[str, bool]]
"""(base, one, other) with unlike own texts → the text that stands, and whether to call it a
conflict. Must give the same for (base, other, one)."""

OTHER = "The other side of a merge:"
"""Before a wording that gave way to another one: in a line below a claim or note, in a quotation
behind a lead, in a comment below a key of the frontmatter, behind a footnote. A person keeps one of
the two, and takes this out."""

Rank = tuple[str | int, ...]
Ranker = Callable[[PageNode], Rank]
"""Where a new record belongs among new records of the other side."""

_Ranked = Callable[[Key], tuple[Rank, Key]]
Merged = tuple[PageNode, tuple[Conflict, ...]]


def first_bytes(base: PageNode | None, one: PageNode, other: PageNode) -> tuple[str, bool]:
    """The text whose bytes sort first, as a conflict."""
    del base
    return min(one.raw, other.raw, key=lambda text: text.encode("utf-8", "surrogatepass")), True


def merge(
    base: PageNode | None,
    one: PageNode,
    other: PageNode,
    choose: Chooser = first_bytes,
    rank: Ranker = lambda node: node.key,
    *,
    ours: bool = False,
) -> Merged:
    """Both sides' changes to `base`; the same whichever side is called one or other.

    A part that base lacks stands; one that a side took out goes, save what the other side has
    changed of it since. With `ours` the text of `one` stands alone wherever the two clash.
    """
    if one in (other, base):
        return other, ()
    if base == other:
        return one, ()
    if _is_unlike(one, other):
        # Of parts and one text nothing can be mixed.
        stands = one if ours else min((one, other), key=_all_text)
        dropped = other if stands is one else one
        clash = Conflict(one.key, _all_text(stands), _all_text(dropped))
        return _with_other(stands, [clash], ours=ours)
    raw, conflicts = _own_text(base, one, other, choose, ours=ours)
    if conflicts and one.kind == "c" and _both_worded(base, one, other):
        # The line of one side stands to the letter, and below it what both have made of the claim.
        stands, dropped = (one, other) if raw == one.raw else (other, one)
        conflicts = [Conflict(one.key, _line(stands), _line(dropped))]
        base = base and _with_line_of(stands, base)
        one, other = (_with_line_of(stands, side) for side in (one, other))
    old, mine, theirs = ({p.key: p for p in n.parts} if n else {} for n in (base, one, other))
    parts: dict[Key, PageNode] = {}
    for key in {**old, **mine, **theirs}:
        x, y = mine.get(key), theirs.get(key)
        if x is not None and y is not None:
            part, found = merge(old.get(key), x, y, choose, rank, ours=ours)
            conflicts += found
            is_emptied = x.parts and y.parts and is_hollow(part) and part.kind not in ("c", "n")
            parts |= {} if is_emptied else {key: part}
        elif (rest := left(old.get(key), x or y)) is not None:
            parts[key] = rest
    keys = order(tuple(old), tuple(mine), tuple(theirs), parts, rank)
    gap = _gap(base, one, other)
    merged = PageNode(one.key, raw, tuple(parts[key] for key in keys), gap)
    return _with_other(merged, conflicts, ours=ours)


def _sorted(conflicts: Iterable[Conflict]) -> tuple[Conflict, ...]:
    return tuple(sorted(conflicts, key=lambda c: (c.key, c.kept, c.dropped)))


# --- the wording that gave way -------------------------------------------------------------------

_ID = lazy_pattern(ITEM_ID)
_CITED = re.compile(r" ?\[\^[^\[\]\s]{1,400}\]")
_BREAKS = re.compile("[\x85\u2028\u2029]")
"""What ends a line, and with it a comment, for YAML and for nobody else here."""


def _with_other(node: PageNode, conflicts: Sequence[Conflict], *, ours: bool) -> Merged:
    """The node with the wordings that gave way to its own and to those of its parts; with `ours`
    they are told alone."""
    if node.kind in ("c", "n"):
        conflicts = [replace(each, key=node.key) for each in conflicts]
    if ours or not conflicts:
        return node, _sorted(conflicts)
    if node.kind in ("c", "n"):
        lines = (f"  - {OTHER} {_on_one_line(each.dropped)}" for each in _sorted(conflicts))
        parts = {part.key: part for part in (*node.parts, *(PageNode(("x", x), x) for x in lines))}
        return replace(node, parts=tuple(parts.values())), _sorted(conflicts)
    own = (each.dropped for each in conflicts if each.key == node.key)
    return replace(node, raw=node.raw + "".join(_behind(node, x) for x in own)), _sorted(conflicts)


def _behind(node: PageNode, dropped: str) -> str:
    """What stands behind a lead, an entry of the frontmatter or a footnote of the other wording."""
    rows = dropped.split("\n")
    if node.kind == "lead":
        return "\n\n" + "\n".join(f"> {row}".rstrip() for row in (OTHER, *rows))
    if node.kind == "front":
        # In frontmatter, which has to stay YAML.
        return "".join(f"\n# {_BREAKS.sub(' ', row)}" for row in (OTHER, *rows))
    if node.kind == "fn":
        return f"\n    {OTHER} {' '.join(dropped.partition(']:')[2].split())}"
    return ""


def _on_one_line(text: str) -> str:
    """A claim, a note or an attribute without the mark of its item, its id and its sources."""
    said = " ".join(line.strip() for line in text.split("\n")).strip()
    if said[:2] in ("- ", "* ", "+ "):
        said = said[2:].lstrip()
    before, mark, last = said.rpartition(" ^")
    said = before.rstrip() if mark and _ID.fullmatch(last) else said
    return _CITED.sub("", said)


# --- words of a claim ----------------------------------------------------------------------------


def _both_worded(base: PageNode | None, one: PageNode, other: PageNode) -> bool:
    """Whether both sides changed the words of a claim: of two wordings nothing can be mixed."""
    sides = [unstruck(each.raw) for each in (base, one, other) if each]
    return not any(same_words("c", *pair) for pair in combinations(sides, 2))


def _with_line_of(stands: PageNode, side: PageNode) -> PageNode:
    own = {part.key: part for part in stands.parts if is_inline(part)}
    below = [
        part if not is_inline(part) else replace(part, raw=f"  - {part.raw}")
        for part in side.parts
        if part.key not in own
        if part.key != SAID and not is_mark(part) and not is_aside(part)
    ]
    return replace(side, raw=stands.raw, parts=(*own.values(), *below))


def _line(claim: PageNode) -> str:
    inline = tuple(part for part in claim.parts if is_inline(part))
    return render_node(replace(claim, parts=inline))


def _is_unlike(one: PageNode, other: PageNode) -> bool:
    """Whether attributes, or an entry of the frontmatter, are parts on one side and text on the
    other."""
    is_whole = one.kind == "a" or (one.kind == "front" and one.raw != other.raw)
    return is_whole and bool(one.parts) != bool(other.parts)


def _own_text(
    base: PageNode | None, one: PageNode, other: PageNode, choose: Chooser, *, ours: bool
) -> tuple[str, list[Conflict]]:
    was = base.raw if base else None
    if other.raw in (one.raw, was):
        return one.raw, []
    if was == one.raw:
        return other.raw, []
    settled = three_way(one.kind, was, one.raw, other.raw)
    if settled is not None:
        return settled, []
    raw, is_clash = choose(base, one, other)
    raw = one.raw if ours else raw
    if not is_clash:
        return raw, []
    return raw, [Conflict(one.key, raw, other.raw if raw == one.raw else one.raw)]


def _gap(base: PageNode | None, one: PageNode, other: PageNode) -> str | None:
    was = base.gap if base else None
    if one.gap == other.gap:
        return one.gap
    if was in (one.gap, other.gap):
        return other.gap if was == one.gap else one.gap
    return max(one.gap or "", other.gap or "") or None


def _all_text(node: PageNode) -> str:
    return node.raw + "; ".join(part.raw for part in node.parts)


# --- what one side took out ----------------------------------------------------------------

_DERIVED = frozenset({"e", "rel", "at", "dead", "close", "tail"})
"""Kinds whose key says all: another text of one is no change of what it says."""


def left(base: PageNode | None, here: PageNode | None) -> PageNode | None:
    """What stands of a record that only one side has: all of it where `base` lacks it, else what
    has changed since.

    Of a claim that is the quotes that are new, with its words and how they are read. If its words
    were changed, or it was struck, or told more of without a quote, it is all of it: the other side
    may have moved it to another page, and is to learn of it; and no claim stands without evidence.
    A tie or other lines of a quote are no change.
    """
    if base is None or here is None:
        return here
    is_same = here.kind in _DERIVED or same_words(here.kind, base.raw, here.raw)
    is_claim = here.kind in ("c", "n")
    if is_claim and not is_same:
        return here
    old = {part.key: part for part in base.parts}
    parts = [
        kept
        for part in here.parts
        if (kept := left(old.get(part.key) or _blank(part), part)) is not None
    ]
    if here.kind in ("front", "body") and len(here.key) == 1:
        return here if parts else None
    if is_claim and all(map(_is_tie, parts)):
        return None
    if is_claim and not any(part.kind == "e" for part in parts):
        return here
    if parts:
        new = {part.key: part for part in parts}
        stay = (p if is_claim and p.kind == "a" else new.get(p.key) for p in here.parts)
        return replace(here, parts=tuple(part for part in stay if part is not None))
    return None if is_same else here


def _is_tie(part: PageNode) -> bool:
    """Whether a line has ties to other claims alone."""
    if part.kind == "a":
        return bool(part.parts) and all(map(_is_tie, part.parts))
    return part.kind == "p" and part.key[1] in LINKS


def _blank(part: PageNode) -> PageNode | None:
    """Attributes without any, to compare new ones with; None of any other part."""
    return PageNode(part.key, part.raw) if part.kind == "a" and part.parts else None


# --- order ---------------------------------------------------------------------------------


def order(
    base: Sequence[Key],
    one: Sequence[Key],
    other: Sequence[Key],
    parts: Mapping[Key, PageNode],
    rank: Ranker,
) -> list[Key]:
    """The keys of `parts` as the sides order them. What both put at one place stands by rank."""
    base = [key for key in base if key in parts]
    mine, theirs = sorted(
        with_all(base, [key for key in side if key in parts]) for side in (one, other)
    )

    def ranked(key: Key) -> tuple[Rank, Key]:
        return rank(parts[key]), key

    found: list[Key] = []
    for left_run, right_run, key in groups(base, mine, theirs):
        found += _joined(left_run, right_run, ranked)
        found += [key] if key is not None else []
    return ends_last(list(dict.fromkeys(found)))


def groups(
    base: Sequence[Key], one: Sequence[Key], other: Sequence[Key]
) -> Iterator[tuple[list[Key], list[Key], Key | None]]:
    """Diff3 over unique keys: for each key that stands in one order in all three what either side
    has before it, and it; at last what they have behind all of them, and None.

    Both sides have all keys of `base`. One that a side has moved is in the run of that side; one
    that both have moved, in the run of `one`.
    """
    known, still = {*base}, (_unmoved(base, one), _unmoved(base, other))
    fixed = still[0] & still[1]
    runs = (
        _cut([key for key in one if key not in still[0] - fixed], fixed),
        _cut([key for key in other if key not in known or key in still[0]], fixed),
    )
    yield from zip(*runs, [*(key for key in base if key in fixed), None], strict=True)


def _unmoved(base: Sequence[Key], side: Sequence[Key]) -> set[Key]:
    """The keys of `base` that a side, which has all of them, left in their order."""
    known = {*base}
    kept = [key for key in side if key in known]
    if kept == base:
        return known
    blocks = SequenceMatcher(None, base, kept, autojunk=False).get_matching_blocks()
    return {key for block in blocks for key in base[block.a : block.a + block.size]}


def _cut(keys: Sequence[Key], stops: Collection[Key]) -> list[list[Key]]:
    """The runs of keys before, between and behind those that are stops."""
    runs: list[list[Key]] = [[]]
    for key in keys:
        if key in stops:
            runs.append([])
        else:
            runs[-1].append(key)
    return runs


def with_all(base: Sequence[Key], side: Sequence[Key]) -> list[Key]:
    """The keys of a side with those of `base` that it lacks, each behind the one before it."""
    have = {*side}
    behind: dict[Key | None, list[Key]] = {}
    before: Key | None = None
    for key in base:
        if key in have:
            before = key
        else:
            behind.setdefault(before, []).append(key)
    whole = [*behind.get(None, ())]
    for key in side:
        whole += [key, *behind.get(key, ())]
    return whole


def _joined(mine: list[Key], theirs: list[Key], ranked: _Ranked) -> list[Key]:
    """Two runs at one place: keys that both have in their order, and between them by rank."""
    if not mine or not theirs or mine == theirs:
        return mine or theirs
    common = [key for key in mine if key in {*theirs}]
    if common != [key for key in theirs if key in {*mine}]:
        return sorted({*mine, *theirs}, key=ranked)
    found: list[Key] = []
    for x, y, key in zip(_cut(mine, common), _cut(theirs, common), [*common, None], strict=True):
        (items, sections), (more, others) = _by_section(x), _by_section(y)
        # Neither side's run of one rank is torn apart.
        runs = (groupby(keys, key=lambda key: ranked(key)[0]) for keys in (items, more))
        of_one_rank = ([[*keys] for _rank, keys in run] for run in runs)
        ordered = [*interleaved(*of_one_rank, key=lambda run: ranked(run[0]))]
        ordered += sorted(sections + others, key=lambda section: ranked(section[0]))
        found += [*(each for run in ordered for each in run), *([key] if key is not None else [])]
    return found


def _by_section(keys: Sequence[Key]) -> tuple[list[Key], list[list[Key]]]:
    """The keys before the first heading, and the sections with theirs."""
    items: list[Key] = []
    sections: list[list[Key]] = []
    for key in keys:
        if key[0] == "h":
            sections.append([key])
        else:
            (sections[-1] if sections else items).append(key)
    return items, sections
