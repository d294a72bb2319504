"""What an extractor says was learned. Pure."""

from __future__ import annotations

from typing import NamedTuple


class LearnedQuote(NamedTuple):
    """Words of one statement, exactly."""

    turn: int
    words: str


class LearnedItem(NamedTuple):
    """One thing that was learned, and the words it rests on."""

    text: str
    """Understood by somebody who was not there."""
    kind: str
    """One of `core.note_kinds.NOTE_KINDS`."""
    quotes: tuple[LearnedQuote, ...]
    key: str = ""
    """What it is about: a later one with another value takes its place. Empty: nothing does."""
    value: str = ""
    replaces: str = ""
    """The id of the note that is no longer true; empty: none."""


class RefusedItem(NamedTuple):
    """One that was not taken."""

    text: str
    reason: str
