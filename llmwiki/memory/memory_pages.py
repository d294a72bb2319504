"""The memory as a set of pages that change together: its notes found, added, struck, led on.

Preferences and procedures stand on `wiki/memory.md`, which every conversation begins with; the
other kinds stand on the page of the day on which they were told, and are found when they are asked
for. A note that proves useful is promoted from there (`memory.use`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from llmwiki.core.language.figures_and_names import without_numbers
from llmwiki.core.language.search_terms import terms
from llmwiki.core.page_and_note_kinds import DAILY, MEMORY, RULES, SAID
from llmwiki.core.text import fold
from llmwiki.index.keys_of_names import slot_key
from llmwiki.index.lookups import LEADS, LET_GO, NOTE, SLOT
from llmwiki.memory.remember_phrases import is_correction
from llmwiki.pages import write, write_claims
from llmwiki.pages.memory_notes import (
    MemoryNote,
    learned_node,
    link_to,
    new_page,
    note_id,
    notes_of,
    said_id,
    said_node,
    with_sources,
)
from llmwiki.pages.page import Page
from llmwiki.version import SIGNED

if TYPE_CHECKING:
    from llmwiki.landing.wiki_state import WikiState
    from llmwiki.memory.conversation import CheckedItem, HeardQuote, Talk

MAX_DAY_BYTES = 32_000
"""UTF-8 of the page of a day; what was said beyond it is not kept."""


class MemoryPages:
    """The pages of the memory in one state of a wiki, and what is changed of them."""

    def __init__(self, state: WikiState) -> None:
        self._state = state
        self.changed: dict[str, Page] = {}
        """The pages that differ from the state, by path."""

    # --- reading -------------------------------------------------------------------------

    def page(self, path: str) -> Page | None:
        """A page as it is by now."""
        return self.changed.get(path) or self._state.page(path)

    def notes(self) -> Iterator[MemoryNote]:
        """All notes, sentences included, those of the memory's own page last."""
        return self._having(NOTE)

    def find(self, ident: str) -> MemoryNote | None:
        """The note of an id."""
        return next((note for note in self._having(NOTE + ident) if note.id == ident), None)

    def holders(self, kind: str, key: str) -> list[MemoryNote]:
        """The standing notes of a kind that say something of a key, the oldest first."""
        found = [
            note
            for note in self._having(SLOT + slot_key(kind, key))
            if (note.kind, note.key) == (kind, key) and key and note.successor is None
        ]
        return sorted(found, key=lambda note: (note.day, note.id))

    def resting_on(self, ident: str) -> list[MemoryNote]:
        """The notes that rest on a sentence."""
        return [n for n in self._having(LEADS + ident) if any(s == ident for _, s in n.sources)]

    def replaced_by(self, ident: str) -> list[MemoryNote]:
        """The notes that lead to this one in a step."""
        return [n for n in self._having(LEADS + ident) if n.successor_id == ident]

    def holding(self, words: str) -> list[MemoryNote]:
        """The notes, sentences included, whose text, key and value have all words of a search;
        words that no search looks for count only where there are no others."""
        wanted = set(terms(words))
        plain = () if wanted else fold(words).split()
        paths = self._state.with_words([words]) if wanted else self._state.having(NOTE)
        found = []
        for note in self._notes(sorted({*paths, *self.changed})):
            said = f"{note.text} {note.key} {note.value}"
            if wanted <= set(terms(said)) and all(word in fold(said) for word in plain):
                found.append(note)
        return found if wanted or plain else []

    def later(self, note: MemoryNote) -> list[MemoryNote]:
        """What took the place of a note, step by step; a circle is gone round once."""
        found = {note.id: note}
        while note.successor_id and note.successor_id not in found:
            after = self.find(note.successor_id)
            if after is None:
                break
            note = found[after.id] = after
        return list(found.values())[1:]

    def earlier(self, note: MemoryNote) -> list[MemoryNote]:
        """All that a note took the place of."""
        found, waiting = {note.id: note}, [note.id]
        while waiting:
            fresh = [n for n in self.replaced_by(waiting.pop()) if n.id not in found]
            found |= {n.id: n for n in fresh}
            waiting += [n.id for n in fresh]
        return list(found.values())[1:]

    def _having(self, key: str) -> Iterator[MemoryNote]:
        """The notes of the pages that have a key of the index, or that were changed."""
        return self._notes(sorted({*self._state.having(key), *self.changed}))

    def _notes(self, paths: Iterable[str]) -> Iterator[MemoryNote]:
        for path in paths:
            if path in self.changed:
                yield from notes_of(self.changed[path])
            elif (facts := self._state.fact(path)) is not None:
                yield from facts.notes

    # --- changing ------------------------------------------------------------------------

    def learn(self, found: CheckedItem, talk: Talk) -> bool:
        """Takes in one item with its sentences; whether it changed anything.

        A note that stands gets the sentences it lacks. One that was replaced and is told again
        stands again, unless it was told before what replaced it was.
        """
        sources = [(talk.day(q.said.ts), self._said_id(q, talk)) for q in found.quotes]
        item, ident = found.item, note_id(found.item.text)
        held = self.find(ident)
        if held is not None and {s for _, s in sources} <= {s for _, s in held.sources}:
            return False
        noted = held or self.find(note_id(item.text.rstrip(".。")))
        if noted is not None and noted.session == talk.session and noted.session:
            # It was noted at once, when it was asked for, with or without the full stop.
            return False
        if held is not None and held.successor is not None and not held.successor_id:
            # It was forgotten.
            return False
        if held is not None and held.told_by == "person" and found.told_by != "person":
            # It would bring an old value of theirs back as the newest.
            return False
        if any(self._is_let_go(quote, talk) for quote in found.quotes):
            return False
        for quote in found.quotes:
            self._say(quote, talk)
        day = max(name for name, _ in sources)
        if held is None:
            node = learned_node(
                item.text,
                kind=item.kind,
                told_by=found.told_by,
                key=item.key,
                value=item.value,
                sources=sources,
            )
            home = MEMORY if item.kind in RULES else f"{DAILY}{day}.md"
            self.put(write.add_to_section(self.made(home), "Notes", node))
        else:
            self.put(with_sources(self._there(held.path), ident, sources))
            if held.successor is not None and not self._is_outdated(held, day):
                self.put(write_claims.restore(self._there(held.path), ident))
        self.settle(item.kind, item.key, ident)
        if item.replaces:
            self.replace(item.replaces, ident)
        else:
            self._correct(ident, found)
        return True

    def _correct(self, ident: str, found: CheckedItem) -> None:
        """Strikes the one fact that a person's correction says again with other numbers; of
        several, nobody here knows which was meant."""
        if found.item.kind != "fact" or not any(is_correction(q.words) for q in found.quotes):
            return
        new = self.find(ident)
        if new is None or new.successor is not None or new.told_by != "person":
            return
        same = [
            note
            for note in self.holding(without_numbers(new.text))
            if (note.kind, note.successor) == (new.kind, None)
            and note.id != ident
            and _but_for_numbers(note) == _but_for_numbers(new)
        ]
        if len(same) == 1 and same[0].day <= new.day:
            self.supersede(same[0], new)

    def settle(self, kind: str, key: str, newest: str = "") -> list[tuple[str, str]]:
        """Lets one note of a key stand: the one told last, and of one day `newest`. The others
        lead to it; what an agent told never replaces what a person did. The pairs (old, new)."""
        holders = self.holders(kind, key)
        if len(holders) < 2:
            return []
        best = max(holders, key=lambda n: (n.told_by == "person", n.day, n.id == newest, n.id))
        for note in holders:
            if note.id != best.id:
                self.supersede(note, best)
        return [(note.id, best.id) for note in holders if note.id != best.id]

    def replace(self, old: str, new: str) -> None:
        """Strikes the note `old` for `new`, both by id, where it stands; what a person told is
        never replaced by what an agent did."""
        gone, kept = self.find(old), self.find(new)
        if gone is None or kept is None or old == new or gone.successor is not None:
            return
        if gone.kind != SAID and (gone.told_by != "person" or kept.told_by == "person"):
            self.supersede(gone, kept)

    def supersede(self, old: MemoryNote, new: MemoryNote) -> None:
        """Strikes a note for another one; what led to it by turns leads on by itself."""
        if new.successor_id == old.id:
            self.put(write_claims.restore(self._there(new.path), new.id))
        self.put(write_claims.strike(self._there(old.path), old.id, link_to(new)))

    def strike(self, note: MemoryNote, mark: str) -> None:
        """Strikes a note for nothing."""
        self.put(write_claims.strike(self._there(note.path), note.id, f"gone in {mark}"))

    def forget(self, note: MemoryNote, mark: str) -> None:
        """Takes the words of a note away; its id stays, so that nothing brings it back."""
        page = self._there(note.path)
        node = next(n for n in page.body if n.key == ("n", note.id))
        told = "  - told by: person; kind: fact" if note.kind != SAID else node.parts[0].raw
        words = f"- ~~forgotten~~ → gone in {mark} ^{note.id}"
        parts = tuple(part for part in node.parts if part.kind == "a")[:1]
        parts = tuple(type(node)(part.key, told) for part in parts)
        self.put(write.replace_node(page, type(node)(node.key, words, parts, node.gap)))

    def move(self, note: MemoryNote, path: str) -> None:
        """Brings a note to another page, and what led to it along."""
        page = self._there(note.path)
        node = next(n for n in page.body if n.key == ("n", note.id))
        self.put(write.remove_node(page, node.key))
        bare = type(node)(node.key, node.raw, node.parts)
        self.put(write.add_to_section(self.made(path), "Notes", bare))
        moved = note._replace(path=path)
        for other in self.replaced_by(note.id):
            self.put(write_claims.lead_on(self._there(other.path), other.id, link_to(moved)))

    def made(self, path: str) -> Page:
        """A page, made where there is none."""
        return self.page(path) or new_page(path, SIGNED)

    def put(self, page: Page) -> None:
        """Takes a page as it shall be."""
        self.changed[page.path] = page

    def _there(self, path: str) -> Page:
        page = self.page(path)
        assert page is not None
        return page

    def _said_id(self, quote: HeardQuote, talk: Talk) -> str:
        return said_id(talk.session, quote.said.turn, quote.said.told_by, quote.words)

    def _say(self, quote: HeardQuote, talk: Talk) -> None:
        day = talk.day(quote.said.ts)
        page = self.made(f"{DAILY}{day}.md")
        node = said_node(
            quote.words,
            told_by=quote.said.told_by,
            day=day,
            session=talk.session,
            turn=quote.said.turn,
        )
        self.put(write.add_to_section(page, "Said", node))

    def _is_let_go(self, quote: HeardQuote, talk: Talk) -> bool:
        """Whether words of the same turn were forgotten: in other words they would come back."""
        place = (talk.session, quote.said.turn)
        return any(
            (note.session, note.turn) == place
            for note in self._having(LET_GO + talk.session)
            if note.kind == SAID and note.successor is not None and not note.successor_id
        )

    def _is_outdated(self, note: MemoryNote, day: str) -> bool:
        """Whether what took a note's place was told later than `day`."""
        by = self.find(note.successor_id) if note.successor_id else None
        return by is None or by.day > day

    def is_full(self, day: str) -> bool:
        """Whether no more is kept of a day."""
        page = self.page(f"{DAILY}{day}.md")
        return page is not None and len(page.text.encode()) > MAX_DAY_BYTES


def _but_for_numbers(note: MemoryNote) -> str:
    return without_numbers(fold(note.text)).rstrip(" .。")


def standing(notes: Mapping[str, MemoryNote]) -> list[MemoryNote]:
    """Those that hold: no sentences, and nothing that was replaced."""
    return [n for n in notes.values() if n.successor is None and n.kind != SAID]
