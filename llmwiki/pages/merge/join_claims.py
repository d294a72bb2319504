"""Claims of one page with the same meaning, as one claim with the evidence of all.

An ingest joins an incoming claim to one that stands on its page. Two branches that took the same
sentence from different documents each minted a claim of their own; after their merge the page has
both, and what follows here makes them one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import replace

from llmwiki.core.claim_attributes import LINKS, UPDATED_BY
from llmwiki.core.text import fold
from llmwiki.pages.find_links import scan
from llmwiki.pages.id_and_evidence_patterns import CLAIM_IN_LINK
from llmwiki.pages.page import Meaning, Page, read_claim
from llmwiki.pages.page_syntax import attribute_key
from llmwiki.pages.page_tree import Key, PageNode, union
from llmwiki.pages.write import with_body
from llmwiki.pages.write_claims import with_attribute

Joins = Mapping[str, str]
"""Id of a claim that is no more to the id of the one that has its evidence."""


def join_equals(page: Page, first_of_all: Set[str] = frozenset()) -> tuple[Page, Joins]:
    """The page with one claim for all that stand with equal meaning; the smallest id stays, one of
    `first_of_all` before others.

    It gets the evidence of the others, what people wrote under them, and the slots and links that
    it lacks. Claims whose slots or links differ are not joined, and neither are struck ones. Copies
    with one id, which a merge of git can leave, become one first; an id that stands for unlike
    claims even then is joined with no other.
    """
    page = _without_copies(page)
    counts = Counter(claim.id for claim in page.claims)
    first: dict[Meaning, str] = {}
    joins: dict[str, str] = {}
    nodes = {node.key: node for node in page.body}
    for claim in sorted(page.claims, key=lambda one: (one.id not in first_of_all, one.id)):
        if claim.successor is not None or counts[claim.id] > 1:
            continue
        stays = first.setdefault(claim.meaning, claim.id)
        if stays != claim.id and _agree(_told(nodes["c", stays]), _told(nodes["c", claim.id])):
            joins[claim.id] = stays
            nodes["c", stays] = _joined(nodes["c", stays], nodes.pop(("c", claim.id)))
    return (with_body(page, list(nodes.values())), joins) if joins else (page, joins)


def _without_copies(page: Page) -> Page:
    """The page with one claim or note for all that have one id and say the same, where neither has
    an attribute that the other has otherwise."""
    first: dict[tuple[object, ...], Key] = {}
    nodes = {node.key: node for node in page.body}
    for node in (node for node in page.body if node.kind in ("c", "n")):
        claim = read_claim(node)
        stays = first.setdefault((*node.key[:2], fold(claim.text), claim.successor), node.key)
        if stays != node.key and (one := _of_copies(nodes[stays], node)):
            nodes[stays] = one
            del nodes[node.key]
    if len(nodes) == len(page.body):
        return page
    return Page.parse(page.path, with_body(page, list(nodes.values())).text)


def _of_copies(stays: PageNode, goes: PageNode) -> PageNode | None:
    """Both as one; None: they mean unlike things, or one has an attribute otherwise."""
    if stays.kind == "n":
        held, wanted = stays.part(("a",)), goes.part(("a",))
        return union(stays, goes) if held is None or wanted in (None, held) else None
    if read_claim(stays).meaning != read_claim(goes).meaning:
        return None
    if not _agree(_told(stays, whole=True), _told(goes, whole=True)):
        return None
    return _joined(stays, goes, whole=True)


def _agree(
    held: Mapping[tuple[str, str], set[str]], wanted: Mapping[tuple[str, str], set[str]]
) -> bool:
    """Whether nothing that `_told` gives of both differs."""
    return all(held.get(name, said) == said for name, said in wanted.items())


def _told(node: PageNode, *, whole: bool = False) -> Mapping[tuple[str, str], set[str]]:
    """Folded values of a claim's slots, and the ids of the claims its links lead to, by name; with
    `whole` of every attribute."""
    told: dict[tuple[str, str], set[str]] = {}
    for name, op, value in read_claim(node).attributes:
        if whole or op == "=" or (name in LINKS and name != UPDATED_BY):
            found = CLAIM_IN_LINK.search(value) if name in LINKS else None
            told.setdefault((name, op), set()).add(found[1] if found else fold(value))
    return told


def _joined(stays: PageNode, goes: PageNode, *, whole: bool = False) -> PageNode:
    more = replace(goes, parts=tuple(part for part in goes.parts if part.kind != "a"))
    node = union(stays, more)
    have = {attribute_key(*pair) for pair in read_claim(stays).attributes}
    for name, op, value in read_claim(goes).attributes:
        if (whole or op == "=" or name in LINKS) and attribute_key(name, op, value) not in have:
            node = with_attribute(node, name, op, value)
    return node


def redirect(page: Page, joins: Joins) -> Page:
    """The page with links to joined claims leading to the ones that stay, and with these on the
    record of a source instead of those."""
    body = [_record(node, joins) for node in page.body]
    page = page if tuple(body) == page.body else with_body(page, body)
    text, parts, last = page.text, [], 0
    for link in scan(text):
        stays = joins.get(link.block)
        if stays is not None:
            at = text.index(f"#^{link.block}", link.start, link.end) + len("#^")
            parts += [text[last:at], stays]
            last = at + len(link.block)
    return Page.parse(page.path, "".join([*parts, text[last:]])) if parts else page


def _record(node: PageNode, joins: Joins) -> PageNode:
    """The record of a source's page with joined claims under their new ids; any other node."""
    if node.kind != "record":
        return node
    led = {part.key: part for part in (_led_on(part, joins) for part in node.parts)}
    return replace(node, parts=tuple(led[key] for key in sorted(led)))


def _led_on(part: PageNode, joins: Joins) -> PageNode:
    stays = joins.get(part.key[1]) if part.kind == "at" else None
    if stays is None:
        return part
    key = (part.kind, stays, *part.key[2:])
    return replace(part, key=key, raw=part.raw.replace(part.key[1], stays))


def follow(page: Page, joins: Joins, standing: Mapping[str, PageNode]) -> Page:
    """A page of before some claims were joined, as it would be after it.

    `standing` are the claims that have the evidence of others now: their words are those of now.
    """
    if not joins:
        return page
    body: dict[Key, PageNode] = {}
    for node in page.body:
        if node.kind == "c" and (stays := joins.get(node.key[1])) is not None:
            held = standing.get(stays)
            raw = held.raw if held else node.raw.replace(f"^{node.key[1]}", f"^{stays}")
            node = replace(node, key=("c", stays, *node.key[2:]), raw=raw)  # noqa: PLW2901
        body[node.key] = union(body[node.key], node) if node.key in body else node
    return redirect(
        page if (*body.values(),) == page.body else with_body(page, [*body.values()]), joins
    )
