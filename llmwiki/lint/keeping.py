"""Findings and what pages say, as texts to keep and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from llmwiki.index.checked import Told
from llmwiki.lint.finding import Finding
from llmwiki.lint.rule import Group, Row
from llmwiki.lint.wiki import Limits

SEPARATOR = "\x1f"
"""Between the name of a relation and a key."""


def written(findings: Iterable[Finding]) -> str:
    """Findings as a text to keep; empty for none."""
    found = list(findings)
    return json.dumps(found, separators=(",", ":")) if found else ""


def read_back(kept: str) -> Iterator[Finding]:
    """The findings that `written` made a text of."""
    for fields in json.loads(kept) if kept else ():
        finding = Finding(*fields)
        yield finding._replace(claims=tuple(finding.claims))


def as_group(key: str, told: Sequence[Told], limits: Limits) -> Group:
    """A group as rules see it."""
    rows = tuple(Row(said.path, tuple(json.loads(said.value))) for said in told)
    return Group(key, rows, limits)
