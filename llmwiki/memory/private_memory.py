"""The private files of the memory: items that wait, counters, a person's answer. Never committed.

All of it lies below the common git directory. None of it decides what holds: in a clone that has
none of it nothing is demoted, struck or left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from llmwiki.core.text import normalise, sha256_hex
from llmwiki.git.store.private_files import PrivateFiles
from llmwiki.memory.conversation import (
    CheckedItem,
    HeardQuote,
    LearnedItem,
    LearnedQuote,
    Statement,
    Talk,
)

FOLDER = "memory"
_PENDING = f"{FOLDER}/pending"
_DROPPED = f"{FOLDER}/dropped.json"
_ANSWER = f"{FOLDER}/answer.json"
_COUNTERS = f"{FOLDER}/counters.json"
_SEEN = f"{FOLDER}/seen"
MAX_COUNTED = 5_000
"""Notes whose use is counted; the ones that were used longest ago go first."""


@dataclass(frozen=True, slots=True)
class PendingItem:
    """Something learned that waits for a person's yes."""

    id: str
    """8 hexadecimal digits."""
    item: CheckedItem
    session: str
    host: str
    offset: int

    @property
    def talk(self) -> Talk:
        """The conversation, as far as this item needs it."""
        said = tuple(quote.said for quote in self.item.quotes)
        return Talk(self.session, said, self.host, self.offset)


@dataclass(frozen=True, slots=True)
class NoteUse:
    """How often a note was shown for what was asked."""

    recalls: int = 0
    score: int = 0
    """Sum of what it was worth each time, in millionths."""
    days: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    """8 hexadecimal digits of the hash of each question; no words."""
    first: str = ""
    """The day of the first time."""


