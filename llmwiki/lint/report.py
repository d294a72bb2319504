"""What every report is made from, and one for people: findings by rule, with how to mend them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from llmwiki.core.lazy_pattern import lazy_pattern
from llmwiki.core.text import cut, listed, normalise
from llmwiki.git.layout import MARKER
from llmwiki.lint.finding import Finding, LintReport, RuleSummary, Severity

STAND_IN = MARKER
"""The file that findings about the wiki as a whole are put to, where a format demands a file."""

_UNSAFE = lazy_pattern("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


# --- one finding a cause ---------------------------------------------------------------------

_NAMED = re.compile(r"\[\[[^\[\]]*\]\]|“[^“”]*”|`[^`]*`|\((?:[^()]++|\([^()]*+\))*+\)|\d[\d,.]*+")
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
    """Findings as one of what most of them name, which says how many more there are, what they
    name and where."""
    by_name: dict[str, list[Finding]] = {}
    for finding in sorted(group):
        named = _NAMED.search(finding.message)
        by_name.setdefault(named[0] if named else "", []).append(finding)
    same, *others = sorted(by_name.values(), key=lambda found: (-len(found), found))
    first, more = same[0], len(group) - 1
    if not more:
        return first
    if others:
        times = f" ({len(same)} times)" if len(same) > 1 else ""
        shown = [_named_at(found, first.path) for found in others[:_PLACES]]
        return first._replace(
            message=f"{first.message}{times}; and {len(group) - len(same)} more like it, such as"
            f" {listed(shown)}"
        )
    files = {finding.path: finding for finding in reversed(same) if finding.path != first.path}
    places = [where(files[path]) for path in sorted(files)]
    if not files:
        lines = dict.fromkeys(f"line {finding.line}" for finding in same if finding.line)
        places = [line for line in lines if line != f"line {first.line}"]
    such = f", such as in {listed(places[:_PLACES])}" if places else ""
    return first._replace(message=f"{first.message}; and {more} more like it{such}")


def _named_at(found: list[Finding], path: str) -> str:
    """What findings name, how often, and where the first of them is, seen from a file."""
    first = found[0]
    named = _NAMED.search(first.message)
    place = f"line {first.line}" if first.path == path and first.line else where(first)
    times = f"{len(found)} times, " if len(found) > 1 else ""
    return f"{named[0] if named else 'one'} ({times}{place})"


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

    The findings of a rule stand together, the worst rules first. Where a finding says nothing of
    its own about mending, its rule's advice stands below the first of them.
    """
    if len(told.findings) > MANY and not (brief or whole):
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
    """The findings of each rule, the worst first: the rules with the worst, and of these secrets,
    then the most."""
    by_rule: dict[str, list[Finding]] = {}
    for finding, _mark in told.worst_first():
        by_rule.setdefault(finding.code, []).append(finding)

    def rank(row: tuple[str, list[Finding]]) -> tuple[object, ...]:
        code, found = row
        return -told.severity(found[0]), told.rules[code].name != "secret", -len(found), code

    return sorted(by_rule.items(), key=rank)


def _table(told: LintReport) -> Iterator[str]:
    """Findings counted by rule, with examples; and by page."""
    yield "Findings by rule"
    for code, found in _by_rule(told):
        rule, worst = told.rules[code], told.severity(found[0])
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
