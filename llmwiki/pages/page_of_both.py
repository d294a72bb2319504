"""Pages about one thing as one page, and pages under another title: nothing said is left out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from llmwiki.core.text import fold
from llmwiki.pages import nodes, write
from llmwiki.pages.assembled import give_sources
from llmwiki.pages.escape import escape, unescape
from llmwiki.pages.names import name_key
from llmwiki.pages.nodes import PageNode
from llmwiki.pages.page import (
    SECTIONS,
    GeneratedMarks,
    Page,
    heading_title,
    read_claim,
    read_generated,
)
from llmwiki.pages.write import FRONT_ORDER
from llmwiki.pages.write_claims import claim_rank

_RANKS: dict[str, Callable[[PageNode], object]] = {
    "c": claim_rank,
    "rel": lambda node: node.key,
}


class PageOfBoth(NamedTuple):
    """A page that has what stood on two."""

    page: Page
    notes: tuple[str, ...]
    """What a person may want to look at."""


def page_of_both(kept: Page, gone: Page) -> PageOfBoth:
    """The page `kept` with all that stands on `gone`.

    Title, lead and description of `kept` stand; where it has none, those of `gone`. A lead that a
    person wrote on `gone` becomes a section of that name, and its title and aliases are aliases.
    """
    page, notes = _with_front(kept, gone)
    page, told = _with_lead(page, gone)
    page = _with_body(page, gone)
    page = give_sources(gone, page)
    return PageOfBoth(Page.parse(kept.path, page.text), (*notes, *told))


def _with_front(kept: Page, gone: Page) -> tuple[Page, tuple[str, ...]]:
    page = write.add_words(kept, "aliases", (gone.title, *gone.aliases))
    page = write.add_words(page, "tags", gone.tags)
    notes = []
    for node in gone.front.parts if gone.front else ():
        name = node.key[-1]
        if node.kind != "front" or name in FRONT_ORDER:
            continue
        if name not in page.values:
            page = write.put_front(page, node)
        elif page.values[name] != gone.values[name]:
            notes.append(f"`{name}` of {kept.title} stands; {gone.title} had another one")
    return page, tuple(notes)


def _with_lead(page: Page, gone: Page) -> tuple[Page, tuple[str, ...]]:
    if not page.description and gone.description:
        about = gone.about_mark if gone.description_is_tools else ""
        page = write.set_value(page, "description", gone.description)
        page = _marked(page, replace_mark(page, gone, about=about))
    if not gone.lead:
        return page, ()
    if not page.lead:
        body = [node for node in page.body if node.kind != "lead"]
        at = next((i for i, n in enumerate(body) if n.kind == "h1"), -1) + 1
        body.insert(at, PageNode(("lead",), gone.lead))
        page = write.with_body(page, body)
        return _marked(page, replace_mark(page, gone, prose=gone.prose_mark)), ()
    if gone.lead_is_tools or gone.lead == page.lead:
        return page, ()
    section = Page.parse(gone.path, f"## {escape(gone.title)}\n\n{gone.lead}\n")
    page = _with_section(page, section.body)
    return page, (f"the lead of {gone.title} is a section of {page.title} now",)


def replace_mark(page: Page, gone: Page, *, prose: str = "", about: str = "") -> GeneratedMarks:
    """The marks of the page, with those of what came from the page that goes."""
    marks = read_generated(page.values.get("generated"))
    return GeneratedMarks(marks.by or gone.generated_by, prose or marks.prose, about or marks.about)


def _marked(page: Page, marks: GeneratedMarks) -> Page:
    node = write.generated_node(marks)
    return page if not str(marks) else write.put_front(page, node)


def _with_body(page: Page, gone: Page) -> Page:
    """The page with the lines of the other one, each in the section of its title."""
    own: list[PageNode] = []
    section = "Claims"
    for node in gone.body:
        if node.kind in ("lead", "tail", "fn", "record") or node.key == ("h1",):
            continue
        if node.kind in ("h", "h1") and (node.kind == "h1" or node.key[1] == "2"):
            page = _with_section(page, own)
            section = heading_title(node)
            own = [] if section in SECTIONS else [_second_level(node)]
        elif own:
            own.append(node)
        elif not _is_spent(page, gone, node):
            page = _with_line(page, section, _of(page, gone, node))
    return _with_section(page, own)


def _second_level(node: PageNode) -> PageNode:
    title = heading_title(node)
    return PageNode(("h", "2", title), f"## {title}") if node.kind == "h1" else node


def _is_spent(page: Page, gone: Page, node: PageNode) -> bool:
    """Whether a line only tied the two pages to each other."""
    return node.kind == "rel" and name_key(node.key[2]) in {
        name_key(page.stem), name_key(gone.stem)
    }  # fmt: skip


def _of(page: Page, gone: Page, node: PageNode) -> PageNode:
    """A relation of the page that goes, told of the one that stays."""
    if node.kind != "rel":
        return node
    was, now = f"**{escape(gone.title)}**", f"**{escape(page.title)}**"
    return replace(node, raw=node.raw.replace(was, now, 1))


def _with_line(page: Page, section: str, node: PageNode) -> Page:
    held = next((n for n in page.body if n.key == node.key), None)
    if held is not None and node.kind == "c" and _says(held) != _says(node):
        node = replace(node, key=(*node.key, "moved"))
    elif held is not None and node.parts:
        whole = nodes.union(held, node)
        parts = tuple(sorted(whole.parts, key=lambda p: p.key)) if node.kind == "rel" else None
        return write.replace_node(page, replace(whole, parts=parts) if parts else whole)
    return write.add_to_section(page, section, node.bare(), _RANKS.get(node.kind))


def _says(node: PageNode) -> tuple[str, str | None]:
    claim = read_claim(node)
    return fold(claim.text), claim.successor


def _with_section(page: Page, section: list[PageNode] | tuple[PageNode, ...]) -> Page:
    """The page with a person's section at its end, or at the end of the one of that title."""
    if not section:
        return page
    title = heading_title(section[0])
    if len(section) == 1 or (section[1].kind == "tail"):
        lines = [section[0]]
    else:
        lines = [node for node in section[1:] if node.kind != "tail"]
    for node in lines:
        page = write.add_to_section(page, title, node)
    return page


def titled(page: Page, old: str, new: str) -> Page:
    """The page with a new title, where it says the old one, and with that as an alias."""
    page = write.set_value(page, "title", new)
    aliases = page.aliases
    if new in aliases:
        page = write.set_words(page, "aliases", [word for word in aliases if word != new])
    page = write.add_words(page, "aliases", [old])
    return write.with_body(page, [_named(node, old, new) for node in page.body])


def _named(node: PageNode, old: str, new: str) -> PageNode:
    if node.kind == "h1" and unescape(heading_title(node)) == old:
        return replace(node, raw=f"# {escape(new)}")
    if node.kind == "rel":
        return replace(node, raw=node.raw.replace(f"**{escape(old)}**", f"**{escape(new)}**", 1))
    return node
