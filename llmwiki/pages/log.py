"""log.md: append-only, one line an operation, so that a union merge cannot damage it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from llmwiki.core.message import plain_line
from llmwiki.pages.escape import escape

TITLE = "# Log\n"
_LINE = re.compile(
    r"^## \[(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})\] (?P<kind>[a-z]+) \| (?P<title>.*?)"
    r" · (?P<pages>[0-9]{1,9}) pages? · (?P<id>[0-9a-f]{12})$"
)


@dataclass(frozen=True, slots=True)
class LogLine:
    """One operation as the log tells it."""

    date: str
    """UTC date of the commit, YYYY-MM-DD."""
    kind: str
    title: str
    pages: int
    id: str
    """The operation's 12 hexadecimal digits."""


def log_path(year: str) -> str:
    """Where a finished year's lines are kept."""
    return f"wiki/log-{year}.md"


def render_line(line: LogLine) -> str:
    """`## [2026-11-20] ingest | Title · 12 pages · 3f9c2a71b0d4`."""
    count = "1 page" if line.pages == 1 else f"{line.pages} pages"
    title = escape(plain_line(line.title, 120)) or "untitled"
    return f"## [{line.date}] {line.kind} | {title} · {count} · {line.id}"


def read_line(text: str) -> LogLine | None:
    """The operation that a line of the log tells; None where it tells none."""
    found = _LINE.match(text.rstrip("\r"))
    if not found:
        return None
    return LogLine(found["date"], found["kind"], found["title"], int(found["pages"]), found["id"])


def append(text: str, lines: Sequence[LogLine]) -> dict[str, str]:
    """The log's files with more lines, by path.

    `text` is log.md as it is (empty where there is none). When the year turns, what log.md held
    becomes `log-<year>.md` and log.md begins anew.
    """
    files: dict[str, str] = {}
    kept = text if text.endswith("\n") or not text else text + "\n"
    last = next((found for row in reversed(kept.split("\n")) if (found := read_line(row))), None)
    year = last.date[:4] if last else ""
    for line in lines:
        if year and year < line.date[:4]:
            files[log_path(year)] = kept
            kept = ""
        year = max(year, line.date[:4])
        kept = (kept or f"{TITLE}\n") + render_line(line) + "\n"
    return {**files, "wiki/log.md": kept}
