"""History: the log against the operations behind HEAD, and what befell raw/ without one."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from llmwiki.core.page_and_note_kinds import LOG
from llmwiki.lint.commits_and_log import (
    History,
    PastOperation,
    as_text,
    compare,
    entries,
    log_order,
)
from llmwiki.lint.findings import Finding, Severity, found_at, milder, short
from llmwiki.lint.rule import WikiFix, rule
from llmwiki.lint.whole_wiki_view import LintedWiki
from llmwiki.pages.log_page import LOG_FILE, read_line
from llmwiki.sources.formats import is_read
from llmwiki.sources.raw_paths import RAW, is_source

_LONG = 300
"""Characters of a line of the log that are shown."""


class LogEntry(NamedTuple):
    """One operation as a line of the log tells it."""

    id: str
    path: str
    line: int
    row: str


def _logs(wiki: LintedWiki) -> dict[str, bytes]:
    """The log's files, log.md last."""
    paths = sorted((p for p in wiki.files if p.startswith("wiki/log")), key=log_order)
    found = ((path, wiki.file(path)) for path in paths if LOG_FILE.fullmatch(path))
    return {path: data for path, data in found if data is not None}


def _told(wiki: LintedWiki) -> list[LogEntry]:
    return [
        LogEntry(ident, path, line, row)
        for path, data in _logs(wiki).items()
        for ident, line, row in _lines_of(data)
    ]


@lru_cache(maxsize=4)
def _lines_of(data: bytes) -> tuple[tuple[str, int, str], ...]:
    found = []
    for number, row in enumerate(data.decode("utf-8", "replace").split("\n"), start=1):
        line = read_line(row) if row.startswith("## [") else None
        if line is not None:
            found.append((line.id, number, row.rstrip("\r")))
    return tuple(found)


# --- the log -------------------------------------------------------------------------------


def has_lines_due(wiki: LintedWiki) -> bool:
    """Whether operations wait for the next one to write their lines, as far as that is known."""
    return not wiki.history.lacks and any(True for _hit in _untold(wiki, wiki.history, due=True))


def _untold(wiki: LintedWiki, history: History, *, due: bool) -> Iterator[Finding]:
    """Operations without a line; `due`: those whose lines the next operation writes."""
    told = {line.id for line in _told(wiki)}
    missing = {op.id: op for op in history.operations if op.id not in told and op.kind != "init"}
    waiting = history.due() if missing else frozenset()
    path = LOG if wiki.file(LOG) is not None else ""
    yield from (
        found_at(0, f"The log has no line of {_shown(op)}", path=path, about=op.id)
        for op in reversed(missing.values())
        if (op.id in waiting) == due
    )


def _shown(op: PastOperation) -> str:
    return f"the operation {op.id} ({op.kind}, {op.day}, commit {op.commit[:12]})"


def _told_of(who: str, gone: Sequence[str], swapped: Sequence[Sequence[str]]) -> Iterator[Finding]:
    for row in gone[:1]:
        yield found_at(
            0,
            f"{who} took {_counted(gone)} out of the log, such as `{short(row, _LONG)}`",
            path=LOG,
            mend="Put it back where it stood; `git log -p -- wiki/log.md` shows the place.",
            about=row[-12:],
        )
    for first, second in swapped[:1]:
        yield found_at(
            0,
            f"{who} put the log into another order: `{short(second, _LONG)}` stood behind"
            f" `{short(first, _LONG)}`",
            path=LOG,
            mend="Put the lines back in the order in which they were written.",
            about=second[-12:],
        )


def _counted(rows: Sequence[str]) -> str:
    return "a line" if len(rows) == 1 else f"{len(rows)} lines"


def _twice(wiki: LintedWiki) -> Iterator[Finding]:
    first: dict[str, LogEntry] = {}
    for line in _told(wiki):
        seen = first.setdefault(line.id, line)
        if seen is not line:
            yield found_at(
                line.line,
                f"The operation {line.id} has a line already, {seen.path}:{seen.line}",
                path=line.path,
                about=line.id,
            )


def _unknown(wiki: LintedWiki, history: History) -> Iterator[Finding]:
    known = {op.id for op in history.operations}
    for line in _told(wiki):
        if line.id not in known:
            yield found_at(
                line.line,
                f"No commit behind HEAD is the operation {line.id}",
                path=line.path,
                about=line.id,
            )


