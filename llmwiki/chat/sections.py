"""The parts of a system prompt: their order, where each comes from, how long it may be.

What stays the same for a session stands first, so that a provider's cache holds it; nothing that
changes from turn to turn is part of the system prompt. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Literal

from llmwiki.chat.window import tokens_in

PromptMode = Literal["full", "minimal", "none"]
SEPARATOR = "\n\n---\n\n"
CUT = "\n\n[...truncated...]\n\n"


class SectionPriority(IntEnum):
    """Who is given room first."""

    MEDIUM = 1
    HIGH = 2
    CRITICAL = 3


Place = Literal["stable", "session", "turn"]
"""`stable`: the same for all sessions of a wiki as long as nobody edits raw/brand/; `session`:
fixed when a session begins; `turn`: sent with the person's message, never in the prompt."""


@dataclass(frozen=True, slots=True)
class SectionRow:
    """One part of the prompt, before it has a text. One without a text is not part of a prompt."""

    name: str
    place: Place = "stable"
    cap: int = 20_000
    """Characters at most."""
    percent: int = 100
    """Of the usable window at most."""
    priority: SectionPriority = SectionPriority.MEDIUM
    modes: tuple[PromptMode, ...] = ("full",)
    texts: tuple[str, ...] = ()
    """The program's own texts that it holds, by name."""
    files: tuple[str, ...] = ()
    """Files of raw/brand/ that it holds, where they are there."""
    heading: str | None = None
    """What stands above it; empty: nothing; None: each file under its name, behind the rest."""

    def text(self, texts: Mapping[str, str], brand: Mapping[str, str]) -> str:
        """Its text, before it is cut."""
        own = [texts.get(name, "").strip() for name in self.texts]
        held = {name: brand[name] for name in self.files if brand.get(name, "").strip()}
        if self.heading is None:
            parts = [*own, rendered(held).strip()]
        else:
            # A person's own words on who the agent is come before the program's.
            parts = [*(text.strip() for text in held.values()), *own]
        whole = "\n\n".join(filter(None, parts))
        return f"## {self.heading}\n\n{whole}" if self.heading and whole else whole


@dataclass(frozen=True, slots=True)
class PromptSection:
    """One part of a prompt with its text."""

    name: str
    text: str
    place: Place
    source: str
    """Where the text comes from: `program`, or files of raw/brand/."""
    is_cut: bool = False

    @property
    def tokens(self) -> int:
        """An estimate."""
        return tokens_in([self.text])


def built(
    rows: Sequence[SectionRow],
    texts: Mapping[str, str],
    brand: Mapping[str, str],
    mode: PromptMode,
    *,
    budget: int,
    window: int,
) -> tuple[PromptSection, ...]:
    """The sections that have a text, stable ones first, within `budget` tokens together.

    `texts` are the program's own by name, `brand` the files of raw/brand/ by name. Room is given by
    priority; a section that finds too little is cut, the end of its middle first, and one that
    finds none is left out.
    """
    chosen = [row for row in rows if mode in row.modes]
    whole = {row.name: row.text(texts, brand) for row in chosen}
    cut = {row.name: shortened(whole[row.name], row.cap) for row in chosen if whole[row.name]}
    sizes = {name: tokens_in([text]) for name, text in cut.items()}
    given = filled(sizes, {r.name: r.priority for r in rows}, caps(window, rows), budget)
    made: list[PromptSection] = []
    for row in chosen:
        if not given.get(row.name):
            continue
        text = cut[row.name]
        if given[row.name] < sizes[row.name]:
            text = shortened(text, 3 * given[row.name])
        held = [name for name in row.files if brand.get(name, "").strip()]
        own = ["program"] * any(texts.get(name) for name in row.texts)
        source = ", ".join([*own, *held])
        made.append(PromptSection(row.name, text, row.place, source, text != whole[row.name]))
    order = {"stable": 0, "session": 1, "turn": 2}
    return tuple(sorted(made, key=lambda section: order[section.place]))


def joined(parts: Sequence[str]) -> str:
    """The parts of a prompt as one text."""
    return SEPARATOR.join(parts)


def shortened(text: str, most: int) -> str:
    """The first 70 % and the last 20 % of `most` characters, with a mark between; a text that is
    no longer than `most` stays as it is."""
    if len(text) <= most:
        return text
    head, tail = most * 7 // 10, most * 2 // 10
    return f"{text[:head]}{CUT}{text[len(text) - tail :]}"


# --- files of a person -------------------------------------------------------------------

FILE_CAPS: Mapping[str, int] = {
    "AGENTS.md": 20_000,
    "SOUL.md": 20_000,
    "TOOLS.md": 20_000,
    "IDENTITY.md": 5_000,
    "USER.md": 10_000,
    "README.md": 10_000,
}
"""Characters of a file of raw/brand/ at most."""


@dataclass(frozen=True, slots=True)
class BrandFiles:
    """Which files of a person a prompt begins with, in which order, and how much of them."""

    full: Sequence[str] = ()
    minimal: Sequence[str] = ()
    none: Sequence[str] = ()
    cap: int = 20_000
    """Characters of a file that is not in `caps`."""
    caps: Mapping[str, int] = field(default_factory=lambda: FILE_CAPS)
    total: int = 150_000
    """Characters of all of them together."""

    def loaded(self, files: Mapping[str, str], mode: PromptMode) -> dict[str, str]:
        """Those of a mode that are there, in their order, each cut."""
        found: dict[str, str] = {}
        left = self.total
        names = {"full": self.full, "minimal": self.minimal, "none": self.none}[mode]
        for name in names:
            if files.get(name) and left > 0:
                found[name] = shortened(files[name], min(self.caps.get(name, self.cap), left))
                left -= len(found[name])
        return found


def rendered(files: Mapping[str, str]) -> str:
    """Files under their names."""
    return "".join(f"## {name}\n\n{text}\n\n" for name, text in files.items())


# --- budgets -----------------------------------------------------------------------------


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


@dataclass(frozen=True, slots=True)
class BudgetItem:
    """Something that goes into a prompt whole or not at all."""

    id: str
    priority: int
    tokens: int


def fitting(items: Sequence[BudgetItem], budget: int) -> tuple[str, ...]:
    """The ids of the items that find room, those of higher priority first to choose; in the order
    in which they were given."""
    chosen: set[str] = set()
    for item in sorted(items, key=lambda item: -item.priority):
        if item.tokens > budget:
            break
        chosen.add(item.id)
        budget -= item.tokens
    return tuple(item.id for item in items if item.id in chosen)
