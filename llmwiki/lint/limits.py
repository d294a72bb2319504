"""The numbers that rules compare with."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LintLimits:
    """The numbers that rules compare with; `lint.*` of the settings changes them."""

    stub_bytes: int = 100
    """A page whose body is shorter says nothing (llm-wiki-agent's health check)."""
    hub_stub_bytes: int = 500
    """A much-linked page whose body is shorter says too little (llm-wiki-agent)."""
    links: int = 2
    """A page should lead to at least so many others (llm-wiki-agent)."""
    missing_uses: int = 3
    """So many pages that use a name without a page make it worth one (llm-wiki-agent)."""
    chain: int = 3
    """So many claims that replaced one another are one too many to follow."""
    sources: int = 20
    """A page that rests on more sources speaks of too much."""
    aging_days: int = 30
    """From so many days on knowledge ages (OpenClaw memory-wiki)."""
    stale_days: int = 90
    """From so many days on it is stale (OpenClaw memory-wiki)."""
    is_foreign: bool = False
    """No number: whether nobody made this a wiki of ours (no `.llmwiki.toml`). Folders called
    `daily` or `sources` then mean what their author meant."""
