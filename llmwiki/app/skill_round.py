"""One round of the trial of a skill as a question to an agent, which leads it with readers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.app.skill_doctor import (
    LANDED,
    TrialJob,
    TrialOptions,
    TrialReport,
    demand_own,
    diff_of,
    keep_trial,
    kept_trial,
    land_patches,
    skill_to_try,
    texts_of,
    trials_of,
    tried_on,
)
from llmwiki.core.errors import ModelOutputError
from llmwiki.core.text import sha256_hex
from llmwiki.edit.skills.trial import scored
from llmwiki.edit.skills.trial_answer import RoundAnswer, demand_tasks
from llmwiki.edit.skills.trial_prompt import round_rules, round_shape, shown_skill, shown_task
from llmwiki.models.agent import TRIAL_SCHEMA
from llmwiki.models.question import Question

if TYPE_CHECKING:
    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.edit.skills.trial import SkillTrial


class RoundPart(NamedTuple):
    """What an agent is shown of a skill for one round."""

    skill: str
    number: int
    apply: bool
    """Whether the patch lands."""
    text: str

    @property
    def id(self) -> str:
        """16 hexadecimal digits."""
        return sha256_hex(f"{self.skill} {self.number} {self.apply} {self.text}".encode())[:16]


class SkillRound(Question[RoundPart, RoundAnswer, TrialReport]):
    """What readers make of a skill who have never seen it."""

    name, command, schema = "skill-trial", "skills doctor NAME", TRIAL_SCHEMA
    what, heading, most_tokens = "round of a trial", "The skill", 8_000
    answer, part, checked_first, replaces = RoundAnswer, RoundPart, False, False
    filling = (
        "`requirements` of a report: `yes`, `partly` or `no` for each, in their order. `patch` may"
        " be left out."
    )
    then = (
        "The command counts the round and tells what was unclear; the patch lands as one commit,"
        " which `wiki undo` takes back, where the job was made with --apply."
    )

    def __init__(
        self,
        wiki: OpenWiki,
        skill: str = "",
        *,
        apply: bool = False,
        dry_run: bool = False,
        allow_detached: bool = False,
    ) -> None:
        self.dry_run = dry_run
        self._wiki, self._skill, self._apply = wiki, skill, apply
        self._allow_detached = allow_detached
        is_first = not skill or not kept_trial(wiki, skill).tasks
        self.rules, self.shape = round_rules(first=is_first), round_shape(first=is_first)

    def parts(self) -> Sequence[RoundPart]:
        """The next round of the skill."""
        skill = skill_to_try(self._wiki, self._skill)
        demand_own(skill, self._apply)
        trial = kept_trial(self._wiki, skill.name)
        shown = [shown_skill(texts_of(self._wiki, skill)), *map(shown_task, trial.tasks)]
        return [RoundPart(skill.name, len(trial.rounds) + 1, self._apply, "\n\n".join(shown))]

    def title(self, part: RoundPart, number: int, of: int) -> tuple[str, str]:
        """Which round it is."""
        return (
            f"Trial of the skill {part.skill}, round {part.number}",
            "Readers who have never seen the skill do a few tasks as it says, and report.",
        )

    def waits(self) -> str:
        """What is prepared."""
        return f"One round of the trial of {self._skill}"

    def nothing(self) -> str:
        """There is always a next round."""
        return ""

    def land(self, part: RoundPart, answer: RoundAnswer, by: str) -> TrialReport:
        """Keeps the round, and lands its patch where the job says so.

        Raises ModelOutputError for reports that do not fit the tasks, and what landing raises.
        """
        skill = skill_to_try(self._wiki, part.skill)
        demand_own(skill, part.apply)
        texts = texts_of(self._wiki, skill)
        try:
            after = _counted(answer, kept_trial(self._wiki, skill.name), "\n".join(texts.values()))
        except ValueError as wrong:
            raise ModelOutputError(
                f"the round cannot be counted: {wrong}",
                where=skill.path,
                fix="Mend the file and run `wiki apply` again.",
            ) from None
        diff, commit = "", None
        if answer.patch is not None:
            patch, last = answer.patch.value, after.rounds[-1]
            wrong_patch, new = tried_on(skill, texts, patch)
            diff = "" if wrong_patch else diff_of(skill, texts["SKILL.md"], new)
            if part.apply and not wrong_patch and not self.dry_run:
                options = TrialOptions(allow_detached=self._allow_detached)
                commit = land_patches(self._wiki, skill, [patch], options)
            last = replace(last, patch=patch, outcome=LANDED if commit else wrong_patch)
            after = replace(after, rounds=(*after.rounds[:-1], last))
        if not self.dry_run:
            keep_trial(self._wiki, skill.name, after)
        return TrialReport(skill, after, diff, commit)


def _counted(answer: RoundAnswer, trial: SkillTrial, whole: str) -> SkillTrial:
    """The trial with the round. Raises ValueError where its reports do not fit the tasks."""
    if not trial.tasks:
        trial = replace(trial, tasks=demand_tasks(answer.tasks), gaps=tuple(answer.gaps[:20]))
    if len(answer.reports) != len(trial.tasks):
        raise ValueError(f"{len(answer.reports)} reports on {len(trial.tasks)} tasks")
    reports = [
        each.value(task, whole) for each, task in zip(answer.reports, trial.tasks, strict=True)
    ]
    return replace(trial, rounds=(*trial.rounds, scored(trial.tasks, reports, trial.rounds, 0)))


def prepared(wiki: OpenWiki, name: str, options: TrialOptions) -> TrialJob:
    """Writes the next round as a job for an agent."""
    from llmwiki.app.desk import prepare

    skill_to_try(wiki, name)
    if options.fresh:
        trials_of(wiki).delete(name)
    question = SkillRound(wiki, name, apply=options.apply)
    (part,) = question.parts()
    (file,) = prepare(wiki, question).files
    return TrialJob(part.number, file)
