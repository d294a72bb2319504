"""What files are called that coding agents obey, in whatever folder they lie.

Hidden files and folders that they obey (`.cursor/`, `.github/`, `.mcp.json` …) need no row: nothing
hidden is a source or a page. Nor does a name that an agent reads only where its settings say so.
"""

from __future__ import annotations

import unicodedata

from llmwiki.core.quick_to_load import lazy_pattern

AGENT_FILES = frozenset(
    {
        "agent.md",  # Amp
        "agents.md",  # Codex, Copilot, Cursor, Jules, Zed and most others: https://agents.md
        "agents.override.md",  # Codex
        "claude.md",  # Claude Code
        "claude.local.md",
        "codebuddy.md",  # CodeBuddy
        "copilot-instructions.md",  # Copilot
        "crush.md",  # Crush
        "crush.local.md",
        "gemini.md",  # Gemini CLI
        "iflow.md",  # iFlow
        "qwen.md",  # Qwen Code
        "skill.md",  # agents with skills: https://agentskills.io
        "warp.md",  # Warp
    }
)
"""Folded as `is_agent_file` folds."""
AGENT_STEMS = frozenset(name.partition(".")[0] for name in AGENT_FILES)
"""Of a page's file the part before the first dot counts, so that no further one is taken."""
ROOT_FILES = ("CLAUDE.md", "AGENTS.md", "GEMINI.md")
"""Those at a wiki's root in which `wiki init` writes a block."""

_UNSEEN = lazy_pattern("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u206a-\u206f\ufeff\u00ad]")
"""What the disks of macOS leave out of a name."""
_MARK = " (document)"


def is_agent_file(path: str) -> bool:
    """Whether some disk takes the file at `path` for one that coding agents obey."""
    name = _UNSEEN.sub("", unicodedata.normalize("NFKC", path.rpartition("/")[2]))
    return name.casefold().rstrip(" .") in AGENT_FILES


def harmless(path: str) -> str:
    """`path`, or `CLAUDE (document).md` in its folder for a file that agents would obey."""
    if not is_agent_file(path):
        return path
    stem, dot, ending = path.rstrip(" .").rpartition(".")
    return f"{stem}{_MARK}{dot}{ending}"


def is_renamed(path: str) -> bool:
    """Whether `path` is one that `harmless` gave to another."""
    stem, mark, _ = path.rpartition(_MARK)
    return bool(mark) and is_agent_file(f"{stem}.md")
