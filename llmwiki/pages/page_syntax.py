"""Text of a page to its tree of nodes and back. The tree renders to the bytes it came from.

A tolerant reader: `-`, `*` and `+`, tabs or blanks, straight or curly quotes, hyphen or dash.
What fits nothing of ours is a person's and becomes a foreign node (`x`) that keeps its bytes.

Kinds of nodes below the page: `front` (with one `front` node a key and a `close`), `body`; in the
body `h1`, `lead`, `h` (heading), `c` (claim), `n` (note), `rel` (relation), `record` (of
a source's page, with `at` for a claim that rests on it and `dead` for one that shall not come
back), `fn` (footnote), `x` (foreign), `tail` (what stands after the last line).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from llmwiki.core.claim_attributes import ABOUT, LINKS
from llmwiki.core.quick_to_load import lazy_pattern
from llmwiki.core.text import fold
from llmwiki.pages import body_blocks
from llmwiki.pages.claim_head import (
    DENIED,
    ITEM_LINE,
    ClaimHead,
    join_head,
    pieces,
    quoted_text,
    read_pair,
    read_words,
    split_head,
    unstruck,
)
from llmwiki.pages.claim_links import read_relation
from llmwiki.pages.escape import unescape
from llmwiki.pages.frontmatter import (
    join_list,
    split_front,
)
from llmwiki.pages.id_and_evidence_patterns import (
    CITED,
    CLAIM_ID,
    CLAIM_IN_LINK,
    EVIDENCE,
    FROM_NOTE,
    ITEM_ID,
)
from llmwiki.pages.line_patterns import RECORD, closes, fence, heading, is_blank
from llmwiki.pages.linked_text import read
from llmwiki.pages.page_tree import Key, PageNode

_ANY_ID = re.compile(ITEM_ID)
_BULLET = re.compile(r"^ {0,3}[-*+][ \t]+")
_NESTED = re.compile(r"^(\t+ *| {2,})([-*+])[ \t]+(.*)$")
_LABEL = re.compile(r"\[\^([^\[\]\s]+)\]")
_PAGE_LINK = re.compile(r"\[\[([^\[\]|#\n]{1,255})(?:\|[^\[\]\n]{0,400})?\]\]")
_ATTRS = re.compile(r"^\((.*)\)$", re.DOTALL)


def parse(text: str) -> PageNode:
    """The tree of a page's text; `render(parse(text)) == text` for any text."""
    front, rest = split_front(text)
    head = (front,) if front else ()
    body = () if rest is None else (_parse_body(rest, bool(front)),)
    return PageNode(("page",), "", (*head, *body))


def render(node: PageNode) -> str:
    """The text of a page's tree."""
    has_front = any(part.kind == "front" for part in node.parts)
    return "\n".join(
        "\n".join([part.raw, *(render_node(entry) for entry in part.parts)])
        if part.kind == "front"
        else _render_body(part, has_front)
        for part in node.parts
    )


def render_node(node: PageNode) -> str:
    """The text of one node below the body, its parts included."""
    if not node.parts:
        return node.raw
    if node.kind == "c":
        if not node.text:
            object.__setattr__(node, "text", _render_claim(node))
        return node.text
    inner = [render_node(part) for part in node.parts]
    if node.kind == "front":
        return node.raw + join_list(inner)
    if node.kind == "rel":
        return node.raw + "".join(" " + text for text in inner)
    if node.kind == "a":
        return node.raw + "; ".join(inner) + ")"
    return node.raw + "".join("\n" + text for text in inner)


def reads_back(node: PageNode) -> bool:
    """Whether a page's tree is what its text is read as."""
    return parse(render(node)) == node


# --- body ----------------------------------------------------------------------------------


def _parse_body(text: str, has_front: bool) -> PageNode:
    found, tail = body_blocks.split(text)
    nodes = _merge_lead(list(_typed(found)))
    unique: dict[Key, PageNode] = {}
    counts: dict[Key, int] = {}
    previous: PageNode | None = None
    for node in nodes:
        key = _free_key(node.key, unique, counts)
        gap: str | None = node.gap or ""
        gap = None if gap == usual_gap(previous, node, has_front) else gap
        is_as_kept = key == node.key and gap == node.gap
        previous = node if is_as_kept else PageNode(key, node.raw, node.parts, gap)
        unique[key] = previous
    end = PageNode(("tail",), tail)
    return PageNode(("body",), "", (*unique.values(), end))


