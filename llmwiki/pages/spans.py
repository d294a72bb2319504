"""Code spans and comments inside prose, found in one pass whatever is left open.

A pattern that looks from each opening mark for its closing one reads the rest of the text as often
as a mark is left open; here what closes is known first. Code spans are those of CommonMark: a run
of backticks is closed by the next run of as many.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_TICKS = re.compile(r"`+")
_ENDS = {"<!--": "-->", "<?": "?>"}

Span = tuple[int, int]
"""Where something starts, and where it ends."""


def code_spans(text: str) -> list[Span]:
    """The code spans of one run of prose, marks included, in order."""
    if "`" not in text:
        return []
    runs = [match.span() for match in _TICKS.finditer(text)]
    following: dict[int, list[int]] = {}
    for number in range(len(runs) - 1, -1, -1):
        following.setdefault(runs[number][1] - runs[number][0], []).append(number)
    found: list[Span] = []
    number = 0
    while number < len(runs):
        start, end = runs[number]
        if is_escaped(text, start):
            start += 1
        later = following.get(end - start, [])
        while later and later[-1] <= number:
            later.pop()
        if end > start and later:
            number = later[-1]
            found.append((start, runs[number][1]))
        number += 1
    return found


class Closers:
    """What closes code spans, comments and instructions in one run of prose; looked for once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._last: dict[str, int] | None = None

    def behind(self, mark: str, at: int) -> int:
        """Where what `mark` opened just before `at` ends; `at` itself where nothing closes it."""
        if self._last is None:
            ticks = _TICKS.finditer(self._text, at)
            self._last = {match[0]: match.start() for match in ticks}
            self._last |= {end: self._text.rfind(end, at) for end in _ENDS.values()}
        end = _ENDS.get(mark, mark)
        if self._last.get(end, -1) < at:
            return at
        if end != mark:
            return self._text.index(end, at) + len(end)
        match = re.compile(rf"(?<!`){end}(?!`)").search(self._text, at)
        return match.end() if match else at


def is_escaped(text: str, position: int) -> bool:
    """Whether a backslash that is none itself stands before a character."""
    back = position
    while back > 0 and text[back - 1] == "\\":
        back -= 1
    return (position - back) % 2 == 1


def marked_spans(text: str, opening: str, closing: str) -> list[Span]:
    """Each stretch from an opening mark to the next closing one, both included, in order."""
    found: list[Span] = []
    start = text.find(opening)
    while start >= 0:
        end = text.find(closing, start + len(opening))
        if end < 0:
            break
        end += len(closing)
        found.append((start, end))
        start = text.find(opening, end)
    return found


def comment_spans(text: str) -> list[Span]:
    """The HTML comments of a text that end, in order."""
    return marked_spans(text, "<!--", "-->")


def without(text: str, spans: list[Span], instead: str | Callable[[str], str]) -> str:
    """The text with each of these spans, which are in order, replaced."""
    parts: list[str] = []
    at = 0
    for start, end in spans:
        parts += [text[at:start], instead if isinstance(instead, str) else instead(text[start:end])]
        at = end
    parts.append(text[at:])
    return "".join(parts)
