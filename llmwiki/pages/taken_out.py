"""What pages say of claims that are no more: the words of a claim are gone with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Set
from dataclasses import replace

from llmwiki.pages import write
from llmwiki.pages.dress import DRESSED, bare
from llmwiki.pages.ids import CLAIM_ID, CLAIM_IN_LINK
from llmwiki.pages.nodes import PageNode
from llmwiki.pages.page import Page

_CALLOUT = "> [!warning] Contradiction"
_WORDS = re.compile(rf"(\[\[[^\[\]|\n]*#\^({CLAIM_ID}))\|[^\[\]\n]*\]\]")


def without_claims(page: Page, gone: Set[str]) -> Page:
    """The page without the lines that only lead to those claims, and without their words.

    Links under `Seen in`, what waits for a page, what ties a claim to another, and callouts go; an
    arrow and what a note rests on lose the words, and keep the id.
    """
    for node in page.body:
        is_callout = node.kind == "x" and node.raw.startswith(_CALLOUT)
        if (node.kind == "ref" and node.key[1] in gone) or (
            is_callout and gone & set(CLAIM_IN_LINK.findall(node.raw))
        ):
            page = write.remove_node(page, node.key)
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
    if node.kind == "record":
        kept = tuple(p for p in node.parts if p.kind != "awaits" or p.key[1] not in gone)
        return node if len(kept) == len(node.parts) else replace(node, parts=kept)
    if node.kind not in ("c", "n") or not gone & _named(node):
        return node
    text, arrow, successor = node.raw.rpartition("~~ → ")
    raw = text + arrow + _wordless(successor, gone) if arrow else node.raw
    parts = (_attributes(part, gone) if part.kind == "a" else part for part in node.parts)
    return replace(node, raw=raw, parts=tuple(part for part in parts if part is not None))


def _named(node: PageNode) -> set[str]:
    named = set(CLAIM_IN_LINK.findall(node.raw))
    return named.union(*(_named(part) for part in node.parts))


def _attributes(node: PageNode, gone: Set[str]) -> PageNode | None:
    if not node.parts:
        return replace(node, raw=_wordless(node.raw, gone))
    kept = tuple(part for part in node.parts if not gone & set(part.key[3:]))
    return replace(node, parts=kept) if kept else None


def _wordless(raw: str, gone: Set[str]) -> str:
    return _WORDS.sub(lambda found: f"{found[1]}]]" if found[2] in gone else found[0], raw)