class PrivateMemory:
    """The private files of the memory."""

    def __init__(self, files: PrivateFiles) -> None:
        self._files = files

    # --- may what is learned be committed? -----------------------------------------------

    @property
    def answer(self) -> str:
        """What the person said in this clone: `always`, `never`, or empty."""
        held = self._json(_ANSWER).get("commit", "")
        return held if held in ("always", "never") else ""

    @answer.setter
    def answer(self, value: str) -> None:
        self._put(_ANSWER, {"commit": value})

    # --- what waits ----------------------------------------------------------------------

    def pending(self) -> tuple[PendingItem, ...]:
        """What waits, in the order it was said."""
        found = []
        for name in self._files.names(_PENDING):
            ident = name.rpartition("/")[2].removesuffix(".json")
            try:
                found.append(_pending_of(ident, self._json(name)))
            except (KeyError, TypeError, ValueError):
                continue
        order = [(each.item.quotes[0].said.ts, each.id) for each in found]
        return tuple(each for _, each in sorted(zip(order, found, strict=True), key=lambda p: p[0]))

    def keep(self, talk: Talk, items: Iterable[CheckedItem]) -> tuple[PendingItem, ...]:
        """Lets items wait; the same one twice is one."""
        kept = []
        for item in items:
            shape = {
                "item": item.item._asdict(),
                "said": [asdict(quote.said) for quote in item.quotes],
                "words": [quote.words for quote in item.quotes],
                "session": talk.session,
                "host": talk.host,
                "offset": talk.offset,
            }
            ident = _pending_id(talk, item)
            self._put(f"{_PENDING}/{ident}.json", shape)
            kept.append(_pending_of(ident, shape))
        return tuple(kept)

    def settle(self, talk: Talk, items: Iterable[CheckedItem]) -> None:
        """Lets those of these items go that wait: they have landed."""
        for item in items:
            self._delete(_pending_id(talk, item))

    def drop(self, ident: str) -> None:
        """Lets an item go, for good: the same words of the same turn do not come back."""
        gone = sorted({*self._dropped(), ident})
        self._put(_DROPPED, {"ids": gone[-MAX_COUNTED:]})
        self._delete(ident)

    def dropped(self, talk: Talk, items: Iterable[CheckedItem]) -> list[CheckedItem]:
        """Those of the items that the person has let go."""
        gone = self._dropped()
        return [item for item in items if gone and _pending_id(talk, item) in gone]

    def _dropped(self) -> frozenset[str]:
        return frozenset(map(str, self._json(_DROPPED).get("ids", ())))

    def _delete(self, ident: str) -> None:
        self._files.delete(f"{_PENDING}/{ident}.json")

    # --- what was read -------------------------------------------------------------------

    def read_to(self, session: str) -> int:
        """The last turn of a conversation that an extractor has seen."""
        turn = self._json(self._seen(session)).get("turn", 0)
        return turn if isinstance(turn, int) else 0

    def note_read(self, session: str, turn: int) -> None:
        """Notes that an extractor has seen a conversation up to a turn."""
        self._put(self._seen(session), {"turn": turn})

    # --- use -----------------------------------------------------------------------------

    def uses(self) -> dict[str, NoteUse]:
        """The use of each note that was ever shown in this clone, by id."""
        found = {}
        for ident, row in self._json(_COUNTERS).items():
            rows = {key: tuple(row[key]) for key in ("days", "queries")}
            found[ident] = NoteUse(**{**row, **rows})
        return found

    def count(self, ids: Iterable[str], *, question: str, score: int, day: str) -> None:
        """Counts that notes were shown for a question; `score` in millionths."""
        uses = self.uses()
        query = sha256_hex(question.encode("utf-8", "replace"))[:8]
        for ident in dict.fromkeys(ids):
            old = uses.pop(ident, NoteUse(first=day))
            uses[ident] = NoteUse(
                old.recalls + 1,
                old.score + score,
                tuple(sorted({*old.days, day}))[-30:],
                tuple(sorted({*old.queries, query}))[-30:],
                old.first,
            )
        kept = dict(list(uses.items())[-MAX_COUNTED:])
        self._put(_COUNTERS, {ident: asdict(use) for ident, use in kept.items()})

    def forget(self, ids: Iterable[str], words: Iterable[str] = ()) -> None:
        """Drops counters of notes, and all that waits and holds any of these words."""
        gone = set(ids)
        uses = self.uses()
        if gone & uses.keys():
            left = {k: asdict(use) for k, use in uses.items() if k not in gone}
            self._put(_COUNTERS, left)
        gone_words = tuple(map(normalise, words))
        for each in self.pending():
            held = [normalise(each.item.item.text)]
            held += [normalise(q.said.text) for q in each.item.quotes]
            if any(word in text for word in gone_words for text in held):
                self._delete(each.id)

    # --- files ---------------------------------------------------------------------------

    def _seen(self, session: str) -> str:
        return f"{_SEEN}/{sha256_hex(session.encode('utf-8', 'replace'))[:16]}.json"

    def _json(self, name: str) -> dict[str, Any]:
        try:
            found = json.loads(self._files.read(name) or b"{}")
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    def _put(self, name: str, data: Mapping[str, Any]) -> None:
        self._files.write(name, json.dumps(data, ensure_ascii=False, sort_keys=False).encode())


def _pending_id(talk: Talk, item: CheckedItem) -> str:
    named = [talk.session, item.turn, item.item.text]
    return sha256_hex(json.dumps(named).encode())[:8]


def _pending_of(ident: str, data: Mapping[str, Any]) -> PendingItem:
    held = data["item"]
    told = tuple(LearnedQuote(*each) for each in held["quotes"])
    item = LearnedItem(**{**held, "quotes": told})
    said = [Statement(**each) for each in data["said"]]
    quotes = tuple(HeardQuote(s, str(w)) for s, w in zip(said, data["words"], strict=True))
    return PendingItem(
        ident, CheckedItem(item, quotes), str(data["session"]), data["host"], int(data["offset"])
    )
