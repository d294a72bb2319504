"""What a rule reports."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import NamedTuple


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


class RuleHit(NamedTuple):
    """A finding as a rule yields it: the runner adds code and, for a page, the path."""

    line: int
    message: str
    path: str = ""
    """For rules over more than one page."""
    column: int = 0
    mend: str = ""
    about: str = ""
    claims: tuple[str, ...] = ()
    severity: Severity | None = None

    @classmethod
    def of_claim(
        cls,
        ident: str,
        line: int,
        message: str,
        *,
        path: str = "",
        mend: str = "",
        severity: Severity | None = None,
    ) -> RuleHit:
        """A finding about one claim or note, by its id."""
        return cls(line, message, path, 0, mend, ident, (ident,), severity)

    def finding(self, code: str, path: str = "") -> Finding:
        """The same as a rule of that code tells it, of the page at `path` where it names none."""
        return Finding(
            self.path or path, self.line, self.column, code, self.message,
            self.mend, self.about, self.claims, self.severity,
        )  # fmt: skip


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
