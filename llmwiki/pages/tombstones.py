"""What a source's ledger records of claims: the roster of those that rest on it, tombstones, and
the pages that shall point to them once they are there.

A claim of the roster that stands nowhere was deleted by a person. Whatever rewrites
the ledger writes its tombstone, so that no later reading of the source brings it back.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from llmwiki.core.lazy_pattern import lazy_pattern
from llmwiki.core.text import fold, normalise
from llmwiki.pages import write
from llmwiki.pages.escape import escape, unescape
from llmwiki.pages.ids import CLAIM_ID
from llmwiki.pages.lines import RECORD
from llmwiki.pages.nodes import Key, PageNode
from llmwiki.pages.page import Evidence, Page

_EMPTIED = "Nothing of this source is in the wiki: it was taken back."
_TOMBSTONE = lazy_pattern(
    rf"^- (?P<claim>{CLAIM_ID}) retracted (?P<by>\S+)(?: L\d+(?:–L\d+)?)?"
    r"(?P<quotes>(?: q-[0-9a-f]{16})*)$"
)


@dataclass(frozen=True, slots=True)
class Tombstone:
    """A claim that was taken out for good: its id, and hashes of its quotes, but no text."""

    claim: str
    by: str
    quotes: frozenset[str]


@dataclass(frozen=True, slots=True)
class AwaitedPage:
    """A page that does not exist yet and shall point to a claim: its `Seen in` waits for it."""

    claim: str
    name: str
    """Of the subject, as the source's reader gave it."""


def quote_hash(quote: str) -> str:
    """`q-` and 16 hexadecimal digits of the SHA-256 of the folded quote."""
    return "q-" + hashlib.sha256(fold(quote).encode()).hexdigest()[:16]


def ledger_path(source_id: str) -> str:
    """Where a source's ledger stands."""
    return f"wiki/sources/{source_id}.md"


def tombstones(ledger: Page) -> tuple[Tombstone, ...]:
    """The claims of this source that shall not come back."""
    lines = [part.raw.removeprefix("> ") for part in _recorded(ledger, "dead")]
    found = [_TOMBSTONE.match(line) for line in lines]
    return tuple(Tombstone(m["claim"], m["by"], frozenset(m["quotes"].split())) for m in found if m)


def _recorded(ledger: Page, kind: str) -> tuple[PageNode, ...]:
    parts = (part for node in ledger.body if node.kind == "record" for part in node.parts)
    return tuple(part for part in parts if part.kind == kind)


def add_tombstone(
    ledger: Page, claim_id: str, by: str, lines: tuple[int, int] | None, quotes: Iterable[str]
) -> Page:
    """The ledger with one more tombstone, and without that claim on its roster."""
    span = (
        "" if lines is None else f" L{lines[0]}" + (f"–L{lines[1]}" if lines[1] != lines[0] else "")
    )
    hashes = "".join(f" {quote_hash(q)}" for q in sorted(quotes))
    node = PageNode(("dead", claim_id), f"> - {claim_id} retracted {by}{span}{hashes}")
    return _with_lines(strike_off(ledger, (claim_id,)), (node,))


def enrol(ledger: Page, claims: Mapping[str, int]) -> Page:
    """The ledger with claims that have evidence of its source on the roster: each id with the
    first line of that evidence, 0 where it is not known."""
    return _with_lines(
        ledger,
        [
            PageNode(("at", claim_id), f"> - {claim_id}" + (f" L{line}" if line else ""))
            for claim_id, line in claims.items()
        ],
    )


def awaited(ledger: Page) -> tuple[AwaitedPage, ...]:
    """The pages that claims of this source wait for, by claim and name."""
    lines = (part.raw.partition(" awaits ") for part in _recorded(ledger, "awaits"))
    return tuple(
        AwaitedPage(head.removeprefix("> - "), normalise(unescape(name))) for head, _, name in lines
    )


def await_page(ledger: Page, claim_id: str, name: str) -> Page:
    """The ledger with a claim that waits for the page of that name."""
    shown = escape(name)
    line = PageNode(("awaits", claim_id, fold(shown)), f"> - {claim_id} awaits {shown}")
    return _with_lines(ledger, (line,))


def stop_awaiting(ledger: Page, found: Collection[AwaitedPage]) -> Page:
    """The ledger without those that have come."""
    return _without_lines(ledger, {("awaits", a.claim, fold(escape(a.name))) for a in found})


def strike_off(ledger: Page, claim_ids: Collection[str]) -> Page:
    """The ledger without those claims on its roster, and without what waits for a page for them;
    what is buried stays buried."""
    ids = set(claim_ids)
    lines = (*_recorded(ledger, "at"), *_recorded(ledger, "awaits"))
    return _without_lines(ledger, {line.key for line in lines if line.key[1] in ids})


def _without_lines(ledger: Page, gone: Collection[Key]) -> Page:
    for node in ledger.body:
        if node.kind == "record":
            parts = tuple(part for part in node.parts if part.key not in gone)
            if not parts:
                return write.remove_node(ledger, node.key)
            if len(parts) < len(node.parts):
                return write.replace_node(ledger, replace(node, parts=parts))
    return ledger


def _with_lines(ledger: Page, lines: Sequence[PageNode]) -> Page:
    """The ledger with those lines in its record, which is sorted by kind and id."""
    if not lines:
        return ledger
    new = {line.key: line for line in lines}
    record = next((node for node in ledger.body if node.kind == "record"), None)
    if record is None:
        body = list(ledger.body)
        at = next((i for i, n in enumerate(body) if n.kind in ("fn", "tail")), len(body))
        body.insert(at, PageNode(("record",), RECORD, tuple(new[key] for key in sorted(new))))
        return write.with_body(ledger, body)
    held = {part.key: part for part in record.parts}
    if all(held.get(key) == line for key, line in new.items()):
        return ledger
    parts = sorted({**held, **new}.values(), key=lambda part: part.key)
    return write.replace_node(ledger, replace(record, parts=tuple(parts)))


def claim_refs(ledger: Page) -> tuple[str, ...]:
    """The ids on the ledger's roster: the claims that have, or had, evidence of its source."""
    return tuple(node.key[1] for node in _recorded(ledger, "at"))


def bury(ledger: Page, deleted: Mapping[str, Sequence[Evidence]]) -> Page:
    """The ledger with tombstones of claims that a person deleted: id to the evidence they had."""
    for claim_id in sorted(deleted):
        had = deleted[claim_id][:1]
        lines = (had[0].first, had[0].last) if had else None
        ledger = add_tombstone(ledger, claim_id, "person", lines, [e.quote for e in had])
    return ledger


def taken_back(ledger: Page, left: Page | None) -> Page:
    """The ledger of a source that an undo took out of the wiki, where something must stay.

    `left` is what people wrote on it, if anything. Its bytes are no longer recorded, so that the
    source can be read again.
    """
    if left is None:
        ledger = strike_off(ledger, claim_refs(ledger))
        kept = [n for n in ledger.body if n.kind in ("h1", "record", "tail")]
        left = write.with_body(ledger, kept)
    by = left.generated_by
    left = write.set_description(left, _EMPTIED, by)
    return forget_bytes(write.set_lead(left, write.prose(_EMPTIED), by))


def forget_bytes(ledger: Page) -> Page:
    """The ledger without the hash of the bytes that were read: they are to be read again."""
    own = ledger.own_source
    return write.set_source(ledger, replace(own, sha256="")) if own and own.sha256 else ledger
