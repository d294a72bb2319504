"""Skills: those there are, what one says, what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from llmwiki.changes.find_skills import (
    PLACES,
    files_below,
    files_of,
    find_skills,
    folders_of,
    read_file,
    skill_named,
)
from llmwiki.core.errors import InputError
from llmwiki.lint.rules.skills import check_skill, is_refused, severity_of_skill

if TYPE_CHECKING:
    from pathlib import Path

    from llmwiki.changes.find_skills import FoundSkill
    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.lint.findings import Finding


@dataclass(frozen=True, slots=True)
class ShownSkill:
    """One skill, with what an agent reads when it uses it."""

    skill: FoundSkill
    files: tuple[str, ...]
    """The files beside its SKILL.md, below its folder."""
    file: str = ""
    """The one of them that was asked for; empty: SKILL.md."""
    text: str = ""
    """Of SKILL.md, or of that file."""


@dataclass(frozen=True, slots=True)
class CheckedSkill:
    """What is wrong with one skill."""

    name: str
    folder: str
    findings: tuple[Finding, ...]

    @property
    def fails(self) -> bool:
        """Whether it is an error that agents refuse the skill for, or that makes it unsafe."""
        return any(map(is_refused, self.findings))

    def severity(self, finding: Finding) -> str:
        """How bad one of them is: `note`, `warning` or `error`."""
        return severity_of_skill(finding).word


def list_skills(wiki: OpenWiki) -> tuple[FoundSkill, ...]:
    """The skills of this repository, by name; of one name, the one that counts first."""
    return find_skills(wiki.repo)


def show_skill(wiki: OpenWiki, name: str, file: str = "") -> ShownSkill:
    """One skill, or one of its files. Raises InputError where there is none."""
    skill = skill_named(find_skills(wiki.repo), name)
    files = files_of(wiki.repo, skill)
    wanted = "" if file == "SKILL.md" else file
    text = read_file(wiki.repo, skill, wanted) if wanted else skill.text
    return ShownSkill(skill, files, wanted, text)


def check_skills(wiki: OpenWiki, names: Sequence[str] = ()) -> tuple[CheckedSkill, ...]:
    """What is wrong with skills, by the rules of lint: those of these names or in these
    folders, which may lie anywhere; of none, all of the repository.

    Raises InputError where there is none.
    """
    skills = find_skills(wiki.repo)
    if names:
        return tuple(_checked(wiki, skills, name) for name in names)
    counted = {skill.folder for skill in skills}
    return tuple(
        _checked_folder(wiki.repo.root / folder, folder)
        for place, origin in PLACES.items()
        for folder in folders_of(wiki.repo, place)
        # The copies of one skill that several agents have are looked at once.
        if origin != "project" or folder in counted
    )


def _checked(wiki: OpenWiki, skills: Sequence[FoundSkill], name: str) -> CheckedSkill:
    """The skill of a name, or of a folder anywhere. Raises InputError where there is neither."""
    place = wiki.here / name.removesuffix("SKILL.md")
    if "/" in name or name == "SKILL.md" or not any(skill.name == name for skill in skills):
        if not place.is_dir():
            skill_named(skills, name)
        return _checked_folder(place.resolve(), name.removesuffix("SKILL.md").rstrip("/"))
    skill = skill_named(skills, name)
    if not skill.folder:
        return CheckedSkill(name, "", check_skill(name, {"SKILL.md": skill.text.encode()}))
    return _checked_folder(wiki.repo.root / skill.folder, skill.folder)


def _checked_folder(place: Path, folder: str) -> CheckedSkill:
    try:
        files = files_below(place)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=folder) from error
    if not files:
        raise InputError("there are no files in this folder", where=folder)
    name = place.name
    shown = folder if folder.rsplit("/", maxsplit=1)[-1] == name else f"{folder}/{name}".strip("./")
    return CheckedSkill(name, shown, check_skill(shown or name, files))
