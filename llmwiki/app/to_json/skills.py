"""Skills as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from llmwiki.core.text import tokens_of

if TYPE_CHECKING:
    from llmwiki.app.shapes import skills as shapes
    from llmwiki.app.skill_doctor import TrialJob, TrialReport
    from llmwiki.app.skills import CheckedSkill, ShownSkill
    from llmwiki.edit.skills.find import FoundSkill
    from llmwiki.edit.skills.trial import TrialRound, TrialTask
    from llmwiki.lint.finding import Finding


def skills_json(found: Sequence[FoundSkill]) -> shapes.SkillsJson:
    """The skills of a repository."""
    return {"schema": "llmwiki.skills/1", "exit_code": 0, "skills": [_row(each) for each in found]}


def skill_json(shown: ShownSkill) -> shapes.SkillJson:
    """One skill."""
    made: shapes.SkillJson = {
        "schema": "llmwiki.skill/1",
        "exit_code": 0,
        "skill": _row(shown.skill),
        "files": list(shown.files),
        "text": shown.text,
    }
    if shown.file:
        made["file"] = shown.file
    return made


def skill_check_json(checked: Sequence[CheckedSkill], exit_code: int) -> shapes.SkillCheckJson:
    """What is wrong with skills."""
    return {
        "schema": "llmwiki.skill-check/1",
        "exit_code": exit_code,
        "skills": [
            {
                "name": each.name,
                "folder": each.folder,
                "findings": [
                    _finding(finding, each.severity(finding)) for finding in each.findings
                ],
            }
            for each in checked
        ],
    }


def _row(skill: FoundSkill) -> shapes.SkillRowJson:
    file = skill.file
    row: shapes.SkillRowJson = {
        "name": skill.name,
        "origin": skill.origin,
        "folder": skill.folder,
        "description": file.description,
        "is_used": skill.is_used,
        "model_may": file.model_may,
        "user_may": file.user_may,
        "tokens": tokens_of(len(file.body.encode("utf-8", "replace"))),
    }
    if skill.hidden_by:
        row["hidden_by"] = skill.hidden_by
    if skill.wrong:
        row["wrong"] = skill.wrong
    if file.argument_hint:
        row["argument_hint"] = file.argument_hint
    if file.paths:
        row["paths"] = list(file.paths)
    if file.tools:
        row["tools"] = list(file.tools)
    return row


def _finding(finding: Finding, severity: str) -> shapes.SkillFindingJson:
    made: shapes.SkillFindingJson = {
        "code": finding.code,
        "severity": severity,
        "path": finding.path,
        "line": finding.line,
        "message": finding.message,
    }
    if finding.mend:
        made["mend"] = finding.mend
    return made


def trial_job_json(name: str, job: TrialJob) -> shapes.SkillDoctorJson:
    """One round as a job for an agent."""
    return {
        "schema": "llmwiki.skill-doctor/1",
        "exit_code": 0,
        "name": name,
        "folder": "",
        "round": job.round,
        "file": job.file,
    }


def trial_json(told: TrialReport) -> shapes.SkillDoctorJson:
    """What the trial of a skill has shown."""
    trial = told.trial
    return {
        "schema": "llmwiki.skill-doctor/1",
        "exit_code": 0,
        "name": told.skill.name,
        "folder": told.skill.folder,
        "tasks": [_task(task) for task in trial.tasks],
        "gaps": list(trial.gaps),
        "rounds": [_round(each) for each in trial.rounds],
        "is_over": trial.is_over,
        "diff": told.diff,
        "commit": told.commit,
        "model": told.model,
        "tokens": told.usage.total if told.usage else 0,
        "cost_usd": told.cost,
    }


def _task(task: TrialTask) -> shapes.TrialTaskJson:
    wanted = [f"{'[critical] ' * each.is_critical}{each.text}" for each in task.requirements]
    return {"kind": task.kind, "task": task.task, "requirements": wanted}


def _round(done: TrialRound) -> shapes.TrialRoundJson:
    made: shapes.TrialRoundJson = {
        "accuracy": done.score.accuracy,
        "has_passed": done.has_passed,
        "unclear": done.score.unclear,
        "steps": done.score.steps,
        "ms": done.score.ms,
        "reports": [
            {
                "requirements": list(report.requirements),
                "unclear": [{"words": p.words, "problem": p.problem} for p in report.unclear],
                "assumed": list(report.assumed),
                "retries": report.retries,
                "steps": report.steps,
            }
            for report in done.reports
        ],
    }
    if done.patch is not None:
        patch = done.patch
        made["patch"] = {
            "old": patch.old, "new": patch.new, "why": patch.why, "outcome": done.outcome,
        }  # fmt: skip
    return made
