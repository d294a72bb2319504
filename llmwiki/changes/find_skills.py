"""The skills of a wiki: where they lie, and which of those of one name counts.

What is more particular goes first: skills of people in raw/skills/, then those that the agent made
in wiki/skills/, then those for coding agents beside the wiki, then those that come with the
program. Nothing is read through a link.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Literal

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.core.text import nearest
from llmwiki.git.worktree_files import Folders
from llmwiki.pages.frontmatter import PageError
from llmwiki.pages.skill_file import MOST_NAME, SKILL_NAME, SkillFile, read_skill

if TYPE_CHECKING:
    from pathlib import Path

    from llmwiki.git.repository import Repository

SKILLS = (
    "wiki-ingest",
    "wiki-query",
    "wiki-lint",
    "wiki-graph",
    "wiki-memory",
    "wiki-remember",
    "wiki-undo",
)
"""Those that come with the program."""

SkillOrigin = Literal["person", "agent", "project", "built-in"]

PLACES: Mapping[str, SkillOrigin] = {
    "raw/skills": "person",
    "wiki/skills": "agent",
    ".agents/skills": "project",
    ".claude/skills": "project",
}
"""Folders of skills; where two hold one of the same name, the first one's counts."""
EMPTY = SkillFile({}, "")
"""Of a skill that cannot be read."""
MOST_BYTES = 200_000
"""Of one file of a skill."""
MOST_SKILLS = 200
"""Of one folder."""
MOST_FILES = 100
"""Of one skill."""
DEPTH = 4
"""Folders within a folder of a skill."""


def constant(name: str) -> str:
    """A text that comes with the program."""
    return (resources.files("llmwiki.changes") / "init_templates" / name).read_text("utf-8")


@dataclass(frozen=True, slots=True)
class FoundSkill:
    """One skill."""

    name: str
    """That of its folder."""
    origin: SkillOrigin
    folder: str
    """Below the wiki's root; empty where it comes with the program and lies nowhere."""
    text: str = ""
    """Of its SKILL.md."""
    file: SkillFile = EMPTY
    wrong: str = ""
    """Why it cannot be read; empty where it can."""
    hidden_by: str = ""
    """The folder of the skill of the same name that counts in its place."""

    @property
    def path(self) -> str:
        """Of its SKILL.md."""
        return f"{self.folder}/SKILL.md" if self.folder else ""

    @property
    def is_used(self) -> bool:
        """Whether it is the one of its name that counts, and can be read."""
        return not self.wrong and not self.hidden_by


def find_skills(repo: Repository, *, own: bool = False) -> tuple[FoundSkill, ...]:
    """All skills, by name; of one name, the one that counts first. `own`: without those that come
    with the program, which are for coding agents."""
    found: dict[str, list[FoundSkill]] = {}
    with repo.folders() as folders:
        for place in PLACES:
            for skill in _skills_in(folders, repo.prefix, place, own=own):
                found.setdefault(skill.name, []).append(skill)
    for name in () if own else SKILLS:
        if not any(skill.origin == "built-in" for skill in found.get(name, ())):
            found.setdefault(name, []).append(_of_program(name))
    return tuple(skill for name in sorted(found) for skill in preferred(found[name]))


def preferred(same: Iterable[FoundSkill]) -> Iterator[FoundSkill]:
    """Skills of one name as they come, the more particular first: all but the first are hidden."""
    first = None
    for skill in same:
        if first is None:
            first = skill
            yield skill
        elif (skill.origin, skill.text) != (first.origin, first.text):
            yield replace(skill, hidden_by=first.folder)


def skill_named(skills: Iterable[FoundSkill], name: str) -> FoundSkill:
    """The skill of a name that counts. Raises InputError where there is none."""
    known = {skill.name: skill for skill in skills if not skill.hidden_by}
    if name not in known:
        near = nearest(name, known)
        hint = f"Did you mean {near[0]}? " if near else ""
        raise InputError(
            f"there is no skill {name[:64]!r}", fix=f"{hint}`wiki skills list` lists them."
        )
    return known[name]


def files_of(repo: Repository, skill: FoundSkill) -> tuple[str, ...]:
    """The files of a skill beside its SKILL.md, below its folder, sorted."""
    if not skill.folder:
        return ()
    with repo.folders() as folders:
        found = _names(folders, repo.prefix + skill.folder, "", DEPTH)
        return tuple(sorted(name for name in found if name != "SKILL.md")[:MOST_FILES])


