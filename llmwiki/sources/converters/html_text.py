"""The text of a page of HTML: headings, points and rows as lines."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from llmwiki.sources.converters.numbered_text_writer import BULLET, number, numeral, span

if TYPE_CHECKING:
    from lxml.html import HtmlElement

INLINE = frozenset(
    {"a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em",
     "font", "i", "img", "ins", "kbd", "label", "mark", "nobr", "q", "rp", "rt", "ruby", "s",
     "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
     "math", "semantics", "mrow", "mi", "mn", "mo", "ms", "mtext", "mstyle", "mfrac", "msqrt",
     "mroot", "msub", "msup", "msubsup"}
)  # fmt: skip
"""Elements that do not break the line they stand in."""
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_CELLS = frozenset({"td", "th"})
_POINTS = frozenset({"li", "dt", "dd"})
_DEEPEST = 8
"""Levels of lists that are told apart."""
_SPACE = re.compile(r"\s+")
_GOES_ON = re.compile(r" *(?:-|\w{1,9}\.) |\|")
"""Points of a list, and rows of a table, stand without an empty line between them."""


def visible_text(tree: HtmlElement) -> str:
    """The text of a page: headings as `## …`, points of lists as `- …` or with the number that is
    shown, a table's row on one line, an empty line between blocks.

    Walks without recursion, so depth costs nothing.
    """
    from lxml import etree

    lines = _Lines()
    for event, node in etree.iterwalk(tree, events=("start", "end", "comment", "pi")):
        tag = node.tag if isinstance(node.tag, str) else ""
        if event == "start":
            lines.open(tag, node)
            if tag not in ("head", "annotation"):
                lines.add(node.text)
        elif event == "end":
            lines.close(tag, node)
        if event != "start":
            lines.add(node.tail)
        if tag == "title" and event == "start":
            lines.forget()
    lines.flush()
    return "\n".join(lines.done)


@dataclass(slots=True)
class _List:
    """A list under way."""

    form: str
    """The kind of number, as `numeral` takes it; "" for points without a number."""
    last: int
    """The number that stood last."""

    @classmethod
    def of(cls, node: HtmlElement) -> _List:
        if node.tag == "ul":
            return cls("", 0)
        return cls(node.get("type") or "1", number(node.get("start"), 1) - 1)

    def mark(self, point: HtmlElement) -> str:
        """What stands before the next point."""
        if not self.form:
            return BULLET
        self.last = number(point.get("value"), self.last + 1)
        return f"{numeral(self.last, self.form)}."


class _Lines:
    """Lines under construction; inside a table's row nothing breaks the line."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self._parts: list[str] = []
        self._prefix = ""
        self._rows = self._pre = 0
        self._lists: list[_List] = []
        self._is_parted = False
        """Whether a block began or ended since the last line; a line break is none."""
        self._head = ""
        """What stands below the row under way, if it names the columns."""

    def open(self, tag: str, node: HtmlElement) -> None:
        self._code(tag)
        if tag in ("ol", "ul"):
            self._lists.append(_List.of(node))
        if tag == "tr" and _is_row(node):
            if not self._rows:
                self.flush()
                self._head = _rule(node)
            self._rows += 1
        elif self._rows:
            self._parts.append(" | " if tag in _CELLS else " " if _breaks(tag) else "")
        elif _breaks(tag):
            is_second = not "".join(self._parts).strip()
            self.flush()
            self._pre += tag == "pre"
            # Two line breaks part paragraphs, as people who wrote by hand meant them.
            self._is_parted |= tag != "br" or is_second
            self._prefix = _HEADINGS.get(tag, self._point(node) if tag in _POINTS else self._prefix)

    def _point(self, node: HtmlElement) -> str:
        """What stands before a point: two blanks for each list around it, its number or a dash."""
        if not self._lists:
            return "- "
        return f"{'  ' * min(len(self._lists) - 1, _DEEPEST)}{self._lists[-1].mark(node)} "

    def _code(self, tag: str) -> None:
        if tag == "code" and not self._pre:
            self._parts.append("`")

    def close(self, tag: str, node: HtmlElement) -> None:
        self._code(tag)
        if tag in ("ol", "ul") and self._lists:
            self._lists.pop()
        if tag == "tr" and self._rows and _is_row(node):
            self._rows -= 1
            if not self._rows:
                self.flush(row=True)
        elif self._rows:
            # A cell that spans columns stands before empty ones.
            columns = span(node.get("colspan")) if tag in _CELLS else 1
            self._parts.append(" | " * (columns - 1) or " " * _breaks(tag))
        elif _breaks(tag):
            self.flush()
            self._pre -= tag == "pre"
            self._is_parted |= tag != "br"

    def add(self, text: str | None) -> None:
        if text:
            self._parts.append(text)

    def forget(self) -> None:
        self._parts.clear()

    def flush(self, *, row: bool = False) -> None:
        text = "".join(self._parts)
        self._parts.clear()
        if self._pre and not row and text.strip():
            self._write("```", *text.strip("\n").rstrip().split("\n"), "```")
            return
        line = _SPACE.sub(" ", text).strip()
        if row and line.strip("| "):
            self._write(f"{line} |", *filter(None, (self._head,)))
        elif line and not row:
            self._write(self._prefix + line)
            self._prefix = ""

    def _write(self, *lines: str) -> None:
        last = self.done[-1] if self.done else ""
        goes_on = _GOES_ON.match(last) and _GOES_ON.match(lines[0])
        if last and (self._prefix.startswith("#") or (self._is_parted and not goes_on)):
            self.done.append("")
        self.done += lines
        self._is_parted = False


def _is_row(row: HtmlElement) -> bool:
    """Whether a row holds no other table: one that does only places things on the page."""
    return row.find(".//table") is None


def _rule(row: HtmlElement) -> str:
    """The line below a row that names the columns, which is the first one and has such cells only;
    empty for others."""
    cells = [each for each in row if each.tag in _CELLS]
    is_first = next(row.iterancestors("table"), row).find(".//tr") is row
    if not is_first or len(cells) < 2 or any(cell.tag == "td" for cell in cells):
        return ""
    return "| --- " * sum(span(cell.get("colspan")) for cell in cells) + "|"


def _breaks(tag: str) -> bool:
    """Whether an element begins a line; comments have no tag, and what a page names itself (with a
    hyphen) does not."""
    return tag != "" and tag not in INLINE and "-" not in tag
