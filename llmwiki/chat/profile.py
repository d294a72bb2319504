"""Profiles: the tables by which a prompt is built and a talk kept small, read from `profiles/`.

A profile is data. It gives no permission. Where a repository chooses one, it says what the prompt
is made of and no more: when a talk shrinks and how often a model is called is the user's choice.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from llmwiki.chat.projection import ProjectionRules
from llmwiki.chat.sections import BrandFiles, SectionPriority, SectionRow
from llmwiki.chat.window import WindowRules
from llmwiki.core.errors import InputError

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

    @property
    def of_repository(self) -> ChatProfile:
        """What of it counts where a repository, and not the user, has chosen it."""
        return ChatProfile(self.sections, self.files, projection=self.projection)


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
