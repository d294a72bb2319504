"""Trying a skill with fresh readers: a model round after round, or an agent one round at a time."""

from __future__ import annotations

import difflib
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from llmwiki.app.models import client_for, limited, model_to_call
from llmwiki.app.settings import clock
from llmwiki.app.skills import demand_safe
from llmwiki.core.errors import InputError, PolicyError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.edit.skills.change import SkillTexts
    from llmwiki.edit.skills.find import FoundSkill
    from llmwiki.edit.skills.trial import ReaderReport, SkillPatch, SkillTrial, TrialRound
    from llmwiki.models.client import Client
    from llmwiki.models.usage import Usage
    from llmwiki.store.records import RecordFolder

MOST_SHOWN = 60_000
"""Bytes of a skill with its files that a reader is shown."""
_TRIALS = "skills/trials"
TRIED, BACK, LANDED = "tried", "taken back", "landed"


@dataclass(frozen=True, slots=True)
class TrialOptions:
    """How a skill is tried."""

    model: str | None = None
    """None: as the settings say."""
    max_cost: float | None = None
    """US dollars; no call is made that could pass them."""
    rounds: int = 3
    """At most; it ends earlier where two rounds in a row bring nothing new."""
    apply: bool = False
    """Whether the patches that readers have tried land, as one commit."""
    fresh: bool = False
    """Whether earlier rounds and their tasks are forgotten first."""
    allow_detached: bool = False


@dataclass(frozen=True, slots=True)
class TrialReport:
    """What the trial of a skill has shown so far."""

    skill: FoundSkill
    trial: SkillTrial
    diff: str = ""
    """The patches of this run that readers have tried, as one unified diff."""
    commit: str | None = None
    """With which they landed."""
    model: str = ""
    usage: Usage | None = None
    cost: float | None = 0.0
    """US dollars; None: the price is not known."""


@dataclass(frozen=True, slots=True)
class TrialJob:
    """One round for an agent."""

    round: int
    file: str
    """Where it was written, absolute."""


def trial_so_far(wiki: OpenWiki, name: str) -> TrialReport:
    """The rounds that are kept of a skill. Raises InputError where there is no such skill."""
    return TrialReport(skill_to_try(wiki, name), kept_trial(wiki, name))


def try_skill(wiki: OpenWiki, name: str, options: TrialOptions) -> TrialReport:
    """Lets a model read a skill, round after round; see `Wiki.try_skill`."""
    skill = skill_to_try(wiki, name)
    demand_own(skill, options.apply)
    settings = model_to_call(wiki, options.model)
    if settings is None:
        raise InputError(
            "trying a skill needs readers: a model, or an agent",
            fix=f"Set a key, or let an agent lead: wiki skills doctor {name} --prepare.",
        )
    from llmwiki.edit.skills.trial_prompt import MAX_OUTPUT_TOKENS

    settings = limited(settings, MAX_OUTPUT_TOKENS)
    with client_for(wiki.config, settings, options.max_cost) as client:
        run = _ModelTrial(wiki, skill, client, options)
        run.go()
        usage, cost = client.usage, client.cost(client.usage)
    commit = land_patches(wiki, skill, run.tried, options) if options.apply and run.tried else None
    if commit:
        run.mark(TRIED, LANDED)
    diff = diff_of(skill, run.before, run.texts["SKILL.md"])
    return TrialReport(skill, run.trial, diff, commit, settings.model, usage, cost)


