"""Sources of which a review has let in a part: their other lines are nobody's decision yet.

The page of such a source has the tag `partial`, by which it is found.
"""

from __future__ import annotations

from llmwiki.pages import write
from llmwiki.pages.page import Page

PARTIAL = "partial"


def is_partial(page: Page) -> bool:
    """Whether it is the page of a source of which a part was accepted."""
    return page.type == "source" and PARTIAL in page.tags


def taken_in_part(page: Page) -> Page:
    """The page of a source, marked; any other page as it is."""
    return write.add_words(page, "tags", (PARTIAL,)) if page.type == "source" else page


def taken_whole(page: Page) -> Page:
    """The page of a source without the mark; any other page as it is."""
    if not is_partial(page):
        return page
    return write.set_words(page, "tags", [tag for tag in page.tags if tag != PARTIAL])
