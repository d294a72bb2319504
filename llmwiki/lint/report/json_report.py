"""A report for programs: `llmwiki.lint/1`."""

from __future__ import annotations

from llmwiki.lint.report.lint_report import LintReport, as_json, mending_of, plain

SCHEMA = "llmwiki.lint/1"


def render(told: LintReport, *, exit_code: int) -> str:
    """One JSON object, keys sorted; nothing in it but what the same wiki gives again."""
    seen = told.coverage
    return as_json(
        {
            "schema": SCHEMA,
            "exit_code": exit_code,
            "findings": [
                {
                    "code": finding.code,
                    "name": told.rules[finding.code].name,
                    "severity": told.severity(finding).word,
                    "path": finding.path,
                    "line": finding.line,
                    "column": finding.column,
                    "message": plain(finding.message),
                    "mend": mending_of(finding, told.rules[finding.code]),
                    "about": finding.about,
                    "claims": list(finding.claims),
                    "fingerprint": mark,
                    "fixable": told.rules[finding.code].fixable,
                }
                for finding, mark in told.marked()
            ],
            "coverage": {
                "pages": seen.pages,
                "claims": seen.claims,
                "quotes": seen.quotes,
                "compared": seen.compared,
                "rules": told.ran,
            },
            "counts": {**told.counts, "ignored": told.ignored, "baseline": told.known},
        }
    )
