"""Which tools may be used in which phase of the work: a table of a profile. Pure.

All tools of a session are declared in each request, so that a provider's cache holds them; what
the phase leaves out is refused when it is called. What somebody has not allowed is no tool at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ProjectionRules:
    """The phases of a profile; without any, each tool may be used at any time."""

    phases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Phase to the categories of tools that it has."""
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Category to tools by name. A tool of no category may be used in every phase."""
    routes: Mapping[str, str] = field(default_factory=dict)
    """Route to the phase in which its messages are worked on; `*`: any other."""

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
