"""JSON of findings and of relation rows, as the lint cache keeps them, and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from llmwiki.index.lint_cache import RelationRow
from llmwiki.lint.finding import Finding
from llmwiki.lint.relation import Group, GroupRow, Value
from llmwiki.lint.thresholds import LintLimits

SEPARATOR = "\x1f"
"""Between the name of a relation and a key."""


_encoder = json.JSONEncoder(separators=(",", ":"))
"""Made once: `json.dumps` with separators makes one a call, which takes longer than its work."""


def packed(value: Value) -> str:
    """What a page says under a key, as a text to keep."""
    return _encoder.encode(value)


def written(findings: Iterable[Finding]) -> str:
    """Findings as a text to keep; empty for none."""
    found = list(findings)
    return _encoder.encode(found) if found else ""


def read_back(kept: str) -> Iterator[Finding]:
    """The findings that `written` made a text of."""
    for fields in json.loads(kept) if kept else ():
        finding = Finding(*fields)
        yield finding._replace(claims=tuple(finding.claims))


def as_group(key: str, told: Sequence[RelationRow], limits: LintLimits) -> Group:
    """A group as rules see it."""
    if not told:
        return Group(key, (), limits)
    # Read in one go: a call for each row takes longer than its work.
    values = json.loads(f"[{','.join([said.value for said in told])}]")
    rows = tuple([GroupRow(said.path, tuple(v)) for said, v in zip(told, values, strict=True)])
    return Group(key, rows, limits)
