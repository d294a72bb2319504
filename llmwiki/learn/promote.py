"""Notes that proved useful come to the page that every conversation begins with. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from llmwiki.core.note_kinds import SAID
from llmwiki.core.page_kinds import DAILY, MEMORY
from llmwiki.core.text import tokens_of
from llmwiki.learn.book import MemoryBook
from llmwiki.learn.private_memory import NoteUse
from llmwiki.learn.use import UseScore, earns, use_score
from llmwiki.pages.memory_notes import MemoryNote

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
    return tokens_of(len(resident_text(page.text).encode())) if page else 0


def resident_text(page: str) -> str:
    """The standing notes of the page of the memory, one a line, as many as there is room for.

    Preferences and procedures go before all else, then what stands further down, which is newer.
    """
    items = re.split(r"\n(?=- )", page)
    rows = [(n, item) for n, item in enumerate(items) if item.startswith("- ")]
    rows = [(n, item) for n, item in rows if not item.startswith("- ~~")]
    order = sorted(rows, key=lambda row: (not _is_rule(row[1]), -row[0]))
    room, kept = MAX_RESIDENT, []
    for n, item in order:
        line = item.partition("\n")[0].rpartition(" ^")[0] or item.partition("\n")[0]
        room -= tokens_of(len(line.encode()) + 1)
        if room < 0:
            break
        kept.append((n, line))
    return "\n".join(line for _, line in sorted(kept))


def _is_rule(item: str) -> bool:
    return "kind: preference" in item or "kind: procedure" in item
