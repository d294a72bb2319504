"""What every report is made from."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from llmwiki.core.lazy_pattern import lazy_pattern
from llmwiki.core.text import normalise
from llmwiki.lint.finding import Finding, Severity
from llmwiki.lint.fingerprint import fingerprints
from llmwiki.lint.rule import Rule, RuleSummary
from llmwiki.lint.select import severity_of
from llmwiki.repo.layout import MARKER

if TYPE_CHECKING:
    from llmwiki.lint.outcome import Coverage

STAND_IN = MARKER
"""The file that findings about the wiki as a whole are put to, where a format demands a file."""

_UNSAFE = lazy_pattern("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


@dataclass(frozen=True)
class LintReport:
    """What is reported of a lint."""

    findings: tuple[Finding, ...]
    """Sorted; without those that pages or the baseline silence."""
    coverage: Coverage
    rules: Mapping[str, Rule | RuleSummary]
    """Code to rule: at least those that ran."""
    prefix: str = ""
    """The wiki's root within the repository, with a final slash: `docs/kb/`; empty: its top."""
    ignored: int = 0
    """Findings that pages silence."""
    known: int = 0
    """Findings that the baseline holds."""
    ran: int = 0
    """Rules that ran."""

    def severity(self, finding: Finding) -> Severity:
        """How bad it is."""
        return severity_of(finding, self.rules)

    def marked(self) -> Iterator[tuple[Finding, str]]:
        """Each finding with its fingerprint."""
        return zip(self.findings, fingerprints(self.findings), strict=True)

    def worst_first(self) -> list[tuple[Finding, str]]:
        """Each finding with its fingerprint: errors, then warnings, then notes."""
        return sorted(self.marked(), key=lambda pair: (-self.severity(pair[0]), pair))

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """How many there are of each severity: `error`, `warning`, `note`."""
        counted = Counter(self.severity(finding) for finding in self.findings)
        return {s.word: counted[s] for s in sorted(Severity, reverse=True)}

    def summary(self) -> str:
        """One line: what was looked at and what was found."""
        seen = self.coverage
        quotes = _many(seen.quotes, "quote")
        of = "" if seen.compared == seen.quotes else f"{seen.compared} of "
        looked = [_many(seen.pages, "page"), _many(seen.claims, "claim"), f"{of}{quotes} checked"]
        found = [_many(n, word) for word, n in self.counts.items() if n] or ["no issues found"]
        if self.known:
            found.append(f"{self.known} in the baseline")
        if self.ignored:
            found.append(f"{self.ignored} ignored")
        return f"{', '.join(looked)}; {', '.join(found)}"

    @property
    def left_out(self) -> tuple[str, ...]:
        """What could not be looked at, a line each: of that nothing is said, good or bad."""
        return tuple(map(plain, self.coverage.left_out))


def plain(text: str) -> str:
    """Words of pages on one line, without what a terminal or a page would obey."""
    return _UNSAFE.sub("", normalise(text))


def mending_of(finding: Finding, rule: Rule | RuleSummary) -> str:
    """How to mend a finding: its own advice, or its rule's."""
    return plain(finding.mend or rule.mending)


def as_json(value: object) -> str:
    """JSON with sorted keys; characters that act on a terminal are written as escapes."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, indent=2)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"


def _many(count: int, word: str) -> str:
    return f"{count:,} {word}" + ("" if count == 1 else "s")