def _render_body(body: PageNode, has_front: bool) -> str:
    out: list[str] = []
    previous: PageNode | None = None
    for node in body.parts:
        if node.kind == "tail":
            return "".join(out) + node.raw
        gap = usual_gap(previous, node, has_front) if node.gap is None else node.gap
        out.append(("\n" if previous else "") + gap + render_node(node))
        previous = node
    return "".join(out)


_RECORDED = lazy_pattern(rf"> - ({CLAIM_ID})(?:(?: q-[0-9a-f]{{16}})?$|( retracted \S))")

_MAY_SWALLOW = re.compile(r"```|~~~|<")
_PROBE = "c-0000000000"


@lru_cache(maxsize=4096)
def swallows(raw: str) -> bool:
    """Whether text of a person's leaves code, HTML or a comment open for what follows."""
    if not _MAY_SWALLOW.search(raw):
        return False
    body = _parse_body(f"# x\n\n{raw}\n\n- x ^{_PROBE}\n", False)
    return not any(part.key[:2] == ("c", _PROBE) for part in body.parts)


def open_last(body: Sequence[PageNode]) -> tuple[PageNode, ...]:
    """The nodes of a body with those that would swallow what follows behind all others."""
    swallowing = {n.key for n in body if n.kind in ("x", "lead") and swallows(n.raw)}
    if not swallowing:
        return tuple(body)
    before = [n for n in body if n.key not in swallowing and n.kind != "tail"]
    behind = [n for n in body if n.key in swallowing]
    return (*before, *behind, *(n for n in body if n.kind == "tail"))


def usual_gap(previous: PageNode | None, node: PageNode, has_front: bool) -> str:
    """The blank lines that stand before `node` unless it says otherwise."""
    if previous is None:
        return "\n" if has_front else ""
    if previous.kind == node.kind == "fn" or (_is_item(previous) and _is_item(node)):
        return ""
    return "\n"


def _is_item(node: PageNode) -> bool:
    return node.kind in ("c", "n", "rel") or bool(node.kind == "x" and _BULLET.match(node.raw))


def _free_key(key: Key, taken: Mapping[Key, PageNode], counts: dict[Key, int]) -> Key:
    """The key itself, or with the lowest number from 2 that makes it unlike those before."""
    if key not in taken:
        return key
    count = counts.get(key, 1) + 1
    while (*key, str(count)) in taken:
        count += 1
    counts[key] = count
    return (*key, str(count))


def _typed(found: Iterable[body_blocks.LineBlock]) -> Iterator[PageNode]:
    for block in found:
        if block.kind == "item":
            node = _item(block.lines)
            yield replace(node, gap=block.gap) if block.gap else node
            continue
        raw = block.raw
        if block.kind == "heading":
            level, title = heading(block.lines[0]) or (6, raw)
            key: Key = ("h1",) if level == 1 else ("h", str(level), title)
            yield PageNode(key, raw, gap=block.gap)
        elif raw.startswith(RECORD + "\n"):
            yield replace(_record(block.lines), gap=block.gap)
        elif block.kind == "footnote":
            yield PageNode(
                ("fn", body_blocks.footnote_label(block.lines[0]) or ""), raw, gap=block.gap
            )
        else:
            yield PageNode(("x", raw), raw, gap=block.gap)


def _record(lines: Sequence[str]) -> PageNode:
    """The folded record of a source's page; its lines merge one by one."""
    taken: dict[Key, PageNode] = {}
    counts: dict[Key, int] = {}
    for line in lines[1:]:
        found = _RECORDED.match(line)
        key = _free_key(_recorded_key(found) if found else ("x", line), taken, counts)
        taken[key] = PageNode(key, line)
    return PageNode(("record",), lines[0], tuple(taken.values()))


def _recorded_key(found: re.Match[str]) -> Key:
    return ("dead" if found[2] else "at", found[1])


@lru_cache(maxsize=1 << 14)
def _item(lines: tuple[str, ...]) -> PageNode:
    """The node of a list item; its gap is yet to be set. Most items of a page that is read again
    are as they were, so the last ones are kept."""
    if body_blocks.bullet(lines[0]) is not None:
        cut = next(
            (i for i in range(1, len(lines)) if _ends_head(lines[i])),
            len(lines),
        )
        found = _block_id(lines[cut - 1])
        if found:
            nested, head = _nested(lines[cut:]), "\n".join(lines[:cut])
            if found[0] == "n":
                return PageNode(("n", found), head, nested)
            return _claim(found, head, nested)
        if len(lines) == 1:
            node = _relation(lines[0])
            if node:
                return node
    raw = "\n".join(lines)
    return PageNode(("x", raw), raw)


SAID = ("a", "said")
"""The key of the attributes that stand on a claim's own line."""


