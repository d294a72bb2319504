"""Operations that reached HEAD by a merge: their log lines come with the next operation."""

from __future__ import annotations

import re
from collections.abc import Sequence

from llmwiki.index.facts import is_page
from llmwiki.memory.state import State
from llmwiki.pages.log import LogLine, log_path, read_line

_KIND = re.compile(r"[a-z]{1,20}")
_ID = re.compile(r"[0-9a-f]{12}")
LOOK_BACK = 500
"""Commits that are searched for operations without a log line."""


def missed_lines(
    state: State, base: str | None, *, all_of_them: bool = False
) -> Sequence[LogLine] | None:
    """The log lines that are missing at `base`, oldest first.

    With `all_of_them` however old the commits are, and however well the log ends.

    None where the newest commit is the operation that the log's last line tells of: then the
    catalogue is in step too. Otherwise somebody else has committed or merged since, and the whole
    catalogue is worth rendering again.
    """
    if base is None or (base == state.own and not all_of_them):
        return None
    text = state.text("wiki/log.md")
    newest = next(iter(state.repo.log(base, limit=1)), None)
    if newest is None:
        return None
    last = next((line for row in reversed(text.split("\n")) if (line := read_line(row))), None)
    if newest.operation and last is not None and newest.operation == last.id and not all_of_them:
        return None
    missing: dict[str, LogLine] = {}
    told = _Told(state, text, int(last.date[:4]) if last else 0)
    for commit in state.repo.log(base, limit=None if all_of_them else LOOK_BACK):
        ident, kind = commit.operation, commit.kind
        if ident is None or kind is None or kind == "init" or told.tells(commit.date.year, ident):
            continue
        if not (_KIND.fullmatch(kind) and _ID.fullmatch(ident)):
            # Trailers that this program does not write; they would stand in the log as markup.
            continue
        if not commit.parents.known:
            # How many pages it changed is not known here; `wiki lint` in a whole clone misses it.
            continue
        title = commit.subject.partition(": ")[2] or commit.subject
        changed = state.repo.diff_trees(commit.parents.first(), commit.oid, "wiki")
        pages = sum(1 for change in changed if is_page(change.path))
        date = commit.date.strftime("%Y-%m-%d")
        missing[ident] = LogLine(date, kind, title, pages, ident)
    return list(missing.values())[::-1]


class _Told:
    """Which operations the log tells of; finished years are read when they are asked for."""

    def __init__(self, state: State, text: str, last_year: int) -> None:
        self._state = state
        self._text = text
        self._last_year = last_year
        self._years: dict[int, str] = {}

    def tells(self, year: int, ident: str) -> bool:
        """Whether a line of log.md, or of a year's log from `year` on, ends in that id."""
        if f" · {ident}" in self._text:
            return True
        return any(f" · {ident}" in self._log_of(y) for y in range(year, self._last_year + 1))

    def _log_of(self, year: int) -> str:
        if year not in self._years:
            self._years[year] = self._state.text(log_path(f"{year:04}"))
        return self._years[year]
