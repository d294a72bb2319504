"""The shapes of what `wiki skills` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from llmwiki.app.shapes.shape import MayLack, Shape, at
from llmwiki.core.text import tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from llmwiki.app.skills import CheckedSkill
    from llmwiki.edit.skills.trial import TrialTask


def _findings(checked: CheckedSkill) -> Iterator[dict[str, Any]]:
    for each in checked.findings:
        yield SkillFindingJson.of(each, severity=checked.severity(each))


def _wanted(task: TrialTask) -> list[str]:
    return [f"{'[critical] ' * each.is_critical}{each.text}" for each in task.requirements]


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


class TrialTaskJson(Shape):
    """One task that readers do as a skill says."""

    kind: Literal["typical", "edge"]
    task: str
    requirements: list[str] = at(_wanted)
    """What the result must meet; those without which it is a failure begin with `[critical]`."""


class UnclearJson(Shape):
    """What a reader did not understand, or found missing."""

    words: str
    """Of the skill; empty where it says nothing."""
    problem: str


class ReaderReportJson(Shape):
    """What one reader made of one task."""

    requirements: list[Literal["yes", "partly", "no"]]
    """Whether each is met, in their order."""
    unclear: list[UnclearJson]
    assumed: list[str]
    retries: int
    steps: int


class SkillPatchJson(Shape):
    """A change of SKILL.md that is proposed."""

    old: str
    new: str
    why: str
    outcome: str
    """`tried`, `taken back`, `landed`, or why it does not count; empty: nobody has tried it."""


class TrialRoundJson(Shape, sparse=True):
    """One round of readers."""

    accuracy: float = at("score.accuracy")
    """Percent of the requirements that are met."""
    has_passed: bool
    """Whether every critical one is."""
    unclear: int = at("score.unclear")
    """Points that no earlier round has told."""
    steps: int = at("score.steps")
    ms: int = at("score.ms")
    """Milliseconds; 0: not known."""
    reports: list[ReaderReportJson]
    """One a task, in their order."""
    patch: MayLack[SkillPatchJson] = at(lambda done: done.patch and (*done.patch, done.outcome))


class SkillDoctorJson(Shape):
    """What the trial of a skill has shown."""

    schema: Literal["llmwiki.skill-doctor/1"]
    exit_code: int = 0
    name: str = at("skill.name")
    folder: str = at("skill.folder")
    tasks: MayLack[list[TrialTaskJson]] = at("trial.tasks")
    gaps: MayLack[list[str]] = at("trial.gaps")
    """Where description and body tell different things."""
    rounds: MayLack[list[TrialRoundJson]] = at("trial.rounds")
    is_over: MayLack[bool] = at("trial.is_over")
    """Whether two rounds in a row have brought nothing new."""
    diff: MayLack[str]
    """The patches of this run that readers have tried."""
    commit: MayLack[str | None]
    model: MayLack[str]
    tokens: MayLack[int] = at(lambda told: told.usage.total if told.usage else 0)
    cost_usd: MayLack[float | None] = at("cost")
    round: MayLack[int]
    """With --prepare: the round that the job is for."""
    file: MayLack[str]
    """With --prepare: the job, absolute."""
