"""A page put together from pieces of several: what it needs to be one page again.

Its frontmatter can be read, its text reads back as the tree that it is, and its footnotes are those
that it cites.
"""

from __future__ import annotations

from dataclasses import replace

from llmwiki.pages import page_syntax
from llmwiki.pages.frontmatter import PageError
from llmwiki.pages.page import SECTION_ENDS, SECTIONS, Page
from llmwiki.pages.page_tree import Key, PageNode
from llmwiki.pages.write import drop_footnotes, put_footnote, with_body


def is_readable(page: Page) -> bool:
    """Whether the frontmatter is YAML that the tool takes."""
    try:
        return page.values is not None
    except PageError:
        return False


def read_back(page: Page) -> Page:
    """The page as reading it back gives it, with every claim and footnote of the tree in it.

    Pieces of two sides that meet may not mean together what they meant apart: a paragraph right
    under a list item continues it, an open fence swallows what follows. They are set apart.
    """
    again = Page.parse(page.path, page.text)
    if again.front is not None and page.front is None:
        # Lines of two sides that had damaged the marks of one frontmatter: they are text now.
        page = with_body(page, [replace(page.body[0], gap="\n"), *page.body[1:]])
        again = Page.parse(page.path, page.text)
    if _anchors(again) == _anchors(page):
        return again
    body: list[PageNode] = []
    for node in page_syntax.open_last(page.body):
        body.append(replace(node, gap=None) if body and node.gap == "" else node)
    page = with_body(page, body)
    return Page.parse(page.path, page.text)


def _anchors(page: Page) -> list[tuple[Key, tuple[str, ...]]]:
    """What must be read back, with the kinds of its parts; the number of a node that stands twice
    is none of its own."""
    kinds = {"c": 2, "n": 2, "fn": 2, "rel": 4, "record": 1}
    return sorted(
        (node.key[: kinds[node.kind]], tuple(part.kind for part in node.parts))
        for node in page.body
        if node.kind in kinds
    )


def without_empty_sections(page: Page, *sides: Page) -> Page:
    """The page without the headings of the tool's under which the last line has gone."""
    full: set[str] = set().union(*map(_full_sections, sides))
    gone = (full - _full_sections(page)) & SECTIONS.keys()
    body = [node for node in page.body if not (node.kind == "h" and node.key[2] in gone)]
    return with_body(page, body) if gone else page


def _full_sections(page: Page) -> set[str]:
    return {name for node, name in page.with_sections() if node.kind not in SECTION_ENDS}


def with_footnotes_of(page: Page, *sides: Page) -> Page:
    """The page with its footnotes in step with what it cites.

    That of a source which a side cites and the page does not goes; one that it cites gets its
    footnote from a side that has it. What never was in step stays as it is.
    """
    gone = frozenset().union(*(side.cited() for side in sides)) - page.cited()
    page = drop_footnotes(page, gone)
    for side in sorted(sides, key=lambda side: side.text):
        page = give_footnotes(side, page)
    return page


def give_footnotes(side: Page, page: Page) -> Page:
    """The page with the footnotes of sources that it cites and lacks, as the page `side` has
    them."""
    held = footnotes(side)
    for source_id in sorted((page.cited() & held.keys()) - footnotes(page).keys()):
        page = put_footnote(page, held[source_id].bare())
    return page


def footnotes(page: Page) -> dict[str, PageNode]:
    """The footnotes of sources, by the source's id."""
    return {n.key[1]: n for n in page.body if n.kind == "fn" and len(n.key) == 2}
