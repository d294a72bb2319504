"""A report for people: findings by file, each with how to mend it."""

from __future__ import annotations

from itertools import groupby

from llmwiki.lint.finding import Finding, Severity
from llmwiki.lint.report.lint_report import LintReport, plain

_COLOURS = {Severity.ERROR: "31", Severity.WARNING: "33", Severity.NOTE: "36"}
"""Of SGR: red, yellow, cyan (ECMA-48 8.3.117)."""
_BOLD, _DIM = "1", "2"
WHOLE = "the wiki"
"""What stands in the place of a path where a finding has none."""


def render(told: LintReport, *, colour: bool = False, brief: bool = False) -> str:
    """The report. `brief`: one line a finding and nothing else.

    Where a finding says nothing of its own about mending, its rule's advice stands below the first
    of them.
    """
    advised: set[str] = set()
    blocks = []
    for _path, findings in groupby(told.findings, key=lambda finding: finding.path):
        lines = []
        for finding in findings:
            lines.append(_line(told, finding, colour))
            if brief:
                continue
            advice = finding.mend
            if not advice and finding.code not in advised:
                advised.add(finding.code)
                advice = told.rules[finding.code].mending
            if advice:
                lines.append("    " + _painted(plain(advice), _DIM, colour))
        blocks.append("\n".join(lines) + "\n")
    if brief:
        return "".join(blocks)
    return "\n".join([*blocks, told.summary() + "\n"])


def _line(told: LintReport, finding: Finding, colour: bool) -> str:
    severity = told.severity(finding)
    place = _painted(where(finding), _BOLD, colour)
    word = _painted(severity.word, _COLOURS[severity], colour)
    return f"{place} {word} {finding.code} {plain(finding.message)}"


def where(finding: Finding) -> str:
    """`wiki/concepts/A.md:12:5` as editors follow it, as far as it is known."""
    numbers = [str(n) for n in (finding.line, finding.column)[: 2 if finding.line else 0] if n]
    return ":".join([plain(finding.path) or WHOLE, *numbers])


def _painted(text: str, code: str, colour: bool) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if colour else text
