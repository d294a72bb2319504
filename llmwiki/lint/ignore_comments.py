"""What a page says is not to be reported: `<!-- wiki: ignore=WK101 -->`.

At the end of a line it counts for that line; alone on a line, for the next one with words;
`ignore-file` counts for the whole page. Inside code it is text like any other.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from llmwiki.lint.findings import Finding, Severity
from llmwiki.lint.page_view import PageView
from llmwiki.lint.select_rules import words
from llmwiki.pages.line_patterns import is_escaped

_COMMENT = re.compile(
    r"<!--[ \t]{0,9}wiki:[ \t]{0,9}ignore(?P<file>-file)?[ \t]{0,9}=(?P<words>[^<>\n]{0,400}?)-->"
)
_MEANT = re.compile(r"<!--[ \t]{0,9}wiki:(?P<said>[^<>\n]{0,400}?)-->")
_BEFORE = re.compile(r"[ \t>]*\Z")
_JUDGED = "WK8"
UNUSED = "WK902"
WHOLE = 0
"""The line of an ignore that counts for the whole page."""


class Ignore(NamedTuple):
    """One comment that silences rules."""

    line: int
    """The line it counts for, from 1; WHOLE: the page."""
    at: int
    """The line it stands in."""
    column: int
    """Of its first character, from 1."""
    codes: frozenset[str]
    unknown: tuple[str, ...]
    """Words that mean no rule, in their order."""


def read(view: PageView, names: Mapping[str, str]) -> tuple[Ignore, ...]:
    """The ignores of a page, in order.

    `names` are the codes and names of rules, in lower case, to their codes
    (`select_rules.names_of`).
    """
    found = list(_shown(view, _COMMENT))
    lines = view.lines
    alone = {at for match, at, _column in found if _is_alone(lines[at - 1], match)}
    targets = _targets_of(lines, alone)
    ignores = []
    for match, at, column in found:
        told = [word.lower() for word in words([match["words"]])]
        codes = frozenset(names[word] for word in told if word in names)
        unknown = tuple(word for word in told if word not in names)
        line = WHOLE if match["file"] else targets.get(at, at)
        ignores.append(Ignore(line, at, column, codes, unknown))
    return tuple(ignores)


def misspelt(view: PageView) -> Iterator[tuple[int, int, str]]:
    """Comments that begin as an ignore does and are none: line and column from 1, what they say."""
    for match, at, column in _shown(view, _MEANT):
        if not _COMMENT.fullmatch(match[0]):
            yield at, column, match["said"].strip()


def _shown(view: PageView, pattern: re.Pattern[str]) -> Iterator[tuple[re.Match[str], int, int]]:
    """Those comments that are none inside code, and not escaped, with their line and column."""
    if "wiki:" in view.text and "<!--" in view.text:
        for found in view.matches(pattern):
            at = found[0].start()
            if view.visible[at] == "<" and not is_escaped(view.text, at):
                yield found


def silenced(ignores: Iterable[Ignore]) -> frozenset[tuple[str, int]]:
    """What a page's ignores silence: code and line, or WHOLE for every line."""
    return frozenset((code, ignore.line) for ignore in ignores for code in ignore.codes)


def covers(told: Collection[tuple[str, int]], finding: Finding) -> bool:
    """Whether what a page silences, as `silenced` has it, holds a finding on it."""
    return (finding.code, finding.line) in told or (finding.code, WHOLE) in told


def split(
    findings: Sequence[Finding], silencing: Mapping[str, Sequence[Ignore]]
) -> tuple[list[Finding], int]:
    """The findings that no page silences, and how many are silenced."""
    told = {path: silenced(ignores) for path, ignores in silencing.items()}
    standing = [f for f in findings if not covers(told.get(f.path, ()), f)]
    return standing, len(findings) - len(standing)


def needless(
    findings: Iterable[Finding], silencing: Mapping[str, Sequence[Ignore]]
) -> Iterator[Finding]:
    """A finding for each ignore that silences nothing of `findings`, though it could: one of a
    model's judgement, which not every lint asks for, is let be.

    Only meant where all rules ran: another rule may be what it silences.
    """
    held = {(f.path, f.code, line) for f in findings for line in (WHOLE, f.line)}
    for path, ignores in silencing.items():
        for ignore in ignores:
            codes = sorted(ignore.codes)
            is_used = any((path, code, ignore.line) in held for code in codes)
            if codes and not is_used and not any(code.startswith(_JUDGED) for code in codes):
                said = ", ".join(codes)
                message = f"This silences {said}, and nothing of that is found here"
                hit = Finding(path, ignore.at, ignore.column, UNUSED, message, about=said)
                yield hit._replace(severity=Severity.NOTE)


def _is_alone(line: str, match: re.Match[str]) -> bool:
    before, _, after = line.partition(match[0])
    return _BEFORE.match(before) is not None and not after.strip()


def _targets_of(lines: Sequence[str], alone: set[int]) -> dict[int, int]:
    """Each line that an ignore has for itself to the line it counts for: the next with words."""
    targets: dict[int, int] = {}
    following = 0
    for number in range(len(lines), 0, -1) if alone else ():
        if number in alone:
            targets[number] = following or number
        elif lines[number - 1].strip(" \t\r>"):
            following = number
    return targets
