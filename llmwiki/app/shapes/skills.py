"""The shapes of what `wiki skills` prints."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict


class SkillRowJson(TypedDict):
    """One skill."""

    name: str
    origin: Literal["person", "agent", "project", "built-in"]
    """Of raw/skills/, wiki/skills/, .agents/skills/ or .claude/skills/, of the program."""
    folder: str
    """Below the wiki's root; empty where it comes with the program and lies nowhere."""
    description: str
    is_used: bool
    """Whether it is the one of its name that counts, and can be read."""
    hidden_by: NotRequired[str]
    """The folder of the skill of this name that counts in its place."""
    wrong: NotRequired[str]
    """Why it cannot be used."""
    model_may: bool
    """Whether an agent may use it unasked."""
    user_may: bool
    """Whether a person may call it by its name."""
    argument_hint: NotRequired[str]
    paths: NotRequired[list[str]]
    """Patterns of the files that it is for."""
    tools: NotRequired[list[str]]
    """Tools that it names as allowed; it is given none by that."""
    tokens: int
    """Of its SKILL.md behind the frontmatter: an estimate."""


class SkillsJson(TypedDict):
    """The skills of a repository."""

    schema: str
    """`llmwiki.skills/1`."""
    exit_code: int
    skills: list[SkillRowJson]


class SkillJson(TypedDict):
    """One skill, with its text."""

    schema: str
    """`llmwiki.skill/1`."""
    exit_code: int
    skill: SkillRowJson
    files: list[str]
    """The files beside its SKILL.md, below its folder."""
    file: NotRequired[str]
    """The one of them that was asked for."""
    text: str
    """Of SKILL.md, or of that file."""


class SkillFindingJson(TypedDict):
    """One thing that is wrong with a skill."""

    code: str
    severity: str
    """`note`, `warning` or `error`."""
    path: str
    line: int
    """From 1; 0: the file as a whole."""
    message: str
    mend: NotRequired[str]


class CheckedSkillJson(TypedDict):
    """What is wrong with one skill."""

    name: str
    folder: str
    findings: list[SkillFindingJson]


class SkillCheckJson(TypedDict):
    """What is wrong with skills."""

    schema: str
    """`llmwiki.skill-check/1`."""
    exit_code: int
    skills: list[CheckedSkillJson]
