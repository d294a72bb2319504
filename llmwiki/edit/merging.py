"""The merge driver: git's three versions of a page in, one page out."""

from __future__ import annotations

from llmwiki.index.facts import is_catalogue
from llmwiki.pages.changes import merge_page
from llmwiki.pages.nodes import Conflict
from llmwiki.pages.page import Page
from llmwiki.pages.syntax import PageError


def merge_texts(path: str, base: str, ours: str, theirs: str) -> tuple[str, tuple[Conflict, ...]]:
    """The merged text of the file at `path`, and the conflicts a person must look at.

    Catalogue files keep our side: the next operation renders them anew. A lead that two persons
    wrote stands twice, between conflict marks; of two versions of a paragraph both stand. Raises
    PageError where the frontmatter of a side cannot be read.
    """
    if is_catalogue(path):
        return ours, ()
    sides = [Page.parse(path, text) for text in (base, ours, theirs)]
    for page in sides:
        page.values  # noqa: B018  (raises PageError)
    merged, conflicts = merge_page(sides[0] if base else None, sides[1], sides[2])
    if merged is None:
        raise PageError("both sides took the page out")
    text = merged.text
    for conflict in conflicts:
        if conflict.key == ("lead",):
            marked = (
                f"<<<<<<< one side\n{conflict.kept}",
                f"{conflict.dropped}\n>>>>>>> other side",
            )
            text = text.replace(conflict.kept, "\n=======\n".join(marked), 1)
    return text, conflicts
