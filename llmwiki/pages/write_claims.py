"""Claims, their evidence and attributes, and notes: making them and placing them on a page."""

from __future__ import annotations

import re
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Mapping,
    MutableMapping,
    Sequence,
)
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from llmwiki.core.claim_attributes import (
    ABOUT,
    CLAIM_ATTRIBUTES,
    CONTRADICTS,
    DISAGREES,
    LINKS,
    PARTS,
    UPDATED_BY,
    ClaimTie,
    Part,
)
from llmwiki.core.text import digest32, fold, normalise
from llmwiki.pages.claim_head import DENIED, DENIES, Pair, with_asked, words_of_pair
from llmwiki.pages.claim_links import claim_link
from llmwiki.pages.escape import escape, escape_inline, escape_value
from llmwiki.pages.id_and_evidence_patterns import PLACE
from llmwiki.pages.linked_text import markdown_of, read, with_text
from llmwiki.pages.page import (
    SECTION_ENDS,
    Claim,
    Evidence,
    Page,
    heading_title,
    read_claim,
    read_evidence,
)
from llmwiki.pages.page_syntax import SAID, attribute_key, is_inline, word_part
from llmwiki.pages.page_tree import Key, PageNode
from llmwiki.pages.write import begin_section, replace_node, section_end, with_body

_LINK_ATTRIBUTES = frozenset({*LINKS, ABOUT, "from"})
_ATTRIBUTE_ORDER = tuple(each.name for each in CLAIM_ATTRIBUTES if not each.is_by_hand)


def claim_node(claim: Claim) -> PageNode:
    """A claim as the page's grammar writes it; one that is its quote is written as that, once."""
    text = DENIED * claim.is_denied + escape(claim.text)
    if claim.successor is not None:
        text = f"~~{text}~~ → {claim.successor}"
    parts = [evidence_node(e) for e in claim.evidence]
    if claim.evidence and normalise(claim.text) == claim.evidence[0].quote:
        cited = f"“{escape(claim.text)}”{_behind(claim.evidence[0])}"
        parts[0] = replace(parts[0], raw=with_asked(cited, claim.evidence[0].asked))
    parts = with_pairs(parts, claim.attributes)
    return PageNode(("c", claim.id), f"- {text} ^{claim.id}", tuple(parts))


def evidence_node(evidence: Evidence) -> PageNode:
    """A piece of evidence as a nested item."""
    line = f"  - “{escape_inline(evidence.quote)}”{_behind(evidence)}"
    return PageNode(("e", *evidence.identity), with_asked(line, evidence.asked))


def _behind(evidence: Evidence) -> str:
    """What follows a quote: which of its places it is, its source, and its place in an original."""
    place = escape_inline(evidence.place)
    # The name of a sheet may be anything; a line that cannot be read back loses the quote.
    behind = f", {place}" if re.fullmatch(PLACE, place) else ""
    nth = f" ({ordinal(evidence.nth)})" if evidence.nth > 1 else ""
    return f"{nth} [^{evidence.source}]{behind}"


def ordinal(number: int) -> str:
    """`2nd`, `3rd`, `11th`."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10)
    return f"{number}{ending or 'th'}"


def with_pairs(parts: Sequence[PageNode], pairs: Iterable[Pair]) -> list[PageNode]:
    """The parts of a claim with these attributes in place of those they tell: on the claim's own
    line what changes its meaning, below it what ties it to others; known names in their order, then
    slots. A denial stands in the claim's own text."""

    def order(pair: Pair) -> tuple[int, str, tuple[str, ...]]:
        name = pair[0]
        known = _ATTRIBUTE_ORDER.index(name) if name in _ATTRIBUTE_ORDER else 50
        return (known if pair[1] == ":" else 99, name, attribute_key(*pair)[3:])

    said: dict[Key, PageNode] = {}
    tied: dict[Key, PageNode] = {}
    for name, op, value in sorted(pairs, key=order):
        if op == ":" and name in _LINK_ATTRIBUTES:
            key = attribute_key(name, op, value)
            tied[key] = PageNode(key, f"{name}: {_shown_value(name, value)}")
        elif (name, op, value) != ("stance", ":", DENIES):
            part = word_part(words_of_pair(name, op, value))
            said[part.key] = part
    others = [part for part in parts if part.kind != "a"]
    at = next((i for i, p in enumerate(others) if p.kind != "e"), len(others))
    if tied:
        others.insert(at, PageNode(("a",), "  - (", tuple(tied.values())))
    if said:
        first = int(bool(others) and others[0].kind == "e" and is_inline(others[0]))
        others.insert(first, PageNode(SAID, "", tuple(said.values())))
    return others


