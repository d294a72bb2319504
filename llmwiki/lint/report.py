"""What every report is made from, and one for people: findings by file, with how to mend them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby

from llmwiki.core.lazy_pattern import lazy_pattern
from llmwiki.core.text import cut, listed, normalise
from llmwiki.git.layout import MARKER
from llmwiki.lint.finding import Finding, LintReport, RuleSummary, Severity

STAND_IN = MARKER
"""The file that findings about the wiki as a whole are put to, where a format demands a file."""

_UNSAFE = lazy_pattern("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


# --- one finding a cause ---------------------------------------------------------------------

_NAMED = re.compile(r"\[\[[^\[\]]*\]\]|“[^“”]*”|`[^`]*`|\([^()]*\)|\d[\d,.]*+")
"""What a message names; the rest says what kind of thing is wrong."""
_PLACES, _MENDED = 3, 10
"""Findings of one kind in so many files are told by themselves, or in so many if each says how it
is mended."""


def gathered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """One finding a cause, as somebody wants it who sees a vault for the first time.

    What is about one thing is told once, wherever it stands; so is what is wrong in one way in one
    file, or in many files.
    """

    def kind(finding: Finding) -> tuple[object, ...]:
        return finding.code, finding.severity, _NAMED.sub("", finding.message)

    def merged(
        groups: Iterable[list[Finding]], key: Callable[[Finding], object]
    ) -> list[list[Finding]]:
        found: dict[object, list[Finding]] = {}
        for group in sorted(groups, key=lambda group: (-len(group), group)):
            found.setdefault(key(group[0]), []).extend(group)
        return list(found.values())

    def counted(groups: list[list[Finding]]) -> Counter[tuple[object, ...]]:
        return Counter(kind(group[0]) for group in groups)

    def is_much(finding: Finding, many: Mapping[tuple[object, ...], int]) -> bool:
        return many[kind(finding)] > (_MENDED if finding.mend else _PLACES)

    each = sorted(finding for finding in findings if not finding.message.startswith("… and "))
    groups = [[finding] for finding in each]
    groups = merged(groups, lambda f: (*kind(f), f.about or f.path))
    many = counted(groups)
    groups = merged(groups, lambda f: (*kind(f), f.path if is_much(f, many) or not f.mend else f))
    many = counted(groups)
    groups = merged(groups, lambda f: kind(f) if is_much(f, many) else f)
    return tuple(sorted(map(_as_one, groups)))


def _as_one(group: list[Finding]) -> Finding:
    """Findings as the first of them, which says how many more there are and where."""
    first, *more = group
    if not more:
        return first
    files = {finding.path: finding for finding in reversed(more) if finding.path != first.path}
    shown = [where(files[path]) for path in sorted(files)] if files else []
    if not files:
        lines = dict.fromkeys(f"line {finding.line}" for finding in more if finding.line)
        shown = [line for line in lines if line != f"line {first.line}"]
    places = f", such as in {listed(shown[:_PLACES])}" if shown else ""
    return first._replace(message=f"{first.message}; and {len(more)} more like it{places}")


# --- texts -----------------------------------------------------------------------------------


def plain(text: str) -> str:
    """Words of pages on one line, without what a terminal or a page would obey."""
    return _UNSAFE.sub("", normalise(text))


def left_out(told: LintReport) -> list[str]:
    """What could not be looked at, a line each: of that nothing is said, good or bad."""
    return [plain(line) for line in told.coverage.left_out]


def mending_of(finding: Finding, rule: RuleSummary) -> str:
    """How to mend a finding: its own advice, or its rule's."""
    return plain(finding.mend or rule.mending)


def as_json(value: object) -> str:
    """JSON with sorted keys; characters that act on a terminal are written as escapes."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, indent=2)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"


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


def as_text(
    told: LintReport, *, colour: bool = False, brief: bool = False, whole: bool = False
) -> str:
    """The report. `brief`: one line a finding and nothing else. `whole`: each finding, where there
    are more than `MANY` too.

    Where a finding says nothing of its own about mending, its rule's advice stands below the first
    of them.
    """
    if len(told.findings) > MANY and not (brief or whole):
        rest = ["", "--all prints each of them.", *left_out(told), told.summary(), ""]
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
    return "\n".join([*blocks, *left_out(told), told.summary() + "\n"])


def _table(told: LintReport) -> Iterator[str]:
    """Findings counted by rule, the worst and then the most first, with examples; and by page."""
    by_rule: dict[str, list[Finding]] = {}
    for finding in told.findings:
        by_rule.setdefault(finding.code, []).append(finding)
    yield "Findings by rule"
    worst_of = {code: max(map(told.severity, found)) for code, found in by_rule.items()}
    for code, found in sorted(by_rule.items(), key=lambda r: (-worst_of[r[0]], -len(r[1]), r[0])):
        rule, worst = told.rules[code], worst_of[code]
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
