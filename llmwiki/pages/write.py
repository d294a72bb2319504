"""Making and adding to pages. Every function returns a new page; what it does not name stays."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from llmwiki.core.claim_attributes import PARTS
from llmwiki.core.text import fold, normalise
from llmwiki.pages import page_syntax
from llmwiki.pages.claim_links import read_relation
from llmwiki.pages.escape import escape, link_text
from llmwiki.pages.frontmatter import (
    PageError,
    flow,
    in_blocks,
    list_node,
    list_parts,
    load_yaml,
    scalar,
)
from llmwiki.pages.page import (
    SECTION_ENDS,
    SECTIONS,
    GeneratedMarks,
    Page,
    SourceRef,
    about_hash,
    prose_hash,
)
from llmwiki.pages.page_tree import Key, PageNode


def create(
    path: str, kind: str, title: str, description: str = "", lead: str = "", by: str = ""
) -> Page:
    """A page of that type with frontmatter, title and lead, and nothing else yet.

    `lead` is Markdown, already escaped; `by` the tool and version that wrote it.
    """
    entries = [
        PageNode(("front", "type"), f"type: {scalar(kind)}"),
        PageNode(("front", "title"), f"title: {scalar(normalise(title))}"),
        PageNode(("front", "description"), f"description: {scalar(normalise(description))}"),
    ]
    front = PageNode(("front",), "---", (*entries, PageNode(("close",), "---")))
    body = PageNode(
        ("body",), "", (PageNode(("h1",), f"# {escape(title)}"), PageNode(("tail",), "\n"))
    )
    page = Page(path, PageNode(("page",), "", (front, body)))
    if page.description:
        page = _sign(page, GeneratedMarks(by, "", about_hash(page.description)))
    return set_lead(page, lead, by)


# --- frontmatter ---------------------------------------------------------------------------

_ORIGIN_KEYS = ("url", "fetched", "origin", "copied")
_SOURCE_KEYS = ("source", "sha256", "text", "date", "authors", "status", *_ORIGIN_KEYS)
_HEAD_KEYS = ("type", "title", "description", "aliases", "tags")
_TAIL_KEYS = ("read", "generated")
FRONT_ORDER = (*_HEAD_KEYS, *_SOURCE_KEYS, *_TAIL_KEYS)
"""The keys that the tool writes, in their order."""
PAGE_KEYS = (*_HEAD_KEYS, *_TAIL_KEYS)
"""Those that it writes on other pages than those of sources."""


def put_front(page: Page, node: PageNode) -> Page:
    """The page with that entry in its frontmatter."""
    front = page.front or PageNode(("front",), "---", (PageNode(("close",), "---"),))
    parts = list(front.parts)
    at = next((i for i, p in enumerate(parts) if p.key == node.key), None)
    if at is not None:
        parts[at] = node
    else:
        rank = FRONT_ORDER.index(node.key[1]) if node.key[1] in FRONT_ORDER else 99
        place = len(parts) - 1
        for index, part in enumerate(parts[:-1]):
            name = part.key[1]
            if name in FRONT_ORDER and FRONT_ORDER.index(name) > rank:
                place = index
                break
        parts.insert(place, node)
    new = _with_front(page, replace(front, parts=tuple(parts)))
    return _checked(page, new, node.key[1])


def _checked(page: Page, new: Page, key: str) -> Page:
    """`new`, or, where its frontmatter does not read back as it should, that written line by line.

    A mapping in braces, a key that stands twice or an open quote cannot be edited by the line.
    """
    text = "\n".join(page_syntax.render_node(p) for p in (new.front.parts if new.front else ())
                     if p.key == ("front", key))  # fmt: skip
    expected = {**page.values, **load_yaml(text)}
    if key not in load_yaml(text):
        expected.pop(key, None)
    try:
        if new.values == expected:
            return new
    except PageError:
        pass
    front = new.front or PageNode(("front",), "---", (PageNode(("close",), "---"),))
    return _with_front(page, replace(front, parts=(*in_blocks(expected), front.parts[-1])))


def _with_front(page: Page, front: PageNode) -> Page:
    rest = tuple(p for p in page.node.parts if p.kind != "front")
    return Page(page.path, replace(page.node, parts=(front, *(rest or (_EMPTY_BODY,)))))


_EMPTY_BODY = PageNode(("body",), "", (PageNode(("tail",), "\n"),))


def set_value(page: Page, key: str, value: str) -> Page:
    """The page with `key: value` in its frontmatter, or without the key where the value is empty;
    a same value changes no byte."""
    if page.value(key) == normalise(value):
        return page
    if not normalise(value):
        return _set_list(page, key, ())
    return put_front(page, PageNode(("front", key), f"{key}: {scalar(normalise(value))}"))


def _set_list(page: Page, key: str, items: Sequence[PageNode]) -> Page:
    front = page.front
    if not items:
        if front is None or front.part(("front", key)) is None:
            return page
        kept = tuple(p for p in front.parts if p.key != ("front", key))
        return _checked(page, _with_front(page, replace(front, parts=kept)), key)
    return put_front(page, PageNode(("front", key), f"{key}:", tuple(items)))


def _list(page: Page, key: str) -> tuple[PageNode, ...]:
    """The items of a frontmatter list; raises PageError where it is none."""
    found = page.values.get(key)
    return list_parts(key, f"{key}: {flow(found)}") if found else ()


def add_words(page: Page, key: str, words: Iterable[str]) -> Page:
    """The page with words added to a list; those it has, in any case, stay as they are."""
    have = page.words(key)
    known = {fold(word) for word in have}
    if key == "aliases":
        known.add(fold(page.title))
    new: list[str] = []
    for word in words:
        text = normalise(word)
        if text and fold(text) not in known:
            known.add(fold(text))
            new.append(text)
    if not new:
        return page
    return _set_list(page, key, (*_list(page, key), *list_node(key, tuple(new)).parts))


def set_words(page: Page, key: str, words: Iterable[str]) -> Page:
    """The page with exactly these words under a key of its frontmatter; none: without the key."""
    wanted = list_node(key, words).parts
    return page if _list(page, key) == wanted else _set_list(page, key, wanted)


def set_own_source(ledger: Page, source: SourceRef) -> Page:
    """The page of a source with its file and its bytes; without a hash, its bytes are not known."""
    ledger = set_value(ledger, "source", source.resource.removeprefix("/"))
    return set_value(ledger, "sha256", source.sha256)


# --- prose ---------------------------------------------------------------------------------


def set_lead(page: Page, lead: str, by: str) -> Page:
    """The page with that lead, where the lead is the tool's to write; else the page as it is.

    `lead` is Markdown of the tool's own making: paragraphs whose text is escaped.
    """
    if not page.lead_is_tools or (page.lead == lead and page.marks.prose):
        return page
    body = [n for n in page.body if n.kind != "lead"]
    if lead:
        at = next((i for i, n in enumerate(body) if n.kind == "h1"), -1) + 1
        body.insert(at, PageNode(("lead",), lead))
    page = with_body(page, tuple(body))
    return _sign(page, GeneratedMarks(by, prose_hash(lead) if lead else "", page.marks.about))


def set_description(page: Page, description: str, by: str) -> Page:
    """The page with that description, where it is the tool's to write; else the page as it is."""
    text = normalise(description)
    if not text or not page.description_is_tools or (page.description == text and page.marks.about):
        return page
    page = set_value(page, "description", text)
    return _sign(page, GeneratedMarks(by, page.marks.prose, about_hash(text)))


