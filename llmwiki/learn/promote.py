"""Notes that proved useful come to the page that every conversation begins with. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from llmwiki.core.page_kinds import DAILY, MEMORY, RULES, SAID
from llmwiki.core.secrets import redacted
from llmwiki.core.text import tokens_of
from llmwiki.learn.book import MemoryBook, link_to
from llmwiki.learn.private_memory import NoteUse
from llmwiki.learn.use import UseScore, earns, use_score
from llmwiki.pages.memory_notes import MemoryNote, notes_of

MAX_RESIDENT = 5_000
"""Tokens of the memory that stand in every prompt."""
_NAME = re.compile(r"\b[A-Z0-9][\w-]*")


class Promotion(NamedTuple):
    """A note that is to move."""

    note: MemoryNote
    worth: UseScore

    @property
    def numbers(self) -> str:
        """The six numbers and their sum, so that a review needs no counters."""
        parts = [f"{name} {value:.2f}" for name, value in self.worth.components.items()]
        return f"{self.worth.score:.3f} = {', '.join(parts)}"


def promotions(book: MemoryBook, uses: Mapping[str, NoteUse], today: str) -> tuple[Promotion, ...]:
    """The notes that have earned it and find room, those of the highest score first."""
    found = []
    for note in book.notes():
        use = uses.get(note.id)
        if use is None or note.kind == SAID or not note.path.startswith(DAILY):
            continue
        worth = use_score(use, today, len(set(_NAME.findall(note.text))) + bool(note.key))
        if note.successor is None and earns(worth.score, use.recalls, len(use.queries)):
            found.append(Promotion(note, worth))
    room = MAX_RESIDENT - resident_tokens(book)
    taken = []
    for each in sorted(found, key=lambda p: (-p.worth.score, p.note.id)):
        room -= tokens_of(len(each.note.text.encode()) + 4)
        if room < 0:
            break
        taken.append(each)
    return tuple(taken)


def promoted(book: MemoryBook, moved: Iterable[Promotion]) -> None:
    """Moves them."""
    for each in moved:
        book.move(each.note, MEMORY)


def resident_tokens(book: MemoryBook) -> int:
    """An estimate of what stands in every prompt."""
    page = book.page(MEMORY)
    return tokens_of(len(resident_text(notes_of(page)).encode())) if page else 0


def resident_text(notes: Iterable[MemoryNote]) -> str:
    """The notes that stand, one a line with its handle, as many as there is room for.

    Preferences and procedures go before all else, then what stands further down, which is newer.
    """
    rows = [(n, note) for n, note in enumerate(notes) if note.successor is None]
    room, kept = MAX_RESIDENT, []
    for n, note in sorted(rows, key=lambda row: (row[1].kind not in RULES, -row[0])):
        told = f"told by {note.told_by}" if note.told_by else ""
        about = ", ".join(filter(None, (told, note.day, note.kind)))
        line = f"- {about}: {redacted(note.text)} {link_to(note)}"
        room -= tokens_of(len(line.encode("utf-8", "replace")) + 1)
        if room < 0:
            break
        kept.append((n, line))
    return "\n".join(line for _, line in sorted(kept))
