"""Sources of which a review has let in a part: their other lines are nobody's decision yet.

The page of such a source has the tag `partial`, by which it is found. A question asks for the tag
alone, and does not load what writes pages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from llmwiki.pages.page import Page

PARTIAL = "partial"


def is_partial(page: Page) -> bool:
    """Whether it is the page of a source of which a part was accepted."""
    return page.type == "source" and PARTIAL in page.tags


def taken_in_part(page: Page) -> Page:
    """The page of a source, marked; any other page as it is."""
    from llmwiki.pages.write import add_words

    return add_words(page, "tags", (PARTIAL,)) if page.type == "source" else page


def taken_whole(page: Page) -> Page:
    """The page of a source without the mark; any other page as it is."""
    if not is_partial(page):
        return page
    from llmwiki.pages.write import set_words

    return set_words(page, "tags", [tag for tag in page.tags if tag != PARTIAL])
