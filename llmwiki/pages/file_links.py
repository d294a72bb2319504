"""The Markdown links of a page that may lead to files: `[label](../sources/x.md)`, images as well.

Code, HTML comments and frontmatter hold none, nor do escaped brackets; addresses with a scheme
(`https:`, `mailto:`) and bare anchors lead to no file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from llmwiki.core.lazy_pattern import lazy_pattern
from llmwiki.pages.lines import Closers
from llmwiki.pages.scan import Run, RunText, prose


class FileLink(NamedTuple):
    """One Markdown link as it stands on a page."""

    to: str
    """The path as meant: percent signs read, without query and anchor; never empty."""
    embed: bool
    """Written `![…](…)`."""
    start: int
    """Offset in characters of the opening bracket, or of the `!` before it."""
    first: int = 0
    """Offset of the address, as it is written."""
    last: int = 0
    """Offset behind it."""


_TOKEN = re.compile(r"\\.|`+|<!--|\[|\]\(|\]", re.DOTALL)
# Bounded where it looks for an end, so that a thousand open brackets are not a thousand scans.
_PLACE = lazy_pattern(
    r"[ \t]{0,20}\n?[ \t]{0,20}(?:<(?P<angle>[^<>\n]{0,2000})>"
    r"|(?P<bare>[^\s<>()]{1,2000}(?:\([^\s<>()]{0,500}\)[^\s<>()]{0,500}){0,9}))"
    r"(?:\s{1,20}(?:\"[^\"]{0,500}\"|'[^']{0,500}'|\([^()]{0,500}\)))?\s{0,20}\)"
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|#")
PLACEHOLDER = re.compile(r"\{\{|\}\}|\{%|<%|\$\{|\$FOAM_")
"""What a template engine fills in: no name of anything yet."""


def has_placeholder(text: str) -> bool:
    """Whether a template engine fills in anything; most texts lack the characters it takes."""
    is_likely = "{" in text or "}" in text or "$" in text or "<%" in text
    return is_likely and PLACEHOLDER.search(text) is not None


def scan(text: str) -> tuple[FileLink, ...]:
    """Every Markdown link of a page that may lead to a file, in order; never raises."""
    if "](" not in text:
        return ()
    return tuple(
        link for run in prose(text) if any("](" in text[a:b] for a, b in run)
        for link in _of_run(text, run)
    )  # fmt: skip


def _of_run(text: str, run: Run) -> Iterator[FileLink]:
    run_text = RunText(text, run)
    joined = run_text.text
    opened: list[int] = []
    at = 0
    closers = Closers(joined)
    while token := _TOKEN.search(joined, at):
        at = token.end()
        mark = token[0]
        if mark[0] in "`<":
            at = closers.behind(mark, at)
        elif mark == "[":
            opened.append(token.start())
        elif mark[0] == "]" and opened:
            start = opened.pop()
            found = _PLACE.match(joined, at) if mark == "](" else None
            if found is None:
                continue
            at = found.end()
            to = path_of(found["angle"] or found["bare"] or "")
            if to:
                embed = start > 0 and joined[start - 1] == "!"
                first, last = found.span("angle" if found["angle"] else "bare")
                place = run_text.offset(first), run_text.offset(last - 1) + 1
                yield FileLink(to, embed, max(run_text.offset(start) - embed, 0), *place)


def path_of(written: str) -> str:
    """The path a link's address means; empty where it means no file."""
    if _SCHEME.match(written) or PLACEHOLDER.search(written):
        return ""
    plain = re.split(r"[#?]", written, maxsplit=1)[0]
    if "%" in plain:
        from urllib.parse import unquote

        plain = unquote(plain, errors="replace")
    return re.sub(r"\\(?=[!-/:-@\[-`{-~])", "", plain).strip()
