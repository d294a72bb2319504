"""A report for GitHub Actions: workflow commands in the log, a table in the job's summary."""

from __future__ import annotations

from llmwiki.lint.finding import Finding, Severity
from llmwiki.lint.report.lint_report import LintReport, mending_of, plain
from llmwiki.pages.escape import escape_inline

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
SUMMARY_BYTES = 1024 * 1024
"""Of what one step may write to its summary; more, and GitHub shows none of it."""
_REST = 200
"""Bytes kept free for the line that says how many rows were left out."""


def render(told: LintReport) -> str:
    """One workflow command a finding, the worst first, for GitHub shows few; then the summary."""
    lines = [_command(told, finding) for finding, _mark in told.worst_first()]
    return "".join(f"{line}\n" for line in [*lines, *told.left_out, told.summary()])


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


def summary(told: LintReport, room: int = SUMMARY_BYTES) -> str:
    """The findings as a Markdown table of at most `room` bytes, the worst first."""
    parts = [f"### wiki lint\n\n{told.summary()}\n"]
    left = room - len(parts[0].encode()) - _REST
    if left < 0:
        return ""
    if told.findings:
        head = "\n| severity | rule | place | finding |\n| --- | --- | --- | --- |\n"
        parts.append(head)
        left -= len(head)
    findings = told.worst_first()
    for number, (finding, _mark) in enumerate(findings):
        row = _row(told, finding)
        left -= len(row.encode())
        if left < 0:
            parts.append(f"\n{len(findings) - number:,} more are left out here.\n")
            break
        parts.append(row)
    return "".join(parts)


def _row(told: LintReport, finding: Finding) -> str:
    rule = told.rules[finding.code]
    place = plain(finding.path) or "the wiki"
    if finding.line:
        place += f":{finding.line}"
    severity = told.severity(finding).word
    cells = (severity, f"{rule.code} {rule.name}", _cell(place), _cell(finding.message))
    return f"| {' | '.join(cells)} |\n"


def _cell(text: str) -> str:
    # An at sign would name a person.
    return escape_inline(plain(text)).replace("|", "\\|").replace("@", "@\u200b")
