"""What a plan would change, as a unified diff."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from llmwiki.core.plan import Plan
    from llmwiki.repo.repository import Repository


def diff_of(repo: Repository, plan: Plan | None) -> str:
    """The files of the wiki before and after, and the sizes of new sources; empty: no plan."""
    if plan is None:
        return ""
    out: list[str] = []
    for path, after in sorted(plan.writes.items()):
        if not path.startswith("wiki/"):
            out.append(f"new file {path}, {len(after or b'')} bytes\n")
            continue
        before = repo.read(plan.base, path)
        out += difflib.unified_diff(
            _lines(before),
            _lines(after),
            "/dev/null" if before is None else f"a/{path}",
            "/dev/null" if after is None else f"b/{path}",
        )
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in out)


def _lines(data: bytes | None) -> list[str]:
    return (data or b"").decode("utf-8", "replace").splitlines(keepends=True)
