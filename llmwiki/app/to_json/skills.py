"""Skills as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from llmwiki.core.text import tokens_of

if TYPE_CHECKING:
    from llmwiki.app.shapes import skills as shapes
    from llmwiki.app.skills import CheckedSkill, ShownSkill
    from llmwiki.edit.skills.find import FoundSkill
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
