"""Text of a page to its tree of nodes and back. The tree renders to the bytes it came from.

A tolerant reader: `-`, `*` and `+`, tabs or blanks, straight or curly quotes, hyphen or dash.
What fits nothing of ours is a person's and becomes a foreign node (`x`) that keeps its bytes.

Kinds of nodes below the page: `front` (with one `front` node a key and a `close`), `body`; in the
body `h1`, `lead`, `h` (heading), `c` (claim), `n` (note), `rel` (relation), `ref` (link to a
claim), `fn` (footnote), `x` (foreign), `tail` (what stands after the last line).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import yaml

from llmwiki.core.errors import WikiError
from llmwiki.core.text import fold
from llmwiki.pages.escape import unescape
from llmwiki.pages.nodes import Key, Node

LIST_KEYS = ("aliases", "sources", "tags")
"""Frontmatter keys whose values are lists that merge item by item."""


class PageError(WikiError):
    """A page's frontmatter cannot be read, so the page must not be rewritten."""

    exit_code = 3


CLAIM_ID = r"c-[0-9a-hjkmnp-tv-z]{10,51}"
NOTE_ID = r"n-[0-9a-hjkmnp-tv-z]{10,51}"
_HEAD = re.compile(rf"^(?P<text>.*?)[ \t]+\^(?P<id>{CLAIM_ID}|{NOTE_ID})[ \t]*$", re.DOTALL)
_ITEM = re.compile(r"^( {0,3})([-*+]|\d{1,9}[.)])(?:([ \t]+)(.*)|)$")
_BULLET = re.compile(r"^ {0,3}[-*+][ \t]+")
_NESTED = re.compile(r"^(\t+ *| {2,})([-*+])[ \t]+(.*)$")
_ATX = re.compile(r"^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_FENCE = re.compile(r"^( *)(`{3,}|~{3,})(.*)$")
_FOOTNOTE = re.compile(r"^ {0,3}\[\^([^\]\s]+)\]:")
_REF = re.compile(rf"^[-*+][ \t]+\[\[[^\]|]*#\^(?P<id>{CLAIM_ID})(?:\|[^\]]*)?\]\](?P<rest>.*)$")
_REL = re.compile(
    r"^(?P<head>[-*+][ \t]+\[\[(?P<target>[^\]|]+)(?:\|[^\]]*)?\]\][ \t]+[—–-]+[ \t]+(?P<label>.+?))"
    r"(?P<sources>(?:[ \t]+\[\^[^\]\s]+\])+)$"
)
EVIDENCE = re.compile(
    r"^[“\"](?P<quote>.*)[”\"][ \t]+(?:—|–|--?)[ \t]+\[\^(?P<source>[^\]\s]+)\][ \t]+"
    r"L(?P<first>\d{1,9})(?:[–—-]L?(?P<last>\d{1,9}))?$",
    re.DOTALL,
)
_ATTRS = re.compile(r"^\((.*)\)$", re.DOTALL)
_FRONT_KEY = re.compile(r"^([A-Za-z_][\w.-]*)[ \t]*:(?:[ \t]|$)")
_OPEN = re.compile(r"^---[ \t\r]*$")


@dataclass(frozen=True, slots=True)
class _Block:
    kind: str
    lines: tuple[str, ...]
    gap: str

    @property
    def raw(self) -> str:
        return "\n".join(self.lines)


def parse(text: str) -> Node:
    """The tree of a page's text; `render(parse(text)) == text` for any text."""
    front, rest = _split_front(text)
    head = (front,) if front else ()
    body = () if rest is None else (_parse_body(rest, bool(front)),)
    return Node(("page",), "", (*head, *body))


def render(node: Node) -> str:
    """The text of a page's tree."""
    has_front = any(part.kind == "front" for part in node.parts)
    return "\n".join(
        _render_front(part) if part.kind == "front" else _render_body(part, has_front)
        for part in node.parts
    )


def render_node(node: Node) -> str:
    """The text of one node below the body, its parts included."""
    if not node.parts:
        return node.raw
    inner = [render_node(part) for part in node.parts]
    if node.kind == "front":
        return node.raw + _join_front(node.key[1], inner)
    if node.kind == "rel":
        return node.raw + "".join(" " + text for text in inner)
    if node.kind == "a":
        return node.raw + "; ".join(inner) + ")"
    return node.raw + "".join("\n" + text for text in inner)


# --- frontmatter ---------------------------------------------------------------------------


def _split_front(text: str) -> tuple[Node | None, str | None]:
    """The frontmatter, and what follows its closing line; None: that line ends the file."""
    lines = text.split("\n")
    if not _OPEN.match(lines[0]):
        return None, text
    for index in range(1, len(lines)):
        if _OPEN.match(lines[index]):
            front = _parse_front(lines[0], lines[1:index], lines[index])
            rest = "\n".join(lines[index + 1 :])
            return front, rest if index + 1 < len(lines) else None
    return None, text


def _parse_front(opening: str, lines: list[str], closing: str) -> Node:
    chunks: list[tuple[str, list[str]]] = []
    for line in lines:
        found = _FRONT_KEY.match(line)
        if found:
            chunks.append((found[1], [line]))
        elif chunks:
            chunks[-1][1].append(line)
        else:
            chunks.append(("", [line]))
    seen: dict[str, int] = {}
    parts: list[Node] = []
    for name, chunk in chunks:
        count = seen[name] = seen.get(name, 0) + 1
        key: Key = ("front", name) if count == 1 else ("front", name, str(count))
        node = Node(key, "\n".join(chunk))
        parts.append(_structured(node) if name in LIST_KEYS and count == 1 else node)
    return Node(("front",), opening, (*parts, Node(("close",), closing)))


def _structured(node: Node) -> Node:
    """A list value as parts that merge one by one, where that keeps its bytes."""
    try:
        shaped = list_node(node.key[1], list_items(node.key[1], node.raw))
    except (PageError, KeyError):
        return node
    return shaped if shaped.parts and render_node(shaped) == node.raw else node


def list_items(name: str, raw: str) -> tuple[str, ...] | tuple[tuple[str, str, str], ...]:
    """The items of a list value: strings, or (id, resource, sha256) for `sources`.

    Raises PageError where the text is not such a list.
    """
    value = load_yaml(raw).get(name)
    if value in (None, ""):
        return ()
    if name != "sources":
        if isinstance(value, str):
            return (value,)
        if isinstance(value, list) and all(isinstance(v, str) for v in value):
            return tuple(value)
        raise PageError(f"{name} is not a list of words")
    if not isinstance(value, list) or not all(isinstance(v, dict) for v in value):
        raise PageError("sources is not a list of mappings")
    for item in value:
        if sorted(item) != ["id", "resource", "sha256"]:
            raise PageError("a source has other keys than id, resource and sha256")
    return tuple((v["id"], v["resource"], v["sha256"]) for v in value)


def list_node(
    name: str, items: tuple[str, ...] | tuple[tuple[str, str, str], ...]
) -> Node:
    """A frontmatter list as a node; sources by id, the others in the order given."""
    parts = []
    for item in items:
        if isinstance(item, tuple):
            ident, resource, sha = item
            raw = (
                f"{{id: {flow_scalar(ident)}, resource: {flow_scalar(resource)},"
                f" sha256: {flow_scalar(sha)}}}"
            )
            parts.append(Node(("source", ident), raw))
        else:
            parts.append(Node(("item", item), flow_scalar(item)))
    unique = {part.key: part for part in parts}
    return Node(("front", name), f"{name}:", tuple(unique.values()))


def _join_front(name: str, items: list[str]) -> str:
    if name == "sources":
        return "".join("\n  - " + item for item in items)
    return " [" + ", ".join(items) + "]"


def _render_front(node: Node) -> str:
    return "\n".join([node.raw, *(render_node(part) for part in node.parts)])


class _Loader(yaml.CBaseLoader if hasattr(yaml, "CBaseLoader") else yaml.BaseLoader):  # type: ignore[misc]
    """Every scalar a string; anchors and aliases refused, so that no text grows when loaded."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.events.AliasEvent):
            raise PageError("a YAML alias stands in the frontmatter")
        node: yaml.Node | None = super().compose_node(parent, index)
        return node


def load_yaml(raw: str) -> dict[str, object]:
    """The mapping that frontmatter text says; every scalar is a string.

    Raises PageError where it is not YAML, not a mapping, or uses aliases.
    """
    import frontmatter
    from frontmatter.default_handlers import YAMLHandler

    del frontmatter
    try:
        value = YAMLHandler().load(raw, Loader=_Loader)
    except yaml.YAMLError as error:
        line = getattr(getattr(error, "problem_mark", None), "line", None)
        at = f" (line {line + 2})" if line is not None else ""
        raise PageError(f"the frontmatter is not YAML{at}") from error
    except (ValueError, RecursionError) as error:
        raise PageError("the frontmatter cannot be read") from error
    if value is None or value == "":
        return {}
    if not isinstance(value, dict):
        raise PageError("the frontmatter is not a mapping of keys to values")
    return value


_PLAIN = re.compile(r"^(?:[^\W_]|/(?=\w))[^:#\[\]{},&*!|>'\"%@`\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]*$")
_LOOKS_TYPED = re.compile(
    r"^(?:[-+]?[\d_]*\.?[\d_]*(?:e[-+]?\d+)?|0[xob]?[\da-f_]+|[-+]?\d+(?::\d+)+(?:\.\d*)?"
    r"|\d{4}-\d\d?-\d\d?(?:[t \t].*)?|~|null|true|false|yes|no|on|off|y|n|\.inf|\.nan|=|<<)$",
    re.IGNORECASE,
)
_ESCAPED = re.compile(r"[\\\"\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]")


def scalar(text: str) -> str:
    """A YAML scalar that any loader reads back as this very string."""
    if _PLAIN.match(text) and not _LOOKS_TYPED.match(text) and text == text.strip():
        return text
    if re.match(r"^(?:[^\W_]|/(?=\w))[^\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\\\"]*$", text) and not (
        _LOOKS_TYPED.match(text)
        or re.search(r":(?:\s|$)|\s#|[\[\]{},]", text)
        or text != text.strip()
    ):
        return text
    return '"' + _ESCAPED.sub(_escape_scalar, text) + '"'


def _escape_scalar(found: re.Match[str]) -> str:
    char = found[0]
    if char in '\\"':
        return "\\" + char
    return f"\\u{ord(char):04x}"


flow_scalar = scalar
"""Flow context asks for no more than `scalar` quotes already."""


# --- body ----------------------------------------------------------------------------------


def _parse_body(text: str, has_front: bool) -> Node:
    blocks, tail = _blocks(text)
    nodes = _merge_lead(list(_typed(blocks)))
    unique: dict[Key, Node] = {}
    previous: Node | None = None
    for node in nodes:
        key = node.key
        count = 1
        while key in unique:
            count += 1
            key = (*node.key, str(count))
        gap = None if node.gap == usual_gap(previous, node, has_front) else node.gap
        previous = unique[key] = replace(node, key=key, gap=gap)
    end = Node(("tail",), tail)
    return Node(("body",), "", (*unique.values(), end))


def _render_body(body: Node, has_front: bool) -> str:
    out: list[str] = []
    previous: Node | None = None
    for node in body.parts:
        if node.kind == "tail":
            return "".join(out) + node.raw
        gap = usual_gap(previous, node, has_front) if node.gap is None else node.gap
        out.append(("\n" if previous else "") + gap + render_node(node))
        previous = node
    return "".join(out)


def usual_gap(previous: Node | None, node: Node, has_front: bool) -> str:
    """The blank lines that stand before `node` unless it says otherwise."""
    if previous is None:
        return "\n" if has_front else ""
    if previous.kind == node.kind == "fn" or (_is_item(previous) and _is_item(node)):
        return ""
    return "\n"


def _is_item(node: Node) -> bool:
    return node.kind in ("c", "n", "rel", "ref") or bool(
        node.kind == "x" and _BULLET.match(node.raw)
    )


def _blocks(text: str) -> tuple[list[_Block], str]:
    """Blocks with the blank lines before each, and the text after the last block."""
    lines = text.split("\n")
    blocks: list[_Block] = []
    gap: list[str] = []
    at = 0
    last = len(lines) - 1
    while at <= last:
        if not lines[at].strip():
            gap.append(lines[at])
            at += 1
            continue
        kind, end = _block_end(lines, at)
        blocks.append(_Block(kind, tuple(lines[at:end]), "".join(g + "\n" for g in gap)))
        gap = []
        at = end
    if not blocks:
        return [], text
    return blocks, "\n" + "\n".join(gap) if gap else ""


def _block_end(lines: list[str], at: int) -> tuple[str, int]:
    line = lines[at]
    if _ATX.match(line):
        return "heading", at + 1
    if _is_fence(line):
        return "code", _fence_end(lines, at)
    if line.lstrip().startswith("<!--"):
        return "html", _until(lines, at, "-->")
    if line.strip() == "$$":
        return "math", _until(lines, at + 1, "$$") if at + 1 < len(lines) else at + 1
    if line.strip() == "%%":
        return "comment", _until(lines, at + 1, "%%") if at + 1 < len(lines) else at + 1
    if _FOOTNOTE.match(line):
        end = at + 1
        while end < len(lines) and re.match(r"^(?: {4}|\t)\s*\S", lines[end]):
            end += 1
        return "footnote", end
    if _ITEM.match(line):
        return "item", _item_end(lines, at)
    end = at + 1
    while end < len(lines) and lines[end].strip() and not _interrupts(lines[end]):
        end += 1
    return "text", end


def _is_fence(line: str) -> re.Match[str] | None:
    found = _FENCE.match(line)
    return None if found and found[2][0] == "`" and "`" in found[3] else found


def _fence_end(lines: list[str], at: int) -> int:
    opening = _FENCE.match(lines[at])
    if opening is None:
        return at + 1
    close = re.compile(rf"^ *{re.escape(opening[2][0])}{{{len(opening[2])},}}[ \t\r]*$")
    for index in range(at + 1, len(lines)):
        if close.match(lines[index]):
            return index + 1
    end = len(lines)
    while end > at + 1 and not lines[end - 1].strip():
        end -= 1
    return end


def _until(lines: list[str], at: int, mark: str) -> int:
    for index in range(at, len(lines)):
        if mark in lines[index]:
            return index + 1
    end = len(lines)
    while end > at + 1 and not lines[end - 1].strip():
        end -= 1
    return end


def _interrupts(line: str) -> bool:
    return bool(
        _ATX.match(line)
        or (_is_fence(line) and not line.startswith("    "))
        or _FOOTNOTE.match(line)
        or _BULLET.match(line)
        or line.lstrip().startswith("<!--")
    )


def _item_end(lines: list[str], at: int) -> int:
    """The line after a list item: its nested items, wrapped lines and indented blocks with it."""
    end = at + 1
    while end < len(lines):
        line = lines[end]
        if not line.strip():
            following = end
            while following < len(lines) and not lines[following].strip():
                following += 1
            if following == len(lines) or not re.match(r"^(?: {2,}|\t)", lines[following]):
                return end
            end = following
            continue
        if re.match(r"^(?: {2,}|\t)", line):
            fence = _is_fence(line)
            end = _fence_end(lines, end) if fence else end + 1
            continue
        if _ITEM.match(line) or _interrupts(line) or line.startswith(">"):
            return end
        end += 1
    return end


def _typed(blocks: list[_Block]) -> Iterator[Node]:
    for block in blocks:
        raw = block.raw
        if block.kind == "heading":
            found = _ATX.match(block.lines[0])
            level, title = (len(found[1]), (found[2] or "").strip()) if found else (6, raw)
            key: Key = ("h1",) if level == 1 else ("h", str(level), title)
            yield Node(key, raw, gap=block.gap)
        elif block.kind == "footnote":
            found = _FOOTNOTE.match(raw)
            yield Node(("fn", found[1] if found else ""), raw, gap=block.gap)
        elif block.kind == "item":
            yield _item(block)
        else:
            yield Node(("x", raw), raw, gap=block.gap)


def _item(block: _Block) -> Node:
    lines = block.lines
    if _BULLET.match(lines[0]):
        cut = next(
            (i for i in range(1, len(lines)) if not lines[i].strip() or _NESTED.match(lines[i])),
            len(lines),
        )
        head = "\n".join(lines[:cut])
        found = _HEAD.match(" ".join(line.strip() for line in lines[:cut]))
        if found:
            kind = found["id"][0]
            return Node((kind, found["id"]), head, _nested(lines[cut:]), block.gap)
        if len(lines) == 1:
            ref = _REF.match(lines[0].strip())
            if ref and not ref["rest"].strip():
                return Node(("ref", ref["id"]), lines[0], gap=block.gap)
            node = _relation(lines[0])
            if node:
                return replace(node, gap=block.gap)
    return Node(("x", block.raw), block.raw, gap=block.gap)


def _relation(line: str) -> Node | None:
    found = _REL.match(line)
    if not found:
        return None
    sources = [Node(("by", s), f"[^{s}]") for s in re.findall(r"\[\^([^\]\s]+)\]", found["sources"])]
    unique = tuple({node.key: node for node in sources}.values())
    key = ("rel", found["target"].split("#")[0].casefold(), fold(unescape(found["label"])))
    node = Node(key, found["head"], unique)
    return node if render_node(node) == line else None


def _nested(lines: tuple[str, ...]) -> tuple[Node, ...]:
    """The nested items of a claim or note; each with the lines that belong to it."""
    groups: list[list[str]] = []
    depth: int | None = None
    for line in lines:
        found = _NESTED.match(line)
        width = len(found[1].expandtabs(4)) if found else 0
        if found and (depth is None or width <= depth + 1):
            depth = width if depth is None else depth
            groups.append([line])
        elif groups:
            groups[-1].append(line)
        else:
            groups.append([line])
    taken: dict[Key, Node] = {}
    for group in groups:
        node = _nested_node(group, ("a",) not in taken)
        key, count = node.key, 1
        while key in taken:
            count += 1
            key = (*node.key, str(count))
        taken[key] = replace(node, key=key)
    return tuple(taken.values())


def _nested_node(group: list[str], attributes: bool) -> Node:
    raw = "\n".join(group)
    found = _NESTED.match(group[0])
    if found is None or any(not line.strip() for line in group):
        return Node(("x", raw), raw)
    text = " ".join([found[3].strip(), *(line.strip() for line in group[1:])])
    evidence = EVIDENCE.match(text)
    if evidence:
        return Node(("e", evidence["source"], fold(unescape(evidence["quote"]))), raw)
    inner = _ATTRS.match(text)
    if inner and attributes and split_pairs(inner[1]):
        return _attributes(raw, inner[1])
    if attributes and re.match(r"^(?:from|told by): ", text):
        return Node(("a",), raw)
    return Node(("x", raw), raw)


def _attributes(raw: str, inner: str) -> Node:
    parts = tuple(
        Node(("p", name, op), text) for name, op, _value, text in _pairs_with_text(inner)
    )
    unique = {part.key: part for part in parts}
    shaped = Node(("a",), "  - (", tuple(unique.values()))
    return shaped if render_node(shaped) == raw else Node(("a",), raw)


_UNESCAPED_SEPARATOR = re.compile(r"((?:[^\\;]|\\.)*)(?:;|$)", re.DOTALL)
_NAME = re.compile(r"^((?:[^\\:=]|\\.)+?)(: | = )(.*)$", re.DOTALL)


def _pairs_with_text(inner: str) -> list[tuple[str, str, str, str]]:
    pairs = []
    for piece in _UNESCAPED_SEPARATOR.findall(inner):
        text = piece.strip()
        found = _NAME.match(text)
        if found:
            name = unescape(found[1]).strip()
            pairs.append((name, found[2].strip(), unescape(found[3].strip()), text))
        elif text:
            return []
    return pairs


def split_pairs(inner: str) -> tuple[tuple[str, str, str], ...]:
    """`as of: 2017; n = 3` as ((name, `:` or `=`, value) …); empty where a piece is neither."""
    return tuple((name, op, value) for name, op, value, _text in _pairs_with_text(inner))


def _merge_lead(nodes: list[Node]) -> list[Node]:
    """What stands between the title and the first heading or piece of ours is one lead."""
    start = next((i for i, n in enumerate(nodes) if n.kind == "h1"), -1) + 1
    end = start
    while end < len(nodes) and nodes[end].kind == "x":
        end += 1
    if end == start:
        return nodes
    raw = nodes[start].raw + "".join(f"\n{n.gap}{n.raw}" for n in nodes[start + 1 : end])
    return [*nodes[:start], Node(("lead",), raw, gap=nodes[start].gap), *nodes[end:]]
