"""What a page says, as rows: one fact each, found by kind, id and name. Rows are only read.

What follows from other rows is none: footnotes, records, links and their
words, copies of a relation or of a claim's words, order, marks, headings.

    kind        id               name                          value
    page        path             ""                            its type
    front       path             key of the frontmatter        text
    item        path             `aliases:x`, `tags:y`, …      what stands behind an id, or ""
    lead        path             ""                            text without links
    claim, note id               ""                            text without links
    place       id               ""                            path of its page
    strike      id               ""                            id of the successor, or `gone in …`
    evidence    id               source and folded quote       the quote
    attribute   id               name                          value
    slot        id               key                           value
    tie         id               how and the other id          words of its own, or ""
    relation    page that does   label and page it is done to  the sources that say so
    words       path or id       section                       what a person wrote there
    record      path             what is recorded              the rest of it
    said        path             mention or question           which of the two
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from llmwiki.core.claim_attributes import ABOUT, CONTRADICTS, DISAGREES
from llmwiki.pages.claim_links import read_relation
from llmwiki.pages.escape import unescape
from llmwiki.pages.find_links import scan
from llmwiki.pages.frontmatter import PageError
from llmwiki.pages.id_and_evidence_patterns import CLAIM_IN_LINK, ITEM_ID
from llmwiki.pages.linked_text import read
from llmwiki.pages.page import SECTIONS, Page, read_claim, read_footnote, read_pairs
from llmwiki.pages.page_file_names import stem_of
from llmwiki.pages.page_syntax import render_node
from llmwiki.pages.page_tree import PageNode

RowKind = Literal[
    "page", "front", "item", "lead", "claim", "note", "place", "strike", "evidence", "attribute",
    "slot", "tie", "relation", "words", "record", "said",
]  # fmt: skip
TO = " → "
"""Between the label of a relation and the page that it leads to."""

MUTUAL = (CONTRADICTS, DISAGREES)
"""Ties that stand on both of their claims."""
_LISTS = ("aliases", "tags", "authors", "read")
_DERIVED = frozenset({"generated", "type", "title", *_LISTS})
_LED = re.compile(rf"#\^({ITEM_ID})")
_TOMBSTONE = re.compile(r"> - \S+ retracted (\S+)")
_SAID = {"Mentions": "mention", "Open questions": "question"}
_DASH = " — "


class Row(NamedTuple):
    """What makes two rows one."""

    kind: RowKind
    id: str
    """Of a claim that stands twice on a page, the second time with `#2` behind it."""
    name: str = ""


Rows = dict[Row, str]


def page_rows(page: Page) -> Rows:
    """Those that are of no claim, and ties that two claims tell."""
    found: Rows = dict(_front(page))
    passages: dict[str, list[str]] = {}
    for node, section in page.with_sections():
        if node.kind in ("c", "n"):
            found |= _mutual(node)
        elif node.kind == "lead":
            found[Row("lead", page.path)] = read(node.raw)
        elif node.kind == "record":
            found |= _recorded(page.path, node)
        else:
            told = line_rows(page, node, section)
            found |= told
            if not told and _is_persons(node):
                passages.setdefault(section, []).append(node.raw)
    for section, texts in passages.items():
        found[Row("words", page.path, section)] = "\n\n".join(texts)
    return found


def _front(page: Page) -> Iterator[tuple[Row, str]]:
    try:
        values = page.values
    except PageError:
        # What cannot be read is one piece of text.
        front = page.front
        yield Row("page", page.path), ""
        yield Row("front", page.path), "\n".join(p.raw for p in front.parts) if front else ""
        return
    yield Row("page", page.path), page.type
    yield Row("front", page.path, "title"), page.title
    for key, value in values.items():
        if key in _LISTS:
            for word in page.words(key):
                name, _, behind = word.partition(" ") if key == "read" else (word, "", "")
                yield Row("item", page.path, f"{key}:{name}"), behind
        elif key not in _DERIVED:
            yield Row("front", page.path, str(key)), _text(value)


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def claim_rows(path: str, node: PageNode) -> Rows:
    """The rows of a claim or note and of all that stands below it."""
    claim = read_claim(node)
    ident = "#".join(node.key[1:])
    kind: RowKind = "claim" if node.kind == "c" else "note"
    found = {Row(kind, ident): claim.text, Row("place", ident): path}
    if claim.successor is not None:
        led = _LED.search(claim.successor)
        found[Row("strike", ident)] = led[1] if led else claim.successor
    for each in claim.evidence:
        found.setdefault(Row("evidence", ident, " ".join(each.identity)), each.quote)
    for name, op, value in claim.attributes:
        if name not in MUTUAL:
            row, words = _attribute(ident, name, op, value)
            found.setdefault(row, words)
    return found | _nested(ident, node)


def _attribute(ident: str, name: str, op: str, value: str) -> tuple[Row, str]:
    if op == "=":
        return Row("slot", ident, name), value
    if led := CLAIM_IN_LINK.search(value):
        return Row("tie", ident, f"{name} {led[1]}"), read(value.partition("]]")[2].strip())
    if name == ABOUT:
        return Row("tie", ident, f"{name} {read(value)}"), ""
    return Row("attribute", ident, name), value


def _mutual(node: PageNode) -> Rows:
    """The ties of a claim that both ends tell: each is one row."""
    found: Rows = {}
    for name, _, value in read_claim(node).attributes:
        if name in MUTUAL:
            for other in CLAIM_IN_LINK.findall(value):
                one, two = sorted((node.key[1], other))
                found[Row("tie", one, f"{name} {two}")] = read(value.partition("]]")[2].strip())
    return found


def _nested(ident: str, node: PageNode) -> Rows:
    """What a note rests on, and what people wrote below a claim."""
    found: Rows = {}
    remarks = []
    for part in node.parts:
        if part.kind == "from" or (part.kind == "a" and not read_pairs(part)):
            ids = _LED.findall(render_node(part))
            found |= {Row("tie", ident, f"from {each}"): "" for each in ids}
            remarks += [] if ids else [part.raw]
        elif part.kind == "x":
            remarks.append(part.raw)
    if remarks:
        found[Row("words", ident)] = "\n".join(remarks)
    return found


def _recorded(path: str, node: PageNode) -> Iterator[tuple[Row, str]]:
    for part in node.parts:
        if part.kind == "dead":
            by = _TOMBSTONE.match(part.raw)
            yield Row("record", path, part.key[1]), by[1] if by else part.raw
        elif part.kind == "x":
            yield Row("record", path, part.raw.removeprefix("> - ")), ""


def line_rows(page: Page, node: PageNode, section: str) -> Rows:
    """The rows of a line of the tool's that is no claim; none of what is a person's, or derived."""
    if node.kind == "rel":
        relation = read_relation(node.raw)
        if relation is None:
            return {}
        other = stem_of(relation.target.partition("#")[0])
        sources = " ".join(sorted({part.key[1] for part in node.parts if part.kind == "by"}))
        ends = (page.stem, other) if relation.direction == "out" else (other, page.stem)
        return {Row("relation", ends[0], f"{relation.label}{TO}{ends[1]}"): sources}
    if node.kind != "x":
        return {}
    if not node.raw.startswith("- ") or "\n" in node.raw:
        return {}
    text = node.raw.removeprefix("- ")
    if section in _SAID:
        said = read(text)
        return {Row("said", page.path, said): _SAID[section]}
    if section == "Names" and " → " in text:
        name, _, target = text.partition(" → ")
        return {Row("record", page.path, f"name {read(name)}"): read(target)}
    if section == "Relations" and len(parts := text.split(_DASH)) == 3:
        one, other = (_named(part) for part in (parts[0], parts[2]))
        label = " ".join(unescape(parts[1]).split())
        return {Row("relation", one, f"{label}{TO}{other}"): page.stem}
    return {}


def _named(text: str) -> str:
    """The page that a link leads to, or the plain name that stands in its place."""
    found = scan(text)
    return stem_of(found[0].target.partition("#")[0]) if found else read(text)


def _is_persons(node: PageNode) -> bool:
    if node.kind == "h":
        return node.key[2] not in SECTIONS
    if node.kind == "fn":
        return read_footnote(node.raw) is None
    return node.kind == "x" or (node.kind == "tail" and bool(node.raw.strip()))
