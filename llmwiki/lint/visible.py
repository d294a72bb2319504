"""What a reader sees of a page: its text with frontmatter, code and maths blanked out.

Offsets and lines stay those of the page, so that what is found here stands there.
"""

from __future__ import annotations

import re

from llmwiki.pages.blocks import prose_and_html

_NOT_LF = re.compile(r"[^\n]")
_TICKS = re.compile(r"`+")


def visible(text: str) -> str:
    """The text, each character of frontmatter, code and maths blocks replaced by a blank.

    Comments and HTML stay: a model that is given the page sees them.
    """
    runs, html = prose_and_html(text)
    parts: list[str] = []
    at = 0
    kept = sorted([*((run[0][0], run[-1][1], True) for run in runs), *((*h, False) for h in html)])
    for start, end, is_prose in kept:
        if end <= at:
            continue
        start = max(start, at)  # noqa: PLW2901
        parts.append(_blank(text[at:start]))
        parts.append(_without_code(text[start:end]) if is_prose else text[start:end])
        at = end
    parts.append(_blank(text[at:]))
    return "".join(parts)


def _blank(text: str) -> str:
    return _NOT_LF.sub(" ", text)


def _without_code(text: str) -> str:
    """One run of prose without its code spans: what the next run of as many backticks closes."""
    if "`" not in text:
        return text
    runs = [(m.start(), m.end()) for m in _TICKS.finditer(text)]
    following: dict[int, list[int]] = {}
    for number in range(len(runs) - 1, -1, -1):
        following.setdefault(runs[number][1] - runs[number][0], []).append(number)
    parts: list[str] = []
    at = number = 0
    while number < len(runs):
        start, end = runs[number]
        if is_escaped(text, start):
            start += 1
        later = following.get(end - start, [])
        while later and later[-1] <= number:
            later.pop()
        if end > start and later:
            number = later[-1]
            end = runs[number][1]
            parts += [text[at:start], _blank(text[start:end])]
            at = end
        number += 1
    parts.append(text[at:])
    return "".join(parts)


def is_escaped(text: str, position: int) -> bool:
    """Whether a backslash that is none itself stands before a character."""
    back = position
    while back > 0 and text[back - 1] == "\\":
        back -= 1
    return (position - back) % 2 == 1


def comments(text: str) -> list[tuple[int, int]]:
    """(start, end) of each comment, of HTML or of Obsidian (`%%`), in order."""
    return sorted([*_spans(text, "<!--", "-->"), *_spans(text, "%%", "%%")])


def without_comments(text: str) -> str:
    """The text with its HTML comments blanked out; offsets are the same."""
    if "<!--" not in text:
        return text
    parts: list[str] = []
    at = 0
    for start, end in _spans(text, "<!--", "-->"):
        parts += [text[at:start], _blank(text[start:end])]
        at = end
    parts.append(text[at:])
    return "".join(parts)


def _spans(text: str, opening: str, closing: str) -> list[tuple[int, int]]:
    found = []
    start = text.find(opening)
    while start >= 0:
        end = text.find(closing, start + len(opening))
        if end < 0:
            break
        end += len(closing)
        found.append((start, end))
        start = text.find(opening, end)
    return found
