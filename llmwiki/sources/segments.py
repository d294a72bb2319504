"""Cutting a document into runs of lines small enough for one model call."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

from llmwiki.core.document import Document, Segment
from llmwiki.core.settings_table import default_of
from llmwiki.pages.id_and_evidence_patterns import PAGE_MARK
from llmwiki.pages.line_patterns import fence_after, heading
from llmwiki.sources.read_source import first_quotable

_INSIDE, _LINE, _PARAGRAPH, _HEADING = 0, 1, 2, 3
"""How good a place is to cut before: within a fence, table or frontmatter; between lines;
after an empty line; before a heading of level 6, and one more for each level above it."""

_PAGE = re.compile(rf"{PAGE_MARK}|\[(?:slide \d+(?: hidden)?|chapter \d+|sheet .+)\]")
_ROW = re.compile(r"\s*\|.*\|\s*")


SEGMENT_BYTES = int(default_of("ingest.segment_bytes"))
"""UTF-8 of one segment at most, where nobody says otherwise."""


def segment(document: Document, *, max_bytes: int = SEGMENT_BYTES) -> tuple[Segment, ...]:
    """The document in order as runs of lines of at most `max_bytes` of UTF-8.

    Together they hold every line once, save the metadata line of a converted text. Cuts stand
    before the highest heading (or page, slide, sheet, chapter) in the last two thirds of what
    fits, else between paragraphs, else between lines; inside a fenced block, a table or
    frontmatter only when it alone is too large. What is a little longer than one segment becomes
    two of like size, and no tail. One line longer than `max_bytes` is a segment
    of its own. Raises ValueError for a `max_bytes` below 1.
    """
    if max_bytes < 1:
        raise ValueError("max_bytes must be positive")
    start = first_quotable(document) - 1
    ends = _ends(document.lines, start, max_bytes)
    firsts = [start, *ends[:-1]]
    return tuple(
        Segment(number, len(ends), first + 1, end)
        for number, (first, end) in enumerate(zip(firsts, ends, strict=True), start=1)
    )


def _ends(lines: tuple[str, ...], start: int, max_bytes: int) -> list[int]:
    """The end of each segment: the index after its last line."""
    sizes = [len(line.encode(errors="replace")) + 1 for line in lines]
    strengths = _strengths(lines, start)
    left = sum(sizes[start:])
    ends: list[int] = []
    while start < len(lines):
        is_little_longer = max_bytes < left < 4 * max_bytes // 3
        stop = _cut(start, 2 * left // 3 if is_little_longer else max_bytes, sizes, strengths)
        if is_little_longer and stop < len(lines) and strengths[stop] == _INSIDE:
            stop = _cut(start, max_bytes, sizes, strengths)
        left -= sum(sizes[start:stop])
        ends.append(stop)
        start = stop
    return ends


def _cut(start: int, most: int, sizes: list[int], strengths: list[int]) -> int:
    """Where to end the segment that begins at `start` and holds at most so many bytes."""
    used = [*accumulate(sizes[start:])]
    limit = start + max(1, bisect_right(used, most))
    if limit == len(sizes):
        return limit

    def rank(cut: int) -> tuple[bool, int, int]:
        # A cut in the first third only pays when the alternative is to tear a block apart.
        is_late = 3 * used[cut - start - 1] >= used[limit - start - 1]
        return strengths[cut] > _INSIDE, strengths[cut] if is_late else -1, cut

    return max(range(start + 1, limit + 1), key=rank)


def _strengths(lines: tuple[str, ...], start: int) -> list[int]:
    """For each line, how good a place there is to cut before it."""
    strengths: list[int] = []
    mark = ""
    in_front = len(lines) > start and lines[start].rstrip() == "---"
    before = said = ""
    for index, line in enumerate(lines):
        if index < start:
            strengths.append(_INSIDE)
            continue
        # What a colon leads to is read with it.
        is_inside = mark or (in_front and index > start) or said.endswith((":", "："))
        strengths.append(_INSIDE if is_inside else _rank(line, before))
        if in_front and index > start and line.rstrip() in ("---", "..."):
            in_front = False
        mark = "" if in_front else fence_after(line, mark)
        before, said = line, line.rstrip() or said
    return strengths


def _rank(line: str, before: str) -> int:
    if found := heading(line):
        return _HEADING + 6 - found[0]
    if _PAGE.fullmatch(line):
        return _HEADING + 6
    if _ROW.fullmatch(line) and _ROW.fullmatch(before):
        return _INSIDE
    return _LINE if before.strip() else _PARAGRAPH