def _sign(page: Page, marks: GeneratedMarks) -> Page:
    return put_front(page, generated_node(marks))


def generated_node(marks: GeneratedMarks) -> PageNode:
    """The entry of the frontmatter that says who wrote a page's prose."""
    return PageNode(("front", "generated"), f"generated: {scalar(str(marks))}")


def prose(text: str, link: Callable[[str], str] | None = None) -> str:
    """Paragraphs of a model's or a source's text as escaped Markdown.

    `link`, where given, gets each escaped paragraph and may put wikilinks into it.
    """
    paragraphs = [escape(part) for part in re.split(r"\n\s*\n", text)]
    shown = [link(part) if link else part for part in paragraphs if part]
    return "\n\n".join(shown)


def wikilink(stem: str, label: str = "") -> str:
    """`[[stem]]`, or `[[stem|label]]` where the label differs from the file's name."""
    shown = link_text(label) if label else ""
    return f"[[{stem}|{shown}]]" if shown and shown != stem else f"[[{stem}]]"


# --- body ----------------------------------------------------------------------------------


def with_body(page: Page, body: Sequence[PageNode]) -> Page:
    """The page with those nodes for a body."""
    node = next((p for p in page.node.parts if p.kind == "body"), _EMPTY_BODY)
    # What stands on the page is as it is read back, and may be hundreds of claims.
    held = {id(each) for each in node.parts}
    body = page_syntax.open_last([n if id(n) in held else page_syntax.seated(n) for n in body])
    head = tuple(p for p in page.node.parts if p.kind == "front")
    return Page(page.path, replace(page.node, parts=(*head, replace(node, parts=tuple(body)))))


def replace_node(page: Page, node: PageNode) -> Page:
    """The page with `node` in the place of the one with its key."""
    return with_body(page, tuple(node if n.key == node.key else n for n in page.body))


def remove_node(page: Page, key: Key) -> Page:
    """The page without that node; a section of the tool's that it leaves empty goes with it."""
    body = [n for n in page.body if n.key != key]
    page = with_body(page, body)
    for index, node in enumerate(body):
        if node.kind == "h" and (node.key[2] in SECTIONS or node.key[2] in PARTS.values()):
            following = body[index + 1] if index + 1 < len(body) else None
            if following is None or following.kind in SECTION_ENDS:
                return with_body(page, [n for n in body if n.key != node.key])
    return page