def _shown_value(name: str, value: str) -> str:
    """What an attribute leads to, and why; the link as it is."""
    link, end, why = value.partition("]]")
    return f"{link}{end} {escape_value(why)}".rstrip() if name in LINKS and end else value


def note_node(scope: tuple[str, ...], text: str, details: str) -> PageNode:
    """A note with one nested item; its id follows from `scope` and the folded text."""
    ident = "n-" + digest32((*scope, fold(text)))
    parts = (PageNode(("a",), f"  - {details}"),)
    return PageNode(("n", ident), f"- {escape(text)} ^{ident}", parts)


def claim_rank(node: PageNode) -> str:
    """Where a claim's node stands among new ones: source id of its first evidence."""
    return read_claim(node).rank[0]


Located = Callable[[Evidence], Evidence]
"""Evidence with its lines, as far as they are at hand."""


def add_claims(
    page: Page,
    claims: Iterable[Claim],
    located: Located = lambda evidence: evidence,
    parts: Mapping[str, Part] = MappingProxyType({}),
) -> Page:
    """The page with new claims, in their order where they rest on one line.

    One that belongs to a part of the page, by `parts`, stands under that heading, which is made
    where it is missing: those with a value first, then by source and line. Any other stands before
    the first heading, by source and line. Claims that stand never move. `located` tells of them
    what their evidence does not say.
    """
    body = list(page.body)
    places: dict[Key, tuple[bool, str, int]] = {}

    def place(node: PageNode) -> tuple[bool, str, int]:
        if node.key not in places:
            held = read_claim(node)
            first = located(held.evidence[0]) if held.evidence else Evidence("", "")
            places[node.key] = (held.slot is None, first.source, first.first)
        return places[node.key]

    def is_later(node: PageNode, new: PageNode, *, in_part: bool) -> bool:
        held, mine = place(node), place(new)
        return held > mine if in_part else held[1:] > mine[1:]

    for claim in sorted(claims, key=lambda claim: claim.rank):
        node = claim_node(claim)
        if any(held.key == node.key for held in body):
            continue
        places[node.key] = (claim.slot is None, *claim.rank)
        start = begin_section(body, "Claims")
        part = _begin_part(body, start, PARTS[parts[claim.id]]) if claim.id in parts else None
        first = (start if part is None else part) + 1
        ends = (i for i in range(first, len(body)) if body[i].kind in SECTION_ENDS)
        end = next(ends, len(body))
        held = [i for i in range(first, end) if body[i].kind == "c"]
        later = (i for i in held if is_later(body[i], node, in_part=part is not None))
        body.insert(next(later, held[-1] + 1 if held else end), node)
    return page if len(body) == len(page.body) else with_body(page, body)


def _begin_part(body: list[PageNode], start: int, title: str) -> int | None:
    """The index of the heading of a part of the section at `start`: made where it is missing,
    before that of the first part behind it. None: another section of the page has that heading."""
    end = section_end(body, start)
    inside = [i for i in range(start + 1, end) if body[i].kind == "h"]
    held = next((i for i in inside if fold(heading_title(body[i])) == fold(title)), None)
    if held is not None:
        return held
    new = PageNode(("h", "3", title), f"### {title}")
    if any(node.key == new.key for node in body):
        return None
    order = [*PARTS.values()]
    later = order[order.index(title) + 1 :]
    at = next((i for i in inside if heading_title(body[i]) in later), end)
    body.insert(at, new)
    return at


def add_evidence(page: Page, claim_id: str, evidence: Evidence) -> Page:
    """The page with one more piece of evidence for a claim it holds, or with its words to ask by
    where it has that piece."""
    node = item_of(page, claim_id)
    new = evidence_node(evidence)
    if held := node.part(new.key):
        both = replace(held, raw=with_asked(held.raw, evidence.asked))
        parts = tuple(both if part is held else part for part in node.parts)
        return page if both == held else replace_node(page, replace(node, parts=parts))
    at = max((i for i, p in enumerate(node.parts) if p.kind == "e"), default=-1) + 1
    return replace_node(page, replace(node, parts=(*node.parts[:at], new, *node.parts[at:])))


def put_place(page: Page, claim_id: str, old: Evidence, place: str) -> Page:
    """The page with the place of one piece of evidence in its original as it is now."""
    node = item_of(page, claim_id)
    claim = read_claim(node)
    evidence = tuple(replace(e, place=place) if e == old else e for e in claim.evidence)
    new = {part.key: part for part in claim_node(replace(claim, evidence=evidence)).parts}
    parts = tuple(new.get(p.key, p) if p.kind == "e" else p for p in node.parts)
    return replace_node(page, replace(node, parts=parts))


