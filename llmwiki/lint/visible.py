"""The visible text of a page: its text with frontmatter, code and maths blanked out.

Offsets and lines stay those of the page, so that what is found here stands there.
"""

from __future__ import annotations

import re

from llmwiki.pages.blocks import prose_and_html
from llmwiki.pages.spans import code_spans, comment_spans, marked_spans

_NOT_LF = re.compile(r"[^\n]")


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
    """One run of prose without its code spans."""
    return _blanked(text, code_spans(text))


def comments(text: str) -> list[tuple[int, int]]:
    """(start, end) of each comment, of HTML or of Obsidian (`%%`), in order."""
    return sorted([*comment_spans(text), *marked_spans(text, "%%", "%%")])


def without_comments(text: str) -> str:
    """The text with its HTML comments blanked out; offsets are the same."""
    return _blanked(text, comment_spans(text))


def _blanked(text: str, spans: list[tuple[int, int]]) -> str:
    if not spans:
        return text
    parts: list[str] = []
    at = 0
    for start, end in spans:
        parts += [text[at:start], _blank(text[start:end])]
        at = end
    parts.append(text[at:])
    return "".join(parts)
