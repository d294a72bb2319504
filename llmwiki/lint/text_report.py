"""What every report is made from, and one for people: findings by rule, with how to mend them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from llmwiki.core.quick_to_load import lazy_pattern
from llmwiki.core.text import DROPPED, UNSAFE, cut
from llmwiki.git.find_repository import MARKER
from llmwiki.lint.findings import Finding, LintReport, RuleSummary, Severity
from llmwiki.lint.vault_and_archive_folders import is_put_away

STAND_IN = MARKER
"""The file that findings about the wiki as a whole are put to, where a format demands a file."""

_BREAKS = lazy_pattern("[\x00-\x1f\x85]+")


# --- texts -----------------------------------------------------------------------------------


def plain(text: str) -> str:
    """Words of pages on one line, without what a terminal or a page would obey. Blanks stay as they
    are, for a path may have several in a row."""
    return UNSAFE.sub("", DROPPED.sub("", _BREAKS.sub(" ", text)))


def left_out(told: LintReport) -> list[str]:
    """What could not be looked at, a line each: of that nothing is said, good or bad."""
    return [plain(line) for line in told.coverage.left_out]


def mending_of(finding: Finding, rule: RuleSummary) -> str:
    """How to mend a finding: its own advice, or its rule's."""
    return plain(finding.mend or rule.mending)


def as_json(value: object) -> str:
    """JSON with sorted keys; characters that act on a terminal are written as escapes."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, indent=2)
    return UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"


_COLOURS = {Severity.ERROR: "31", Severity.WARNING: "33", Severity.NOTE: "36"}
"""Of SGR: red, yellow, cyan (ECMA-48 8.3.117)."""
_BOLD, _DIM = "1", "2"
WHOLE = "the wiki"
"""What stands in the place of a path where a finding has none."""


MANY, MANY_AT_FIRST = 200, 20
"""Findings beyond which a report is a table of rules and pages, unless all are asked for: of a
wiki, and of notes that another tool keeps, whose owner sees them for the first time."""
_EXAMPLES, _LONG = 3, 160
"""Findings of each rule that the table shows, and characters of each."""
_WORST = 10
"""Pages with the most findings that the table names."""


def as_text(
    told: LintReport, *, colour: bool = False, brief: bool = False, whole: bool = False
) -> str:
    """The report. `brief`: one line a finding and nothing else. `whole`: each finding, however many
    there are.

    The findings of a rule stand together, the worst rules first. Where a finding says nothing of
    its own about mending, its rule's advice stands below the first of them.
    """
    many = MANY_AT_FIRST if told.is_foreign else MANY
    if len(told.findings) > many and not (brief or whole):
        rest = ["", "--all prints each of them.", *left_out(told), told.summary(), ""]
        return "\n".join([*_table(told), *rest])
    if brief:
        return "".join(f"{_line(told, finding, colour)}\n" for finding in told.findings)
    blocks = []
    for code, findings in _by_rule(told):
        lines, is_advised = [], False
        for finding in findings:
            lines.append(_line(told, finding, colour))
            advice = finding.mend
            if not advice and not is_advised:
                is_advised = True
                advice = told.rules[code].mending
            if advice:
                lines.append("    " + _painted(plain(advice), _DIM, colour))
        blocks.append("\n".join(lines) + "\n")
    return "\n".join([*blocks, *left_out(told), told.summary() + "\n"])


def _by_rule(told: LintReport) -> list[tuple[str, list[Finding]]]:
    """The findings of each rule, the worst first: secrets, the rules with the worst, then the
    most."""
    by_rule: dict[str, list[Finding]] = {}
    for finding, _mark in told.worst_first():
        by_rule.setdefault(finding.code, []).append(finding)

    def rank(row: tuple[str, list[Finding]]) -> tuple[object, ...]:
        code, found = row
        worst = told.severity(found[0])
        is_secret = told.rules[code].name == "secret" and worst > Severity.NOTE
        return not is_secret, -worst, -len(found), code

    return sorted(by_rule.items(), key=rank)


def _table(told: LintReport) -> Iterator[str]:
    """Findings counted by rule and severity, with examples; and by page."""
    yield "Findings by rule"
    for code, of_rule in _by_rule(told):
        rule = told.rules[code]
        worst = told.severity(of_rule[0])
        for severity, found in groupby(of_rule, told.severity):
            # Those that are about unlike things tell more than three of one.
            unlike: dict[str, list[Finding]] = {}
            for each in found:
                unlike.setdefault(each.about or each.path, []).append(each)
            # Of like things one that says how it is mended stands for the others.
            alike = [sorted(same, key=lambda each: not each.mend) for same in unlike.values()]
            # That a secret stands in many places rather tells against it.
            is_secret = rule.name == "secret"
            alike.sort(key=lambda same: (not same[0].mend, -len(same) * (not is_secret), same[0]))
            together = [each for same in alike for each in same]
            why = _why_note(together) if severity < worst and told.is_foreign else ""
            yield f"{len(together):>8,}  {code} {severity.word:<7}  {rule.name}{why}"
            is_whole = is_secret and severity is not Severity.NOTE
            # The rule's advice stands once where it is that of all.
            is_general = not any(each.mend for each in together)
            for same in alike if is_whole else alike[:_EXAMPLES]:
                files = len({each.path for each in same})
                several = f"in {files} files" if files > 1 else f"{len(same)} times"
                times = f" ({several})" if len(same) > 1 else ""
                yield f"{'':10}{where(same[0])} {cut(plain(same[0].message), _LONG)}{times}"
                if not is_general:
                    yield f"{'':14}{mending_of(same[0], rule)}"
            if is_general:
                yield f"{'':10}{plain(rule.mending)}"
    if len(told.findings) <= MANY:
        return
    by_page = Counter(finding.path or WHOLE for finding in told.findings)
    worst_pages = sorted(by_page.items(), key=lambda row: (-row[1], row[0]))[:_WORST]
    for number, (path, count) in enumerate(row for row in worst_pages if row[1] > 1):
        yield from () if number else ("", "Pages with the most")
        yield f"{count:>8,}  {plain(path)}"


def _why_note(notes: list[Finding]) -> str:
    """Why findings of another tool's notes are notes while others of their rule are worse, as far
    as that is for the folders they lie in."""
    count = sum(is_put_away(finding.path) for finding in notes)
    if count == len(notes):
        return " (in archive folders)"
    return f" ({count:,} of them in archive folders)" if count else ""


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
