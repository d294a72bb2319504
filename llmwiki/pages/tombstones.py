"""What a source's ledger records of claims: the roster of those that rest on it, and tombstones.

A claim of the roster that stands nowhere was deleted by a person. Whatever rewrites
the ledger writes its tombstone, so that no later reading of the source brings it back.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from llmwiki.core.lazy_pattern import lazy_pattern
from llmwiki.core.text import fold
from llmwiki.pages import write
from llmwiki.pages.ids import CLAIM_ID
from llmwiki.pages.lines import RECORD
from llmwiki.pages.nodes import Key, PageNode
from llmwiki.pages.page import Claim, Page

_EMPTIED = "Nothing of this source is in the wiki: it was taken back."
_TOMBSTONE = lazy_pattern(
    rf"^- (?P<claim>{CLAIM_ID}) retracted (?P<by>\S+)"
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
    lines = [part.raw.removeprefix("> ") for part in _recorded(ledger, "dead")]
    found = [_TOMBSTONE.match(line) for line in lines]
    return tuple(Tombstone(m["claim"], m["by"], frozenset(m["quotes"].split())) for m in found if m)


def _recorded(ledger: Page, kind: str) -> tuple[PageNode, ...]:
    parts = (part for node in ledger.body if node.kind == "record" for part in node.parts)
    return tuple(part for part in parts if part.kind == kind)


def _tombstone(ledger: Page, claim_id: str, by: str, hashes: Iterable[str]) -> Page:
    """The ledger with one more tombstone, and without that claim on its roster."""
    line = " ".join([f"> - {claim_id} retracted {by}", *sorted(hashes)])
    return _with_lines(strike_off(ledger, (claim_id,)), (PageNode(("dead", claim_id), line),))


def enrol(ledger: Page, claims: Iterable[Claim]) -> Page:
    """The ledger with those of the claims on its roster that have evidence of its source, each
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
    """The ledger without those claims on its roster; what is buried stays buried."""
    return _without_lines(ledger, {("at", claim_id) for claim_id in claim_ids})


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


def deleted(ledger: Page, standing: Collection[str]) -> dict[str, tuple[str, ...]]:
    """The claims of the roster that stand nowhere: each id with the hash of its quote, where the
    roster has one. A person took them out."""
    return {i: quotes for i, quotes in recorded_quotes(ledger).items() if i not in standing}


def recorded_quotes(ledger: Page) -> dict[str, tuple[str, ...]]:
    """The claims of the roster: each id with the hash of its quote, where the roster has one."""
    return {part.key[1]: tuple(part.raw.split()[3:]) for part in _recorded(ledger, "at")}


def bury(ledger: Page, taken_out: Mapping[str, Iterable[str]]) -> Page:
    """The ledger with tombstones of claims that a person took out: id to hashes of quotes."""
    for claim_id in sorted(taken_out):
        ledger = _tombstone(ledger, claim_id, "person", taken_out[claim_id])
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
