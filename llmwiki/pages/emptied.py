"""Whether anything is left on a page."""

from __future__ import annotations

from llmwiki.core.page_kinds import SUBJECTS
from llmwiki.pages import write
from llmwiki.pages.nodes import PageNode
from llmwiki.pages.page import Page


def is_empty(page: Page) -> bool:
    """Whether nothing that a source or a person says stands on a page of a subject or an answer."""
    if page.type not in (*SUBJECTS, "synthesis"):
        return False
    front = page.front.parts[:-1] if page.front else ()
    known = {*write.PAGE_KEYS, "status"}
    if any(part.kind == "front" and part.key[1] not in known for part in front):
        return False
    if page.lead and not page.lead_is_tools:
        return False
    return not any(node.kind in ("c", "n") or _is_prose(node) for node in page.body)


def _is_prose(node: PageNode) -> bool:
    return node.kind == "x" and bool(node.raw.strip()) and not node.raw.startswith("> [!warning]")