_LINE = "## [2026-06-01] ingest | Tea · 3 pages · 3f9c2a71b0d4\n"
_LOG = f"# Log\n\n{_LINE}"
_SOURCE = "# Tea\n\nTea is an infusion of leaves.\n"


@rule(
    "WK401 warning log-out-of-step",
    was="WK403 WK404 WK408 WK409 log-missing log-line-malformed log-line-unknown log-line-due"
    " log-line-twice",
    bad={LOG: _LOG + _LINE},
    good={LOG: _LOG + _LINE.replace("3f9c2a71b0d4", "0b8e2f6c1a77")},
    fix=WikiFix.RENDER,
    of_history=True,
)
def log_out_of_step(wiki: LintedWiki) -> Iterator[Finding]:
    """The log has no line of an operation behind HEAD that can be read as such, two of one, or one
    of an operation that no commit behind HEAD is (its commits were squashed or dropped, or the line
    was made up). Or, a note, a merge brought an operation whose line the next operation writes.

    `wiki lint --fix` writes lines that are missing and takes a second one out; `git log` has the
    facts for the others. A line of commits that are gone for good may be ignored by a baseline.
    """
    if not wiki.keeps_catalogue:
        return
    yield from _twice(wiki)
    if not wiki.history.lacks:
        yield from _untold(wiki, wiki.history, due=False)
        yield from milder(_untold(wiki, wiki.history, due=True), Severity.NOTE)
        yield from _unknown(wiki, wiki.history)


@rule("WK402 error log-rewritten", of_history=True)
def log_rewritten(wiki: LintedWiki) -> Iterator[Finding]:
    """The log only grows: a line that was in it is gone, or lines have changed places. It is no
    longer a record of what happened.

    Put the lines back as they were.
    """
    if wiki.history.lacks or not wiki.keeps_catalogue:
        return
    now = as_text(_logs(wiki))
    place = {row: number for number, row in enumerate(entries(now))}
    for commit, gone, swapped in wiki.history.broken_logs:
        # What somebody put back since stands again.
        still = [row for row in gone if row not in place]
        behind = [pair for pair in swapped if place.get(pair[0], 0) > place.get(pair[1], 0)]
        yield from _told_of(f"Commit {commit[:12]}", still, behind)
    yield from _told_of("An edit that is not committed", *compare(wiki.history.log(), now))


# --- raw/ ----------------------------------------------------------------------------------


@rule("WK406 error raw-text-tampered", of_history=True)
def raw_text_tampered(wiki: LintedWiki) -> Iterator[Finding]:
    """The numbered text of a converted source is not as it was first committed. Quotes are compared
    with it, so it never changes.

    Bring the first version back from git.
    """
    if wiki.history.lacks:
        return
    for path in wiki.history.altered_texts():
        yield found_at(
            0,
            "This numbered text, which quotes are compared with, is not as it was first committed",
            path=path,
            mend=f"Bring the first version back; `git log -- {shlex.quote(path)}` shows it.",
            about=path,
        )


@rule(
    "WK407 note source-not-ingested",
    bad={LOG: _LOG, "raw/tea.md": _SOURCE},
    good={LOG: _LOG, "raw/brand/SOUL.md": _SOURCE},
)
def source_not_ingested(wiki: LintedWiki) -> Iterator[Finding]:
    """A document lies below raw/ that nothing was read from yet.

    Ingest it, or move it out of raw/.
    """
    known = {resource for (resource,) in wiki.rows("SELECT resource FROM lint.resource")}
    if not known and not _told(wiki):
        return
    waiting = sorted(
        path
        for path in wiki.files
        if path.startswith(f"{RAW}/") and path not in known and is_source(path) and is_read(path)
    )
    for path in waiting:
        is_empty = wiki.file(path) == b""
        yield found_at(
            0,
            "The file is empty"
            if is_empty
            else "Nothing was read from this file yet: no page of a source is of it",
            path=path,
            mend="Put the document into it, or remove it."
            if is_empty
            else f"`wiki ingest {shlex.quote(path)}` reads it, or says why it cannot be read.",
            about=path,
        )
