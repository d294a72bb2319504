"""By what a finding is known again when the lines around it have moved."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable

from llmwiki.lint.finding import Finding

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