def _claim(ident: str, head: str, nested: tuple[PageNode, ...]) -> PageNode:
    """A claim: a quote and attributes on its line are parts like those below it."""
    plain = PageNode(("c", ident), head, nested)
    line = ITEM_LINE.match(head)
    if line is None or not ("]" in head or "*" in head):
        return plain
    body, strike, tail = unstruck(line["text"])
    parts = split_head(body)
    own = []
    if parts.cited and (quoted := EVIDENCE.match(parts.cited)):
        own.append(PageNode(("e", quoted["source"], fold(read(parts.text))), parts.cited))
    elif parts.mark and (mark := CITED.search(f"_{parts.mark}")):
        own.append(PageNode(("by", mark["source"]), parts.mark))
    if parts.words:
        found = map(word_part, parts.words)
        own.append(PageNode(SAID, "", tuple({part.key: part for part in found}.values())))
    if not own:
        return plain
    taken = {part.key: part for part in own}
    counts: dict[Key, int] = {}
    for part in nested:
        # A quote that stands below its claim as well is a second copy of that evidence.
        key = _free_key(part.key, taken, counts)
        taken[key] = part if key == part.key else replace(part, key=key)
    if parts.aside:
        taken["x", parts.aside] = PageNode(("x", parts.aside), parts.aside)
    said = DENIED * parts.is_denied + parts.text
    raw = f"{line['mark']}{strike}{said}{tail}{line['end']}"
    node = PageNode(("c", ident), raw, tuple(taken.values()))
    whole = "\n".join([head, *map(render_node, nested)])
    return node if _render_claim(node) == whole else plain


def word_part(piece: str) -> PageNode:
    """The node of an attribute as a claim's line tells it."""
    pair = read_words(piece)
    assert pair is not None
    return PageNode(attribute_key(*pair), piece)


def is_inline(part: PageNode) -> bool:
    """Whether a part of a claim is one of those that stand on the claim's own line."""
    return (
        part.key == SAID
        or is_mark(part)
        or is_aside(part)
        or (part.kind == "e" and part.raw[:1] in ("“", '"'))
    )


def is_mark(part: PageNode) -> bool:
    """Whether a part of a claim says no more than its source: of a quote that a person reworded."""
    return part.kind == "by"


def is_aside(part: PageNode) -> bool:
    """Whether it is what a person wrote in parentheses behind the quote that a claim is."""
    return part.kind == "x" and part.raw.startswith((" (", " *("))


def seated(node: PageNode) -> PageNode:
    """A claim with its parts as they are read back: the quote that it is, what changes its meaning,
    and all that stands below it. Another quote of its line, of a claim that says the same, goes
    below."""
    if node.kind != "c" or not any(map(is_inline, node.parts)):
        return node
    again = _item(tuple(_render_claim(node).split("\n")))
    return replace(again, key=node.key, gap=node.gap) if again.kind == "c" else node


def _render_claim(node: PageNode) -> str:
    line = ITEM_LINE.match(node.raw) if any(map(is_inline, node.parts)) else None
    if line is None:
        return "\n".join([node.raw, *map(render_node, node.parts)])
    body, strike, tail = unstruck(line["text"])
    text = body.removeprefix(DENIED)
    head = ClaimHead(text, is_denied=text != body)
    below = []
    for part in node.parts:
        if part.key == SAID:
            head = head._replace(words=tuple(each.raw for each in part.parts))
        elif is_mark(part):
            head = head._replace(mark=head.mark + part.raw)
        elif is_aside(part):
            head = head._replace(aside=head.aside + part.raw)
        elif not is_inline(part):
            below.append(render_node(part))
        elif not head.cited and quoted_text(part.raw) == text:
            head = head._replace(cited=part.raw)
        else:
            # The claim says something else by now: its quote is one like the others.
            below.append(f"  - {part.raw}")
    if head.cited:
        head = head._replace(mark="")
    elif head.aside:
        # Behind words that are no quote it would be read as more of them.
        below.append(f"  -{head.aside}")
        head = head._replace(aside="")
    return "\n".join([f"{line['mark']}{strike}{join_head(head)}{tail}{line['end']}", *below])


def _ends_head(line: str) -> bool:
    return is_blank(line) or bool(_NESTED.match(line)) or body_blocks.starts_block(line)


def _block_id(line: str) -> str | None:
    """The id of a claim or note that is a line's last word."""
    text = line.rstrip(" \t\r")
    at = text.rfind("^")
    if at < 1 or text[at - 1] not in " \t" or not _ANY_ID.fullmatch(text, at + 1):
        return None
    return text[at + 1 :]


