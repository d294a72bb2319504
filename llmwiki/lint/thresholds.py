"""The numbers that rules compare with."""

from __future__ import annotations

from dataclasses import dataclass

from llmwiki.core.options import BY_KEY, default_of


def _default(name: str) -> int:
    return int(default_of(f"lint.{name}"))


@dataclass(frozen=True, slots=True)
class LintLimits:
    """The numbers that rules compare with; `lint.*` of the settings changes them."""

    stub_bytes: int = _default("stub_bytes")
    """A page whose body is shorter says nothing (llm-wiki-agent's health check)."""
    missing_uses: int = _default("missing_uses")
    """So many pages that use a name without a page make it worth one (llm-wiki-agent)."""
    aging_days: int = _default("aging_days")
    """From so many days on knowledge ages (OpenClaw memory-wiki)."""
    stale_days: int = _default("stale_days")
    """From so many days on it is stale (OpenClaw memory-wiki)."""
    is_foreign: bool = False
    """No number: whether the pages are another tool's, by the settings or for want of them. Folders
    called `daily` or `sources` then mean what their author meant."""
    branch: str = str(BY_KEY["branch"].default)
    """No number: the branch on which index, overview and log are written; empty: none."""
