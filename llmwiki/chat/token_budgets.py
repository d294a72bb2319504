"""What fits where: tokens counted, texts cut, budgets filled, windows judged. Pure; the numbers are
data of a profile or of a model's habit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from llmwiki.chat.profile import (
    BrandFiles,
    ProjectionRules,
    PromptMode,
    SectionPriority,
    SectionRow,
    TokenCounter,
    WindowRules,
)
from llmwiki.core.text import tokens_of

DEFAULT_WINDOW = 200_000
"""Tokens of a model of which nothing is known."""
LEAST_WINDOW = 16_000
"""Tokens of the smallest window a conversation is held in."""
SMALL_WINDOW = 32_000
"""Tokens below which a person is warned."""
USABLE = 0.9
"""Of a window: the rest is a reserve, for tokens are estimated."""

CUT = "\n\n[...truncated...]\n\n"


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


def threshold(named: int | None, general: int) -> int:
    """Per cent of the window; `named` counts from 5 to 100, `general` for anything else."""
    return named if named is not None and 5 <= named <= 100 else general


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


def shortened(text: str, most: int) -> str:
    """The first 70 % and the last 20 % of `most` characters, with a mark between; a text that is
    no longer than `most` stays as it is."""
    if len(text) <= most:
        return text
    head, tail = most * 7 // 10, most * 2 // 10
    return f"{text[:head]}{CUT}{text[len(text) - tail :]}"


def usable(window: int) -> int:
    """The tokens of a window that may be planned with."""
    return window * 9 // 10


def caps(window: int, rows: Sequence[SectionRow]) -> dict[str, int]:
    """The most that each section may take, in tokens."""
    return {row.name: usable(window) * row.percent // 100 for row in rows}


def filled(
    wanted: Mapping[str, int],
    priorities: Mapping[str, SectionPriority],
    most: Mapping[str, int],
    budget: int,
) -> dict[str, int]:
    """The tokens given to each part: what it wants, at most its cap, by priority and then in the
    order of `wanted`, until the budget is spent."""
    given = dict.fromkeys(wanted, 0)
    left = max(budget, 0)
    for name in sorted(wanted, key=lambda name: -priorities[name]):
        given[name] = min(wanted[name], most[name], left)
        left -= given[name]
    return given


def fitting(items: Sequence[tuple[str, int, int]], budget: int) -> tuple[str, ...]:
    """The names of the items (name, priority, tokens) that find room whole, those of higher
    priority first to choose; in the order in which they were given."""
    chosen: set[str] = set()
    for name, _, tokens in sorted(items, key=lambda item: -item[1]):
        if tokens > budget:
            break
        chosen.add(name)
        budget -= tokens
    return tuple(name for name, _, _ in items if name in chosen)


def brand_texts(rules: BrandFiles, files: Mapping[str, str], mode: PromptMode) -> dict[str, str]:
    """The files of a person that a mode begins with and that are there, in order, each cut."""
    found: dict[str, str] = {}
    left = rules.total
    for name in {"full": rules.full, "minimal": rules.minimal, "none": rules.none}[mode]:
        if files.get(name) and left > 0:
            found[name] = shortened(files[name], min(rules.caps.get(name, rules.cap), left))
            left -= len(found[name])
    return found


def declared(rules: ProjectionRules, sizes: Mapping[str, int]) -> tuple[str, ...]:
    """The tools that are declared, of those whose declarations have `sizes` tokens: in their order,
    up to the first that finds no room."""
    if not rules.tokens:
        return tuple(sizes)
    return fitting([(name, 0, size) for name, size in sizes.items()], rules.tokens)
