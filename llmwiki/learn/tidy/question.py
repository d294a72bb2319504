"""Which notes one answer is about: those that may be of one thing stand together. Pure."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from llmwiki.core.secrets import redacted
from llmwiki.core.text import fence, sha256_hex
from llmwiki.language.tokens import terms_of, words
from llmwiki.learn.book import standing
from llmwiki.pages.memory_notes import MemoryNote

PART_CHARACTERS = 20_000
"""Of the notes of one part at most; from half of it on it ends where `_ENDS` says."""
_ENDS = 8
"""One word in so many ends a part, by the hash of the word: so a note more or less moves the bounds
of the parts beside it, and those further on are known for what was read."""
_SAYS = 1_000
"""Characters of a note that are shown."""


class NotesPart(NamedTuple):
    """What one answer is about."""

    notes: tuple[str, ...]
    """Ids of the notes that are shown: what an answer may name."""
    text: str
    """The notes, fenced."""

    @property
    def id(self) -> str:
        """A hash of what is shown: 16 hexadecimal digits."""
        return sha256_hex(self.text.encode())[:16]


def parts(notes: Iterable[MemoryNote]) -> Iterator[NotesPart]:
    """The notes that stand, packed: those that share their rarest common word stand together. A
    part of one note is none, for there is nothing to hold it against."""
    held = standing({note.id: note for note in notes})
    counts = Counter(term for note in held for term in note_terms(note))
    homes = sorted((_home(note, counts), note.day, note.id, note) for note in held)
    waiting: list[str] = []
    ids: list[str] = []
    size, last = 0, ""
    for home, _, ident, note in homes:
        row = _row(note)
        is_bound = home != last and size > PART_CHARACTERS // 2 and _ends_part(home)
        if is_bound or size + len(row) > PART_CHARACTERS:
            yield from _part(ids, waiting)
            waiting, ids, size = [], [], 0
        waiting.append(row)
        ids.append(ident)
        size, last = size + len(row), home
    yield from _part(ids, waiting)


def note_terms(note: MemoryNote) -> frozenset[str]:
    """The words of a note that say something, by their stems."""
    return frozenset(term for word in words(f"{note.key} {note.text}") for term in terms_of(word))


def _home(note: MemoryNote, counts: Counter[str]) -> str:
    """The rarest word that a note shares with another one; empty: it shares none."""
    return min(((counts[t], t) for t in note_terms(note) if counts[t] > 1), default=(1, ""))[1]


def _ends_part(home: str) -> bool:
    return int(sha256_hex(home.encode())[:8], 16) % _ENDS == 0


def _part(ids: Sequence[str], rows: Sequence[str]) -> Iterator[NotesPart]:
    if len(ids) > 1:
        yield NotesPart(tuple(ids), fence("notes", redacted("\n".join(rows))))


def _row(note: MemoryNote) -> str:
    row = {
        "note": note.id,
        "kind": note.kind,
        "told by": note.told_by,
        "day": note.day,
        "says": note.text[:_SAYS],
        "key": note.key,
        "value": note.value,
    }
    kept = {name: value for name, value in row.items() if value}
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))