def read_file(repo: Repository, skill: FoundSkill, name: str) -> str:
    """The text of one file of a skill.

    Raises InputError for none or for what is no text, PolicyError for one that is too long.
    """
    if not skill.folder or name not in files_of(repo, skill):
        raise InputError("this skill has no such file", where=f"{skill.name}/{name}"[:200])
    with repo.folders() as folders:
        data = _read(folders, f"{repo.prefix}{skill.folder}/{name}")
    if data is None or b"\0" in data:
        raise InputError("is no text", where=f"{skill.folder}/{name}")
    return data.decode("utf-8", "replace")


def folders_of(repo: Repository, place: str) -> list[str]:
    """The folders of skills in one of `PLACES`, whether or not they hold a SKILL.md."""
    with repo.folders() as folders:
        return [f"{place}/{name}" for name in _folders_in(folders, repo.prefix + place)]


def files_below(top: Path) -> dict[str, bytes]:
    """The files of a skill that may lie anywhere, by their names below its folder.

    Raises OSError where there is no such folder, PolicyError for a file that is too long.
    """
    with Folders(top) as folders:
        names = sorted(_names(folders, "", "", DEPTH))[:MOST_FILES]
        return {name: _read(folders, name) or b"" for name in names}


def _skills_in(folders: Folders, prefix: str, place: str, *, own: bool) -> Iterator[FoundSkill]:
    for name in _folders_in(folders, prefix + place):
        folder = f"{place}/{name}"
        try:
            data = _read(folders, f"{prefix}{folder}/SKILL.md")
        except (PolicyError, OSError) as error:
            said = error.what if isinstance(error, PolicyError) else str(error.strerror)
            yield FoundSkill(name, PLACES[place], folder, wrong=said)
            continue
        text = (data or b"").decode("utf-8", "replace")
        if data is not None and not (own and _is_built_in(name, PLACES[place], text)):
            yield _parsed(name, PLACES[place], folder, text)


def _folders_in(folders: Folders, place: str) -> list[str]:
    try:
        with os.scandir(folders.descriptor(place)) as entries:
            names = (entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
            return sorted(names)[:MOST_SKILLS]
    except (OSError, PolicyError):
        return []


def _is_built_in(name: str, origin: SkillOrigin, text: str) -> bool:
    return origin == "project" and name in SKILLS and text == constant(f"{name}.md")


def _parsed(name: str, origin: SkillOrigin, folder: str, text: str) -> FoundSkill:
    if _is_built_in(name, origin, text):
        origin = "built-in"
    try:
        file = read_skill(text)
    except PageError as error:
        return FoundSkill(name, origin, folder, text, wrong=error.what)
    wrong = "" if file.name and file.description else "it has no name or no description"
    if not SKILL_NAME.fullmatch(name) or len(name) > MOST_NAME:
        wrong = "the standard allows no such name"
    if file.name and file.name != name:
        wrong = f"it is named {file.name[:64]!r}, unlike its folder"
    return FoundSkill(name, origin, folder, text, file, wrong)


@cache
def _of_program(name: str) -> FoundSkill:
    return _parsed(name, "built-in", "", constant(f"{name}.md"))


def _read(folders: Folders, path: str) -> bytes | None:
    """The bytes of a file; None where it is not there. Raises PolicyError for one too long."""
    status = folders.status(path)
    if status is not None and status.st_size > MOST_BYTES:
        raise PolicyError(f"has more than {MOST_BYTES:,} bytes", where=path)
    return folders.read(path)


def _names(folders: Folders, top: str, below: str, depth: int) -> Iterator[str]:
    with os.scandir(folders.descriptor(f"{top}/{below}".strip("/"))) as entries:
        listed = sorted(entries, key=lambda entry: entry.name)[:MOST_FILES]
        kinds = [(each.name, each.is_dir(follow_symlinks=False)) for each in listed
                 if not each.is_symlink()]  # fmt: skip
    for name, is_folder in kinds:
        path = f"{below}/{name}".lstrip("/")
        if is_folder and depth:
            yield from _names(folders, top, path, depth - 1)
        elif not is_folder:
            yield path
