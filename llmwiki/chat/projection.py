"""Which tools are declared, and which may be used in which phase of the work: a table of a profile.
Pure.

All tools of a session are declared in each request, so that a provider's cache holds them; what
the phase leaves out is refused when it is called. What somebody has not allowed is no tool at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from llmwiki.chat.sections import BudgetItem, fitting


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

    def declared(self, sizes: Mapping[str, int]) -> tuple[str, ...]:
        """The tools that are declared, of those whose declarations have `sizes` tokens: in their
        order, up to the first that finds no room."""
        if not self.tokens:
            return tuple(sizes)
        items = [BudgetItem(name, 0, size) for name, size in sizes.items()]
        return fitting(items, self.tokens)

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
