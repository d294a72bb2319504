"""A report for people: findings by file, each with how to mend it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from llmwiki.core.text import cut
from llmwiki.lint.finding import Finding, Severity
from llmwiki.lint.report.lint_report import LintReport, plain

_COLOURS = {Severity.ERROR: "31", Severity.WARNING: "33", Severity.NOTE: "36"}
"""Of SGR: red, yellow, cyan (ECMA-48 8.3.117)."""
_BOLD, _DIM = "1", "2"
WHOLE = "the wiki"
"""What stands in the place of a path where a finding has none."""


MANY = 200
"""Findings beyond which a report is a table of rules and pages, unless all are asked for."""
_EXAMPLES, _LONG = 3, 100
"""Findings of each rule that the table shows, and characters of each."""
_WORST = 10
"""Pages with the most findings that the table names."""


def render(
    told: LintReport, *, colour: bool = False, brief: bool = False, whole: bool = False
) -> str:
    """The report. `brief`: one line a finding and nothing else. `whole`: each finding, where there
    are more than `MANY` too.

    Where a finding says nothing of its own about mending, its rule's advice stands below the first
    of them.
    """
    if len(told.findings) > MANY and not (brief or whole):
        rest = ["", "--all prints each of them.", *told.left_out, told.summary(), ""]
        return "\n".join([*_table(told), *rest])
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
    return "\n".join([*blocks, *told.left_out, told.summary() + "\n"])


def _table(told: LintReport) -> Iterator[str]:
    """Findings counted by rule and by page, the most first; of each rule the first examples."""
    by_rule: dict[str, list[Finding]] = {}
    for finding in told.findings:
        by_rule.setdefault(finding.code, []).append(finding)
    yield "Findings by rule"
    for code, found in sorted(by_rule.items(), key=lambda row: (-len(row[1]), row[0])):
        rule = told.rules[code]
        worst = max(told.severity(finding) for finding in found)
        yield f"{len(found):>8,}  {code} {worst.word:<7}  {rule.name}"
        # Those that are about unlike things tell more than three of one.
        unlike = {each.about or each: each for each in reversed(found)}
        for example in sorted(unlike.values())[:_EXAMPLES]:
            yield f"{'':10}{where(example)} {cut(plain(example.message), _LONG)}"
    by_page = Counter(finding.path or WHOLE for finding in told.findings)
    yield ""
    yield "Pages with the most"
    for path, count in sorted(by_page.items(), key=lambda row: (-row[1], row[0]))[:_WORST]:
        yield f"{count:>8,}  {plain(path)}"


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
