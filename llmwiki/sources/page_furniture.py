"""What print adds to a text, taken out of the lines of a PDF; headings, which it only shows.

A PDF marks neither headings nor running heads: both are recognised here by where a line
stands, how long it is and what stands around it. Only what is sure is taken; a line in doubt stays
running text.
"""

from __future__ import annotations

import re
from collections import Counter

from llmwiki.language.tokens import STOP_WORDS
from llmwiki.pages.ids import PAGE_MARK

PAGE = re.compile(rf"{PAGE_MARK}\s*$")
_EDGE = 2
"""Lines at the top and at the foot of a page among which running heads are looked for."""
_PAGES = 3
"""Pages on which a line stands before it counts as one; two of no more than three."""
_ONLY_NUMBER = re.compile(r"[-–—\s]*(?:\d{1,4}|[ivxlc]{1,7})[-–—\s]*$")
_LEADERS = re.compile(r"(?:\s?\.){4,}|(?:\s?…){2,}")
_ENDS_SENTENCE = re.compile(r"[.!?][\"'”’)\]]*$")
_HEADING = re.compile(r"(?=.{1,60}$)(?:\d{1,2}(?:\.\d{1,2}){0,4}\.?\s+)?[^\W\d_a-z][^|<>{}=;]*$")
_WORDS = 8
_PROSE = 5
"""Words of the line below a heading, at least."""


def page_furniture(lines: list[str], first: int, last: int) -> set[int]:
    """The lines, from 1, that are running heads, page numbers or a table of contents."""
    edges: list[int] = []
    page: list[int] = []
    pages = 0
    for number in range(first, last + 2):
        if number > last or PAGE.match(lines[number - 1]):
            edges += dict.fromkeys([*page[:_EDGE], *page[-_EDGE:]])
            pages += bool(page)
            page = []
        elif lines[number - 1].strip():
            page.append(number)
    shapes = {number: re.sub(r"\d+", "0", lines[number - 1].strip()) for number in edges}
    often = Counter(shapes.values())
    needed = _PAGES if pages > _PAGES else _PAGES - 1
    running = {
        number
        for number, shape in shapes.items()
        if often[shape] >= needed or _ONLY_NUMBER.match(lines[number - 1])
    }
    return running | {n for n in range(first, last + 1) if _LEADERS.search(lines[n - 1])}


def page_headings(lines: list[str], first: int, last: int) -> list[int]:
    """Short lines that end no sentence, between the end of one and the start of another."""
    found: list[int] = []
    fresh = True
    for number in range(first, last):
        line = lines[number - 1].strip()
        if not line or PAGE.match(line):
            fresh = True
        elif fresh and _is_heading(line) and _begins(lines[number].strip(), line):
            found.append(number)
        else:
            fresh = bool(_ENDS_SENTENCE.search(line))
    return found


def _is_heading(line: str) -> bool:
    ends = line.endswith((".", "!", "?", ",", ";", ":", "-", "–"))
    return len(line.split()) <= _WORDS and not ends and _HEADING.match(line) is not None


def _begins(line: str, heading: str) -> bool:
    """Whether a line begins a paragraph: rows of a table hold figures, and no linking words."""
    words = line.split()
    if not line[:1].isupper() or len(words) < _PROSE or len(line) <= len(heading):
        return False
    linked = any(word in STOP_WORDS for word in words)
    return linked or not any(map(str.isdigit, line))
