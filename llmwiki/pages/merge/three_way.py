"""One page three ways: what two sides made of it, as one, and whose text stands where both worded
one thing.

Properties, tested: the same for (base, a, b) and (base, b, a); no claim is lost that either kept.
"""

from __future__ import annotations

from dataclasses import replace

from llmwiki.pages.claim_head import ARROW, asked_behind, phrases, unasked, with_asked
from llmwiki.pages.escape import unescape
from llmwiki.pages.frontmatter import PageError, in_blocks, load_yaml
from llmwiki.pages.linked_text import same_words, unstruck
from llmwiki.pages.merge.repair_assembled_page import (
    is_readable,
    read_back,
    with_footnotes_of,
    without_empty_sections,
)
from llmwiki.pages.merge.two_records import Chooser, first_bytes, merge
from llmwiki.pages.page import (
    SECTIONS,
    GeneratedMarks,
    Page,
    about_hash,
    heading_title,
    prose_hash,
)
from llmwiki.pages.page_tree import Conflict, PageNode
from llmwiki.pages.write import (
    FRONT_ORDER,
    PAGE_KEYS,
    add_words,
    generated_node,
    put_front,
    set_value,
    with_body,
)
from llmwiki.pages.write_claims import claim_rank

_EMPTY = Page(
    "",
    PageNode(
        ("page",),
        "",
        (
            PageNode(("front",), "---", (PageNode(("close",), "---"),)),
            PageNode(("body",), "", (PageNode(("tail",), "\n"),)),
        ),
    ),
)
"""A page of which nothing stands yet."""


def merge_page(
    base: Page | None,
    ours: Page | None,
    theirs: Page | None,
    *,
    ours_stands: bool = False,
) -> tuple[Page | None, tuple[Conflict, ...]]:
    """One page three ways, and what both sides worded; None: it is not, or is gone.

    Where one side took the page out, what was on it goes, and what the other side has added or
    changed since stays. With `ours_stands` the text of `ours` stands alone wherever both have
    another one than `base`.
    """
    if ours is None or theirs is None:
        here = ours or theirs
        return (here if here is None or base is None else _rest(base, here)), ()
    if ours.node == theirs.node or (base is not None and theirs.node == base.node):
        return ours, ()
    if base is not None and ours.node == base.node:
        return theirs, ()
    sides = [page for page in (base, ours, theirs) if page is not None]
    page, conflicts = _merged(base, ours, theirs, ours_stands=ours_stands)
    if not is_readable(page) and all(map(is_readable, sides)):
        was, one, other = (_in_blocks(each) if each else None for each in (base, ours, theirs))
        page, conflicts = _merged(was, one or ours, other or theirs, ours_stands=ours_stands)
    if is_readable(page) and (base is not None or page.type != "source") and not ours_stands:
        others = {_title_in(each) for each in conflicts if each.key in (("h1",), _TITLE)}
        others |= {ours.title, theirs.title} if base is None else set()
        page = add_words(page, "aliases", sorted(others - {page.title, ""}))
    if all(map(is_readable, (page, ours, theirs))):
        page = _with_marks(page, ours, theirs)
    page = with_footnotes_of(without_empty_sections(page, *sides), *sides)
    if not ours_stands:
        page = _without_doubtful_bytes(base, ours, theirs, page)
    return read_back(page), conflicts


def _title_in(conflict: Conflict) -> str:
    """The title that gave way: one that two people gave a page is another name of it."""
    if conflict.key != _TITLE:
        return unescape(heading_title(PageNode(conflict.key, conflict.dropped)))
    try:
        return str(load_yaml(conflict.dropped).get("title", ""))
    except PageError:
        return ""


def _merged(
    base: Page | None, ours: Page, theirs: Page, *, ours_stands: bool = False
) -> tuple[Page, tuple[Conflict, ...]]:
    was, choose = (base or _EMPTY).node, _chooser(ours, theirs)
    node, conflicts = merge(was, ours.node, theirs.node, choose, rank, ours=ours_stands)
    return Page(ours.path, node), conflicts


def _in_blocks(page: Page) -> Page:
    """The page with its frontmatter one key a line, whatever style it had."""
    if page.front is None:
        return page
    front = replace(page.front, parts=(*in_blocks(page.values), page.front.parts[-1]))
    rest = tuple(front if part.kind == "front" else part for part in page.node.parts)
    return Page(page.path, replace(page.node, parts=rest))


def _without_doubtful_bytes(base: Page | None, ours: Page, theirs: Page, merged: Page) -> Page:
    """The page of a source without its hash where both sides have read other bytes: lines of both
    versions stand in the wiki then, and the next operation follows all of them."""
    sides = (base, ours, theirs)
    if not all(page is None or is_readable(page) for page in (*sides, merged)):
        return merged
    was, one, other = (page.value("sha256") if page else "" for page in sides)
    doubtful = merged.type == "source" and one != other and was not in (one, other)
    return set_value(set_value(merged, "sha256", ""), "text", "") if doubtful else merged


# --- a page that one side took out ------------------------------------------------------------


