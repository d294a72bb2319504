"""What can go from the memory, and what belongs together: shown first, done when asked for. Pure.

Nothing here touches a claim or a page that documents made. What a person told goes only when
something took its place and both are old; git keeps it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import NamedTuple

from llmwiki.core.page_and_note_kinds import SAID
from llmwiki.core.text import fold
from llmwiki.memory.memory_pages import MemoryPages, standing
from llmwiki.pages import write
from llmwiki.pages.memory_notes import MemoryNote, link_to, with_sources
from llmwiki.pages.write_claims import lead_on

MIN_AGE = 90
"""Days that a note must be old before it goes."""
LONG_CHAIN = 3
"""Steps from a note to what holds now."""

CODES: Mapping[str, str] = {
    "two-values": "two notes of one key stand",
    "double": "two notes say the same of one key",
    "long-chain": "a note leads to what holds now in three steps or more",
    "old-replaced": "a note was replaced, and is old",
    "loose-sentence": "a sentence of a day, on which nothing rests any more",
}


class MemoryStep(NamedTuple):
    """One thing to do, or that was done."""

    code: str
    """One of `CODES`, or `promoted`."""
    note: MemoryNote
    other: MemoryNote | None
    """What stays in its place; None: nothing."""
    why: str


def _step(code: str, note: MemoryNote, other: MemoryNote | None) -> MemoryStep:
    return MemoryStep(code, note, other, CODES[code])


def sweep_steps(memory: MemoryPages, today: str) -> tuple[MemoryStep, ...]:
    """What a sweep would do on a day, in order."""
    notes = {note.id: note for note in memory.notes()}
    steps = [*_same_keys(notes), *_chains(notes), *_replaced(notes, today)]
    gone = {step.note.id for step in steps if step.code == "old-replaced"}
    return (*steps, *_loose(notes, gone, today))


def swept(memory: MemoryPages, steps: Iterable[MemoryStep]) -> None:
    """Does it. A note that stands is never taken away: it may be struck for another one."""
    for step in steps:
        page = memory.page(step.note.path)
        assert page is not None
        match step.code:
            case "two-values" | "double" if step.other is not None:
                if step.code == "double":
                    other = memory.page(step.other.path)
                    assert other is not None
                    memory.put(with_sources(other, step.other.id, step.note.sources))
                memory.supersede(step.note, step.other)
            case "long-chain" if step.other is not None:
                memory.put(lead_on(page, step.note.id, link_to(step.other)))
            case _:
                memory.put(write.remove_node(page, ("n", step.note.id)))


def resolved(notes: Mapping[str, MemoryNote], ident: str) -> tuple[str, int]:
    """What holds now in the place of a note, and in how many steps; empty in a circle."""
    seen = {ident}
    steps = 0
    while (note := notes.get(ident)) is not None and note.successor_id:
        ident, steps = note.successor_id, steps + 1
        if ident in seen:
            return "", steps
        seen.add(ident)
    return ident, steps


def _same_keys(notes: Mapping[str, MemoryNote]) -> Iterable[MemoryStep]:
    groups: dict[tuple[str, str], list[MemoryNote]] = {}
    for note in standing(notes):
        if note.key:
            groups.setdefault((note.kind, note.key), []).append(note)
    for _, group in sorted(groups.items()):
        best = max(group, key=lambda n: (n.told_by == "person", n.day, n.id))
        for note in sorted(group, key=lambda n: (n.day, n.id)):
            if note.id != best.id:
                same = fold(note.value) == fold(best.value)
                yield _step("double" if same else "two-values", note, best)


def _chains(notes: Mapping[str, MemoryNote]) -> Iterable[MemoryStep]:
    for note in notes.values():
        head, steps = resolved(notes, note.id)
        if steps >= LONG_CHAIN and head in notes:
            yield _step("long-chain", note, notes[head])


def _replaced(notes: Mapping[str, MemoryNote], today: str) -> Iterable[MemoryStep]:
    named = {note.successor_id for note in notes.values()}
    for note in notes.values():
        head, _ = resolved(notes, note.id)
        by = notes.get(head)
        is_end = note.successor_id and note.id not in named and note.kind != SAID
        if is_end and by is not None and _is_old(note.day, today) and _is_old(by.day, today):
            yield _step("old-replaced", note, by)


def _loose(notes: Mapping[str, MemoryNote], gone: set[str], today: str) -> Iterable[MemoryStep]:
    held = {s for n in notes.values() if n.id not in gone for _, s in n.sources}
    for note in notes.values():
        is_loose = note.kind == SAID and note.id not in held and note.successor is None
        if is_loose and _is_old(note.on, today):
            yield _step("loose-sentence", note, None)


def _is_old(day: str, today: str) -> bool:
    try:
        return (date.fromisoformat(today) - date.fromisoformat(day)).days >= MIN_AGE
    except ValueError:
        return False