def drop_evidence(page: Page, claim_id: str, old: Evidence) -> Page:
    """The page without one piece of a claim's evidence."""
    node = item_of(page, claim_id)
    parts = tuple(p for p in node.parts if not (p.kind == "e" and read_evidence(p) == old))
    return replace_node(page, replace(node, parts=parts))


def add_attribute(page: Page, claim_id: str, name: str, op: str, value: str) -> Page:
    """The page with one more attribute on a claim; see `with_attribute`."""
    held = item_of(page, claim_id)
    node = with_attribute(held, name, op, value)
    return page if node is held else replace_node(page, node)


def with_attribute(node: PageNode, name: str, op: str, value: str) -> PageNode:
    """A claim with one more attribute; a name that is there keeps its value.

    A link may stand once for each claim or page that it leads to.
    """
    claim = read_claim(node)
    key = attribute_key(name, op, value)
    if any(n == name and attribute_key(n, o, v)[3:] == key[3:] for n, o, v in claim.attributes):
        return node
    parts = with_pairs(node.parts, (*claim.attributes, (name, op, value)))
    return replace(node, parts=tuple(parts))


def strike(page: Page, ident: str, successor: str) -> Page:
    """The page with a claim or note struck: `successor` is a wikilink or `gone in <hex>`."""
    node = item_of(page, ident)
    claim = read_claim(node)
    if claim.successor is not None:
        return page
    raw = f"- ~~{_markdown(node, claim)}~~ → {successor} ^{ident}"
    return replace_node(page, replace(node, raw=raw))


def restore(page: Page, ident: str) -> Page:
    """The page with a struck claim or note standing again."""
    node = item_of(page, ident)
    claim = read_claim(node)
    if claim.successor is None:
        return page
    return replace_node(page, replace(node, raw=f"- {_markdown(node, claim)} ^{ident}"))


def lead_on(page: Page, ident: str, successor: str) -> Page:
    """The page with a struck claim or note that leads to another place than before."""
    return strike(restore(page, ident), ident, successor)


def _markdown(node: PageNode, claim: Claim) -> str:
    """A claim's text as it stands, links included, where it says the same within marks."""
    text = markdown_of(node.raw)
    denied = DENIED * claim.is_denied
    is_same = "~~" not in text and read(text.removeprefix(denied)) == claim.text
    return text if is_same else denied + escape(claim.text)


def with_links(page: Page, put: Callable[[str], str], only: Collection[str] | None = None) -> Page:
    """The page with `put` done to the Markdown of each standing claim, or of those of `only`; words
    in quotation marks stay as their source has them."""
    body = [
        replace(node, raw=with_text(node.raw, put))
        if node.kind == "c"
        and (only is None or node.key[1] in only)
        and not any(part.kind == "e" and is_inline(part) for part in node.parts)
        else node
        for node in page.body
    ]
    return page if body == list(page.body) else with_body(page, body)


def item_of(page: Page, ident: str) -> PageNode:
    """The node of a claim or note that stands on the page."""
    return next(n for n in page.body if n.key == (ident[0], ident))


# --- ties between two claims ---------------------------------------------------------------------


class TiedClaim(NamedTuple):
    """A claim on the page where it stands."""

    page: str
    """The page's path."""
    id: str


def tie(
    pages: MutableMapping[str, Page], mine: TiedClaim, other: TiedClaim, how: ClaimTie, why: str
) -> None:
    """Writes into `pages`, which hold both claims, what the first does to the second.

    It stands on the claim whose reading it changes: `supports` on the first, `updates` on the
    second, `disagrees` and `contradicts`, with `why`, on both; `supersedes` strikes the second, if
    the first stands. What stands there already is not written twice.
    """
    home, there = pages[mine.page], pages[other.page]
    to_other = claim_link(there.stem, there.title, other.id, home.stem)
    to_mine = claim_link(home.stem, home.title, mine.id, there.stem)
    if how == "supersedes":
        # In a ring of claims that supersede one another the first to strike stands.
        held = pages[mine.page].claim(mine.id)
        if held is not None and held.successor is None:
            arrow = claim_link(home.stem, home.title, mine.id)
            pages[other.page] = strike(there, other.id, arrow)
    elif how == "updates":
        _note(pages, other, UPDATED_BY, to_mine)
    elif how == "supports":
        _note(pages, mine, how, to_other)
    else:
        name, told = (DISAGREES, "") if how == "disagrees" else (CONTRADICTS, normalise(why))
        _note(pages, mine, name, f"{to_other} {told}".rstrip())
        _note(pages, other, name, f"{to_mine} {told}".rstrip())


def _note(pages: MutableMapping[str, Page], claim: TiedClaim, name: str, link: str) -> None:
    page = pages[claim.page]
    pages[claim.page] = add_attribute(page, claim.id, name, ":", link)
