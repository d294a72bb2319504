"""What pages say of claims that are no more: the words of a claim are gone with it."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import replace

from llmwiki.pages import write
from llmwiki.pages.dress import DRESSED, bare
from llmwiki.pages.ids import CLAIM_IN_LINK
from llmwiki.pages.nodes import PageNode
from llmwiki.pages.page import Page


def without_claims(page: Page, gone: Set[str]) -> Page:
    """The page without what ties its claims to those; an arrow and what a note rests on stay."""
    body = tuple(_item(node, gone) for node in page.body)
    return page if body == page.body else write.with_body(page, body)


def without_links(page: Page, leads: Callable[[str], bool]) -> Page:
    """The page with its words in place of links inside claims, notes and the lead whose target
    `leads` is true of; links to claims stay."""

    def to_page(target: str) -> bool:
        return "#^" not in target and leads(target)

    body = tuple(
        replace(node, raw=bare(node.raw, to_page)) if node.kind in DRESSED else node
        for node in page.body
    )
    return page if body == page.body else write.with_body(page, body)


def _item(node: PageNode, gone: Set[str]) -> PageNode:
    if node.kind not in ("c", "n") or not gone & _named(node):
        return node
    parts = (_attributes(part, gone) if part.kind == "a" else part for part in node.parts)
    return replace(node, parts=tuple(part for part in parts if part is not None))


def _named(node: PageNode) -> set[str]:
    named = set(CLAIM_IN_LINK.findall(node.raw))
    return named.union(*(_named(part) for part in node.parts))


def _attributes(node: PageNode, gone: Set[str]) -> PageNode | None:
    if not node.parts:
        return node
    kept = tuple(part for part in node.parts if not gone & set(part.key[3:]))
    return replace(node, parts=kept) if kept else None
