"""Where in the original a line of converted text stands: `p. 12`, `sheet Prices, row 7`.

Converters leave markers in the text (docs/sources.md). Read back, they say what a person looks
for who opens the original, which has no numbered lines.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from llmwiki.pages.ids import COUNTED, TIME, names

MAX_NAME = 60
"""Characters of a sheet's name that are told."""

_SAID = {mark.name: mark.said for mark in COUNTED}
_INNER = frozenset(mark.name for mark in COUNTED if mark.inner)
_COUNTED = re.compile(rf"\[(?P<kind>{names(COUNTED)}) (?P<number>\d{{1,7}})(?P<rest>[^\]]*)\]")
_SHEET = re.compile(r"\[sheet (?P<name>.+?)(?: hidden)?\]")
_TIME = re.compile(rf"\[(?P<time>{TIME})\] ")
_RECORD = re.compile(r"(?P<place>line \d{1,7})")
_ROW = re.compile(r"(?P<place>(?:table \d{1,7} )?row \d{1,7})(?: \||$)")


class SourcePlaces:
    """The places of a converted text, looked up by line; built once, O(lines)."""

    def __init__(self, lines: Sequence[str], first: int = 1, *, pages_only: bool = False) -> None:
        """`first` is the line, from 1, that the text begins with.

        `pages_only`: other markers than those of pages are words of the document.
        """
        self._lines = lines
        self._pages_only = pages_only
        self._at: list[int] = []
        self._said: list[str] = []
        for number, said in _pages(lines, first) if pages_only else _marks(lines, first):
            self._at.append(number)
            self._said.append(said)

    def of(self, line: int) -> str:
        """The place of a line, from 1; empty where no marker says one."""
        index = bisect_right(self._at, line) - 1
        parts = [self._said[index]] if index >= 0 and self._said[index] else []
        row = None if self._pages_only else _ROW.match(self._lines[line - 1])
        return ", ".join([*parts, row["place"]] if row else parts)


def _pages(lines: Sequence[str], first: int) -> Iterator[tuple[int, str]]:
    page = 0
    for number, line in enumerate(lines[first - 1 :], start=first):
        if line == f"[page {page + 1}]":
            page += 1
            yield number, f"p. {page}"


def _marks(lines: Sequence[str], first: int) -> Iterator[tuple[int, str]]:
    """Each line at which the place changes, and what it is from there on."""
    counts: dict[str, int] = {}
    outer = ""
    for number, line in enumerate(lines[first - 1 :], start=first):
        if line.startswith("["):
            counted = _COUNTED.match(line)
            if counted:
                kind, count = counted["kind"], int(counted["number"])
                # Text that happens to look like a marker seldom also counts on.
                if count - counts.get(kind, 0) not in (0, 1):
                    continue
                counts[kind] = count
                if kind in _INNER:
                    yield number, ", ".join(filter(None, (outer, f"{_SAID[kind]} {count}")))
                    continue
                outer = f"{_SAID[kind]} {count}"
                counts.pop("message", None)
                notes = " notes" if counted["rest"].endswith(" notes") else ""
                yield number, outer + notes
            elif sheet := _SHEET.fullmatch(line):
                outer = f"sheet {' '.join(sheet['name'].split())[:MAX_NAME].strip()}"
                yield number, outer
            elif time := _TIME.match(line):
                yield number, ", ".join(filter(None, (outer, time["time"])))
        elif record := _RECORD.fullmatch(line):
            yield number, record["place"]
