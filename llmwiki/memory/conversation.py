"""A conversation as memory sees it: who said what in which turn. Pure.

Who spoke is computed by whoever makes a `Statement`; no model has a field for it. What an extractor
is shown is made here: the words that a person typed, and answers of the agent that were written
while no text of others was visible. What a tool gave, a page said or a person pasted is never among
them, so that nothing in it can become a memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import NamedTuple

from llmwiki.core.language.sentences import sentence_pieces
from llmwiki.core.quick_to_load import lazy_pattern
from llmwiki.core.text import fence, fold

TELLER_OF: Mapping[str, str] = MappingProxyType(
    {
        "typed": "person",
        "agent": "agent",
        "pasted": "file",
        "file": "file",
        "wiki": "page",
        "recall": "page",
        "web": "web",
        "tool": "tool",
    }
)
"""Who told what a block of this origin says."""
ECHO = 0.8
"""A text that shares so much with what was shown is no words of the one who sent it."""
SHINGLE = 4
"""Words, or characters of scripts without blanks, of one piece of a comparison."""

_CONTAMINATED = lazy_pattern(
    r"<!-- [a-z-]{1,40}(?:promotion|memory)[a-z-]{0,20}:|<<<[a-z]+ [0-9a-f]{6}"
    r"|\bevidence: \S{0,200}(?:\.dreams/|\bDREAMS\.md)"
    r"|\bconfidence: \d[\d.]{0,8} evidence: \S{1,300} recalls: \d",
    re.IGNORECASE,
)
_SENT = frozenset(("pasted", "file", "recall"))
"""Origins of what comes along with a message, in whatever order."""
_PIECE = re.compile(r"[^\W_]+")
_BLANKLESS = lazy_pattern(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class Statement:
    """A piece of what was said, of one origin."""

    turn: int
    """From 1."""
    origin: str
    """As the blocks of a transcript have it: `typed`, `agent`, `pasted`, `tool` …"""
    text: str
    """Without keys and passwords."""
    ts: float = 0.0
    """Seconds since the epoch."""
    is_tainted: bool = False
    """Whether text of others was visible when the agent wrote it."""

    @property
    def told_by(self) -> str:
        """Who told it; empty for what the program itself wrote."""
        return TELLER_OF.get(self.origin, "")

    @property
    def is_evidence(self) -> bool:
        """Whether a memory may rest on it."""
        is_own = self.origin == "typed" or (self.origin == "agent" and not self.is_tainted)
        return is_own and bool(self.text.strip()) and not is_contaminated(self.text)


class LearnedQuote(NamedTuple):
    """Words of one statement, exactly."""

    turn: int
    words: str


class LearnedItem(NamedTuple):
    """One thing that was learned, and the words it rests on."""

    text: str
    """Understood by somebody who was not there."""
    kind: str
    """One of `page_and_note_kinds.NOTE_KINDS`."""
    quotes: tuple[LearnedQuote, ...]
    key: str = ""
    """What it is about: a later one with another value takes its place. Empty: nothing does."""
    value: str = ""
    replaces: str = ""
    """The id of the note that is no longer true; empty: none."""


@dataclass(frozen=True, slots=True)
class HeardQuote:
    """A quote, and the statement that it was found in."""

    said: Statement
    words: str
    """As they stand there."""


@dataclass(frozen=True, slots=True)
class CheckedItem:
    """One that was taken."""

    item: LearnedItem
    quotes: tuple[HeardQuote, ...]

    @property
    def turn(self) -> int:
        """The turn that taught it: the last one it rests on."""
        return max(quote.said.turn for quote in self.quotes)

    @property
    def told_by(self) -> str:
        """`person` where any of it was typed, else `agent`."""
        return "person" if any(q.said.origin == "typed" for q in self.quotes) else "agent"


class RefusedItem(NamedTuple):
    """One that was not taken."""

    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Talk:
    """One conversation."""

    session: str
    statements: tuple[Statement, ...]
    host: str = "wiki"
    """Which program held it: `wiki`, `claude`, `codex`."""
    offset: int = 0
    """Seconds that the person's clock is ahead of UTC."""
    folder: str = ""
    """Where it was held, absolute; empty: not known."""
    skipped: int = 0
    """Lines of the transcript that could not be read."""
    noted: tuple[LearnedItem, ...] = ()
    """What the agent noted at once while it lasted."""

    def is_noted(self, item: LearnedItem) -> bool:
        """Whether one that was noted at once says an item: its words or its quotes overlap."""
        return any(
            _overlap(item.text, noted.text)
            or all(any(_overlap(q.words, n.words) for n in noted.quotes) for q in item.quotes)
            for noted in self.noted
        )

    def evidence(self) -> tuple[Statement, ...]:
        """What a memory may rest on: all that an extractor is shown. What was shown only later,
        such as a tool's answer, makes no echo of what was said."""
        sent: dict[int, list[Statement]] = {}
        for said in self.statements:
            if said.origin in _SENT:
                sent.setdefault(said.turn, []).append(said)
        shown: set[str] = set()
        found = []
        for said in self.statements:
            for other in sent.pop(said.turn, []):
                shown |= _shingles(other.text)
            if _is_foreign(said) and said.origin not in _SENT:
                shown |= _shingles(said.text)
            if said.is_evidence and not _is_echo(said.text, shown):
                found.append(_without_echoes(said, shown))
        return tuple(found)

    def recalled(self) -> list[str]:
        """The passages of the wiki that what was said is about, the last ones first: those that an
        answer cites, and notes, which a person may correct."""
        answers = "\n".join(said.text for said in self.statements if said.origin == "agent")
        lines = [
            line
            for said in reversed(self.statements)
            if said.origin == "recall"
            for line in said.text.splitlines()
            if line.startswith("[[")
            and ("#^n-" in line.partition("]]")[0] or line.partition("]]")[0] in answers)
        ]
        return list(dict.fromkeys(lines))

    def day(self, ts: float) -> str:
        """The person's date at a moment."""
        return local_date(ts, self.offset)


