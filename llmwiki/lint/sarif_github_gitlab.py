"""Reports for other programs: SARIF 2.1.0, GitHub Actions, GitLab's merge requests.

SARIF as GitHub code scanning and other viewers read it (docs.oasis-open.org/sarif/sarif/v2.1.0);
GitHub reads a part of it, and shows at most 5,000 results of one run (docs.github.com, "SARIF
support for code scanning"). To GitHub Actions findings are workflow commands in the log;
GitLab reads Code Quality (docs.gitlab.com/ci/testing/code_quality).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import quote

from llmwiki.lint.findings import Finding, LintReport, RuleSummary, Severity
from llmwiki.lint.text_report import STAND_IN, as_json, left_out, mending_of, plain
from llmwiki.version import __version__

MAX_RESULTS = 5000
_ROOT = "%SRCROOT%"
_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


def sarif(told: LintReport) -> str:
    """One run, with the rules that found something. Of more than 5,000 findings the worst are kept,
    and a notification says so."""
    marked = told.worst_first()
    kept = sorted(marked[:MAX_RESULTS])
    found = {finding.code for finding, _mark in kept}
    rules = [rule for code, rule in sorted(told.rules.items()) if code in found]
    invocation: dict[str, object] = {"executionSuccessful": True}
    said = left_out(told)
    if more := len(marked) - len(kept):
        said.append(f"{more} more findings are left out.")
    if said:
        invocation["toolExecutionNotifications"] = [
            {"level": "warning", "message": {"text": text}} for text in said
        ]
    run = {
        "tool": {
            "driver": {
                "name": "wiki lint",
                "semanticVersion": __version__,
                "rules": [_rule(rule) for rule in rules],
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The top of the repository."}}},
        "results": _results(told, kept, {rule.code: n for n, rule in enumerate(rules)}),
    }
    return as_json({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(rule: RuleSummary) -> dict[str, object]:
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": f"{rule.code} {rule.name}"},
        "fullDescription": {"text": rule.meaning},
        "help": {"text": f"{rule.meaning} {rule.mending}"},
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


# --- GitHub Actions -----------------------------------------------------------------------------

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def github(told: LintReport) -> str:
    """One workflow command a finding, the worst first, for GitHub shows few; then the summary."""
    lines = [_command(told, finding) for finding, _mark in told.worst_first()]
    return "".join(f"{line}\n" for line in [*lines, *left_out(told), told.summary()])


def _command(told: LintReport, finding: Finding) -> str:
    rule = told.rules[finding.code]
    properties = {}
    if finding.path:
        properties["file"] = told.prefix + finding.path
    if finding.path and finding.line:
        properties |= {"line": str(finding.line), "endLine": str(finding.line)}
        if finding.column:
            properties["col"] = str(finding.column)
    properties["title"] = f"{rule.code} {rule.name}"
    named = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    message = f"{plain(finding.message)}\n{mending_of(finding, rule)}"
    return f"::{_COMMANDS[told.severity(finding)]} {named}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(plain(text)).replace(":", "%3A").replace(",", "%2C")


# --- GitLab ------------------------------------------------------------------------------------

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.NOTE: "info"}
"""GitLab knows info, minor, major, critical and blocker."""


def gitlab(told: LintReport) -> str:
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
