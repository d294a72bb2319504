"""What a merge leaves to the next operation: log lines that are missing, and doubled ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from llmwiki.core.page_kinds import LOG
from llmwiki.git.log import Commit
from llmwiki.index.facts import is_page
from llmwiki.landing.state import WikiState
from llmwiki.pages.catalogue import LOG_FILE, LogLine, last_id, log_path, without_doubles

LOOK_BACK = 500
"""Commits that are searched for operations without a log line."""


def newest_commit(state: WikiState, base: str) -> Commit:
    """The commit `base` with its message."""
    if state.newest is None or state.newest.oid != base:
        state.newest = next(iter(state.repo.log(base, limit=1)))
    return state.newest


def _in_step(state: WikiState, base: str) -> bool:
    """Whether the commit `base` is the operation that the log's last line tells of.

    Then nobody else has committed or merged since, and catalogue and log are in step.
    """
    if base == state.told:
        return True
    newest = newest_commit(state, base)
    if not newest.operation:
        return False
    files = (LOG, log_path(newest.date.strftime("%Y")))
    return any(last_id(state.text(path)) == newest.operation for path in files)


def missed_lines(
    state: WikiState, base: str | None, *, all_of_them: bool = False, merged: Sequence[str] = ()
) -> Sequence[LogLine] | None:
    """The log lines that are missing at `base` once the commits `merged` are behind it too, oldest
    first.

    With `all_of_them` however old the commits are, and however well the log ends.

    None where all is in step. Otherwise the whole catalogue is worth rendering again.
    """
    in_order = not all_of_them and (base is None or _in_step(state, base))
    if base is None or (in_order and not merged):
        return None
    limit = None if all_of_them else LOOK_BACK
    ranges = [state.repo.log(f"{base}..{tip}", limit=limit) for tip in merged]
    if not in_order:
        ranges.append(state.repo.log(base, limit=limit))
    missing: dict[str, LogLine] = {}
    told = "".join(log_texts(state).values())
    for commit in chain.from_iterable(ranges):
        untold = [each for each in commit.by_operation() if _is_untold(each, told)]
        # Where a shallow clone ends it is not known how many pages it changed; `wiki lint` in a
        # whole clone misses it.
        if not untold or not commit.parents.known:
            continue
        changed = state.repo.diff_trees(commit.parents.first(), commit.oid, "wiki")
        pages = sum(1 for change in changed if is_page(change.path))
        date = commit.date.strftime("%Y-%m-%d")
        for each in reversed(untold):
            ident, kind = each.own or ("", "")
            title = each.subject.partition(": ")[2] or each.subject
            missing[ident] = LogLine(date, kind, title, pages, ident)
    return list(missing.values())[::-1]


def _is_untold(operation: Commit, told: str) -> bool:
    """Whether a log lacks the line of an operation. Trailers that this program does not write would
    stand in it as markup."""
    ident, kind = operation.own or ("", "init")
    return kind != "init" and f" · {ident}" not in told


def log_texts(state: WikiState) -> Mapping[str, str]:
    """The files of the log as the state has them: path to text, by path."""
    paths = (f"wiki/{name}" for name in state.repo.names(state.commit, "wiki"))
    return {path: state.text(path) for path in paths if LOG_FILE.fullmatch(path)}


def undoubled(state: WikiState) -> dict[str, str]:
    """The files of the log that tell of an operation twice, with each line once: path to text."""
    once = {path: without_doubles(text) for path, text in log_texts(state).items()}
    return {path: text for path, text in once.items() if text != state.text(path)}
