"""Profiles: the tables by which a prompt is built and a talk kept small, read from `profiles/`.

A profile is data. It gives no permission.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from llmwiki.core.errors import InputError

PromptMode = Literal["full", "minimal", "none"]
INHERIT = -1
TokenCounter = Literal["bytes/3", "characters*2/5", "characters/4"]


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
            parts = [
                *own,
                rendered(held).strip(),
            ]
        else:
            # A person's own words on who the agent is come before the program's.
            parts = [*(text.strip() for text in held.values()), *own]
        whole = "\n\n".join(filter(None, parts))
        return f"## {self.heading}\n\n{whole}" if self.heading and whole else whole


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


def rendered(files: Mapping[str, str]) -> str:
    """Files under their names."""
    return "".join(f"## {name}\n\n{text}\n\n" for name, text in files.items())


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
class ProjectionRules:
    """The phases of a profile; without any, each tool may be used at any time."""

    phases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Phase to the categories of tools that it has."""
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Category to tools by name. A tool of no category may be used in every phase."""
    routes: Mapping[str, str] = field(default_factory=dict)
    """Route to the phase in which its messages are worked on; `*`: any other."""
    tokens: int = 0
    """Of the declarations of all tools at most; 0: any number."""

    def phase_of(self, route: str) -> str:
        """The phase of a route; empty: there are none."""
        return self.routes.get(route, self.routes.get("*", ""))

    def has(self, tool: str, phase: str) -> bool:
        """Whether a phase has a tool. An unknown phase has none but those of no category."""
        listed = [name for name, tools in self.categories.items() if tool in tools]
        held = self.phases.get(phase, ())
        return not listed or any(name in held for name in listed)

    def why_not(self, tool: str, route: str) -> str:
        """Why a tool is not for a route; empty where it is."""
        phase = self.phase_of(route)
        if not phase or self.has(tool, phase):
            return ""
        return f"{tool} is not for {phase}, the phase of {route}"


PROFILES = ("wiki", "picoclaw", "clawdbot", "roo", "claw0", "layers2025")

Routing = Literal["one", "delegate", "classify"]
"""`one`: one route with all tools. `delegate`: the usual route has no tools and hands tasks on to
others, which words of a message may choose too. `classify`: as that, and the model says the route
of a message whose words choose none."""


@dataclass(frozen=True, slots=True)
class ChatProfile:
    """One profile."""

    sections: tuple[SectionRow, ...]
    """Of the system prompt, in their order."""
    files: BrandFiles
    window: WindowRules = field(default_factory=WindowRules)
    routing: Routing = "one"
    projection: ProjectionRules = field(default_factory=ProjectionRules)
    """Which tools are declared, and may be used when."""


@cache
def chat_profile(name: str) -> ChatProfile:
    """The profile of that name. Raises InputError where there is none."""
    if name not in PROFILES:
        raise InputError(
            f"chat.profile is {name[:40]!r}; it may be {', '.join(PROFILES)}",
        )
    data = tomllib.loads((files("llmwiki.chat") / "profiles" / f"{name}.toml").read_text("utf-8"))
    base = chat_profile(data["extends"]) if "extends" in data else None
    sections = tuple(_section(row) for row in data.get("section", ()))
    brand = BrandFiles(**data["files"]) if "files" in data else None
    return ChatProfile(
        sections or (base.sections if base else ()),
        brand or (base.files if base else BrandFiles()),
        WindowRules(**data.get("window", {})),
        data.get("routing", "one"),
        _projection(data.get("projection", {})),
    )


def _projection(data: Mapping[str, Any]) -> ProjectionRules:
    lists = {
        key: {name: tuple(each) for name, each in data.get(key, {}).items()}
        for key in ("phases", "categories")
    }
    return ProjectionRules(**lists, routes=data.get("routes", {}), tokens=data.get("tokens", 0))


def _section(row: Mapping[str, Any]) -> SectionRow:
    lists = {key: tuple(row[key]) for key in ("modes", "texts", "files") if key in row}
    priority = SectionPriority[row.get("priority", "medium").upper()]
    return SectionRow(**{**row, "priority": priority, "texts": (row["name"],), **lists})
