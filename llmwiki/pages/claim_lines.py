"""The lines of one claim in a page's bytes, found without reading the whole page.

A history compares hundreds of versions of a page that may be long; where the lines of a claim are
the same in two of them, nothing has happened to it.
"""

from __future__ import annotations

import re

from llmwiki.pages.names import stem_of
from llmwiki.pages.page import Page

_BULLET = re.compile(rb" {0,3}[-*+][ \t]")
_NESTED = re.compile(rb"(?:  |\t| ?\t)[^\n]*\S")
_MOST_BEFORE = 40
"""Lines over which the head of a claim may wrap."""


def claim_lines(data: bytes, claim: str) -> bytes | None:
    """The lines of a claim or note: its item and what is nested in it.

    None where it does not stand in the page. Two versions with equal lines hold the same claim.
    """
    needle = b" ^" + claim.encode()
    at = data.find(needle)
    while at >= 0:
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        if not data[at + len(needle) : end].strip():
            return _item(data, at, end)
        at = data.find(needle, end)
    return None


def _item(data: bytes, at: int, end: int) -> bytes:
    start = data.rfind(b"\n", 0, at) + 1
    for _ in range(_MOST_BEFORE):
        above = data.rfind(b"\n", 0, max(start - 1, 0)) + 1
        if _BULLET.match(data, start) or start == 0 or not data[above : start - 1].strip():
            break
        start = above
    while end < len(data):
        below = data.find(b"\n", end + 1)
        below = len(data) if below < 0 else below
        if not _NESTED.match(data, end + 1, below):
            break
        end = below
    return data[start:end] + b"\n"


def page_of_lines(path: str, lines: bytes | None) -> dict[str, Page]:
    """A page that holds nothing but those lines; no page for None."""
    if lines is None:
        return {}
    text = f"# {stem_of(path)}\n\n## Claims\n\n{lines.decode('utf-8', 'surrogateescape')}"
    return {path: Page.parse(path, text)}
