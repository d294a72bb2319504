"""What a reader sees of a page: its text with frontmatter, code and maths blanked out.

Offsets and lines stay those of the page, so that what is found here stands there.
"""

from __future__ import annotations

import re

from llmwiki.pages.scan import Run, body_blocks
from llmwiki.pages.spans import code_spans, comment_spans, marked_spans

_NOT_LF = re.compile(r"[^\n]")


def visible(text: str) -> str:
    """The text, each character of frontmatter, code and maths blocks replaced by a blank.

    Comments and HTML stay: a model that is given the page sees them.
    """
    parts: list[str] = []
    at = 0
    for block in body_blocks(text):
        for leaf in block.leaves:
            is_html = leaf.kind == "html"
            if not leaf.spans:
                continue
            spans = leaf.spans if is_html or leaf.kind == "table" else (_whole(leaf.spans),)
            for start, end in spans:
                parts.append(_blank(text[at:start]))
                parts.append(text[start:end] if is_html else _without_code(text[start:end]))
                at = end
    parts.append(_blank(text[at:]))
    return "".join(parts)


def _whole(spans: Run) -> tuple[int, int]:
    return spans[0][0], spans[-1][1]


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
