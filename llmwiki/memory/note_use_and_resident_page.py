"""How much a note is used, what that earns it, and the page that every conversation begins with.

The weights, gates and half-lives are those of OpenClaw's deep phase. Use only lifts: a note that
nobody counted here, as in a fresh clone, loses nothing. Pure.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from datetime import date
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.core.page_and_note_kinds import DAILY, MEMORY, RULES, SAID
from llmwiki.core.secrets import redacted
from llmwiki.core.text import tokens_of
from llmwiki.pages.memory_notes import MemoryNote, link_to, notes_of

if TYPE_CHECKING:
    from llmwiki.memory.memory_pages import MemoryPages
    from llmwiki.memory.private_memory import NoteUse
    from llmwiki.memory.sweep import MemoryStep

WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "frequency": 0.24,
        "relevance": 0.30,
        "diversity": 0.15,
        "recency": 0.15,
        "consolidation": 0.10,
        "conceptual": 0.06,
    }
)
MIN_SCORE = 0.8
MIN_RECALLS = 3
MIN_QUERIES = 3
RECENT_DAYS = 14
"""Days in which the worth of a use halves."""
MAX_RESIDENT = 5_000
"""Tokens of the memory that stand in every prompt."""
_NAME = re.compile(r"\b[A-Z0-9][\w-]*")


class UseScore(NamedTuple):
    """What the use of a note is worth."""

    components: Mapping[str, float]
    """The six numbers, each from 0 to 1."""
    score: float


def score_of(
    recalls: int,
    total: float,
    queries: int,
    days: tuple[str, ...],
    age: float,
    concepts: int,
) -> UseScore:
    """Weighs the use of a note: how often it was recalled, the sum of what it was worth, for how
    many questions, on which days, how many days ago last, and how many names it holds."""
    parts = {
        "frequency": min(math.log1p(recalls) / math.log(11), 1.0),
        "relevance": min(total / recalls, 1.0) if recalls else 0.0,
        "diversity": min(max(queries, len(days)) / 5, 1.0),
        "recency": halved(1.0, age, RECENT_DAYS),
        "consolidation": spread(days),
        "conceptual": min(concepts / 6, 1.0),
    }
    return UseScore(
        MappingProxyType(parts), sum(WEIGHTS[name] * value for name, value in parts.items())
    )


def spread(days: tuple[str, ...]) -> float:
    """How far the days of use lie apart, from 0 to 1."""
    dates = sorted({date.fromisoformat(day) for day in days})
    if len(dates) < 2:
        return 0.2 if dates else 0.0
    span = (dates[-1] - dates[0]).days
    return min(0.55 * min(math.log(len(dates)) / math.log(5), 1.0) + 0.45 * min(span / 7, 1), 1.0)


def earns(score: float, recalls: int, queries: int) -> bool:
    """Whether use promotes a note."""
    return score >= MIN_SCORE and recalls >= MIN_RECALLS and queries >= MIN_QUERIES


def use_score(use: NoteUse, today: str, concepts: int) -> UseScore:
    """What the use of a note is worth on a day."""
    last = max(use.days, default=today)
    age = (date.fromisoformat(today) - date.fromisoformat(last)).days
    return score_of(
        use.recalls, use.score / 1_000_000, len(use.queries), use.days, max(age, 0), concepts
    )


def halved(score: float, age: float, half_life: float) -> float:
    """A score after `age` days; one of the future is not raised, a half-life of 0 is none."""
    return score * 0.5 ** (max(age, 0) / half_life) if half_life > 0 else score


def promotions(
    memory: MemoryPages, uses: Mapping[str, NoteUse], today: str
) -> tuple[MemoryStep, ...]:
    """The notes that have earned it and find room, those of the highest score first; why is told in
    the six numbers and their sum, so that a review needs no counters."""
    from llmwiki.memory.sweep import MemoryStep

    found: list[tuple[UseScore, MemoryNote]] = []
    for note in memory.notes():
        use = uses.get(note.id)
        if use is None or note.kind == SAID or not note.path.startswith(DAILY):
            continue
        worth = use_score(use, today, len(set(_NAME.findall(note.text))) + bool(note.key))
        if note.successor is None and earns(worth.score, use.recalls, len(use.queries)):
            found.append((worth, note))
    room = MAX_RESIDENT - resident_tokens(memory)
    taken = []
    for worth, note in sorted(found, key=lambda row: (-row[0].score, row[1].id)):
        room -= tokens_of(len(note.text.encode()) + 4)
        if room < 0:
            break
        parts = ", ".join(f"{name} {value:.2f}" for name, value in worth.components.items())
        taken.append(MemoryStep("promoted", note, None, f"{worth.score:.3f} = {parts}"))
    return tuple(taken)


def promoted(memory: MemoryPages, moved: Iterable[MemoryStep]) -> None:
    """Moves them."""
    for each in moved:
        memory.move(each.note, MEMORY)


def resident_tokens(memory: MemoryPages) -> int:
    """An estimate of what stands in every prompt."""
    page = memory.page(MEMORY)
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
