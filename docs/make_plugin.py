"""Writes into plugin/ what has its home elsewhere: the skills, and the version.

usage: python docs/make_plugin.py
"""

from __future__ import annotations

import json
from pathlib import Path

from llmwiki.version import __version__

ROOT = Path(__file__).parents[1]
PLUGIN = ROOT / "plugin"
SKILLS = ROOT / "llmwiki/changes/init_templates"
MANIFEST = PLUGIN / ".claude-plugin/plugin.json"


def skills() -> dict[Path, str]:
    """The files of the plugin's skills: those that `wiki init` makes."""
    return {
        PLUGIN / "skills" / place.stem / "SKILL.md": place.read_text("utf-8")
        for place in sorted(SKILLS.glob("wiki-*.md"))
    }


def manifest() -> str:
    """The plugin's manifest with the version of the program: hosts update where it changes."""
    told = json.loads(MANIFEST.read_text("utf-8"))
    return json.dumps({**told, "version": __version__}, indent=2, ensure_ascii=False) + "\n"


def files() -> dict[Path, str]:
    """All files that this makes, with their texts."""
    return {**skills(), MANIFEST: manifest()}


if __name__ == "__main__":
    for place, text in files().items():
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