def _overlap(one: str, other: str) -> bool:
    """Whether one of two texts, but for the stop at its end, holds the other."""
    first, second = (fold(text).rstrip(".!?。！？ ") for text in (one, other))
    return bool(first and second) and (first in second or second in first)


def _is_foreign(said: Statement) -> bool:
    return said.origin not in ("typed", "agent", "program") and bool(said.text)


def is_contaminated(text: str) -> bool:
    """Whether a text is marked as one that came out of a memory or out of a prompt."""
    return _CONTAMINATED.search(text) is not None


def _is_echo(text: str, shown: AbstractSet[str]) -> bool:
    own = _shingles(text)
    return bool(own) and len(own & shown) >= ECHO * len(own)


def _without_echoes(said: Statement, shown: AbstractSet[str]) -> Statement:
    """A statement without the sentences in it that were shown before: they may be pasted."""
    pieces = sentence_pieces(said.text) if shown else []
    kept = [piece for piece in pieces if not _is_echo(piece, shown)]
    return said if len(kept) == len(pieces) else replace(said, text="".join(kept))


def _shingles(text: str) -> frozenset[str]:
    words: list[str] = []
    for word in _PIECE.findall(fold(text)):
        words += list(word) if _BLANKLESS.search(word) else [word]
    return frozenset(
        " ".join(words[n : n + SHINGLE]) for n in range(max(len(words) - SHINGLE + 1, 0))
    )


def local_date(ts: float, offset: int, cutover: int = 0) -> str:
    """The date at a moment where clocks are `offset` seconds ahead of UTC and the day begins at
    the hour `cutover`: 2026-11-23."""
    moment = datetime.fromtimestamp(ts, UTC) + timedelta(seconds=offset, hours=-cutover)
    return moment.strftime("%Y-%m-%d")


def shown_text(statements: Iterable[Statement]) -> str:
    """What an extractor reads: turn, teller and words of each statement, fenced."""
    parts = [f"turn {said.turn}, {said.told_by}:\n{said.text}" for said in statements]
    return fence("conversation", "\n\n".join(parts))