def add_to_section(
    page: Page, title: str, node: PageNode, rank: Callable[[PageNode], object] | None = None
) -> Page:
    """The page with `node` in the section `## title`, which is made where it is missing.

    With `rank`, before the first node of its kind there that ranks higher; else after the last.
    """
    if any(n.key == node.key for n in page.body):
        return page
    body = list(page.body)
    start = begin_section(body, title)
    end = section_end(body, start)
    place = end
    if rank is not None:
        mine = rank(node)
        for index in range(start + 1, end):
            if body[index].kind == node.kind and rank(body[index]) > mine:  # type: ignore[operator]
                place = index
                break
    body.insert(place, node)
    return with_body(page, body)


def begin_section(body: list[PageNode], title: str) -> int:
    """The index of the heading `## title`, which is put into the body where it is missing."""
    start = next((i for i, n in enumerate(body) if n.kind == "h" and n.key[2] == title), None)
    if start is None:
        start = _section_place(body, title)
        body.insert(start, PageNode(("h", "2", title), f"## {title}"))
    return start


def section_end(body: Sequence[PageNode], start: int) -> int:
    """The index behind the last line of the section whose heading stands at `start`."""
    level = body[start].key[1]
    end = start + 1
    while end < len(body) and body[end].kind not in ("record", "fn", "tail"):
        if body[end].kind == "h" and body[end].key[1] <= level:
            break
        end += 1
    return end


def _section_place(body: list[PageNode], title: str) -> int:
    rank = SECTIONS.get(title, 100)
    for index, node in enumerate(body):
        if node.kind == "h" and SECTIONS.get(node.key[2], -1) > rank:
            return index
    end = len(body)
    while end and body[end - 1].kind in ("record", "fn", "tail"):
        end -= 1
    return end


def add_footnote(
    page: Page, source_id: str, ledger_title: str, resource: str, date: str = ""
) -> Page:
    """The page with the source's footnote, sorted among the others; written anew if it changed."""
    dated = re.sub(r"[()]", "", escape(date))
    raw = (
        f"[^{source_id}]: {wikilink('sources/' + source_id, ledger_title)}"
        f"{f' ({dated})' if dated else ''}, {escape(resource.removeprefix('/'))}"
    )
    key = ("fn", source_id)
    present = next((n for n in page.body if n.key == key), None)
    if present is None:
        return put_footnote(page, PageNode(key, raw))
    return page if present.raw == raw else replace_node(page, replace(present, raw=raw))


def drop_footnotes(page: Page, ids: Collection[str]) -> Page:
    """The page without the footnotes of these sources."""
    body = tuple(n for n in page.body if not (n.kind == "fn" and n.key[1] in ids))
    return page if len(body) == len(page.body) else with_body(page, body)


def put_footnote(page: Page, node: PageNode) -> Page:
    """The page with one more footnote, sorted among the others."""
    body = list(page.body)
    later = (
        i for i, n in enumerate(body) if n.kind == "tail" or (n.kind == "fn" and n.key > node.key)
    )
    body.insert(next(later, len(body)), node)
    return with_body(page, body)


# --- claims --------------------------------------------------------------------------------


def add_item(page: Page, section: str, text: str) -> Page:
    """The page with the list item `- text` in a section; an item it has is not repeated."""
    raw = f"- {text}"
    node = _parsed_item(raw)
    return add_to_section(page, section, node, lambda n: n.raw)


def _parsed_item(raw: str) -> PageNode:
    """The node that reading the line back gives, so that what is written is what is read."""
    body = page_syntax.parse(f"## x\n\n{raw}\n").parts[0].parts
    return replace(next(n for n in body if n.kind not in ("h", "tail")), gap=None)


def add_relation(page: Page, target: str, label: str, source_id: str) -> Page:
    """The page with `- **Title** label [[target]] [^source]` under Related; one line for all
    sources."""
    raw = f"- **{escape(page.title)}** {escape(label)} {wikilink(target)}"
    line = read_relation(raw)
    if line is None:
        return page
    node = PageNode(line.key, raw)
    by = PageNode(("by", source_id), f"[^{source_id}]")
    present = next((n for n in page.body if n.key == node.key), None)
    if present is None:
        return add_to_section(page, "Related", replace(node, parts=(by,)), lambda n: n.key)
    if present.part(by.key):
        return page
    parts = tuple(sorted((*present.parts, by), key=lambda p: p.key))
    return replace_node(page, replace(present, parts=parts))


def add_callout(page: Page, section: str, callout: tuple[str, str]) -> Page:
    """The page with `> [!warning] title` and one line of Markdown under it in a section."""
    title, text = callout
    raw = f"> [!warning] {title}\n> {text}"
    return add_to_section(page, section, PageNode(("x", raw), raw), lambda n: n.raw)
