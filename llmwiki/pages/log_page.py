"""The log page, wiki/log.md and its files of later years: a line for each operation, which the
landing writes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from llmwiki.core.forge_safe_line import plain_line
from llmwiki.core.page_and_note_kinds import LOG
from llmwiki.core.text import counted
from llmwiki.pages.escape import escape

LOG_FILE = re.compile(r"wiki/log(?:-[0-9]{4})?\.md")
"""A file of the log."""
_HEAD = (
    "# Log\n\nOne line an operation. Each later year has a file of its own beside this one, such as"
    " `log-{after}.md`.\n\n"
)
# A search skips to a sign that a pattern begins with; what stands before it is looked at there.
_LINE = re.compile(
    r"#(?<=^#)# \[(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})\] (?P<kind>[a-z]+) \| (?P<title>.*?)"
    r" · (?P<pages>[0-9]{1,9}) pages? · (?P<id>[0-9a-f]{12})\r*$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class LogLine:
    """One operation as a line of the log describes it."""

    date: str
    """UTC date of the commit, YYYY-MM-DD."""
    kind: str
    title: str
    pages: int
    id: str
    """The operation's 12 hexadecimal digits."""


def log_path(year: str) -> str:
    """Where the lines of a year stand that came after the first year of log.md."""
    return f"wiki/log-{year}.md"


def render_line(line: LogLine) -> str:
    """`## [2026-11-20] ingest | Title · 12 pages · 3f9c2a71b0d4`."""
    count = counted(line.pages, "page")
    title = escape(plain_line(line.title, 120)) or "untitled"
    return f"## [{line.date}] {line.kind} | {title} · {count} · {line.id}"


def read_line(text: str) -> LogLine | None:
    """The operation that a line of the log describes; None: it is no such line."""
    found = _LINE.match(text)
    if not found:
        return None
    return LogLine(found["date"], found["kind"], found["title"], int(found["pages"]), found["id"])


def append_log(read: Callable[[str], str], lines: Sequence[LogLine]) -> dict[str, str]:
    """The log's files that gain lines, with them: path to text.

    `read` gives the text of a file of the log as it is, empty where there is none. Lines of the
    year in which log.md begins, and of earlier ones, stand in log.md; those of each later year in
    `log-<year>.md`.
    """
    files: dict[str, str] = {}
    begun = read(LOG)
    earliest = _LINE.search(begun)
    first = earliest["date"][:4] if earliest else ""
    for line in lines:
        year = line.date[:4]
        first = first or year
        path = LOG if year <= first else log_path(year)
        if path not in files:
            held = begun if path == LOG else read(path)
            files[path] = held if held.endswith("\n") or not held else held + "\n"
        if not files[path]:
            after = f"{int(year) + 1:04}"
            files[path] = _HEAD.format(after=after) if path == LOG else f"# Log of {year}\n\n"
        files[path] += render_line(line) + "\n"
    return files


def last_id(text: str) -> str:
    """The id of the last operation in a file of the log; empty where there is none."""
    end = len(text)
    while end >= 0:
        start = text.rfind("\n", 0, end) + 1
        line = read_line(text[start:end])
        if line is not None:
            return line.id
        end = start - 1
    return ""


def merge_lines(base: str, ours: str, theirs: str) -> str:
    """Both sides' lines of a file of the log: ours, and behind them what only theirs has gained."""
    known = {*base.split("\n"), *ours.split("\n")}
    more = [row for row in theirs.split("\n") if row not in known]
    return "\n".join([*ours.rstrip("\n").split("\n"), *more]) + "\n" if more else ours


def without_doubles(text: str) -> str:
    """A file of the log with the first of each operation's equal lines.

    Two branches that each told of one merged operation, among lines of their own, have it twice
    after a merge of lines.
    """
    seen: set[str] = set()
    kept = []
    for row in text.split("\n"):
        told = row.rstrip("\r")
        if told in seen:
            continue
        if read_line(told) is not None:
            seen.add(told)
        kept.append(row)
    return "\n".join(kept)
