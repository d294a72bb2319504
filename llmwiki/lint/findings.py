"""What a lint gives: findings, and what was looked at."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from llmwiki.core.text import cut, listed


class Severity(IntEnum):
    """How bad a finding is; more is worse."""

    NOTE = 1
    WARNING = 2
    ERROR = 3

    @property
    def word(self) -> str:
        """`note`, `warning` or `error`."""
        return self.name.lower()


class Finding(NamedTuple):
    """One thing that is wrong at one place. Findings sort by path, line, column and code."""

    path: str
    """The file it stands in, from the wiki's root; empty: the wiki as a whole."""
    line: int
    """From 1; 0: the file as a whole."""
    column: int
    """From 1, in characters; 0: the line as a whole."""
    code: str
    """`WK101`."""
    message: str
    """One sentence: what is wrong, with the names that matter in it."""
    mend: str = ""
    """How to mend this one, where that is more than the rule's own `mending`."""
    about: str = ""
    """What it is about, so that it is known again when lines move: a link's target, a claim's id,
    a key of the frontmatter. Two findings of one code in one file may share it."""
    claims: tuple[str, ...] = ()
    """Ids of the claims it is about."""
    severity: Severity | None = None
    """How bad this one is, where that is not what its rule says."""
    by_hand: bool = False
    """Whether `--fix` leaves this one alone, though it mends others of the rule."""


def found_at(
    line: int,
    message: str,
    path: str = "",
    column: int = 0,
    mend: str = "",
    about: str = "",
    claims: tuple[str, ...] = (),
    severity: Severity | None = None,
) -> Finding:
    """A finding as a rule tells it: `Rule.findings` adds its code and, where it looks at one page,
    the path."""
    return Finding(path, line, column, "", message, mend, about, claims, severity)


def found_on_claim(
    ident: str,
    line: int,
    message: str,
    *,
    path: str = "",
    mend: str = "",
    severity: Severity | None = None,
) -> Finding:
    """The same of one claim or note, by its id."""
    return Finding(path, line, 0, "", message, mend, ident, (ident,), severity)


_encoder = json.JSONEncoder(separators=(",", ":"))
"""Made once: `json.dumps` with separators makes one a call, which takes longer than its work."""


def written(findings: Sequence[Finding]) -> str:
    """Findings as a text to keep; empty for none."""
    return _encoder.encode(findings) if findings else ""


def read_back(kept: str) -> Iterator[Finding]:
    """The findings that `written` made a text of."""
    for fields in json.loads(kept) if kept else ():
        found = Finding(*fields)
        milder = None if found.severity is None else Severity(found.severity)
        yield found._replace(claims=tuple(found.claims), severity=milder)


# --- words of a message -------------------------------------------------------------------------


def named(paths: Sequence[str], most: int = 3) -> str:
    """A few paths in words: `a`, `b` and 2 more."""
    return _listed(paths[:most], len(paths) - most)


def others(paths: Sequence[str], own: str, *, is_one: bool = True) -> str:
    """The paths but one's own, in words; `is_one`: one's own is among them, once."""
    shown = list(islice((path for path in paths if path != own), 3))
    return _listed(shown, len(paths) - is_one - len(shown))


def _listed(paths: Sequence[str], more: int) -> str:
    shown = [f"`{path}`" for path in paths]
    if more > 0:
        shown.append(f"{more} more")
    return listed(shown) if shown else ""


def short(text: str, most: int = 60) -> str:
    """The beginning of a text on one line, for a message."""
    return cut(" ".join(text[: most * 4].split()), most)


def milder(hits: Iterable[Finding], severity: Severity) -> Iterator[Finding]:
    """Hits that are less bad than their rule says."""
    return (hit._replace(severity=severity) for hit in hits)


# --- what a report is of ------------------------------------------------------------------------


@dataclass(frozen=True)
class RuleSummary:
    """What a report says of a rule: kept with findings, so that no rule needs to be loaded."""

    code: str
    """`WK101`; never given to another rule."""
    name: str
    """`broken-wikilink`: lower case, words joined by hyphens."""
    severity: Severity
    """How bad its findings are, those excepted that say themselves that they are milder."""
    meaning: str
    """One or two sentences: what is wrong, and why it matters."""
    mending: str
    """One or two sentences: what to do."""
    fixable: bool = False
    """Whether `--fix` may mend it."""
    was: tuple[str, ...] = ()
    """Codes and names of rules that are part of this one now: it answers to them in what people
    select, ignore and have in a baseline."""

    @property
    def family(self) -> str:
        """`structure`, `links`, …: by the hundreds of its code."""
        return FAMILIES[self.code[2]]


