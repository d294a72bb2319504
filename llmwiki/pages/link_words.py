"""The words of links to claims where the tool writes them: under `Seen in`, in attributes, behind
the arrow of a struck claim. They are a copy of what the claim said when the link was written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from llmwiki.pages import write
from llmwiki.pages.claim_links import ClaimHome, claim_link
from llmwiki.pages.ids import CLAIM_ID
from llmwiki.pages.nodes import PageNode
from llmwiki.pages.page import Page

WORDED = re.compile(rf"\[\[[^\[\]|\n]*#\^(?P<id>{CLAIM_ID})\|(?P<words>[^\[\]\n]*)\]\]")
_ARROW = "~~ → "


def words_for(home: ClaimHome) -> str:
    """The words that a link to a claim shows."""
    return claim_link(home).partition("|")[2].removesuffix("]]")


def worded_links(node: PageNode) -> Iterator[re.Match[str]]:
    """The links with words that the tool wrote into a node of a page's body."""
    found: list[re.Match[str]] = []

    def keep(link: re.Match[str]) -> str:
        found.append(link)
        return link[0]

    _reworded(node, keep)
    return iter(found)


def reworded(page: Page, link: Callable[[re.Match[str]], str]) -> Page:
    """The page with `link` done to each of those links."""
    body = tuple(_reworded(node, link) for node in page.body)
    return page if body == page.body else write.with_body(page, body)


def _reworded(node: PageNode, link: Callable[[re.Match[str]], str]) -> PageNode:
    if node.kind == "ref":
        return replace(node, raw=WORDED.sub(link, node.raw))
    if node.kind not in ("c", "n"):
        return node
    text, arrow, successor = node.raw.rpartition(_ARROW)
    raw = text + arrow + WORDED.sub(link, successor) if arrow else node.raw
    parts = tuple(_in_attributes(part, link) if part.kind == "a" else part for part in node.parts)
    return replace(node, raw=raw, parts=parts)


def _in_attributes(node: PageNode, link: Callable[[re.Match[str]], str]) -> PageNode:
    if not node.parts:
        return replace(node, raw=WORDED.sub(link, node.raw))
    parts = tuple(replace(part, raw=WORDED.sub(link, part.raw)) for part in node.parts)
    return replace(node, parts=parts)
