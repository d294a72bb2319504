"""Columns of tables whose heading names a secret: Markdown's, and lines of values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from llmwiki.core.secrets.named import KIND, is_secret, names

_RULE = re.compile(r"[ \t]{0,3}\|?[ \t:|-]{3,}")
_HEADING = re.compile(r"\w[\w .-]{0,30}")
_VALUE = re.compile(r"\S{6,300}")
_DRESS = " \t*_`'\"“”"
_SEPARATORS = "|\t;,"
_MOST_ROWS = 100_000


def find(text: str, named: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int, str]]:
    """Start, end and kind of each secret in such a column; `named` as for `named.find`."""
    read_to = -1
    for start, _ in sorted(named):
        if start < read_to:
            continue
        first = text.rfind("\n", 0, start) + 1
        read_to = _end_of_line(text, first)
        separator = next((each for each in _SEPARATORS if each in text[first:read_to]), "")
        if separator:
            yield from _column(text, first, read_to, separator)


def _column(text: str, first: int, last: int, separator: str) -> Iterator[tuple[int, int, str]]:
    heads = [
        (number, text[start:end])
        for number, (start, end) in enumerate(_cells(text, first, last, separator))
    ]
    is_markdown = separator == "|"
    if len(heads) < 2 or not (is_markdown or all(_HEADING.fullmatch(head) for _, head in heads)):
        return
    wanted = {
        number: head
        for number, head in heads
        if len(head) <= 60 and any(end == len(head) for _, end in names(head, head.lower()))
    }
    at, rows = last + 1, 0
    while wanted and at < len(text) and rows < _MOST_ROWS:
        end = _end_of_line(text, at)
        if separator not in text[at:end]:
            return
        if not (rows == 0 and _RULE.fullmatch(text, at, end)):
            cells = _cells(text, at, end, separator)
            if not is_markdown and len(cells) != len(heads):
                return
            for number, head in wanted.items():
                begin, stop = cells[number] if number < len(cells) else (0, 0)
                if not _VALUE.fullmatch(text, begin, stop):
                    continue
                if is_secret(head, text[begin:stop], is_loose=True):
                    yield begin, stop, KIND
        at, rows = end + 1, rows + 1


def _cells(text: str, first: int, last: int, separator: str) -> list[tuple[int, int]]:
    """Start and end of each cell of a line, what dresses it left out."""
    found: list[tuple[int, int]] = []
    at = first
    while at <= last:
        end = text.find(separator, at, last)
        end = last if end < 0 else end
        cell = text[at:end]
        start = at + len(cell) - len(cell.lstrip(_DRESS))
        found.append((start, max(start, at + len(cell.rstrip(_DRESS)))))
        at = end + 1
    return found


def _end_of_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end
