"""Notes of the memory and the sentences that they rest on. Pure.

What was said stands on the page of its day, sealed: the id of such a note is the digest of its
session, turn, teller and folded words, so that any clone can see that nobody has changed them. A
note of the memory names the sentences that it rests on, one `from` item each; two clones that heard
the same words make one note with the items of both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from llmwiki.core.page_and_note_kinds import DAILY, MEMORY, SAID
from llmwiki.core.text import digest32, fold
from llmwiki.pages import write, write_claims
from llmwiki.pages.escape import escape, escape_slot, escape_value
from llmwiki.pages.id_and_evidence_patterns import FROM_NOTE, NOTE_ID
from llmwiki.pages.page import Page, read_claim
from llmwiki.pages.page_syntax import render_node
from llmwiki.pages.page_tree import PageNode

SCOPE = "memory"
"""What the id of a note of the memory is made from, with its words."""
_KEY = re.compile(r"[\W_]+")
_TARGET = re.compile(rf"#\^({NOTE_ID})")
MAX_KEY = 60


class MemoryNote(NamedTuple):
    """A note of the memory, or a sentence of a day."""

    id: str
    path: str
    """Of its page."""
    text: str
    kind: str
    """Of `core.page_kinds`; `said` for a sentence; empty where the note does not say."""
    told_by: str
    key: str = ""
    """What it is about, in normal form; empty: notes of it never replace one another."""
    value: str = ""
    on: str = ""
    """The day that the note itself names: 2026-11-23."""
    session: str = ""
    turn: int = 0
    sources: tuple[tuple[str, str], ...] = ()
    """(page name, note id) of each sentence that it rests on."""
    successor: str | None = None
    """What took its place; None: it stands."""

    @property
    def day(self) -> str:
        """The last day on which it was told, as far as the note says."""
        days = [name for name, _ in self.sources if re.fullmatch(r"\d{4}-\d\d-\d\d", name)]
        return max([*days, self.on])

    @property
    def successor_id(self) -> str:
        """The id of the note that took its place; empty where none did."""
        found = _TARGET.search(self.successor or "")
        return found[1] if found else ""


def new_page(path: str, by: str) -> Page:
    """The page of the memory, or that of a day, without notes; `by` signs it."""
    kind, title = "memory", "Memory"
    about = "What people and agents asked this wiki to remember"
    lead = f"{about}, each with who said it and when."
    if path != MEMORY:
        kind, title = "daily", path.removeprefix(DAILY).removesuffix(".md")
        about = f"What was learned on {title}, and the sentences it rests on"
        lead = f"{about}."
    return write.create(path, kind, title, about, lead, by)


def topic_key(text: str) -> str:
    """The normal form of what a note is about: `user tz`, `User-TZ` and `user_tz` are one."""
    return _KEY.sub("-", fold(text)).strip("-")[:MAX_KEY].strip("-")


def note_id(text: str) -> str:
    """The id of a note of the memory that says this."""
    return "n-" + digest32((SCOPE, fold(text)))


def said_id(session: str, turn: int, told_by: str, words: str) -> str:
    """The id of a sentence; whoever has these four can check it."""
    return "n-" + digest32((SAID, session, str(turn), told_by, fold(words)))


def said_node(words: str, *, told_by: str, day: str, session: str, turn: int) -> PageNode:
    """A sentence as the page of its day holds it."""
    ident = said_id(session, turn, told_by, words)
    details = (
        f"told by: {told_by}; on: {day}; session: {escape_value(session)}; turn: {turn};"
        f" kind: {SAID}"
    )
    return PageNode(
        ("n", ident), f"- “{escape(words)}” ^{ident}", (PageNode(("a",), f"  - {details}"),)
    )


def learned_node(
    text: str,
    *,
    kind: str,
    told_by: str,
    key: str = "",
    value: str = "",
    sources: Iterable[tuple[str, str]] = (),
) -> PageNode:
    """A note of the memory that rests on sentences, each named by (page name, note id)."""
    ident = note_id(text)
    slot = f"; {escape_slot(key)} = {escape_value(value)}" if key else ""
    parts = [PageNode(("a",), f"  - told by: {told_by}; kind: {kind}{slot}")]
    parts += [_from(*source) for source in dict.fromkeys(sources)]
    return PageNode(("n", ident), f"- {escape(text)} ^{ident}", tuple(parts))


def _from(name: str, ident: str) -> PageNode:
    return PageNode(("from", ident), f"  - from: [[{name}#^{ident}]]")


def with_sources(page: Page, ident: str, sources: Iterable[tuple[str, str]]) -> Page:
    """The page with more sentences under one of its notes."""
    node = write_claims.item_of(page, ident)
    new = [_from(*source) for source in dict.fromkeys(sources)]
    more = tuple(part for part in new if node.part(part.key) is None)
    return write.replace_node(page, replace(node, parts=(*node.parts, *more))) if more else page


def notes_of(page: Page) -> tuple[MemoryNote, ...]:
    """All notes of a page, in its order."""
    return tuple(
        read_note(page.path, node) for node in page.body if node.kind == "n" and len(node.key) == 2
    )


def read_note(path: str, node: PageNode) -> MemoryNote:
    """The note that a node holds."""
    claim = read_claim(node)
    named = {name: value for name, op, value in claim.attributes if op == ":"}
    slots = [(name, value) for name, op, value in claim.attributes if op == "="]
    key, value = slots[0] if slots else ("", "")
    turn = named.get("turn", "")
    text = claim.text
    if named.get("kind") == SAID:
        text = text.removeprefix("“").removesuffix("”")
    sources = (FROM_NOTE.search(render_node(part)) for part in node.parts if part.kind == "from")
    return MemoryNote(
        node.key[1],
        path,
        text,
        named.get("kind", ""),
        named.get("told by", ""),
        topic_key(key),
        value,
        named.get("on", ""),
        named.get("session", ""),
        int(turn) if turn.isascii() and turn.isdecimal() and len(turn) < 8 else 0,
        tuple((found["page"], found["id"]) for found in sources if found),
        claim.successor,
    )


def is_sealed(note: MemoryNote) -> bool:
    """Whether the id of a sentence is that of its words."""
    return note.id == said_id(note.session, note.turn, note.told_by, note.text)


def link_to(note: MemoryNote) -> str:
    """The link to a note, as the strike of another one has it."""
    stem = note.path.rpartition("/")[2].removesuffix(".md")
    return f"[[{stem}#^{note.id}]]"
