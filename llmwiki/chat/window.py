"""How full a model's window is, and what must shrink now. Pure; the numbers are data."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from llmwiki.core.text import tokens_of

DEFAULT_WINDOW = 200_000
"""Tokens of a model of which nothing is known."""
LEAST_WINDOW = 16_000
"""Tokens of the smallest window a conversation is held in."""
SMALL_WINDOW = 32_000
"""Tokens below which a person is warned."""
USABLE = 0.9
"""Of a window: the rest is a reserve, for tokens are estimated."""
INHERIT = -1
TokenCounter = Literal["bytes/3", "characters*2/5", "characters/4"]


@dataclass(frozen=True, slots=True)
class WindowRules:
    """When and how a profile keeps a talk small. Percentages are of the window; 0: no such rule."""

    tokens: TokenCounter = "bytes/3"
    condenses: bool = True
    """Whether a talk shrinks at the threshold; else only where the answer finds no room."""
    threshold: int = INHERIT
    """Per cent; INHERIT: that of the model's habit."""
    messages: int = 0
    """A talk of more of them shrinks."""
    share: int = 0
    """Per cent; a talk that takes more of them, the prompt aside, shrinks."""
    soft: int = 0
    """Per cent; from there on a summary stands before the last messages, and nothing else."""
    hard: int = 0
    """Per cent; from there on the last messages stand alone."""
    turns: Mapping[str, int] = field(default_factory=dict)
    """Turns that are shown at most, by the beginning of the model's name; `all`, `user`: any."""
    keep: int = 0
    """Messages that stay when a talk shrinks; 0: as the model's habit has it."""
    keep_first: bool = True
    """Whether the first message stays, and the summary is told by the agent."""
    keep_words: bool = True
    """Whether what the person typed stays, word for word."""
    halves: int = 0
    """More messages than so many are summarised in two halves."""
    retries: int = 2
    """How often a request that does not fit is sent again with less."""
    dropped: int = 50
    """Per cent of the messages, the first and the last aside, that each of these hides."""


@dataclass(frozen=True, slots=True)
class WindowHabit:
    """How conversations with a family of models are kept small."""

    models: re.Pattern[str]
    """Matches the beginning of their names."""
    window: int = DEFAULT_WINDOW
    threshold: int = 75
    """Per cent of the window from which on a conversation is condensed."""
    keep: int = 3
    """Messages that a condensation leaves."""
    compression: float = 0.75
    """A summary longer than this share of what it tells is no summary."""


HABITS: tuple[WindowHabit, ...] = (
    WindowHabit(re.compile(r"claude-opus|claude-\d.*opus"), threshold=80, keep=5, compression=0.7),
    WindowHabit(re.compile(r"claude-(\d-\d-)?haiku|claude-haiku"), threshold=60, compression=0.8),
    WindowHabit(re.compile(r"gpt-4-turbo"), 128_000, 70),
    WindowHabit(re.compile(r"gpt-3\.5"), 16_000, 50),
)


def habit_of(model: str) -> WindowHabit:
    """The habits for a model; those of an unknown one are the defaults."""
    for habit in HABITS:
        if habit.models.match(model):
            return habit
    return WindowHabit(re.compile(""))


def window_of(*sizes: int | None) -> int:
    """The first size that somebody named, also where it is 0; else the default."""
    return next((size for size in sizes if size is not None), DEFAULT_WINDOW)


def window_check(window: int) -> Literal["refuse", "warn", "ok"]:
    """Whether a conversation can be held in a window of so many tokens."""
    if window < LEAST_WINDOW:
        return "refuse"
    return "warn" if window < SMALL_WINDOW else "ok"


def threshold(named: int, general: int) -> int:
    """Per cent of the window; `named` counts from 5 to 100, `general` for anything else."""
    return named if 5 <= named <= 100 else general


def must_shrink(
    tokens: int, window: int, reserve: int, percent: int, *, condenses: bool = True
) -> bool:
    """Whether a request of so many tokens is to shrink before it is sent.

    `reserve` are the tokens of the answer. Without `condenses` only the reserve decides.
    """
    if condenses and 100 * tokens >= percent * window:
        return True
    return tokens > window * USABLE - reserve


def is_long_talk(messages: int, tokens: int, window: int, rules: WindowRules) -> bool:
    """Whether a talk is long by its messages or by its own size."""
    is_many = bool(rules.messages) and messages > rules.messages
    return is_many or (bool(rules.share) and 100 * tokens > rules.share * window)


def prune_action(tokens: int, window: int, rules: WindowRules) -> Literal["none", "soft", "hard"]:
    """What the share of the window asks for."""
    if not rules.soft or 100 * tokens < rules.soft * window:
        return "none"
    return "soft" if 100 * tokens < rules.hard * window else "hard"


def summary_parts(count: int, most: int) -> tuple[int, ...]:
    """How many messages each summary tells of `count`: two halves where they are more than `most`,
    which is 0 for any number."""
    if not count:
        return ()
    return (count,) if not most or count <= most else (count // 2, count - count // 2)


def turn_limit(rules: WindowRules, model: str) -> int:
    """Turns of a talk with a model that are shown at most; 0: any number."""
    named = [
        most
        for name, most in rules.turns.items()
        if name in ("all", "user") or model.startswith(name)
    ]
    return min(named, default=0)


def tokens_in(texts: Sequence[str], counter: TokenCounter = "bytes/3") -> int:
    """The tokens of texts: an estimate, by bytes where no profile counts otherwise."""
    if counter == "bytes/3":
        return sum(tokens_of(len(text.encode("utf-8", "surrogatepass"))) for text in texts)
    characters = sum(map(len, texts))
    return characters * 2 // 5 if counter == "characters*2/5" else -(-characters // 4)
