"""A baseline: the findings known so far, so that only new ones are reported."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from llmwiki.core.errors import InputError, fault_of
from llmwiki.lint.findings import Finding, RuleSummary, fingerprints

SCHEMA = "llmwiki.baseline/1"
MAX_BYTES = 20_000_000
"""Of the largest baseline that is read: some 80,000 findings. What JSON makes of it may take 25
times as much memory, and a repository names the file."""


class BaselineSplit(NamedTuple):
    """Findings beside a baseline."""

    new: tuple[Finding, ...]
    known: tuple[Finding, ...]
    gone: int
    """Entries of the baseline that no finding fits any more."""


def split(
    findings: Sequence[Finding],
    baseline: frozenset[str],
    rules: Mapping[str, RuleSummary],
) -> BaselineSplit:
    """The findings that a baseline does not hold, and those that it does, be it by the code of a
    rule that is part of another one now."""
    if not baseline:
        return BaselineSplit(tuple(findings), (), 0)
    met: set[str] = set()
    is_known = [False] * len(findings)
    for was in range(1 + max((len(rule.was) for rule in rules.values()), default=0)):
        then = [_as_of(finding, rules[finding.code], was) for finding in findings]
        for number, mark in enumerate(fingerprints(then)):
            if mark in baseline:
                met.add(mark)
                is_known[number] = True
    new = [each for each, known in zip(findings, is_known, strict=True) if not known]
    known = [each for each, known in zip(findings, is_known, strict=True) if known]
    return BaselineSplit(tuple(new), tuple(known), len(baseline - met))


def _as_of(finding: Finding, rule: RuleSummary, was: int) -> Finding:
    """A finding under the code that its rule has (0), or that a part of it had."""
    codes = (rule.code, *rule.was)
    return finding._replace(code=codes[was] if was < len(codes) else rule.code)


def write(findings: Sequence[Finding]) -> str:
    """The baseline that holds these findings: a line each, by path, so that few lines change."""
    rows = sorted(
        (finding.path, finding.code, mark, finding.message)
        for finding, mark in zip(findings, fingerprints(findings), strict=True)
    )
    lines = [
        json.dumps({"code": code, "fingerprint": mark, "message": message, "path": path})
        for path, code, mark, message in rows
    ]
    entries = "[\n    " + ",\n    ".join(lines) + "\n  ]" if lines else "[]"
    return f'{{\n  "findings": {entries},\n  "schema": "{SCHEMA}"\n}}\n'


def read(data: bytes, where: str) -> frozenset[str]:
    """The fingerprints a baseline holds. Raises InputError for what is none."""
    fix = f"Write it again: wiki lint --write-baseline {where}"
    try:
        told = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not JSON: {fault_of(error)}", where=where, fix=fix) from error
    if not isinstance(told, dict) or told.get("schema") != SCHEMA:
        raise InputError(f"is no baseline ({SCHEMA})", where=where, fix=fix)
    entries = told.get("findings")
    if not isinstance(entries, list):
        raise InputError("has no list of findings", where=where, fix=fix)
    marks: set[str] = set()
    for entry in entries:
        mark = entry.get("fingerprint") if isinstance(entry, dict) else None
        if not isinstance(mark, str):
            raise InputError("holds a finding without fingerprint", where=where, fix=fix)
        marks.add(mark)
    return frozenset(marks)
