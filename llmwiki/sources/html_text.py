"""All visible text of a parsed page, in order, blocks on lines of their own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_INLINE = re.compile(
    "a|abbr|acronym|b|bdi|bdo|big|cite|code|data|del|dfn|em|font|i|ins|kbd|label|mark|q|rp|rt|"
    "ruby|s|samp|small|span|strike|strong|sub|sup|time|tt|u|var|wbr|"
)
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_CELLS = frozenset({"td", "th"})
_SPACE = re.compile(r"\s+")


def visible_text(tree: HtmlElement) -> str:
    """The text of a page; headings as `## …`, list items as `- …`, a table's row on one line.

    Walks without recursion, so depth costs nothing.
    """
    from lxml import etree

    lines = _Lines()
    for event, node in etree.iterwalk(tree, events=("start", "end", "comment", "pi")):
        tag = node.tag if isinstance(node.tag, str) else ""
        if event == "start":
            lines.open(tag)
            if tag != "head":
                lines.add(node.text)
        elif event == "end":
            lines.close(tag)
        if event != "start":
            lines.add(node.tail)
        if tag == "title" and event == "start":
            lines.forget()
    lines.flush()
    return "\n".join(lines.done)


class _Lines:
    """Lines under construction; inside a table's row nothing breaks the line."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self._parts: list[str] = []
        self._prefix = ""
        self._rows = 0

    def open(self, tag: str) -> None:
        if tag == "tr":
            if not self._rows:
                self.flush()
            self._rows += 1
        elif self._rows:
            self._parts.append(
                " | " if tag in _CELLS else " " if not _INLINE.fullmatch(tag) else ""
            )
        elif not _INLINE.fullmatch(tag):
            self.flush()
            self._prefix = _HEADINGS.get(tag, "- " if tag == "li" else self._prefix)

    def close(self, tag: str) -> None:
        if tag == "tr" and self._rows:
            self._rows -= 1
            if not self._rows:
                self.flush(row=True)
        elif self._rows:
            self._parts.append("" if _INLINE.fullmatch(tag) else " ")
        elif not _INLINE.fullmatch(tag):
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
