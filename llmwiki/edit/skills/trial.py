"""Trying a skill with readers who have never seen it: what is asked, what came of it, when it is
enough. Pure.

The method is empirical prompt tuning: whoever wrote a text cannot see what is unclear in it. A few
tasks and what their results must meet are fixed before anybody reads; in each round fresh readers
do the tasks as the skill says and report; one patch a round is made of what they report; it ends
when two rounds in a row bring nothing new.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

TYPICAL, EDGE = 1, (1, 2)
"""Tasks of each kind: exactly so many of the typical, at least and at most so many edge cases."""
REQUIREMENTS = (3, 7)
"""What the result of one task must meet: at least and at most."""
GAIN, STEPS_WITHIN, TIME_WITHIN = 3, 10, 15
"""By how much two rounds that bring nothing new may differ: points of accuracy, percent of steps
and of time."""

Met = Literal["yes", "partly", "no"]
_WORTH: dict[Met, int] = {"yes": 2, "partly": 1, "no": 0}


class TrialRequirement(NamedTuple):
    """One thing that the result of a task must meet."""

    text: str
    is_critical: bool
    """Whether a result without it is a failure."""


class TrialTask(NamedTuple):
    """One task for a reader."""

    kind: Literal["typical", "edge"]
    task: str
    requirements: tuple[TrialRequirement, ...]


class UnclearPoint(NamedTuple):
    """What a reader did not understand, or found missing."""

    words: str
    """Of the skill; empty where it says nothing."""
    problem: str


class ReaderReport(NamedTuple):
    """What one reader made of one task."""

    artifact: str
    requirements: tuple[Met, ...]
    """In the order of the task's."""
    unclear: tuple[UnclearPoint, ...]
    assumed: tuple[str, ...]
    """What the reader decided that the skill does not say."""
    retries: int
    steps: int


class SkillPatch(NamedTuple):
    """One change of a SKILL.md."""

    old: str
    new: str
    why: str


class RoundScore(NamedTuple):
    """A round in numbers."""

    unclear: int
    """Points that no earlier round has told."""
    accuracy: float
    """Percent of the requirements that are met; one that is partly met counts half."""
    steps: int
    """Of all readers together."""
    ms: int
    """Milliseconds; 0: not known."""


@dataclass(frozen=True, slots=True)
class TrialRound:
    """One round."""

    reports: tuple[ReaderReport, ...]
    """One a task, in their order."""
    score: RoundScore
    has_passed: bool
    """Whether every critical requirement is met."""
    patch: SkillPatch | None = None
    """What is proposed for the next one."""
    outcome: str = ""
    """What became of the patch: `tried`, `taken back`, `landed`, or why it does not count; empty:
    nobody has tried it."""


@dataclass(frozen=True, slots=True)
class SkillTrial:
    """The trial of one skill, so far."""

    tasks: tuple[TrialTask, ...]
    gaps: tuple[str, ...] = ()
    """Where description and body tell different things."""
    rounds: tuple[TrialRound, ...] = ()

    @property
    def is_over(self) -> bool:
        """Whether two rounds in a row have brought nothing new."""
        return converged([each.score for each in self.rounds])


def converged(scores: Sequence[RoundScore]) -> bool:
    """Whether each of the last two rounds brought nothing new, held against the one before."""
    return len(scores) > 2 and all(
        after.unclear == 0
        and abs(after.accuracy - before.accuracy) <= GAIN
        and _within(before.steps, after.steps, STEPS_WITHIN)
        and _within(before.ms, after.ms, TIME_WITHIN)
        for before, after in pairwise(scores[-3:])
    )


def _within(before: int, after: int, percent: int) -> bool:
    return not before or not after or abs(after - before) * 100 <= percent * before


def scored(
    tasks: Sequence[TrialTask],
    reports: Sequence[ReaderReport],
    earlier: Iterable[TrialRound],
    ms: int,
) -> TrialRound:
    """A round of these reports, held against the rounds before."""
    known = {_key(point) for each in earlier for report in each.reports for point in report.unclear}
    new = {_key(point) for report in reports for point in report.unclear} - known
    worth = [_WORTH[met] for report in reports for met in report.requirements]
    accuracy = round(100 * sum(worth) / (2 * len(worth)), 1) if worth else 0.0
    has_passed = all(
        met == "yes"
        for task, report in zip(tasks, reports, strict=True)
        for wanted, met in zip(task.requirements, report.requirements, strict=True)
        if wanted.is_critical
    )
    steps = sum(report.steps for report in reports)
    return TrialRound(tuple(reports), RoundScore(len(new), accuracy, steps, ms), has_passed)


def _key(point: UnclearPoint) -> tuple[str, str]:
    """What makes two points one: the words, and where there are none, what is said of them."""
    words = " ".join(point.words.lower().split())
    return words, "" if words else " ".join(point.problem.lower().split())


def unmet(task: TrialTask, report: ReaderReport) -> list[str]:
    """The requirements that a result does not meet, each with how far."""
    return [
        f"{'critical, ' * wanted.is_critical}{'half met' if met == 'partly' else 'not met'}: "
        f"{wanted.text}"
        for wanted, met in zip(task.requirements, report.requirements, strict=True)
        if met != "yes"
    ]


def is_clean(done: TrialRound) -> bool:
    """Whether a round left nothing to mend."""
    return done.score.accuracy == 100 and not any(report.unclear for report in done.reports)


def patched_text(text: str, patch: SkillPatch) -> str:
    """A SKILL.md with a patch in it. Raises ValueError where its words do not stand there once."""
    count = text.count(patch.old) if patch.old else 0
    if count != 1:
        raise ValueError(f"its words stand {count} times in SKILL.md; they must stand there once")
    return text.replace(patch.old, patch.new)
