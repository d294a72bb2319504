"""The text of a page of HTML: headings, points and rows as lines."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from llmwiki.sources.converters.archive import number
from llmwiki.sources.converters.writing import BULLET, numeral

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
_DEEPEST = 8
"""Levels of lists that are told apart."""
_FORMS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
_SPACE = re.compile(r"\s+")


def visible_text(tree: HtmlElement) -> str:
    """The text of a page: headings as `## …`, points of lists as `- …` or with the number that is
    shown, a table's row on one line.

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
            lines.close(tag)
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
    """The kind of number, as `numerals.numeral` takes it; "" for points without a number."""
    last: int
    """The number that stood last."""

    @classmethod
    def of(cls, node: HtmlElement) -> _List:
        if node.tag == "ul":
            return cls("", 0)
        return cls(_FORMS.get(node.get("type", ""), "decimal"), number(node.get("start"), 1) - 1)

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
        self._rows = 0
        self._lists: list[_List] = []

    def open(self, tag: str, node: HtmlElement) -> None:
        if tag in ("ol", "ul"):
            self._lists.append(_List.of(node))
        if tag == "tr":
            if not self._rows:
                self.flush()
            self._rows += 1
        elif self._rows:
            self._parts.append(" | " if tag in _CELLS else " " if _breaks(tag) else "")
        elif _breaks(tag):
            self.flush()
            self._prefix = _HEADINGS.get(tag, self._point(node) if tag == "li" else self._prefix)

    def _point(self, node: HtmlElement) -> str:
        """What stands before a point: two blanks for each list around it, its number or a dash."""
        if not self._lists:
            return "- "
        return f"{'  ' * min(len(self._lists) - 1, _DEEPEST)}{self._lists[-1].mark(node)} "

    def close(self, tag: str) -> None:
        if tag in ("ol", "ul") and self._lists:
            self._lists.pop()
        if tag == "tr" and self._rows:
            self._rows -= 1
            if not self._rows:
                self.flush(row=True)
        elif self._rows:
            self._parts.append(" " if _breaks(tag) else "")
        elif _breaks(tag):
            self.flush()

    def add(self, text: str | None) -> None:
        if text:
            self._parts.append(text)

    def forget(self) -> None:
        self._parts.clear()

    def flush(self, *, row: bool = False) -> None:
        line = _SPACE.sub(" ", "".join(self._parts)).strip()
        self._parts.clear()
        if row:
            line = f"{line} |" if line.strip("| ") else ""
        if line:
            if self._prefix.startswith("#") and self.done:
                self.done.append("")
            self.done.append(self._prefix + line)
            if not row:
                self._prefix = ""


def _breaks(tag: str) -> bool:
    """Whether an element begins a line; comments have no tag."""
    return tag != "" and tag not in INLINE
