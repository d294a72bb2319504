"""What a source's ledger records of claims: links to those that stand, tombstones of the others.

A claim that the ledger links to and that stands nowhere was deleted by a person. Whatever rewrites
the ledger writes its tombstone, so that no later reading of the source brings it back.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from llmwiki.core.text import fold
from llmwiki.pages import write
from llmwiki.pages.ids import CLAIM_ID
from llmwiki.pages.page import Evidence, Page

_BURIED = "Retracted"
_EMPTIED = "Nothing of this source is in the wiki: it was taken back."
_TOMBSTONE = re.compile(
    rf"^- (?P<claim>{CLAIM_ID}) retracted (?P<by>\S+)(?: L\d+(?:–L\d+)?)?"
    r"(?P<quotes>(?: q-[0-9a-f]{16})*)$"
)


@dataclass(frozen=True, slots=True)
class Tombstone:
    """A claim that was taken out for good: its id, and hashes of its quotes, but no text."""

    claim: str
    by: str
    quotes: frozenset[str]


def quote_hash(quote: str) -> str:
    """`q-` and 16 hexadecimal digits of the SHA-256 of the folded quote."""
    return "q-" + hashlib.sha256(fold(quote).encode()).hexdigest()[:16]


def ledger_path(source_id: str) -> str:
    """Where a source's ledger stands."""
    return f"wiki/sources/{source_id}.md"


def tombstones(ledger: Page) -> tuple[Tombstone, ...]:
    """The claims of this source that shall not come back."""
    found = [_TOMBSTONE.match(node.raw) for node in ledger.section(_BURIED)]
    return tuple(Tombstone(m["claim"], m["by"], frozenset(m["quotes"].split())) for m in found if m)


def add_tombstone(
    ledger: Page, claim_id: str, by: str, lines: tuple[int, int] | None, quotes: Iterable[str]
) -> Page:
    """The ledger with one more tombstone, and without its link to that claim."""
    span = (
        "" if lines is None else f" L{lines[0]}" + (f"–L{lines[1]}" if lines[1] != lines[0] else "")
    )
    hashes = "".join(f" {quote_hash(q)}" for q in sorted(quotes))
    ledger = write.remove_node(ledger, ("ref", claim_id))
    return write.add_item(ledger, _BURIED, f"{claim_id} retracted {by}{span}{hashes}")


def claim_refs(ledger: Page) -> tuple[str, ...]:
    """The ids of the claims that the ledger links to."""
    return tuple(n.key[1] for n in ledger.section("Claims") if n.kind == "ref")


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
        kept = [n for n, section in ledger.with_sections() if n.kind == "h1" or section == _BURIED]
        left = write.with_body(ledger, [*kept, *(n for n in ledger.body if n.kind == "tail")])
    by = left.generated_by
    left = write.set_description(left, _EMPTIED, by)
    return forget_bytes(write.set_lead(left, write.prose(_EMPTIED), by))


def forget_bytes(ledger: Page) -> Page:
    """The ledger without the hash of the bytes that were read: they are to be read again."""
    own = ledger.own_source
    return write.set_source(ledger, replace(own, sha256="")) if own and own.sha256 else ledger
