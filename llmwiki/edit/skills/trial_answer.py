"""What models and agents answer in the trial of a skill. Every string in it is untrusted."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from llmwiki.edit.skills.trial import (
    EDGE,
    REQUIREMENTS,
    TYPICAL,
    Met,
    ReaderReport,
    SkillPatch,
    TrialRequirement,
    TrialTask,
    UnclearPoint,
)

_TEXT = 4_000
_LINE = 600


class RequirementAnswer(BaseModel, extra="forbid", frozen=True):
    """One thing that the result of a task must meet."""

    text: str = Field(max_length=_LINE, description="What can be seen in the result")
    critical: bool = Field(description="Whether a result without it is a failure")


class TaskAnswer(BaseModel, extra="forbid", frozen=True):
    """One task."""

    kind: Literal["typical", "edge"]
    task: str = Field(max_length=_TEXT, description="What a person would ask for, in their words")
    requirements: list[RequirementAnswer] = Field(
        min_length=REQUIREMENTS[0], max_length=REQUIREMENTS[1]
    )

    @property
    def value(self) -> TrialTask:
        """The same as a value."""
        wanted = tuple(TrialRequirement(each.text, each.critical) for each in self.requirements)
        return TrialTask(self.kind, self.task, wanted)


class TasksAnswer(BaseModel, extra="forbid", frozen=True):
    """The tasks of a trial; `end` is last, so that a cut answer lacks it."""

    gaps: list[str] = Field(description="Where description and body tell different things")
    tasks: list[TaskAnswer]
    end: Literal[True]


class UnclearAnswer(BaseModel, extra="forbid", frozen=True):
    """One thing that was not understood, or missing."""

    words: str = Field(max_length=_LINE, description="Of the skill, copied; empty: none")
    problem: str = Field(max_length=_LINE, description="One sentence")


class ReportAnswer(BaseModel, extra="forbid", frozen=True):
    """The report of a reader on one task."""

    artifact: str = Field(max_length=20_000, description="What the task asks for")
    requirements: list[Met] = Field(description="Whether each is met, in their order")
    unclear: list[UnclearAnswer] = Field(default_factory=list, max_length=20)
    assumed: list[str] = Field(default_factory=list, max_length=20)
    retries: int = Field(ge=0, le=1_000, description="How often you began a step anew")
    steps: int = Field(ge=1, le=1_000, description="How many steps you took")

    def value(self, task: TrialTask, skill: str) -> ReaderReport:
        """The same as a value. Raises ValueError where it fits neither task nor skill."""
        if len(self.requirements) != len(task.requirements):
            raise ValueError(
                f"{len(self.requirements)} answers to {len(task.requirements)} requirements"
            )
        folded = " ".join(skill.split())
        points = tuple(
            UnclearPoint(each.words if " ".join(each.words.split()) in folded else "", each.problem)
            for each in self.unclear
        )
        return ReaderReport(
            self.artifact, tuple(self.requirements), points, tuple(self.assumed), self.retries,
            self.steps,
        )  # fmt: skip


class ReaderAnswer(ReportAnswer, extra="forbid", frozen=True):
    """The same as a model gives it."""

    end: Literal[True]


class PatchAnswer(BaseModel, extra="forbid", frozen=True):
    """One change of the skill."""

    old: str = Field(max_length=_TEXT, description="A piece of SKILL.md that stands there once")
    new: str = Field(max_length=_TEXT, description="What shall stand in its place")
    why: str = Field(max_length=_LINE, description="Which report it answers, in one sentence")
    end: Literal[True] = True

    @property
    def value(self) -> SkillPatch:
        """The same as a value."""
        return SkillPatch(self.old, self.new, self.why)


class RoundAnswer(BaseModel, extra="forbid", frozen=True):
    """One round, as an agent led it."""

    gaps: list[str] = Field(default_factory=list)
    tasks: list[TaskAnswer] = Field(default_factory=list)
    """In the first round only."""
    reports: list[ReportAnswer]
    """One a task, in their order."""
    patch: PatchAnswer | None = None


def demand_tasks(tasks: list[TaskAnswer]) -> tuple[TrialTask, ...]:
    """The tasks of a trial. Raises ValueError for another number than the method wants."""
    kinds = [each.kind for each in tasks]
    if kinds.count("typical") != TYPICAL or not EDGE[0] <= kinds.count("edge") <= EDGE[1]:
        raise ValueError(f"a trial has {TYPICAL} typical task, {EDGE[0]} or {EDGE[1]} edge cases")
    return tuple(each.value for each in tasks)
