"""The shapes of what `wiki skills` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from llmwiki.app.shapes.shape import MayLack, Shape, at
from llmwiki.core.text import tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from llmwiki.app.skills import CheckedSkill


def _findings(checked: CheckedSkill) -> Iterator[dict[str, Any]]:
    for each in checked.findings:
        yield SkillFindingJson.of(each, severity=checked.severity(each))


class SkillRowJson(Shape, sparse=True):
    """One skill."""

    name: str
    origin: Literal["person", "agent", "project", "built-in"]
    """Of raw/skills/, wiki/skills/, .agents/skills/ or .claude/skills/, of the program."""
    folder: str
    """Below the wiki's root; empty where it comes with the program and lies nowhere."""
    description: str = at("file.description")
    is_used: bool
    """Whether it is the one of its name that counts, and can be read."""
    hidden_by: MayLack[str]
    """The folder of the skill of this name that counts in its place."""
    wrong: MayLack[str]
    """Why it cannot be used."""
    model_may: bool = at("file.model_may")
    """Whether an agent may use it unasked."""
    user_may: bool = at("file.user_may")
    """Whether a person may call it by its name."""
    argument_hint: MayLack[str] = at("file.argument_hint")
    paths: MayLack[list[str]] = at("file.paths")
    """Patterns of the files that it is for."""
    tools: MayLack[list[str]] = at("file.tools")
    """Tools that it names as allowed; it is given none by that."""
    tokens: int = at(lambda skill: tokens_of(len(skill.file.body.encode("utf-8", "replace"))))
    """Of its SKILL.md behind the frontmatter: an estimate."""


class SkillsJson(Shape):
    """The skills of a repository."""

    schema: Literal["llmwiki.skills/1"]
    exit_code: int = 0
    skills: list[SkillRowJson]


class SkillJson(Shape, sparse=True):
    """One skill, with its text."""

    schema: Literal["llmwiki.skill/1"]
    exit_code: int = 0
    skill: SkillRowJson
    files: list[str]
    """The files beside its SKILL.md, below its folder."""
    file: MayLack[str]
    """The one of them that was asked for."""
    text: str
    """Of SKILL.md, or of that file."""


class SkillFindingJson(Shape, sparse=True):
    """One thing that is wrong with a skill."""

    code: str
    severity: str
    """`note`, `warning` or `error`."""
    path: str
    line: int
    """From 1; 0: the file as a whole."""
    message: str
    mend: MayLack[str]


class CheckedSkillJson(Shape):
    """What is wrong with one skill."""

    name: str
    folder: str
    findings: list[SkillFindingJson] = at(_findings)


class SkillCheckJson(Shape):
    """What is wrong with skills."""

    schema: Literal["llmwiki.skill-check/1"]
    exit_code: int
    skills: list[CheckedSkillJson]
