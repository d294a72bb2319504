"""Pages about one thing as one page, and pages under another title: nothing said is left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from llmwiki.pages import write
from llmwiki.pages.escape import escape, unescape
from llmwiki.pages.merge.three_way import merge_page
from llmwiki.pages.page import Page, heading_title
from llmwiki.pages.page_file_names import name_key
from llmwiki.pages.page_tree import PageNode
from llmwiki.pages.write import FRONT_ORDER

_OF_BOTH = ("aliases", "tags", "read", "generated")
"""Keys of the frontmatter that are merged."""


class PageOfBoth(NamedTuple):
    """A page that has what stood on two."""

    page: Page
    notes: tuple[str, ...]
    """What a person may want to look at."""


def page_of_both(kept: Page, gone: Page) -> PageOfBoth:
    """The page `kept` with all that stands on `gone`: both are merged as two sides that made one
    page.

    Title, lead and description of `kept` stand; where it has none, those of `gone`. A lead that a
    person wrote on `gone` becomes a section of that name, and its title and aliases are aliases.
    """
    notes: list[str] = []
    other = _with_front(kept, gone, notes)
    other = write.with_body(other, [*_lines(kept, gone, notes)])
    page = merge_page(None, kept, other)[0]
    assert page is not None
    aliases = [word for word in page.aliases if word != page.title or word in kept.aliases]
    page = write.set_words(page, "aliases", aliases)
    page = write.add_words(page, "aliases", (gone.title, *gone.aliases))
    return PageOfBoth(Page.parse(kept.path, page.text), tuple(notes))


def _with_front(kept: Page, gone: Page, notes: list[str]) -> Page:
    """The page that goes under the name of the one that stays, with what that one lacks."""
    parts = []
    held = {part.key[-1]: part for part in (kept.front.parts if kept.front else ())}
    for part in gone.front.parts if gone.front else ():
        name = part.key[-1]
        mine = held.get(name)
        if part.kind != "front" or name in _OF_BOTH or mine is None:
            parts += [part] if name != "title" else []
            continue
        parts.append(mine)
        if name not in FRONT_ORDER and kept.values[name] != gone.values[name]:
            notes.append(f"`{name}` of {kept.title} stands; {gone.title} had another one")
    front = (replace(gone.front, parts=tuple(parts)),) if gone.front else ()
    rest = (part for part in gone.node.parts if part.kind != "front")
    return Page(kept.path, replace(gone.node, parts=(*front, *rest)))


def _lines(kept: Page, gone: Page, notes: list[str]) -> Iterator[PageNode]:
    """The body of the page that goes, told of the one that stays."""
    own = {name_key(kept.stem), name_key(gone.stem)}
    section: list[PageNode] = []
    for node in gone.body:
        if node.key == ("h1",) or node.kind == "record":
            continue
        if node.kind == "h1":
            title = heading_title(node)
            yield PageNode(("h", "2", title), f"## {title}")
        elif node.kind == "lead" and kept.lead:
            if not gone.lead_is_tools and gone.lead != kept.lead:
                title = escape(gone.title)
                section = [
                    PageNode(("h", "2", title), f"## {title}"),
                    PageNode(("x", node.raw), node.raw),
                ]
                notes.append(f"the lead of {gone.title} is a section of {kept.title} now")
        elif node.kind == "rel":
            # A line that only tied the two pages to each other is spent.
            if name_key(node.key[2]) not in own:
                yield _named(node, gone.title, kept.title)
        else:
            if node.kind in ("fn", "tail"):
                yield from section
                section = []
            yield node


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
