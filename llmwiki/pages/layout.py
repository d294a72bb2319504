"""Text of a page's body to its top-level pieces, in one linear pass.

The boundaries follow CommonMark 0.31 wherever they decide what is a list item and what is code,
HTML or a comment; where a person's nested lines are shallower than CommonMark asks (2 blanks under
a wide marker), they still belong to the item above.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

_BLANK = " \t\r"
_ATX = re.compile(r"^ {0,3}(#{1,6})(?=[ \t\r]|$)")
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})(.*)$", re.DOTALL)
_RULE = re.compile(r"^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})\r?$")
_SETEXT = re.compile(r"^ {0,3}(?:=+|-+)[ \t\r]*$")
_ITEM = re.compile(r"^ {0,3}(?:[-*+]|\d{1,9}[.)])(?=[ \t\r]|$)")
_BULLET = re.compile(r"^ {0,3}([-*+])([ \t]+)(?=[^ \t\r])")
_STARTS_LIST = re.compile(r"^ {0,3}(?:[-*+]|1[.)])[ \t]+[^ \t\r]")
_FOOTNOTE = re.compile(r"^ {0,3}\[\^([^\[\]\s]+)\]:")

_HTML_SPANS = (
    (re.compile(r"^ {0,3}<(?:script|pre|style|textarea)(?=[\s>]|$)", re.IGNORECASE),
     re.compile(r"</(?:script|pre|style|textarea)>", re.IGNORECASE)),
    (re.compile(r"^ {0,3}<!--"), re.compile(r"-->")),
    (re.compile(r"^ {0,3}<\?"), re.compile(r"\?>")),
    (re.compile(r"^ {0,3}<!\[CDATA\["), re.compile(r"\]\]>")),
    (re.compile(r"^ {0,3}<![A-Za-z]"), re.compile(r">")),
)  # fmt: skip
_HTML_BLOCK = re.compile(
    r"^ {0,3}</?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup"
    r"|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset"
    r"|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup"
    r"|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)"
    r"(?=\s|/?>|$)",
    re.IGNORECASE,
)
_ATTRIBUTE = r"\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s\"'=<>`]+|'[^']*'|\"[^\"]*\"))?"
_HTML_TAG = re.compile(
    rf"^ {{0,3}}<(?:[A-Za-z][A-Za-z0-9-]*(?:{_ATTRIBUTE})*\s*/?|/[A-Za-z][A-Za-z0-9-]*\s*)>\s*$"
)


@dataclass(frozen=True, slots=True)
class Block:
    """A run of lines and the blank lines before it."""

    kind: str
    """heading, code, html, math, comment, footnote, item or text."""
    lines: tuple[str, ...]
    gap: str

    @property
    def raw(self) -> str:
        """Its lines, without the final line feed."""
        return "\n".join(self.lines)


def split(text: str) -> tuple[list[Block], str]:
    """Blocks with the blank lines before each, and the text after the last block."""
    lines = text.split("\n")
    blocks: list[Block] = []
    gap: list[str] = []
    at = 0
    while at < len(lines):
        if is_blank(lines[at]):
            gap.append(lines[at])
            at += 1
            continue
        kind, end = _block_end(lines, at)
        blocks.append(Block(kind, tuple(lines[at:end]), "".join(g + "\n" for g in gap)))
        gap = []
        at = end
    if not blocks:
        return [], text
    return blocks, "\n" + "\n".join(gap) if gap else ""


def is_blank(line: str) -> bool:
    """Whether a line holds nothing but blanks and tabs."""
    return not line.strip(_BLANK)


def heading(line: str) -> tuple[int, str] | None:
    """(level, text) of a heading that starts with number signs."""
    found = _ATX.match(line)
    if not found:
        return None
    text = line[found.end() :].strip(_BLANK)
    bare = text.rstrip("#")
    if bare != text and (not bare or bare[-1] in _BLANK):
        text = bare.rstrip(_BLANK)
    return len(found[1]), text


def footnote_label(line: str) -> str | None:
    """The label of the footnote that starts on a line."""
    found = _FOOTNOTE.match(line)
    return found[1] if found else None


def bullet(line: str) -> str | None:
    """What stands after the marker of a bullet item, unless that is code or hidden."""
    found = _BULLET.match(line)
    if not found:
        return None
    content = line[found.end() :]
    after_marker = len(line[: found.end()].expandtabs(4)) - len(line[: found.end(1)])
    if after_marker > 4 or fence(content):
        return None
    return None if any(start.match(content) for start, _stop in _HTML_SPANS) else content


def fence(line: str) -> str | None:
    """The mark of a code fence that opens on a line, whatever its indentation."""
    found = _FENCE.match(line)
    if not found or (found[1][0] == "`" and "`" in found[2]):
        return None
    return found[1]


def closes(line: str, mark: str) -> bool:
    """Whether a line closes the fence that `mark` opened."""
    text = line.strip(_BLANK)
    return len(text) >= len(mark) and text == mark[0] * len(text)


def starts_block(line: str) -> bool:
    """Whether a line, its indentation aside, ends a paragraph of a list item."""
    text = line.lstrip(_BLANK)
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
    for end in range(at + 1, len(lines)):
        if _SETEXT.match(lines[end]):
            return end + 1
        if is_blank(lines[end]) or _interrupts(lines[end]):
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
        if line.strip(_BLANK) == sign:
            found = next((i for i in range(at + 1, len(lines)) if sign in lines[i]), None)
            return None if found is None else (kind, found + 1)
    return _html_end(lines, at)


def _last(lines: list[str]) -> int:
    end = len(lines)
    while is_blank(lines[end - 1]):
        end -= 1
    return end


def _html_end(lines: list[str], at: int) -> tuple[str, int] | None:
    line = lines[at]
    if not line.lstrip(" ").startswith("<"):
        return None
    for start, stop in _HTML_SPANS:
        if start.match(line):
            for index in range(at, len(lines)):
                if stop.search(lines[index]):
                    return "html", index + 1
            return "html", _last(lines)
    if _HTML_BLOCK.match(line) or _HTML_TAG.match(line):
        return "html", _while(lines, at + 1, lambda _other: True)
    return None


def _html_starts(line: str) -> bool:
    """Whether a line starts HTML that may end a paragraph."""
    return line.lstrip(" ").startswith("<") and bool(
        _HTML_BLOCK.match(line) or any(start.match(line) for start, _stop in _HTML_SPANS)
    )


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
    inside = _indent(lines[at]) + 2
    end = at + 1
    while end < len(lines):
        if is_blank(lines[end]):
            following = end
            while following < len(lines) and is_blank(lines[following]):
                following += 1
            if following == len(lines) or _indent(lines[following]) < inside:
                return end
            end = following
        elif _indent(lines[end]) < inside and _ends_item(lines[end]):
            return end
        else:
            end += 1
    return end


def _ends_item(line: str) -> bool:
    return bool(_ITEM.match(line) or _interrupts(line) or line.lstrip(" ").startswith(">"))