FAMILIES: Mapping[str, str] = {
    "0": "structure",
    "1": "links",
    "2": "evidence",
    "3": "knowledge",
    "4": "history",
    "5": "memory and skills",
    "6": "safety",
    "8": "judgement",
    "9": "lint itself",
}
"""The third character of a code to what its rules look at."""

_LENGTH = 20


def fingerprints(findings: Iterable[Finding]) -> tuple[str, ...]:
    """One for each finding, in their order: 20 hexadecimal digits, no two alike.

    Made from code, path, what the finding is about (its message, where it names nothing), and how
    many like it came before.
    """
    seen: Counter[tuple[str, str, str]] = Counter()
    made = []
    for finding in findings:
        key = (finding.code, finding.path, finding.about or finding.message)
        parts = (*key, str(seen[key]))
        seen[key] += 1
        data = "\0".join(parts).encode("utf-8", "surrogatepass")
        made.append(hashlib.sha256(data).hexdigest()[:_LENGTH])
    return tuple(made)


Step = Callable[[str, int, int], None]
"""Takes how far a lint is: what is done, how many of it are done, and of how many; 0: that is not
known."""


def no_step(_doing: str, _done: int, _total: int) -> None:
    """Takes a step and does nothing."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """What was looked at."""

    pages: int
    claims: int
    """By the pages they stand on, struck ones included."""
    quotes: int
    """Pieces of evidence."""
    compared: int
    """How many of them were compared with their texts, now or before with the same bytes."""
    left_out: tuple[str, ...] = ()
    """What could not be looked at and why, a line each: nothing is said of it, good or bad."""


@dataclass(frozen=True)
class LintReport:
    """What a lint found."""

    findings: tuple[Finding, ...]
    """Sorted; without those that pages or a baseline silence."""
    coverage: Coverage
    rules: Mapping[str, RuleSummary] = field(compare=False)
    """The rules that ran, by code; of a report that was kept only their summaries."""
    ignored: int = 0
    """Findings that pages silence."""
    known: int = 0
    """Findings that the baseline holds."""
    is_foreign: bool = False
    """Whether the pages are another tool's."""
    prefix: str = ""
    """The wiki's root within the repository, with a final slash: `docs/kb/`; empty: its top."""

    def severity(self, finding: Finding) -> Severity:
        """How bad it is: as its rule says, if it does not say so itself."""
        own = finding.severity
        return self.rules[finding.code].severity if own is None else own

    def marked(self) -> Iterator[tuple[Finding, str]]:
        """Each finding with its fingerprint."""
        return zip(self.findings, fingerprints(self.findings), strict=True)

    def worst_first(self) -> list[tuple[Finding, str]]:
        """Each finding with its fingerprint: errors, then warnings, then notes."""
        return sorted(self.marked(), key=lambda pair: (-self.severity(pair[0]), pair))

    def fails(self, fail_on: str) -> bool:
        """Whether a finding is at least as bad as `fail_on`: a severity, or `never`."""
        least = Severity.__members__.get(fail_on.upper())
        return least is not None and any(self.severity(f) >= least for f in self.findings)

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """How many there are of each severity: `error`, `warning`, `note`."""
        found = Counter(self.severity(finding) for finding in self.findings)
        return {s.word: found[s] for s in sorted(Severity, reverse=True)}

    def summary(self) -> str:
        """One line: what was looked at and what was found."""
        seen = self.coverage
        of = "" if seen.compared == seen.quotes else f"{seen.compared} of "
        looked = [_many(seen.pages, "page")]
        if seen.claims or seen.quotes:
            looked += [_many(seen.claims, "claim"), f"{of}{_many(seen.quotes, 'quote')} checked"]
        found = [_many(n, word) for word, n in self.counts.items() if n] or ["no issues found"]
        if self.known:
            found.append(f"{self.known} in the baseline")
        if self.ignored:
            found.append(f"{self.ignored} ignored")
        return f"{', '.join(looked)}; {', '.join(found)}"


def _many(count: int, word: str) -> str:
    return f"{count:,} {word}" + ("" if count == 1 else "s")
