"""What a source's ledger records of claims: the record of those that rest on it, and tombstones.

A claim of the record that stands nowhere was deleted by a person. Whatever rewrites
the ledger writes its tombstone, so that no later reading of the source brings it back.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from dataclasses import replace

from llmwiki.core.page_and_note_kinds import PARTIAL
from llmwiki.core.text import fold
from llmwiki.pages import write
from llmwiki.pages.id_and_evidence_patterns import CLAIM_IN_LINK
from llmwiki.pages.line_patterns import RECORD
from llmwiki.pages.linked_text import LINKED, bare
from llmwiki.pages.page import SECTION_ENDS, Claim, Page
from llmwiki.pages.page_tree import PageNode

_EMPTIED = "Nothing of this source is in the wiki: it was taken back."


def quote_hash(quote: str) -> str:
    """`q-` and 16 hexadecimal digits of the SHA-256 of the folded quote."""
    return "q-" + hashlib.sha256(fold(quote).encode()).hexdigest()[:16]


def ledger_path(source_id: str) -> str:
    """Where a source's ledger stands."""
    return f"wiki/sources/{source_id}.md"


def claim_refs(ledger: Page) -> dict[str, tuple[str, ...]]:
    """The claims in the ledger's record, which have, or had, evidence of its source: each id with
    the hash of its quote, where the record has one."""
    return _recorded(ledger, "at")


def tombstones(ledger: Page) -> dict[str, tuple[str, ...]]:
    """The claims of this source that were taken out for good: each id with hashes of its quotes."""
    return _recorded(ledger, "dead")


def _recorded(ledger: Page, kind: str) -> dict[str, tuple[str, ...]]:
    parts = (part for node in ledger.body if node.kind == "record" for part in node.parts)
    return {
        part.key[1]: tuple(word for word in part.raw.split() if word.startswith("q-"))
        for part in parts
        if part.kind == kind
    }


def enrol(ledger: Page, claims: Iterable[Claim]) -> Page:
    """The ledger with those of the claims in its record that have evidence of its source, each
    with the hash of its first quote of that."""
    quoted = (
        (claim.id, next((e.quote for e in claim.evidence if e.source == ledger.stem), ""))
        for claim in claims
    )
    return _with_lines(
        ledger,
        [
            PageNode(("at", claim_id), f"> - {claim_id} {quote_hash(quote)}")
            for claim_id, quote in quoted
            if quote
        ],
    )


def strike_off(ledger: Page, claim_ids: Collection[str]) -> Page:
    """The ledger without those claims in its record; what is buried stays buried."""
    gone = {("at", claim_id) for claim_id in claim_ids}
    return _with_record(ledger, lambda part: part.key not in gone)


def _with_record(page: Page, keeps: Callable[[PageNode], bool]) -> Page:
    """The page of a source with those lines of its record alone."""
    node = next((node for node in page.body if node.kind == "record"), None)
    parts = tuple(filter(keeps, node.parts)) if node else ()
    if node is None or parts == node.parts:
        return page
    return _put_record(page, parts)


def _with_lines(page: Page, lines: Sequence[PageNode]) -> Page:
    """The page of a source with those lines in its record, which is sorted by kind and id."""
    record = next((node for node in page.body if node.kind == "record"), None)
    held = {part.key: part for part in (record.parts if record else ())}
    if all(held.get(line.key) == line for line in lines):
        return page
    held |= {line.key: line for line in lines}
    return _put_record(page, tuple(held[key] for key in sorted(held)))


def _put_record(page: Page, parts: tuple[PageNode, ...]) -> Page:
    """The page with those lines in its record; without it where there is none."""
    old = next((node for node in page.body if node.kind == "record"), None)
    body = [node for node in page.body if node.kind != "record"]
    if parts:
        at = next((i for i, n in enumerate(body) if n.kind in ("fn", "tail")), len(body))
        place = page.body.index(old) if old else at
        body.insert(place, replace(old or PageNode(("record",), RECORD), parts=parts))
    return write.with_body(page, body)


def bury(ledger: Page, taken_out: Mapping[str, Iterable[str]]) -> Page:
    """The ledger with tombstones of claims that a person took out, by their ids and hashes of their
    quotes, and without these in its record."""
    lines = [
        PageNode(("dead", ident), " ".join([f"> - {ident} retracted person", *sorted(hashes)]))
        for ident, hashes in sorted(taken_out.items())
    ]
    return _with_lines(strike_off(ledger, taken_out), lines)


