"""Pages of format 1 in the grammar of format 2: what one page alone decides.

Nothing moves to another page, and no text of a person is touched, so that two clones that upgrade
the same page get the same page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from llmwiki.core.lazy_pattern import lazy_pattern
from llmwiki.pages import syntax, write
from llmwiki.pages.escape import unescape
from llmwiki.pages.front import PageError, source_named
from llmwiki.pages.nodes import PageNode
from llmwiki.pages.page import Page, heading_title, read_generated
from llmwiki.pages.relations import read_relation, shown_relation, verb_phrase
from llmwiki.pages.tombstones import bury_lines, enrol

_FIELD = re.compile(r"- (authors|date|status|url): (.*)")
_OLD_FRONT = lazy_pattern(
    r"^generated: \{|^sources:[ \t]*+\n?[ \t]*+- *+\{? *+id:|^## (?:Document|Retracted)$",
    re.MULTILINE,
)
_OLD_LINE = re.compile(
    r"^- \[\[[^\[\]]+\]\] — .*\[\^|^- \[\[[^\[\]|]+#\^c-[^\[\]|]+\]\]$", re.MULTILINE
)


def may_be_old(text: str) -> bool:
    """Whether a page may hold lines of format 1; quick, and now and then wrong in saying so."""
    return bool(_OLD_FRONT.search(text) or _OLD_LINE.search(text))


def upgraded(page: Page) -> Page:
    """The page in the grammar of format 2; itself where nothing of it is of format 1."""
    try:
        page.values  # noqa: B018  (read for what it raises)
        if not may_be_old(page.text):
            return page
        new = _front(_ledger(page) if page.type == "source" else page)
    except PageError:
        return page
    new = _relations(new)
    return page if new.node == page.node else Page.parse(page.path, new.text)


# --- frontmatter ---------------------------------------------------------------------------


def _front(page: Page) -> Page:
    """The frontmatter with sources by link, lists one item a line, and `generated` one string."""
    signed = isinstance(page.values.get("generated"), dict)
    items = page.values.get("sources")
    refs = [item for item in items if _is_ours(item)] if isinstance(items, list) else []
    if not signed and not refs:
        return page
    if page.type == "synthesis":
        read = (f"{ref['id']} {ref['sha256'][:16]}" for ref in refs if ref.get("sha256"))
        page = write.add_words(page, "read", read)
    if refs and isinstance(items, list):
        entries = (_entry(item) for item in items)
        page = write.put_list(page, "sources", sorted(entries, key=lambda entry: entry.key))
    for key in ("aliases", "tags"):
        if isinstance(page.values.get(key), list):
            page = write.put_list(page, key, syntax.list_node(key, page.words(key)).parts)
    if signed:
        marks = read_generated(page.values["generated"])
        page = write.put_front(page, write.generated_node(marks))
    return page


def _is_ours(item: object) -> bool:
    return isinstance(item, dict) and "id" in item and item.keys() <= {"id", "resource", "sha256"}


def _entry(item: object) -> PageNode:
    shown = f"[[sources/{source_named(item)}]]" if _is_ours(item) else item
    return syntax.list_part("sources", shown)


# --- the pages of sources ------------------------------------------------------------------


def _ledger(page: Page) -> Page:
    """A source's page with what it records of the document in its frontmatter, and its roster."""
    items = page.values.get("sources")
    own = next((ref for ref in page.sources if ref.id == page.stem), None)
    if not isinstance(items, list) or own is None or "source" in page.values:
        return page
    page = write.set_source(page, own)
    for node in page.section("Document"):
        found = _FIELD.fullmatch(node.raw)
        value = unescape(found[2]) if found else ""
        if found and value:
            if found[1] == "authors":
                page = write.set_words(page, "authors", value.split(", "))
            else:
                page = write.set_value(page, found[1], value)
            page = write.remove_node(page, node.key)
    page = enrol(page, page.claims)
    gone = {node.key for node in page.section("Claims") if node.kind == "ref"}
    for key in sorted(gone):
        page = write.remove_node(page, key)
    buried = [node for node in page.section("Retracted") if node.kind == "x"]
    page = bury_lines(page, [node.raw for node in buried])
    for node in buried:
        page = write.remove_node(page, node.key)
    return _without_empty(page, {"Document", "Retracted", "Claims"})


def _without_empty(page: Page, titles: set[str]) -> Page:
    """The page without those headings of format 1 under which nothing stands any more."""
    body = list(page.body)
    for index in range(len(body) - 1, -1, -1):
        node = body[index]
        follows = body[index + 1] if index + 1 < len(body) else None
        is_empty = follows is None or follows.kind in ("h", "record", "fn", "tail")
        if node.kind == "h" and heading_title(node) in titles and is_empty:
            del body[index]
    return page if len(body) == len(page.body) else write.with_body(page, body)


# --- relations -----------------------------------------------------------------------------


def _relations(page: Page) -> Page:
    """The page with its relations as sentences."""
    new = tuple(_relation(page.title, node) for node in page.body)
    return page if new == page.body else write.with_body(page, tuple(_once(new)))


def _relation(title: str, node: PageNode) -> PageNode:
    line = read_relation(node.raw) if node.kind == "rel" else None
    if line is None or line.own:
        return node
    link = node.raw[node.raw.index("[[") : node.raw.index("]]") + 2]
    raw = shown_relation("out", title, verb_phrase(line.label), link)
    said = read_relation(raw)
    return replace(node, key=said.key, raw=raw) if said else node


def _once(nodes: tuple[PageNode, ...]) -> Iterator[PageNode]:
    """The nodes with those of one key joined, in the place of the first."""
    held: dict[tuple[str, ...], PageNode] = {}
    for node in nodes:
        first = held.get(node.key)
        if first is None:
            held[node.key] = node
        elif node.kind == "rel":
            parts = {part.key: part for part in (*first.parts, *node.parts)}
            held[node.key] = replace(first, parts=tuple(parts[key] for key in sorted(parts)))
    yield from held.values()
