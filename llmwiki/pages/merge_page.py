"""One page three ways: what two sides made of it, as one.

Property, tested: `merge_page` gives the same for (base, a, b) and (base, b, a), and loses no claim
that either side kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from llmwiki.pages import node_merge, syntax
from llmwiki.pages.assembled import (
    by_items,
    drop_cited,
    footnotes,
    front_entry,
    give_source,
    is_readable,
    readable,
    settled,
    with_whole_lists,
)
from llmwiki.pages.changes import EMPTY_PAGE, TITLE, apply_to_page, diff
from llmwiki.pages.disputes import both_stand
from llmwiki.pages.dress import three_way
from llmwiki.pages.front import in_blocks
from llmwiki.pages.nodes import Conflict, Key, PageNode
from llmwiki.pages.page import SECTIONS, GeneratedMarks, Page, read_generated
from llmwiki.pages.write import generated_node, set_value
from llmwiki.pages.write_claims import claim_rank


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
    if ours is None or theirs is None:
        here = ours or theirs
        if here is None or base is None:
            return here, ()
        (gone,) = diff({base.path: base}, {}).pages
        return apply_to_page(gone, here)
    if ours.node == theirs.node or (base is not None and theirs.node == base.node):
        return ours, ()
    if base is not None and ours.node == base.node:
        return theirs, ()
    merged, conflicts = _merge_readably(base, ours, theirs)
    merged = _in_step(base, ours, theirs, merged)
    return settled(merged), conflicts


def merge_marked(base: Page | None, ours: Page | None, theirs: Page | None) -> Page | None:
    """As `merge_page`; what the sides word differently stands twice, see `pages.disputes`."""
    merged, conflicts = merge_page(base, ours, theirs)
    if merged is None or ours is None or theirs is None or not conflicts:
        return merged
    one, other = (_merge_readably(base, ours, theirs, take)[0] for take in node_merge.SIDES)
    return settled(_in_step(base, ours, theirs, both_stand(one, other)))


def _merge_readably(
    base: Page | None, ours: Page, theirs: Page, take: node_merge.Side | None = None
) -> tuple[Page, tuple[Conflict, ...]]:
    """The merged page with frontmatter that can be read, if that of both sides can."""
    merged, conflicts = _merge_nodes(base, ours, theirs, take)
    if not is_readable(merged) and all(map(is_readable, (ours, theirs))):
        sides = [_in_blocks(page) if page else None for page in (base, ours, theirs)]
        merged, conflicts = _merge_nodes(sides[0], sides[1] or ours, sides[2] or theirs, take)
        first = min((ours, theirs), key=lambda page: page.text)
        merged, found = readable(merged, first if take is None else (ours, theirs)[take])
        conflicts = (*conflicts, *found)
    return merged, conflicts


def _merge_nodes(
    base: Page | None, ours: Page, theirs: Page, take: node_merge.Side | None
) -> tuple[Page, tuple[Conflict, ...]]:
    b, o, t = _aligned(base, ours, theirs)
    start = b.node if b else EMPTY_PAGE
    node, conflicts = node_merge.merge(start, o.node, t.node, _chooser(b, o, t), rank, take)
    return with_whole_lists(Page(ours.path, node)), conflicts


def _in_blocks(page: Page) -> Page:
    """The page with its frontmatter one key a line, whatever style it had."""
    if page.front is None or not is_readable(page):
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
        merged = give_source(ours, merged, source_id)
    for source_id in sorted(cited & by_theirs - by_ours):
        merged = give_source(theirs, merged, source_id)
    sides = ((by_ours, footnotes(ours)), (by_theirs, footnotes(theirs)))
    unkept = {
        s
        for s in (base.cited() if base else frozenset()) - cited
        if any(s not in cites and s not in notes for cites, notes in sides)
    }
    merged = drop_cited(merged, ((by_ours & by_theirs) - cited) | unkept)
    return _without_doubtful_bytes(base, ours, theirs, merged)


def _without_doubtful_bytes(base: Page | None, ours: Page, theirs: Page, merged: Page) -> Page:
    """The page of a source without its hash where both sides have read other bytes: lines of both
    versions stand in the wiki then, and the next operation follows all of them."""
    sides = (base, ours, theirs)
    if not all(page is None or is_readable(page) for page in (*sides, merged)):
        return merged
    was, one, other = (page.value("sha256") if page else "" for page in sides)
    doubtful = merged.type == "source" and one != other and was not in (one, other)
    return set_value(set_value(merged, "sha256", ""), "text", "") if doubtful else merged


def _aligned(base: Page | None, ours: Page, theirs: Page) -> tuple[Page | None, Page, Page]:
    """The pages with frontmatter lists in one shape, where a side's style differs, or where both
    sides changed a list that no style of ours reads by items."""
    pages = [p for p in (base, ours, theirs) if p is not None]
    for name in syntax.LIST_KEYS:
        found = [front_entry(p, name) for p in pages]
        shapes = {bool(node.parts) for node in found if node is not None}
        texts = [node.raw for node in found if node is not None]
        unlike = shapes == {False} and None not in found[-2:] and len({*texts}) == len(texts)
        if len(shapes) < 2 and not unlike:
            continue
        try:
            pages = [by_items(p, name) for p in pages]
        except syntax.PageError:
            continue
    return (pages[0] if base is not None else None), pages[-2], pages[-1]


_DESCRIPTION: Key = ("front", "description")


_GENERATED: Key = ("front", "generated")


_ARROW = "~~ → "


_OF_A_VERSION = frozenset({("front", name) for name in ("date", "sha256", "text")})
"""Keys of a source's page that its reading writes; where two versions were read nobody is asked."""