def _rest(base: Page, here: Page) -> Page | None:
    """What stays of a page that the other side has taken out; None: nothing."""
    if here.node == base.node:
        return None
    page = _merged(base, here, _EMPTY)[0]
    tools = FRONT_ORDER if page.type == "source" else PAGE_KEYS
    names = {entry.key[1] for entry in (page.front.parts[:-1] if page.front else ())}
    own = {"title", "aliases", "tags"} & names or names.difference(tools)
    if not own and all(
        node.kind in ("fn", "tail") or (node.kind == "h" and node.key[2] in SECTIONS)
        for node in page.body
    ):
        return None
    body = [node for node in page.body if node.kind != "h1"]
    head = [node for node in here.body if node.kind == "h1"]
    front = [part for part in here.node.parts if part.kind == "front"]
    rest = [part for part in page.node.parts if part.kind != "front"]
    whole = Page(here.path, replace(here.node, parts=(*front, *rest)))
    page = without_empty_sections(with_body(whole, head + body), here)
    return read_back(with_footnotes_of(page, base, here))


# --- whose text stands ----------------------------------------------------------------------

_OF_A_VERSION = frozenset({("front", name) for name in ("date", "sha256", "text")})
"""Keys of a source's page that its reading writes; where two versions were read nobody is asked."""
_TITLE = ("front", "title")
_QUIET = frozenset({"rel", "at", "dead", "tail", "body", "close", "h"})
"""Kinds of which one text stands and nobody is asked: the tool's own, or no words."""
_QUIET_KEYS = (("front",), ("front", "generated"))


def _chooser(ours: Page, theirs: Page) -> Chooser:
    sides = (ours, theirs)
    titles = [page.title for page in sides] if all(map(is_readable, sides)) else ["", ""]

    def choose(node: PageNode | None, one: PageNode, other: PageNode) -> tuple[str, bool]:
        is_quiet = one.kind in _QUIET or one.key in _QUIET_KEYS or _is_tools_footnote(one, other)
        if one.kind == "h1" or (one.key == _TITLE and node is None):
            # Two readings of one document may call it by two names: that is no conflict.
            return min((titles[0], one.raw), (titles[1], other.raw))[1], node is not None
        if one.kind == "lead":
            return _choose_prose(one, other, [is_readable(p) and p.lead_is_tools for p in sides])
        if one.key == ("front", "description"):
            told = [is_readable(page) and page.description_is_tools for page in sides]
            return _choose_prose(one, other, told)
        if one.kind in ("c", "n"):
            return _choose_claim(node, one, other)
        if one.kind == "e":
            return _evidence_of_both(node, one, other), False
        if one.key in _OF_A_VERSION and ours.type == theirs.type == "source":
            return max(one.raw, other.raw), False
        return first_bytes(node, one, other)[0], not is_quiet

    return choose


def _choose_prose(one: PageNode, other: PageNode, is_tools: list[bool]) -> tuple[str, bool]:
    """A person's text beats the tool's; of two of one, the one whose bytes sort first."""
    if is_tools[0] != is_tools[1]:
        return (other if is_tools[0] else one).raw, False
    return first_bytes(None, one, other)[0], not is_tools[0]


def _evidence_of_both(base: PageNode | None, one: PageNode, other: PageNode) -> str:
    """A line of evidence with the words by which it may be asked for that a side added, and those
    that no side took away."""
    sides = (base, one, other)
    had, mine, theirs = (set(phrases(asked_behind(each.raw))) if each else set() for each in sides)
    words = ((mine | theirs) - had) | (mine & theirs)
    return with_asked(unasked(first_bytes(base, one, other)[0]), words)


def _choose_claim(base: PageNode | None, one: PageNode, other: PageNode) -> tuple[str, bool]:
    """One strike over none; of two, the one that says what took its place."""
    first, second = sorted((one.raw, other.raw))
    struck = [raw for raw in (first, second) if unstruck(raw) != raw]
    alike = same_words(one.kind, unstruck(first), unstruck(second))
    if len(struck) == 1:
        return struck[0], not (alike and base is None)
    gone = [raw for raw in struck if ARROW + "gone in " in raw]
    if not gone or not alike:
        return first_bytes(base, one, other)
    return next((raw for raw in struck if raw not in gone), gone[0]), False


def _is_tools_footnote(one: PageNode, other: PageNode) -> bool:
    """Whether both are the footnote of a source, as the tool writes it."""
    start = f"[^{one.key[1]}]: [[sources/{one.key[1]}" if one.kind == "fn" else "\n"
    return one.raw.startswith(start) and other.raw.startswith(start)


def _with_marks(page: Page, *sides: Page) -> Page:
    """The page with the marks of the sides that are those of the lead and the description which
    stand; of others any: they tell that a person wrote these."""
    marks = sorted({side.marks for side in sides if str(side.marks)})
    if len(marks) < 2 or "generated" not in page.values:
        return page
    prose, about = prose_hash(page.lead), about_hash(page.description)
    own = GeneratedMarks(
        min(filter(None, (each.by for each in marks)), default=""),
        min((each.prose for each in marks), key=lambda mark: (mark != prose, mark)),
        min((each.about for each in marks), key=lambda mark: (mark != about, mark)),
    )
    return put_front(page, generated_node(own))


_KINDS = {
    "h1": 0, "lead": 1, "h": 2, "x": 3, "c": 4, "n": 5, "rel": 7, "record": 8,
    "fn": 9,
}  # fmt: skip


def rank(node: PageNode) -> tuple[int, str, str]:
    """Where a new node belongs among new nodes of the other side. Claims of one source have one
    rank: in which order the reading of a side put them is kept."""
    if node.kind == "c":
        return _KINDS["c"], claim_rank(node), ""
    if node.kind == "h":
        return _KINDS["h"], f"{SECTIONS.get(node.key[2], 999):03}", node.key[2]
    return _KINDS.get(node.kind, 8), "\0".join(node.key), ""
