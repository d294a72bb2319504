"""Operations that reached HEAD by a merge: their log lines come with the next operation."""

from __future__ import annotations

from collections.abc import Sequence

from llmwiki.memory.state import State
from llmwiki.pages.log import LogLine, read_line

LOOK_BACK = 500
"""Commits that are searched for operations without a log line."""


def missed_lines(state: State, base: str | None) -> Sequence[LogLine] | None:
    """The log lines that are missing at `base`, oldest first.

    None where the newest commit is the operation that the log's last line tells of: then the
    catalogue is in step too. Otherwise somebody else has committed or merged since, and the whole
    catalogue is worth rendering again.
    """
    if base is None:
        return None
    text = state.text("wiki/log.md")
    newest = next(iter(state.repo.log(base, limit=1)), None)
    if newest is None:
        return None
    last = next((line for row in reversed(text.split("\n")) if (line := read_line(row))), None)
    if newest.operation and last is not None and newest.operation == last.id:
        return None
    missing = []
    for commit in state.repo.log(base, with_paths=True, limit=LOOK_BACK):
        ident, kind = commit.operation, commit.kind
        if ident is None or kind is None or kind == "init" or f" · {ident}" in text:
            continue
        title = commit.subject.partition(": ")[2] or commit.subject
        pages = sum(1 for path in commit.paths if path.startswith("wiki/"))
        missing.append(LogLine(commit.date.strftime("%Y-%m-%d"), kind, title, pages, ident))
    return missing[::-1]
