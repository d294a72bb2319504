"""A report in SARIF 2.1.0, as GitHub code scanning and other viewers read it.

docs.oasis-open.org/sarif/sarif/v2.1.0; GitHub reads a part of it, and shows at most 5,000 results
of one run (docs.github.com, "SARIF support for code scanning").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import quote

from llmwiki.lint.explain import as_markdown
from llmwiki.lint.finding import Finding
from llmwiki.lint.report.lint_report import STAND_IN, LintReport, as_json, mending_of, plain
from llmwiki.lint.rule import Rule
from llmwiki.version import __version__

MAX_RESULTS = 5000
_ROOT = "%SRCROOT%"
_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


def render(told: LintReport) -> str:
    """One run, with the rules that found something. Of more than 5,000 findings the worst are kept,
    and a notification says so."""
    marked = told.worst_first()
    kept = sorted(marked[:MAX_RESULTS])
    found = {finding.code for finding, _mark in kept}
    rules = [rule for code, rule in sorted(told.rules.items()) if code in found]
    invocation: dict[str, object] = {"executionSuccessful": True}
    said = list(told.left_out)
    if left_out := len(marked) - len(kept):
        said.append(f"{left_out} more findings are left out.")
    if said:
        invocation["toolExecutionNotifications"] = [
            {"level": "warning", "message": {"text": text}} for text in said
        ]
    run = {
        "tool": {
            "driver": {
                "name": "wiki lint",
                "semanticVersion": __version__,
                "rules": [_rule(rule) for rule in rules if isinstance(rule, Rule)],
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The top of the repository."}}},
        "results": _results(told, kept, {rule.code: n for n, rule in enumerate(rules)}),
    }
    return as_json({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(rule: Rule) -> dict[str, object]:
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": f"{rule.code} {rule.name}"},
        "fullDescription": {"text": rule.meaning},
        "help": {"text": f"{rule.meaning} {rule.mending}", "markdown": as_markdown(rule)},
        "defaultConfiguration": {"level": rule.severity.word},
        "properties": {"tags": [rule.family]},
    }


def _results(
    told: LintReport, kept: Sequence[tuple[Finding, str]], positions: dict[str, int]
) -> list[dict[str, object]]:
    return [
        {
            "ruleId": finding.code,
            "ruleIndex": positions[finding.code],
            "level": told.severity(finding).word,
            "message": {"text": _message(told, finding)},
            "locations": [{"physicalLocation": _location(told, finding)}],
            "partialFingerprints": {"primaryLocationLineHash": mark},
        }
        for finding, mark in kept
    ]


def _message(told: LintReport, finding: Finding) -> str:
    said = plain(finding.message).rstrip(".")
    text = f"{said}. {mending_of(finding, told.rules[finding.code])}"
    # Of a text like [this](1) viewers make a link to a related location (SARIF 3.11.6).
    return re.sub(r"([\\\[\]])", r"\\\1", text) if "](" in text else text


def _location(told: LintReport, finding: Finding) -> dict[str, object]:
    path = told.prefix + (finding.path or STAND_IN)
    region = {"startLine": max(finding.line, 1)}
    if finding.line and finding.column:
        region["startColumn"] = finding.column
    uri = quote(path.encode("utf-8", "surrogateescape"), safe="/")
    return {"artifactLocation": {"uri": uri, "uriBaseId": _ROOT}, "region": region}
