"""The skills that a repository has, by name and description: the first step of their disclosure."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.app.settings import read_bounded
from llmwiki.core.text import normalise
from llmwiki.pages.front import PageError
from llmwiki.pages.scan import body_start
from llmwiki.pages.syntax import load_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

PLACES = ("wiki/skills", "raw/skills", ".agents/skills", ".claude/skills")
"""Folders of skills; where two hold one of the same name, the first one's counts."""
MOST_BYTES = 20_000
"""Of a SKILL.md that are looked at."""
MOST_SKILLS = 200
"""Of one folder that are listed."""


class SkillRow(NamedTuple):
    """One skill."""

    name: str
    description: str
    """What it does and when to use it; what is wrong where it cannot be read."""
    path: str
    """Of its SKILL.md, below the root."""


def skills_of(root: Path) -> tuple[SkillRow, ...]:
    """The skills below a wiki's root, by name. Links are not followed."""
    found: dict[str, SkillRow] = {}
    for place in PLACES:
        for row in _skills_in(root, place):
            found.setdefault(row.name, row)
    return tuple(found[name] for name in sorted(found))


def _skills_in(root: Path, place: str) -> Iterator[SkillRow]:
    folder = root / place
    if folder.is_symlink() or not folder.is_dir():
        return
    for each in sorted(folder.iterdir())[:MOST_SKILLS]:
        file = each / "SKILL.md"
        if each.is_symlink() or file.is_symlink() or not file.is_file():
            continue
        path = file.relative_to(root).as_posix()
        try:
            text = read_bounded(file, MOST_BYTES).decode("utf-8", "replace")
            front = load_yaml("\n".join(text[: body_start(text)].strip().split("\n")[1:-1]))
        except (OSError, PageError) as error:
            yield SkillRow(each.name, f"cannot be read: {error}", path)
            continue
        name, description = (str(front.get(key) or "") for key in ("name", "description"))
        yield SkillRow(normalise(name) or each.name, normalise(description), path)
