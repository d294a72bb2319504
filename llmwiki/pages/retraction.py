"""A source that was retracted: what its own page records of it, and how its text is recognised.

The page keeps title and file, `status: retracted`, a tag by which it is found, the hashes of all
bytes that were read of the source, and of each quote the number and a hash of its words. So neither
the file, nor a copy of it, nor a new version is read again unasked, and no word of it is kept.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from llmwiki.core.lazy_pattern import lazy_pattern
from llmwiki.core.text import fold
from llmwiki.pages import write
from llmwiki.pages.lines import RECORD
from llmwiki.pages.nodes import PageNode
from llmwiki.pages.page import SECTION_ENDS, Page
from llmwiki.pages.tombstones import forget_bytes

RETRACTED = "retracted"
"""The tag and the status of the page of a retracted source."""
TOLD = "This source was retracted: nothing in the wiki rests on it, and it is not read again."

_OWN_SECTIONS = frozenset({"Names", "Relations", "Mentions", "Open questions"})
_HASH = re.compile(r"> - retracted sha256 ([0-9a-f]{64})")
_PHRASE = re.compile(r"> - retracted quote (\d{1,4}) (q-[0-9a-f]{16})")
_WORDS = lazy_pattern(r"[぀-ヿ㐀-鿿가-힣]|[^\W぀-ヿ㐀-鿿가-힣]+")
_LEAST = 3
"""Quotes of a retracted source that must stand in a text before it counts as a copy."""


@dataclass(frozen=True, slots=True)
class Retraction:
    """What the page of a retracted source records."""

    hashes: frozenset[str]
    """SHA-256 of every version that was read."""
    phrases: Mapping[int, frozenset[str]]
    """Number of words of a quote to the hashes of the quotes of that many words."""

    def holds(self, lines: Sequence[str]) -> bool:
        """Whether a text holds half of the retracted quotes, and at least three."""
        wanted = sum(len(found) for found in self.phrases.values())
        if wanted < _LEAST:
            return False
        said = words_of("\n".join(lines))
        found = 0
        for count, hashes in sorted(self.phrases.items()):
            runs = (said[at : at + count] for at in range(len(said) - count + 1))
            found += len({_hash(run) for run in runs} & hashes)
        return found >= _LEAST and 2 * found >= wanted


def words_of(text: str) -> list[str]:
    """The words of a text, folded, without what stands between them; each ideograph is one."""
    return _WORDS.findall(fold(text))


def _hash(words: Sequence[str]) -> str:
    return "q-" + hashlib.sha256(" ".join(words).encode()).hexdigest()[:16]


def retraction(page: Page) -> Retraction | None:
    """What the page of a source records of its retraction; None where it was not retracted."""
    if page.type != "source" or RETRACTED not in page.tags:
        return None
    lines = [part.raw for node in page.body if node.kind == "record" for part in node.parts]
    hashes = frozenset(m[1] for line in lines if (m := _HASH.fullmatch(line)))
    phrases: dict[int, set[str]] = {}
    for line in lines:
        if found := _PHRASE.fullmatch(line):
            phrases.setdefault(int(found[1]), set()).add(found[2])
    return Retraction(hashes, {count: frozenset(held) for count, held in phrases.items()})


def retracted(page: Page, hashes: Set[str], quotes: Iterable[str], by: str) -> Page:
    """The page of a source without what the source contributed, marked as retracted.

    Claims of other sources that stand on it, tombstones and what people wrote stay. `hashes` are
    those of all versions that were read, `quotes` what the wiki quoted.
    """
    marks = [f"> - retracted sha256 {each}" for each in hashes if each]
    marks += [
        f"> - retracted quote {len(said)} {_hash(said)}" for q in quotes if (said := words_of(q))
    ]
    page = _without_contributions(page)
    page = _with_record(page, [PageNode(("x", line), line) for line in sorted(set(marks))])
    page = write.set_lead(page, write.prose(TOLD), by)
    page = write.set_description(page, TOLD, by)
    page = forget_bytes(write.set_value(page, "status", RETRACTED))
    return write.add_words(page, "tags", (RETRACTED,))


def lifted(page: Page) -> Page:
    """The page of a source that is to be read again after all; any other page as it is."""
    if retraction(page) is None:
        return page
    if page.value("status") == RETRACTED:
        page = write.set_value(page, "status", "")
    page = write.set_words(page, "tags", [tag for tag in page.tags if tag != RETRACTED])
    return write.with_body(page, [n for node in page.body if (n := _without_marks(node))])


def _without_marks(node: PageNode) -> PageNode | None:
    if node.kind != "record":
        return node
    parts = tuple(p for p in node.parts if not p.raw.startswith("> - retracted "))
    return replace(node, parts=parts) if parts else None


def _buried_alone(node: PageNode) -> PageNode | None:
    """The record with its tombstones and what people wrote there; any other node as it is."""
    if node.kind != "record":
        return node
    parts = tuple(part for part in node.parts if part.kind in ("dead", "x"))
    return replace(node, parts=parts) if parts else None


def _without_contributions(page: Page) -> Page:
    body = []
    headings = {node.key for node in page.body if node.kind == "h" and node.key[2] in _OWN_SECTIONS}
    for node, section in page.with_sections():
        inside = section in _OWN_SECTIONS and node.kind not in SECTION_ENDS
        kept = None if inside or node.key in headings else _buried_alone(node)
        if kept is not None:
            body.append(kept)
    return write.with_body(page, body)


def _with_record(page: Page, lines: Sequence[PageNode]) -> Page:
    if not lines:
        return page
    held = next((node for node in page.body if node.kind == "record"), None)
    parts = {part.key: part for part in (*(held.parts if held else ()), *lines)}
    record = PageNode(("record",), RECORD, tuple(parts[key] for key in sorted(parts)))
    if held is not None:
        return write.replace_node(page, replace(held, parts=record.parts))
    body = list(page.body)
    at = next((i for i, n in enumerate(body) if n.kind in ("fn", "tail")), len(body))
    body.insert(at, record)
    return write.with_body(page, body)