_QUIET = frozenset({"e", "source", "rel", "at", "dead", "tail", "body", "close"})
"""Kinds of which one text stands and nobody is asked: the tool's own, or no words."""


def _chooser(base: Page | None, ours: Page, theirs: Page) -> node_merge.Chooser:
    lead, clash = _choose_lead(base, ours, theirs)
    describes = _descriptions(base, ours, theirs)

    def choose(node: PageNode | None, one: PageNode, other: PageNode) -> tuple[str, bool]:
        if one.key == ("lead",):
            return lead, clash
        if one.kind == "h1" or (one.key == TITLE and node is None):
            # Two readings of one document may call it by two names: that is no conflict.
            first = min((ours.title, one.raw), (theirs.title, other.raw))
            return first[1], node is not None
        if one.key == _GENERATED:
            return _choose_marks(lead, describes, ours, theirs), False
        if one.key == _DESCRIPTION:
            return _choose_description((ours, one.raw), (theirs, other.raw))
        of_a_version = one.key in _OF_A_VERSION and ours.type == theirs.type == "source"
        if of_a_version:
            return max(one.raw, other.raw), False
        if one.kind in _QUIET or one.key == ("front",) or _is_tools_footnote(one, other):
            return node_merge.first_bytes(node, one, other)[0], False
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
    return node_merge.first_bytes(node, one, other)


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
    if base is None or not all(map(is_readable, (base, ours, theirs))):
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
    sides = [p for p in (ours, theirs) if p.lead == lead and is_readable(p)]
    marks = sorted(read_generated(p.values.get("generated")) for p in sides)
    first = marks[0] if marks else GeneratedMarks()
    abouts = sorted(p.about_mark for p in describes if is_readable(p))
    return generated_node(GeneratedMarks(first.by, first.prose, abouts[0] if abouts else "")).raw


def _describes_as_tool(page: Page) -> bool:
    return is_readable(page) and page.description_is_tools


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
    return is_readable(page) and bool(page.lead) and page.lead_is_tools


_KINDS = {
    "h1": 0, "lead": 1, "h": 2, "x": 3, "c": 4, "n": 5, "rel": 7, "record": 8,
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