def taken_back(ledger: Page, left: Page | None) -> Page:
    """The ledger of a source that an undo took out of the wiki, where something must stay.

    `left` is what people wrote on it, if anything. Its bytes are no longer recorded, so that the
    source can be read again.
    """
    if left is None:
        ledger = strike_off(ledger, claim_refs(ledger))
        kept = [n for n in ledger.body if n.kind in ("h1", "record", "tail")]
        left = write.with_body(ledger, kept)
    by = left.marks.by
    left = write.set_description(left, _EMPTIED, by)
    return forget_bytes(write.set_lead(left, write.prose(_EMPTIED), by))


def forget_bytes(ledger: Page) -> Page:
    """The ledger without the hash of the bytes that were read: they are to be read again."""
    own = ledger.own_source
    if own is None or not own.sha256:
        return ledger
    ledger = write.set_own_source(ledger, own._replace(sha256=""))
    return write.drop_footnotes(ledger, {own.id} - ledger.cited())


# --- sources of which a review has let in a part --------------------------------------------------


def is_partial(page: Page) -> bool:
    """Whether it is the page of a source of which a part was accepted: its other lines are nobody's
    decision yet."""
    return page.type == "source" and PARTIAL in page.tags


def taken_in_part(page: Page) -> Page:
    """The page of a source, marked; any other page as it is."""
    return write.add_words(page, "tags", (PARTIAL,)) if page.type == "source" else page


def taken_whole(page: Page) -> Page:
    """The page of a source without the mark; any other page as it is."""
    if not is_partial(page):
        return page
    return write.set_words(page, "tags", [tag for tag in page.tags if tag != PARTIAL])


# --- sources that were retracted -----------------------------------------------------------------

RETRACTED = "retracted"
"""The tag and the status of the page of a retracted source."""
TOLD = "This source was retracted: nothing in the wiki rests on it, and it is not read again."

_OWN_SECTIONS = frozenset({"Names", "Relations", "Mentions", "Open questions"})
_HASH = re.compile(r"> - retracted sha256 ([0-9a-f]{64})")


def is_retracted(page: Page) -> bool:
    """Whether it is the page of a source that was retracted."""
    return page.type == "source" and RETRACTED in page.tags


def retracted_hashes(page: Page) -> frozenset[str]:
    """SHA-256 of every version that was read of a retracted source, as its page records them."""
    lines = [part.raw for node in page.body if node.kind == "record" for part in node.parts]
    return frozenset(m[1] for line in lines if (m := _HASH.fullmatch(line)))


def retracted(page: Page, hashes: Set[str], by: str) -> Page:
    """The page of a source without what the source contributed, marked as retracted.

    Claims of other sources that stand on it, tombstones and what people wrote stay. `hashes` are
    those of all versions that were read.
    """
    marks = [f"> - retracted sha256 {each}" for each in sorted(hashes) if each]
    page = _without_contributions(page)
    page = _with_lines(page, [PageNode(("x", line), line) for line in marks])
    page = write.set_lead(page, write.prose(TOLD), by)
    page = write.set_description(page, TOLD, by)
    page = forget_bytes(write.set_value(page, "status", RETRACTED))
    return write.add_words(page, "tags", (RETRACTED,))


def lifted(page: Page) -> Page:
    """The page of a source that is to be read again after all; any other page as it is."""
    if not is_retracted(page):
        return page
    if page.value("status") == RETRACTED:
        page = write.set_value(page, "status", "")
    page = write.set_words(page, "tags", [tag for tag in page.tags if tag != RETRACTED])
    return _with_record(page, lambda part: not part.raw.startswith("> - retracted "))


def _without_contributions(page: Page) -> Page:
    """The page of a source without the lines of its sections, and of its record the tombstones and
    what people wrote there alone."""
    headings = {node.key for node in page.body if node.kind == "h" and node.key[2] in _OWN_SECTIONS}
    body = [
        node
        for node, section in page.with_sections()
        if node.key not in headings and (section not in _OWN_SECTIONS or node.kind in SECTION_ENDS)
    ]
    return _with_record(write.with_body(page, body), lambda part: part.kind in ("dead", "x"))


# --- what pages say of claims that are no more ---------------------------------------------------


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
        replace(node, raw=bare(node.raw, to_page)) if node.kind in LINKED else node
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