class _ModelTrial:
    """The rounds of one run, with a model as the readers."""

    def __init__(
        self, wiki: OpenWiki, skill: FoundSkill, client: Client, options: TrialOptions
    ) -> None:
        from llmwiki.edit.skills.trial import SkillTrial

        self.wiki, self.skill, self.client, self.options = wiki, skill, client, options
        self.trial = SkillTrial(()) if options.fresh else kept_trial(wiki, skill.name)
        self.texts = texts_of(wiki, skill)
        self.before = self.texts["SKILL.md"]
        self.tried: list[SkillPatch] = []
        """Those that the text has now and that readers have seen."""

    def go(self) -> None:
        """All rounds; each is kept as soon as it is there."""
        from llmwiki.edit.skills.trial_prompt import tasks_task

        if not self.trial.tasks:
            self.wiki.tell.notice("fixing the tasks")
            tasks, gaps = tasks_task(self.texts).ask(self.client)
            self._keep(replace(self.trial, tasks=tasks, gaps=gaps))
        waiting: SkillPatch | None = None
        for number in range(1, self.options.rounds + 1):
            done = self._read()
            if waiting is not None:
                self._judge(waiting, done)
            waiting = None
            if self.trial.is_over:
                break
            waiting = self._patch(done, is_last=number == self.options.rounds)

    def _read(self) -> TrialRound:
        """One round of fresh readers: each task is a call of its own, which sees no other."""
        from llmwiki.edit.skills.trial import scored
        from llmwiki.edit.skills.trial_prompt import reader_task
        from llmwiki.models.run import run_tasks

        number, begun = len(self.trial.rounds) + 1, clock()
        self.wiki.tell.notice(f"round {number}: {len(self.trial.tasks)} readers")
        reports: dict[int, ReaderReport] = {}
        tasks = (
            (place, reader_task(self.texts, task)) for place, task in enumerate(self.trial.tasks)
        )
        run_tasks(
            tasks,
            self.client,
            reports.__setitem__,
            parallel=self.wiki.config.whole("ingest.parallel"),
            together=True,
        ).demand()
        ms = int((clock() - begun) * 1000)
        listed = [reports[place] for place in sorted(reports)]
        done = scored(self.trial.tasks, listed, self.trial.rounds, ms)
        self._keep(replace(self.trial, rounds=(*self.trial.rounds, done)))
        return done

    def _judge(self, patch: SkillPatch, after: TrialRound) -> None:
        """What becomes of the patch of the round before: one that made readers do worse goes."""
        before = self.trial.rounds[-2]
        if after.score.accuracy < before.score.accuracy:
            self.texts["SKILL.md"] = self.texts["SKILL.md"].replace(patch.new, patch.old, 1)
            self._mark(-2, BACK)
        else:
            self.tried.append(patch)
            self._mark(-2, TRIED)

    def _patch(self, done: TrialRound, *, is_last: bool) -> SkillPatch | None:
        """The patch that the next round tries; None: there is none, or none counts."""
        from llmwiki.edit.skills.trial import is_clean, patched_text
        from llmwiki.edit.skills.trial_prompt import patch_task

        if is_clean(done):
            return None
        patch = patch_task(self.texts, self.trial.tasks, done.reports).ask(self.client)
        after = {**self.texts, "SKILL.md": patched_text(self.texts["SKILL.md"], patch)}
        wrong = _why_not(self.skill, after)
        last = replace(self.trial.rounds[-1], patch=patch, outcome=wrong)
        self._keep(replace(self.trial, rounds=(*self.trial.rounds[:-1], last)))
        if wrong or is_last:
            return None
        self.texts = after
        return patch

    def mark(self, old: str, new: str) -> None:
        """Gives all patches of one outcome another."""
        rounds = tuple(
            replace(each, outcome=new) if each.outcome == old else each
            for each in self.trial.rounds
        )
        self._keep(replace(self.trial, rounds=rounds))

    def _mark(self, place: int, outcome: str) -> None:
        rounds = list(self.trial.rounds)
        rounds[place] = replace(rounds[place], outcome=outcome)
        self._keep(replace(self.trial, rounds=tuple(rounds)))

    def _keep(self, trial: SkillTrial) -> None:
        self.trial = trial
        keep_trial(self.wiki, self.skill.name, trial)


def tried_on(skill: FoundSkill, texts: SkillTexts, patch: SkillPatch) -> tuple[str, str]:
    """Why a patch does not count, and SKILL.md with it."""
    from llmwiki.edit.skills.trial import patched_text

    try:
        new = patched_text(texts["SKILL.md"], patch)
    except ValueError as wrong:
        return str(wrong), ""
    return _why_not(skill, {**texts, "SKILL.md": new}), new


