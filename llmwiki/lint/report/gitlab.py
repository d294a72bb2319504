"""A report for GitLab's merge requests: Code Quality (docs.gitlab.com/ci/testing/code_quality)."""

from __future__ import annotations

from llmwiki.lint.finding import Finding, Severity
from llmwiki.lint.report.lint_report import STAND_IN, LintReport, as_json, mending_of, plain

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.NOTE: "info"}
"""GitLab knows info, minor, major, critical and blocker."""


def render(told: LintReport) -> str:
    """A JSON array of one object a finding; paths from the repository's top."""
    return as_json(
        [
            {
                "description": _description(told, finding),
                "check_name": told.rules[finding.code].name,
                "fingerprint": mark,
                "severity": _SEVERITIES[told.severity(finding)],
                "location": {
                    "path": told.prefix + (finding.path or STAND_IN),
                    "lines": {"begin": max(finding.line, 1)},
                },
            }
            for finding, mark in told.marked()
        ]
    )


def _description(told: LintReport, finding: Finding) -> str:
    """What is wrong and how to mend it: GitLab shows nothing else."""
    said = plain(f"{finding.code}: {finding.message}").rstrip(".")
    return f"{said}. {mending_of(finding, told.rules[finding.code])}"
