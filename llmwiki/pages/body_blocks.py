"""The top-level pieces of a page's body with their lines, and what single lines begin.

`scan` decides what is list item, code, HTML or a comment.
"""

from __future__ import annotations

import re

from llmwiki.core.quick_to_load import NamedTuple, lazy_pattern
from llmwiki.pages.line_patterns import FOOTNOTE, HEADING, fence, heading, html_block
from llmwiki.pages.markdown_blocks import body_blocks, body_start, scan

_BLANKS = " \t\r"
_H1 = lazy_pattern(r"^ {0,3}#(?=[ \t\r]|$)[^\n]*", re.MULTILINE)
_HIDES = lazy_pattern(r"^[ \t]*(?:```|~~~|<|\$\$|%%| |\t)", re.MULTILINE)
"""Begins a line that may be of something in which a heading is none."""
CONFLICT_BEGINS = lazy_pattern(r"^<{7}(?: [^\n]*)?\r?$", re.MULTILINE)
CONFLICT_ENDS = lazy_pattern(r"^>{7}(?: [^\n]*)?\r?$", re.MULTILINE)
"""The marks that git puts around the two sides of a conflict."""
_BULLET = lazy_pattern(r"^ {0,3}([-*+])([ \t]+)(?=[^ \t\r])")


class LineBlock(NamedTuple):
    """A run of lines and the blank lines before it."""

    kind: str
    """As of `markdown_blocks.Block`."""
    lines: tuple[str, ...]
    gap: str

    @property
    def raw(self) -> str:
        """Its lines, without the final line feed."""
        return "\n".join(self.lines)


def split(text: str) -> tuple[list[LineBlock], str]:
    """Blocks with the blank lines before each, and the text after the last block."""
    lines = text.split("\n")
    blocks: list[LineBlock] = []
    end = 0
    for block in scan(text):
        gap = "".join(line + "\n" for line in lines[end : block.first])
        end = block.last + 1
        blocks.append(LineBlock(block.kind, tuple(lines[block.first : end]), gap))
    if not blocks:
        return [], text
    return blocks, "\n" + "\n".join(lines[end:]) if end < len(lines) else ""


def first_title(text: str, start: int = 0) -> str:
    """The text of the first heading of level 1 that number signs begin; empty: there is none.

    `start` is where a line of the text begins, behind its frontmatter.

    What stands in code, HTML, maths, comments or a list is no heading of the page.
    """
    found = _H1.search(text, start)
    if found is None:
        return ""
    if not found[0].startswith("#") or _HIDES.search(text, start, found.start()):
        blocks = body_blocks(text) if start == body_start(text) else scan(text, start)
        marked = (block.leaves[0].spans[0] for block in blocks if block.kind == "heading")
        titles = (heading(text[begin:end]) for begin, end in marked)
        return next((title for level, title in filter(None, titles) if level == 1), "")
    return (heading(found[0]) or (1, ""))[1]


def footnote_label(line: str) -> str | None:
    """The label of the footnote that starts on a line."""
    found = FOOTNOTE.match(line.lstrip(" "))
    return found[1] if found else None


def bullet(line: str) -> str | None:
    """What stands after the marker of a bullet item, where that is a paragraph."""
    found = _BULLET.match(line)
    if not found:
        return None
    content = line[found.end() :]
    after_marker = len(line[: found.end()].expandtabs(4)) - len(line[: found.end(1)])
    return None if after_marker > 4 or starts_block(content) else content


def starts_block(line: str) -> bool:
    """Whether a line, its indentation aside, ends a paragraph of a list item."""
    text = line.lstrip(_BLANKS)
    return bool(text.startswith(">") or fence(text) or HEADING.match(text) or html_block(text))


def has_conflict_marks(text: str) -> bool:
    """Whether git left two sides of a merge in a page's text; in code its marks are text."""
    if not CONFLICT_BEGINS.search(text) or not CONFLICT_ENDS.search(text):
        return False
    start = body_start(text)
    hidden = ("code", "html", "math", "comment")
    shown = (block.raw for block in split(text[start:])[0] if block.kind not in hidden)
    told = "\n".join([text[:start], *shown])
    return bool(CONFLICT_BEGINS.search(told) and CONFLICT_ENDS.search(told))