def _why_not(skill: FoundSkill, after: SkillTexts) -> str:
    """Why a skill may not be as a patch makes it; empty where it may."""
    try:
        demand_safe(skill.folder or f"raw/skills/{skill.name}", after)
    except PolicyError as wrong:
        return wrong.what
    return ""


def land_patches(
    wiki: OpenWiki, skill: FoundSkill, patches: Sequence[SkillPatch], options: TrialOptions
) -> str | None:
    """Commits patches to a skill of the agent."""
    from llmwiki.app.skills import change_skill
    from llmwiki.edit.skills.change import SkillEdit
    from llmwiki.edit.skills.trial import patched_text

    def change(before: SkillTexts) -> SkillTexts:
        text = before.get("SKILL.md", "")
        for patch in patches:
            try:
                text = patched_text(text, patch)
            except ValueError as wrong:
                raise InputError(f"the patch does not fit: {wrong}", where=skill.path) from None
        return {**before, "SKILL.md": text}

    lines = [f"- a reader: {' '.join(patch.why.split())[:300]}" for patch in patches]
    told = "\n".join(["## A trial with fresh readers", "", *lines])
    edit = SkillEdit(skill.name, "mended after a trial", change, told)
    done = change_skill(wiki, edit, dry_run=False, allow_detached=options.allow_detached)
    return done.outcome.commit


def skill_to_try(wiki: OpenWiki, name: str) -> FoundSkill:
    """A skill that can be read. Raises InputError for none."""
    from llmwiki.edit.skills.find import find_skills, skill_named

    skill = skill_named(find_skills(wiki.repo), name)
    if skill.wrong:
        raise InputError(
            f"this skill cannot be read: {skill.wrong}",
            where=skill.path,
            fix=f"`wiki skills check {name}` says what is wrong.",
        )
    return skill


def demand_own(skill: FoundSkill, apply: bool) -> None:
    """Raises PolicyError where a skill of people would be changed."""
    if apply and skill.origin != "agent":
        raise PolicyError(
            "only skills that the agent made, in wiki/skills/, are changed by the program",
            where=skill.folder or skill.name,
            fix="Leave out --apply; what it proposes is for you to write down.",
        )


def texts_of(wiki: OpenWiki, skill: FoundSkill) -> dict[str, str]:
    """What a reader is shown: SKILL.md and the texts beside it, as far as there is room."""
    from llmwiki.edit.skills.change import LESSON_FILE
    from llmwiki.edit.skills.find import files_of, read_file

    found = {"SKILL.md": skill.text}
    left = MOST_SHOWN - len(skill.text.encode())
    for name in files_of(wiki.repo, skill):
        if name.endswith((".md", ".txt")) and name != LESSON_FILE:
            text = read_file(wiki.repo, skill, name)
            left -= len(text.encode())
            if left < 0:
                break
            found[name] = text
    return found


def diff_of(skill: FoundSkill, before: str, after: str) -> str:
    """What differs in SKILL.md, as a unified diff."""
    path = skill.path or f"{skill.name}/SKILL.md"
    return "\n".join(
        difflib.unified_diff(before.splitlines(), after.splitlines(), path, path, lineterm="", n=2)
    )


def trials_of(wiki: OpenWiki) -> RecordFolder:
    """The trials that are kept, by the names of their skills."""
    from llmwiki.store.private import common_files
    from llmwiki.store.records import RecordFolder

    return RecordFolder(common_files(wiki.repo), _TRIALS, "llmwiki.trial/1")


def kept_trial(wiki: OpenWiki, name: str) -> SkillTrial:
    """The trial of a skill so far; an empty one where there is none."""
    from pydantic import TypeAdapter

    from llmwiki.edit.skills.trial import SkillTrial

    held = trials_of(wiki).get(name, TypeAdapter(SkillTrial).validate_python)
    return held or SkillTrial(())


def keep_trial(wiki: OpenWiki, name: str, trial: SkillTrial) -> None:
    """Keeps a trial in place of what there was of it."""
    trials_of(wiki).put(name, asdict(trial))
