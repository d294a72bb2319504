"""What counts of an answer: each step of it is held against the notes as they are now. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.core.page_kinds import RULES
from llmwiki.core.plain_line import plain_line
from llmwiki.core.text import fold, normalise
from llmwiki.learn.gate import refuse_more
from llmwiki.learn.tidy.question import NotesPart, note_terms
from llmwiki.pages.memory_notes import MemoryNote

if TYPE_CHECKING:
    from llmwiki.learn.tidy.answer import TidiedSteps

STAYING_PERCENT = 75
"""Of the notes of a part, so many go on standing after one answer."""
LEAST_STRUCK = 2
"""Notes that an answer may strike however few there are."""


class NoteStep(NamedTuple):
    """One note that is struck, and leads to another one."""

    old: MemoryNote
    new: MemoryNote
    why: str
    is_same: bool
    """Whether both say the same; else the old one no longer holds."""


class NotNoted(NamedTuple):
    """A step that does not count."""

    what: str
    reason: str


class CheckedSteps(NamedTuple):
    """What of an answer is done, in order, and what is not."""

    steps: tuple[NoteStep, ...]
    left_out: tuple[NotNoted, ...]


def check(part: NotesPart, answer: TidiedSteps, notes: Iterable[MemoryNote]) -> CheckedSteps:
    """What counts of an answer to a part; `notes` are all notes of the memory, as they are now.

    Nothing counts that names a note which was not shown, or no longer stands. What a person told
    is struck for nothing that they did not tell, a rule for nothing but a rule of its kind. Of two
    that say the same the one that stays must have the numbers, the names and the "not" of the
    other; an outdated one must be the older, and share a word with what takes its place.
    """
    return _Check(part, {note.id: note for note in notes}).run(answer)


class _Check:
    def __init__(self, part: NotesPart, notes: Mapping[str, MemoryNote]) -> None:
        self._notes = {
            ident: notes[ident]
            for ident in part.notes
            if ident in notes and notes[ident].successor is None
        }
        may_go = len(self._notes) * (100 - STAYING_PERCENT) // 100
        self._room = max(may_go, LEAST_STRUCK)
        self._steps: dict[str, NoteStep] = {}
        self._left_out: list[NotNoted] = []

    def run(self, answer: TidiedSteps) -> CheckedSteps:
        for same in answer.same:
            self._take(same.note, same.into, same.why, _differs, is_same=True)
        for outdated in answer.outdated:
            self._take(outdated.note, outdated.by, outdated.why, _holds, is_same=False)
        return CheckedSteps(tuple(self._steps.values()), tuple(self._left_out))

    def _take(
        self,
        old: str,
        new: str,
        why: str,
        fault: Callable[[MemoryNote, MemoryNote], str],
        *,
        is_same: bool,
    ) -> None:
        reason = self._fault(old, new, why) or fault(self._notes[old], self._notes[new])
        if not reason and len(self._steps) >= self._room:
            reason = f"{STAYING_PERCENT} of 100 notes go on standing after one answer"
        if reason:
            what = plain_line(f"^{old} {'into' if is_same else 'by'} ^{new}", 60)
            self._left_out.append(NotNoted(what, reason))
        else:
            step = NoteStep(self._notes[old], self._notes[new], normalise(why), is_same)
            self._steps[old] = step

    def _fault(self, old: str, new: str, why: str) -> str:
        for ident in (old, new):
            if ident not in self._notes:
                return f"no standing note ^{plain_line(ident, 30)} was shown"
        if old == new:
            return "both are one note"
        if old in self._steps or new in self._steps:
            return "one of the two goes already"
        if any(step.new.id == old for step in self._steps.values()):
            return "another note goes for it"
        if self._notes[old].told_by == "person" and self._notes[new].told_by != "person":
            return "a person told it, and nobody else's words take its place"
        kinds = {self._notes[each].kind for each in (old, new)}
        if len(kinds) > 1 and kinds.intersection(RULES):
            return "a preference or procedure changes places with its like only"
        return "" if normalise(why) else "it says no reason"


def _differs(old: MemoryNote, new: MemoryNote) -> str:
    """Why two notes do not say the same; empty where they do."""
    if old.kind != new.kind:
        return "they are of two kinds"
    if old.key and not new.key:
        return "the one that goes has a key, and the one that stays has none"
    if old.key and old.key == new.key and fold(old.value) != fold(new.value):
        return "they give one key two values: the later one holds"
    try:
        refuse_more(old.text, old.value, [f"{new.text} {new.key} {new.value}"])
    except ValueError:
        return "the one that stays does not say all of it"
    return ""


def _holds(old: MemoryNote, new: MemoryNote) -> str:
    """Why a note still holds beside another one; empty where it may be outdated."""
    if not old.day or not new.day or new.day < old.day:
        return "it was not told before the note that takes its place"
    return "" if note_terms(old) & note_terms(new) else "they share no word"
