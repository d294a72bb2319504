"""Text of a page's body to its top-level pieces, in one linear pass.

The boundaries follow CommonMark 0.31 wherever they decide what is a list item and what is code,
HTML or a comment; where a person's nested lines are shallower than CommonMark asks (2 blanks under
a wide marker), they still belong to the item above.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from llmwiki.pages.blocks import BLANK, HTML_TAG_LINE, html_block

_BLANKS = " \t\r"
_ATX = re.compile(r"^ {0,3}(#{1,6})(?=[ \t\r]|$)")
_H1 = re.compile(r"^ {0,3}#(?=[ \t\r]|$)[^\n]*", re.MULTILINE)
_HIDES = re.compile(r"^[ \t]*(?:```|~~~|<|\$\$|%%| |\t)", re.MULTILINE)
"""Begins a line that may be of something in which a heading is none."""
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})(.*)$", re.DOTALL)
_RULE = re.compile(r"^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})\r?$")
_SETEXT = re.compile(r"^ {0,3}(?:=+|-+)[ \t\r]*$")
_ITEM = re.compile(r"^ {0,3}(?:[-*+]|\d{1,9}[.)])(?=[ \t\r]|$)")
_BULLET = re.compile(r"^ {0,3}([-*+])([ \t]+)(?=[^ \t\r])")
_STARTS_LIST = re.compile(r"^ {0,3}(?:[-*+]|1[.)])[ \t]+[^ \t\r]")
_FOOTNOTE = re.compile(r"^ {0,3}\[\^([^\[\]\s]+)\]:")


class LineBlock(NamedTuple):
    """A run of lines and the blank lines before it."""

    kind: str
    """heading, code, html, math, comment, footnote, item or text."""
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
    gap: list[str] = []
    at = 0
    while at < len(lines):
        if is_blank(lines[at]):
            gap.append(lines[at])
            at += 1
            continue
        kind, end = _block_end(lines, at)
        blocks.append(LineBlock(kind, tuple(lines[at:end]), "".join(g + "\n" for g in gap)))
        gap = []
        at = end
    if not blocks:
        return [], text
    return blocks, "\n" + "\n".join(gap) if gap else ""


def is_blank(line: str) -> bool:
    """Whether a line holds nothing but blanks and tabs."""
    return not line.strip(_BLANKS)


def heading(line: str) -> tuple[int, str] | None:
    """(level, text) of a heading that starts with number signs."""
    found = _ATX.match(line)
    if not found:
        return None
    text = line[found.end() :].strip(_BLANKS)
    bare = text.rstrip("#")
    if bare != text and (not bare or bare[-1] in _BLANKS):
        text = bare.rstrip(_BLANKS)
    return len(found[1]), text


def first_title(body: str) -> str:
    """The text of the first heading of level 1 that number signs begin; empty: there is none.

    What stands in code, HTML, maths, comments or a list is no heading of the page.
    """
    found = _H1.search(body)
    if found is None:
        return ""
    before = body[: found.start()]
    if not (found[0].startswith("#") and _HIDES.search(before) is None):
        blocks, _tail = split(body)
        first = (heading(block.lines[0]) for block in blocks if block.kind == "heading")
        return next((text for level, text in filter(None, first) if level == 1), "")
    return (heading(found[0]) or (1, ""))[1]


def footnote_label(line: str) -> str | None:
    """The label of the footnote that starts on a line."""
    found = _FOOTNOTE.match(line)
    return found[1] if found else None


def bullet(line: str) -> str | None:
    """What stands after the marker of a bullet item, where that is a paragraph."""
    found = _BULLET.match(line)
    if not found:
        return None
    content = line[found.end() :]
    after_marker = len(line[: found.end()].expandtabs(4)) - len(line[: found.end(1)])
    return None if after_marker > 4 or starts_block(content) else content


def fence(line: str) -> str | None:
    """The mark of a code fence that opens on a line, whatever its indentation."""
    found = _FENCE.match(line)
    if not found or (found[1][0] == "`" and "`" in found[2]):
        return None
    return found[1]


def closes(line: str, mark: str) -> bool:
    """Whether a line closes the fence that `mark` opened."""
    text = line.strip(_BLANKS)
    return len(text) >= len(mark) and text == mark[0] * len(text)


def starts_block(line: str) -> bool:
    """Whether a line, its indentation aside, ends a paragraph of a list item."""
    text = line.lstrip(_BLANKS)
    return bool(text.startswith(">") or fence(text) or _ATX.match(text) or _html_starts(text))


def _indent(line: str) -> int:
    bare = line.lstrip(" \t")
    return len(line[: len(line) - len(bare)].expandtabs(4))


def _block_end(lines: list[str], at: int) -> tuple[str, int]:
    line = lines[at]
    if _indent(line) >= 4:
        return "text", _while(lines, at + 1, _is_deep)
    if _ATX.match(line):
        return "heading", at + 1
    if (closed := _span_end(lines, at)) is not None:
        return closed
    if _FOOTNOTE.match(line):
        return "footnote", _while(lines, at + 1, _is_deep)
    if _RULE.match(line):
        return "text", at + 1
    if _ITEM.match(line):
        return "item", _item_end(lines, at)
    return "text", _paragraph_end(lines, at)


def _is_deep(line: str) -> bool:
    return _indent(line) >= 4


def _while(lines: list[str], at: int, holds: Callable[[str], bool]) -> int:
    while at < len(lines) and not is_blank(lines[at]) and holds(lines[at]):
        at += 1
    return at


def _paragraph_end(lines: list[str], at: int) -> int:
    quoted = lines[at].lstrip(" ").startswith(">")
    state = _state(lines[at], 0, "") if quoted else _PARAGRAPH
    for end in range(at + 1, len(lines)):
        line = lines[end]
        if quoted and line.lstrip(" ").startswith(">") and _indent(line) < 4:
            state = _state(line, 0, state)
        elif _SETEXT.match(line) and not quoted:
            return end + 1
        elif is_blank(line) or state != _PARAGRAPH or _interrupts(line):
            return end
        elif quoted and _ITEM.match(line):
            # What an item may not interrupt is a paragraph beside it, not one in a quotation.
            return end
    return len(lines)


def _span_end(lines: list[str], at: int) -> tuple[str, int] | None:
    """Kind and end of code, HTML, maths or a comment that starts at a line and has its own end."""
    line = lines[at]
    if mark := fence(line):
        for index in range(at + 1, len(lines)):
            if closes(lines[index], mark) and _indent(lines[index]) < 4:
                return "code", index + 1
        return "code", _last(lines)
    for sign, kind in (("$$", "math"), ("%%", "comment")):
        if line.strip(_BLANKS) == sign:
            found = next((i for i in range(at + 1, len(lines)) if sign in lines[i]), None)
            return None if found is None else (kind, found + 1)
    return _html_end(lines, at)


def _last(lines: list[str]) -> int:
    end = len(lines)
    while is_blank(lines[end - 1]):
        end -= 1
    return end


def _html_end(lines: list[str], at: int) -> tuple[str, int] | None:
    text = lines[at].lstrip(" ")
    stop = html_block(text) if text.startswith("<") else None
    if stop is None and not (text.startswith("<") and HTML_TAG_LINE.match(text)):
        return None
    if stop in (None, BLANK):
        return "html", _while(lines, at + 1, lambda _other: True)
    for index in range(at, len(lines)):
        if stop.search(lines[index]):
            return "html", index + 1
    return "html", _last(lines)


def _html_starts(line: str) -> bool:
    """Whether a line starts HTML that may end a paragraph."""
    text = line.lstrip(" ")
    return text.startswith("<") and len(line) - len(text) < 4 and html_block(text) is not None


def _interrupts(line: str) -> bool:
    """Whether a line ends the paragraph before it."""
    return bool(
        _ATX.match(line)
        or (fence(line) and _indent(line) < 4)
        or _RULE.match(line)
        or _STARTS_LIST.match(line)
        or _FOOTNOTE.match(line)
        or _html_starts(line)
    )


def _item_end(lines: list[str], at: int) -> int:
    """The line after a list item: its nested items, wrapped lines and indented blocks with it."""
    plain = _plain_item_end(lines, at)
    if plain is not None:
        return plain
    inside, nested = _content(lines[at])
    state = _state(lines[at], inside, "")
    end = at + 1
    while end < len(lines):
        if is_blank(lines[end]):
            following = end
            while following < len(lines) and is_blank(lines[following]):
                following += 1
            if following == len(lines) or not _belongs(lines[following], inside, nested):
                return end
            state = state if state[:1] in ("`", "~") else ""
            end = following
            continue
        if not _belongs(lines[end], inside, nested) and (
            state != _PARAGRAPH or _ends_item(lines[end])
        ):
            return end
        state = _state(lines[end], inside, state)
        end += 1
    return end


_PLAIN_ITEM = re.compile(r"- (?!\d{1,9}[.)]|~~~|\[\^)[\w“\"(\\~\[]")
_PLAIN_NESTED = re.compile(r"  - (?!\d{1,9}[.)])[\w“\"(]")


def _plain_item_end(lines: list[str], at: int) -> int | None:
    """The end of an item as the tool writes it, found without looking into it; None: look."""
    if not _PLAIN_ITEM.match(lines[at]):
        return None
    end = at + 1
    while end < len(lines) and _PLAIN_NESTED.match(lines[end]):
        end += 1
    following = end
    while following < len(lines) and is_blank(lines[following]):
        following += 1
    if following == len(lines):
        return end
    if following > end:
        return None if lines[following][0] in " \t" else end
    return end if lines[end].startswith("- ") else None


def _content(line: str) -> tuple[int, int]:
    """Where the content of an item begins, and where a nested bullet may, in columns."""
    found = _ITEM.match(line)
    marker = found.end() if found else 0
    wide = len(line[: len(line) - len(line[marker:].lstrip(" \t"))].expandtabs(4)) - marker
    inside = marker + (wide if 1 <= wide <= 4 and not is_blank(line[marker:]) else 1)
    ordered = bool(found) and line[marker - 1] in ".)"
    return inside, inside if ordered else _indent(line) + 2


def _belongs(line: str, inside: int, nested: int) -> bool:
    deep = _indent(line)
    return deep >= inside or (deep >= nested and bool(_BULLET.match(line.lstrip(" \t"))))


_PARAGRAPH = "paragraph"
_HTML = "html"
_MARKERS = re.compile(r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|(?=\r?$))|>[ \t]*)+")


def _state(line: str, inside: int, before: str) -> str:
    """What a line of an item leaves open: a paragraph, a fence (its mark), HTML, or nothing.

    Only a paragraph goes on in a line that is not indented.
    """
    if before[:1] in ("`", "~"):
        return "" if closes(line, before) else before
    if before == _HTML:
        return before
    if before != _PARAGRAPH and _indent(line) >= inside + 4:
        return ""
    markers = _MARKERS.match(line)
    if markers and len(markers[0].expandtabs(4)) - len(markers[0].rstrip(_BLANKS)) > 4:
        return ""
    text = (line[markers.end() :] if markers else line).lstrip(_BLANKS)
    if mark := fence(text):
        return mark
    if _ATX.match(text) or _RULE.match(text) or is_blank(text):
        return ""
    tag = _html_starts(text) or (before != _PARAGRAPH and HTML_TAG_LINE.match(text))
    return _HTML if tag else _PARAGRAPH


def _ends_item(line: str) -> bool:
    return bool(_ITEM.match(line) or _interrupts(line) or line.lstrip(" ").startswith(">"))
