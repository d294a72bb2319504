"""How full a model's window is, and what must shrink now. Pure; the numbers are data."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
TEXT_SHARE = 0.75
"""Of the window, for a trigger by the size of the talk alone."""
MANY_MESSAGES = 20
INHERIT = -1
RETRIES = 2
"""How often a request that does not fit is sent again with less."""


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
    condense_model: str = "same"
    compression: float = 0.75
    """A summary longer than this share of what it tells is no summary."""


HABITS: tuple[WindowHabit, ...] = (
    WindowHabit(re.compile(r"claude-opus|claude-\d.*opus"), threshold=80, keep=5, compression=0.7),
    WindowHabit(re.compile(r"claude-(\d-\d-)?haiku|claude-haiku"), threshold=60, compression=0.8),
    WindowHabit(re.compile(r"claude-(\d-\d-)?sonnet"), condense_model="claude-3-5-haiku-20241022"),
    WindowHabit(re.compile(r"gpt-4-turbo"), 128_000, 70, condense_model="gpt-4-turbo"),
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


def is_long_talk(messages: int, tokens: int, window: int) -> bool:
    """Whether a talk is long by its messages or by its own size."""
    return messages > MANY_MESSAGES or tokens > int(window * TEXT_SHARE)


def prune_action(tokens: int, window: int) -> Literal["none", "soft", "hard"]:
    """What the share of the window asks for: nothing below 30 %, all but the end from 50 % on."""
    if 100 * tokens < 30 * window:
        return "none"
    return "soft" if 100 * tokens < 50 * window else "hard"


def summary_parts(count: int, keep: int = 4, most: int = 10) -> tuple[int, ...]:
    """How many messages each summary tells of a history of `count`: all but `keep`, in two halves
    where they are more than `most`."""
    told = max(count - keep, 0)
    if not told:
        return ()
    return (told,) if told <= most else (told // 2, told - told // 2)


def turn_limit(limits: Sequence[int | None]) -> int | None:
    """Turns of a history at most: the least of those that are named."""
    named = [limit for limit in limits if limit is not None]
    return min(named) if named else None


def tokens_by_characters(texts: Sequence[str]) -> int:
    """Two tokens for five characters, of whatever script: a counter for profiles."""
    return sum(len(text) for text in texts) * 2 // 5


def tokens_by_quarter(characters: int) -> int:
    """One token for four characters: a counter for profiles."""
    return -(-characters // 4)


def tokens_in(texts: Sequence[str]) -> int:
    """The estimate used everywhere else: a token for three bytes."""
    return sum(tokens_of(len(text.encode("utf-8", "surrogatepass"))) for text in texts)


def profile_threshold(thresholds: Mapping[str, int], profile: str, general: int) -> int:
    """The threshold of a profile of models, or the general one."""
    return threshold(thresholds.get(profile, INHERIT), general)
