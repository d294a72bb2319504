"""The visible text of a page: its text with frontmatter, code and maths blanked out.

Offsets and lines stay those of the page, so that what is found here stands there.
"""

from __future__ import annotations

import re

from llmwiki.pages.lines import code_spans, comment_spans, marked_spans, without
from llmwiki.pages.scan import body_blocks

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
            apart = is_html or leaf.kind == "table"
            whole = leaf.spans[0][0], leaf.spans[-1][1]
            for start, end in leaf.spans if apart else (whole,):
                parts.append(_blank(text[at:start]))
                shown = text[start:end]
                parts.append(shown if is_html else without(shown, code_spans(shown), _blank))
                at = end
    parts.append(_blank(text[at:]))
    return "".join(parts)


def _blank(text: str) -> str:
    return _NOT_LF.sub(" ", text)


def comments(text: str) -> list[tuple[int, int]]:
    """(start, end) of each comment, of HTML or of Obsidian (`%%`), in order."""
    return sorted([*comment_spans(text), *marked_spans(text, "%%", "%%")])


def without_comments(text: str) -> str:
    """The text with its HTML comments blanked out; offsets are the same."""
    return without(text, comment_spans(text), _blank)
