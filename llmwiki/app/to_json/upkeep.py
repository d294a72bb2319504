"""Lint, the index, mending after a stop, and settings, as JSON objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llmwiki.app.index import IndexReport
    from llmwiki.app.shapes import upkeep as shapes
    from llmwiki.core.config import Config
    from llmwiki.edit.merging import ResolveResult, UnresolvedPath
    from llmwiki.lint.report.lint_report import LintReport
    from llmwiki.store.recover import Recovery


def lint_json(report: LintReport, exit_code: int) -> shapes.LintJson:
    """The findings of a lint: nothing in it but what the same wiki gives again."""
    from llmwiki.lint.report.lint_report import mending_of, plain

    seen, counts = report.coverage, report.counts
    return {
        "schema": "llmwiki.lint/1",
        "exit_code": exit_code,
        "findings": [
            {
                "code": finding.code,
                "name": report.rules[finding.code].name,
                "severity": report.severity(finding).word,
                "path": finding.path,
                "line": finding.line,
                "column": finding.column,
                "message": plain(finding.message),
                "mend": mending_of(finding, report.rules[finding.code]),
                "about": finding.about,
                "claims": list(finding.claims),
                "fingerprint": mark,
                "fixable": report.rules[finding.code].fixable,
            }
            for finding, mark in report.marked()
        ],
        "coverage": {
            "pages": seen.pages,
            "claims": seen.claims,
            "quotes": seen.quotes,
            "compared": seen.compared,
            "rules": report.ran,
        },
        "counts": {
            "error": counts["error"],
            "warning": counts["warning"],
            "note": counts["note"],
            "ignored": report.ignored,
            "baseline": report.known,
        },
    }


def index_json(report: IndexReport) -> shapes.IndexJson:
    """What the search index holds."""
    return {
        "schema": "llmwiki.index/1",
        "pages": report.pages,
        "words": report.words,
        "commit": report.commit,
        "uncommitted": report.uncommitted,
        "differences": None if report.differences is None else list(report.differences),
    }


def recover_json(done: Recovery) -> shapes.RecoverJson:
    """What became of an operation that was cut off."""
    return {
        "schema": "llmwiki.recover/1",
        "outcome": done.outcome,
        "operation": done.operation or None,
        "commit": done.commit,
        "kept": list(done.kept),
        "failed": list(done.failed),
    }


def resolve_json(done: ResolveResult, *, dry_run: bool) -> shapes.ResolveJson:
    """What was merged of a stopped merge."""
    return {
        "schema": "llmwiki.resolve/1",
        "merged": list(done.merged),
        "removed": list(done.removed),
        "left": [_unresolved(item) for item in done.left],
        "dry_run": dry_run,
    }


def _unresolved(item: UnresolvedPath) -> shapes.UnresolvedJson:
    dispute = item.dispute
    return {
        "path": item.path,
        "why": item.why,
        "about": dispute.name if dispute else "",
        "ours": dispute.ours if dispute else "",
        "theirs": dispute.theirs if dispute else "",
    }


def config_json(config: Config) -> shapes.ConfigJson:
    """The settings in force, by key."""
    return {
        "schema": "llmwiki.config/1",
        "settings": [
            {
                "key": key,
                "value": setting.value,
                "origin": setting.origin,
                "variable": setting.option.variable,
                "from_repository": setting.option.from_repository,
                "meaning": setting.option.meaning,
            }
            for key, setting in sorted(config.settings.items())
        ],
    }


def confinement_json(walls: Sequence[str]) -> shapes.ConfinementJson:
    """What confines the processes that read documents."""
    return {"schema": "llmwiki.confinement/1", "in_force": list(walls)}