def _relation(line: str) -> PageNode | None:
    end, sources = len(line), []
    while line.endswith("]", 0, end):
        start = line.rfind(" [^", 0, end)
        found = _LABEL.fullmatch(line, start + 1, end) if start >= 0 else None
        if not found:
            break
        sources.append(found[1])
        end = start
    head = read_relation(line[:end]) if sources else None
    if head is None:
        return None
    parts = tuple(PageNode(("by", source), f"[^{source}]") for source in reversed(sources))
    if len({part.key for part in parts}) < len(parts):
        return None
    return PageNode(head.key, line[:end], parts)


def _nested(lines: tuple[str, ...]) -> tuple[PageNode, ...]:
    """The nested items of a claim or note; each with the lines that belong to it."""
    groups: list[list[str]] = []
    depth: int | None = None
    code = ""
    loose = True
    for line in lines:
        found = None if code else _NESTED.match(line)
        inside = bool(code)
        code = ("" if closes(line, code) else code) if code else fence(line)
        width = len(found[1].expandtabs(4)) if found else 0
        if found and (depth is None or width <= depth + 1):
            depth = width if depth is None else depth
            groups.append([line])
            loose = False
        elif not loose and not found and (inside or _ends_head(line)):
            # A blank line or a block of its own is no part of the evidence above it.
            groups.append([line])
            loose = True
        elif groups:
            groups[-1].append(line)
        else:
            groups.append([line])
    taken: dict[Key, PageNode] = {}
    counts: dict[Key, int] = {}
    for group in groups:
        node = _nested_node(group, ("a",) not in taken)
        key = _free_key(node.key, taken, counts)
        taken[key] = replace(node, key=key)
    return tuple(taken.values())


def _nested_node(group: list[str], attributes: bool) -> PageNode:
    raw = "\n".join(group)
    found = _NESTED.match(group[0])
    if found is None or any(not line.strip() for line in group):
        return PageNode(("x", raw), raw)
    text = " ".join([found[3].strip(), *(line.strip() for line in group[1:])])
    evidence = EVIDENCE.match(text)
    if evidence:
        return PageNode(("e", evidence["source"], fold(unescape(evidence["quote"]))), raw)
    inner = _ATTRS.match(text)
    if inner and attributes and split_pairs(inner[1]):
        return _attributes(raw, inner[1])
    if attributes and re.match(r"^(?:from|told by): ", text):
        return PageNode(("a",), raw)
    if not attributes and (sentence := FROM_NOTE.match(text)):
        return PageNode(("from", sentence["id"]), raw)
    return PageNode(("x", raw), raw)


def _attributes(raw: str, inner: str) -> PageNode:
    parts = tuple(
        PageNode(attribute_key(name, op, value), text)
        for name, op, value, text in _pairs_with_text(inner)
    )
    unique = {part.key: part for part in parts}
    shaped = PageNode(("a",), "  - (", tuple(unique.values()))
    return shaped if render_node(shaped) == raw else PageNode(("a",), raw)


def attribute_key(name: str, op: str, value: str) -> Key:
    """What makes two attributes of a claim one: the name; of a link also what it leads to."""
    found = CLAIM_IN_LINK.search(value) if op == ":" and name in LINKS else None
    if op == ":" and name == ABOUT and (page := target_of(value)):
        return ("p", name, op, fold(page))
    return ("p", name, op, found[1]) if found else ("p", name, op)


def target_of(link: str) -> str:
    """The page that a wikilink names, as written; empty: it is no wikilink to a page."""
    found = _PAGE_LINK.fullmatch(link)
    return found[1] if found else ""


def _pairs_with_text(inner: str) -> list[tuple[str, str, str, str]]:
    found = [(read_pair(text), text) for text in pieces(inner)]
    return [(*pair, text) for pair, text in found if pair] if all(p for p, _ in found) else []


def split_pairs(inner: str) -> tuple[tuple[str, str, str], ...]:
    """`as of: 2017; n = 3` as ((name, `:` or `=`, value) …); empty where a piece is neither."""
    return tuple((name, op, value) for name, op, value, _text in _pairs_with_text(inner))


def _merge_lead(nodes: list[PageNode]) -> list[PageNode]:
    """What stands between the title and the first heading or piece of ours is one lead."""
    start = next((i for i, n in enumerate(nodes) if n.kind == "h1"), -1) + 1
    end = start
    while end < len(nodes) and nodes[end].kind == "x":
        end += 1
    if end == start:
        return nodes
    raw = nodes[start].raw + "".join(f"\n{n.gap or ''}{n.raw}" for n in nodes[start + 1 : end])
    return [*nodes[:start], PageNode(("lead",), raw, gap=nodes[start].gap), *nodes[end:]]
