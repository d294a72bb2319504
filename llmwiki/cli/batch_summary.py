"""What a batch came to: a table by format, and what failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from llmwiki import OperationReport


SCREEN = 20
"""Sources after which a failure may have scrolled away and is told again."""

_STATES = ("ingested", "planned", "skipped", "failed")
_COLUMNS = ("format", "sources", *_STATES, "claims", "new pages")


def summary(results: Sequence[OperationReport], total: int) -> str:
    """The table if anything is new, the failures if there were many sources, and the sums.

    `total` is how many sources were named; those without a result were not tried.
    """
    is_news = any(result.status in ("ingested", "planned") for result in results)
    table = ["", _table(results), ""] if is_news else []
    return "\n".join([*table, *_failures(results, total), _last_line(results, total)])


def _table(results: Sequence[OperationReport]) -> str:
    groups: dict[str, list[OperationReport]] = {}
    for result in results:
        groups.setdefault(_format(result.source), []).append(result)
    rows = [_row(name, groups[name]) for name in sorted(groups)]
    if len(rows) > 1:
        rows.append(_row("all", results))
    used = [i for i, name in enumerate(_COLUMNS) if name not in _STATES or any(r[i] for r in rows)]
    lines = [[_COLUMNS[i] for i in used], *([str(row[i]) for i in used] for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(used))]
    return "\n".join(
        "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])])
        for line in lines
    )


def _row(name: str, results: Sequence[OperationReport]) -> tuple[str | int, ...]:
    states = Counter(result.status for result in results)
    return (
        name,
        len(results),
        *(states[state] for state in _STATES),
        sum(result.claims_added for result in results),
        sum(len(result.pages_created) for result in results),
    )


def _format(path: str) -> str:
    return PurePosixPath(path).suffix.lower().removeprefix(".")[:12] or "(none)"


def _failures(results: Sequence[OperationReport], total: int) -> list[str]:
    failures = [result for result in results if result.status == "failed"]
    if not failures or total <= SCREEN:
        return []
    told = [f"  {result.source} (exit {result.exit_code})" for result in failures]
    return ["Not ingested, and tried again by the same command:", *told, ""]


def _last_line(results: Sequence[OperationReport], total: int) -> str:
    states = Counter(result.status for result in results)
    parts = [f"{states[state]} {state}" for state in _STATES if states[state]]
    left = total - len(results)
    if left:
        parts.append(f"{left} not tried")
    return f"{total} sources: " + ", ".join(parts)
