"""The parts of a system prompt: their order, where each comes from, how long it may be.

What stays the same for a session stands first, so that a provider's cache holds it; nothing that
changes from turn to turn is part of the system prompt. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class SectionRow:
    """One part of the prompt, before it has a text."""

    name: str
    place: Literal["stable", "session", "turn"]
    """`stable`: the same for all sessions of a wiki as long as nobody edits raw/brand/; `session`:
    fixed when a session begins; `turn`: sent with the person's message, never in the prompt."""
    cap: int
    """Characters at most."""
    priority: SectionPriority
    modes: tuple[PromptMode, ...] = ("full",)
    files: tuple[str, ...] = ()
    """Files of raw/brand/ that are its text, where they are there."""


_C, _H, _M = SectionPriority.CRITICAL, SectionPriority.HIGH, SectionPriority.MEDIUM

SECTIONS: tuple[SectionRow, ...] = (
    SectionRow("identity", "stable", 5_000, _C, ("full", "minimal", "none"), ("IDENTITY.md",)),
    SectionRow("persona", "stable", 20_000, _H, files=("SOUL.md", "CHAT_PERSONA.md")),
    SectionRow("instructions", "stable", 20_000, _C, ("full", "minimal"), ("AGENTS.md",)),
    SectionRow("guidelines", "stable", 10_000, _M, files=("README.md",)),
    SectionRow("tooling", "stable", 20_000, _H, ("full", "minimal"), ("TOOLS.md",)),
    SectionRow("toolPolicies", "stable", 5_000, _H),
    SectionRow("skills", "stable", 30_000, _M),
    SectionRow("skillTriggers", "stable", 5_000, _M),
    SectionRow("memory", "session", 15_000, _H),
    SectionRow("memoryContext", "turn", 15_000, _M),
    SectionRow("workspace", "stable", 5_000, _M),
    SectionRow("projectContext", "session", 10_000, _M),
    SectionRow("sandbox", "stable", 2_000, _M),
    SectionRow("permissions", "stable", 2_000, _M),
    SectionRow("runtime", "session", 2_000, _M),
    SectionRow("model", "session", 1_000, _M),
    SectionRow("thinking", "session", 1_000, _M),
    SectionRow("channel", "session", 2_000, _M),
    SectionRow("chatContext", "session", 5_000, _M),
    SectionRow("user", "stable", 10_000, _M, files=("USER.md",)),
    SectionRow("timestamp", "turn", 200, _M),
)
"""All of them, in their order. One without a text is not part of a prompt."""


@dataclass(frozen=True, slots=True)
class PromptSection:
    """One part of a prompt with its text."""

    name: str
    text: str
    place: Literal["stable", "session", "turn"]
    source: str
    """Where the text comes from: `program`, or files of raw/brand/."""
    is_cut: bool = False

    @property
    def tokens(self) -> int:
        """An estimate."""
        return tokens_in([self.text])


def names_in(mode: PromptMode) -> tuple[str, ...]:
    """The sections of a mode, in their order."""
    return tuple(row.name for row in SECTIONS if mode in row.modes)


def built(
    texts: Mapping[str, str],
    brand: Mapping[str, str],
    mode: PromptMode,
    *,
    budget: int,
) -> tuple[PromptSection, ...]:
    """The sections that have a text, stable ones first, within `budget` tokens together.

    `texts` are the program's own by section, `brand` the files of raw/brand/ by name; a file's
    text follows the program's. Room is given by priority; a section that finds too little is cut,
    the end of its middle first, and one that finds none is left out.
    """
    wanted: dict[str, tuple[str, str, bool]] = {}
    rows = [row for row in SECTIONS if mode in row.modes]
    for row in rows:
        held = [name for name in row.files if brand.get(name, "").strip()]
        parts = [texts.get(row.name, ""), *(f"## {name}\n\n{brand[name]}" for name in held)]
        whole = "\n\n".join(part.strip() for part in parts if part.strip())
        cut = shortened(whole, row.cap)
        source = ", ".join(["program"] * bool(texts.get(row.name)) + held)
        if whole:
            wanted[row.name] = (cut, source, cut != whole)
    sizes = {name: tokens_in([text]) for name, (text, _, _) in wanted.items()}
    given = filled(sizes, {r.name: r.priority for r in rows}, sizes, budget)
    made: list[PromptSection] = []
    for row in rows:
        if row.name not in wanted or not given[row.name]:
            continue
        text, source, is_cut = wanted[row.name]
        if given[row.name] < sizes[row.name]:
            text, is_cut = shortened(text, 3 * given[row.name]), True
        made.append(PromptSection(row.name, text, row.place, source, is_cut))
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
class BootstrapOrder:
    """Which files of a person a prompt begins with, in which order."""

    full: tuple[str, ...]
    minimal: tuple[str, ...] = ()

    def names(self, mode: PromptMode) -> tuple[str, ...]:
        """The files of a mode."""
        return {"full": self.full, "minimal": self.minimal, "none": ()}[mode]


def loaded(
    files: Mapping[str, str], names: Sequence[str], *, most: int, total: int
) -> dict[str, str]:
    """The files among `names` that are there, in that order: each at most `most` characters, all
    together at most `total`."""
    found: dict[str, str] = {}
    left = total
    for name in names:
        if not files.get(name) or left <= 0:
            continue
        text = shortened(files[name], min(most, left))
        found[name] = text
        left -= len(text)
    return found


def rendered(files: Mapping[str, str]) -> str:
    """Files under their names."""
    return "".join(f"## {name}\n\n{text}\n\n" for name, text in files.items())


# --- budgets -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BudgetShare:
    """What a part of a window may take."""

    percent: int
    """Of what is usable."""
    priority: SectionPriority


LAYERS: Mapping[str, BudgetShare] = {
    "system": BudgetShare(5, _C),
    "task": BudgetShare(5, _C),
    "runtime": BudgetShare(3, _H),
    "memory.shortTerm": BudgetShare(20, _H),
    "memory.episodic": BudgetShare(15, _M),
    "memory.semantic": BudgetShare(10, _M),
    "memory.procedural": BudgetShare(7, _M),
    "evidence.observations": BudgetShare(25, _H),
    "evidence.ragResults": BudgetShare(10, _M),
    "workBuffer": BudgetShare(10, _M),
}
"""Shares of layers; they add to more than a whole, for each is a cap and not a reservation."""


def usable(window: int) -> int:
    """The tokens of a window that may be planned with."""
    return window * 9 // 10


def caps(window: int, shares: Mapping[str, BudgetShare] = LAYERS) -> dict[str, int]:
    """The most that each part may take, in tokens."""
    return {name: usable(window) * share.percent // 100 for name, share in shares.items()}


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
