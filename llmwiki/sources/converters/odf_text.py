"""The text of OpenDocument paragraphs as it is shown, and what they only point at."""

from __future__ import annotations

import re
from collections import Counter, deque
from typing import TYPE_CHECKING

from llmwiki.sources.converters.numerals import raised
from llmwiki.sources.converters.odf import CONTENT
from llmwiki.sources.converters.safe_xml import attribute, child, local, part

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml.etree import _Element

    from llmwiki.sources.converters.odf_styles import Styles
    from llmwiki.sources.converters.safe_xml import DocumentParts

_SKIPPED = frozenset(
    {"annotation", "annotation-end", "ruby-text", "tracked-changes", "forms", "event-listeners",
     "hidden-text", "title", "desc", "binary-data", "shapes", "page-thumbnail", "table-source",
     "enhanced-geometry", "notes", "sequence-decls", "table-of-content-source"}
)  # fmt: skip
_CHARACTERS = {"s": " ", "tab": " ", "line-break": "\n", "soft-hyphen": ""}
_PARAGRAPHS = frozenset({"p", "h"})
INDEXES = frozenset(
    {"index-body", "index-title", "table-of-content", "alphabetical-index", "illustration-index",
     "table-index", "user-index", "object-index", "bibliography"}
)  # fmt: skip
"""Wrappers of what a program gathered from the text: contents, lists of pictures."""
_WRAPPERS = INDEXES | {
    "section", "list", "list-item", "list-header", "numbered-paragraph", "text-box", "note-body",
    "table", "table-row", "table-header-rows", "table-rows", "table-row-group", "table-cell",
}  # fmt: skip
_NOTES = {"footnote": "note", "endnote": "endnote"}
_BLANKS = re.compile(r"[ \t\r\n]+")
_FORMULA = re.compile(r"(?:\./)?([^/]{1,200})/?")


class ParagraphReader:
    """Reads paragraphs of one document, which are asked for in order."""

    def __init__(self, parts: DocumentParts, styles: Styles) -> None:
        self._parts = parts
        self._styles = styles
        self._counts: Counter[str] = Counter()
        self._boxes: deque[_Element] = deque()
        self._notes: deque[tuple[str, _Element]] = deque()

    def of(self, paragraph: _Element) -> str:
        """What a paragraph says, lines parted by LF; "" for one that is hidden.

        Notes are `[note 1]`, pictures `[picture: description]`; what stands in its notes and
        boxes is told by `aside`.
        """
        name = attribute(paragraph, "style-name") or ""
        if self._styles.is_hidden("paragraph", name) or _hides_itself(paragraph):
            return ""
        lines = "".join(self._pieces(paragraph)).split("\n")
        return "\n".join(_BLANKS.sub(" ", line).strip() for line in lines)

    def line(self, blocks: Iterable[_Element]) -> str:
        """What stands in a cell, box or note, on one line."""
        texts = [" ".join(self.of(each).split()) for block in blocks for each in paragraphs(block)]
        return " ".join(text for text in texts if text)

    def aside(self) -> Iterator[str]:
        """What the paragraphs so far only pointed at: boxes, and notes after their mark."""
        while self._boxes or self._notes:
            if self._boxes:
                for block in self._boxes.popleft():
                    if text := self.line([block]):
                        yield text
                continue
            mark, body = self._notes.popleft()
            yield f"{mark} {self.line(body)}".rstrip()

    def picture(self, frame: _Element) -> str:
        """`[picture: …]` with the description that the author gave a frame, "" if none."""
        for name in ("desc", "title"):
            if words := " ".join((getattr(child(frame, name), "text", "") or "").split()):
                return f"[picture: {words}]"
        return ""

    def _pieces(self, node: _Element) -> Iterator[str]:
        """The text below a node, as shown. The parser lets nothing be deeper than 256 levels."""
        yield _BLANKS.sub(" ", node.text or "")
        for each in node:
            yield from self._piece(each)
            yield _BLANKS.sub(" ", each.tail or "")

    def _piece(self, node: _Element) -> Iterator[str]:
        name = local(node)
        if name in _CHARACTERS:
            yield _CHARACTERS[name]
        elif name == "note":
            yield self._note(node)
        elif name == "text-box":
            self._boxes.append(node)
        elif name in ("frame", "custom-shape", "rect", "ellipse"):
            yield self.picture(node)
            yield from self._frame(node)
        elif name == "object":
            yield self._formula(node)
        elif name in _PARAGRAPHS:
            # Text inside a shape that stands in the line.
            yield f" {self.of(node)} "
        elif name == "span":
            yield self._span(node)
        elif name not in _SKIPPED:
            yield from self._pieces(node)

    def _frame(self, frame: _Element) -> Iterator[str]:
        """Of several ways of showing the same, the first."""
        first = next((each for each in frame if local(each) not in ("title", "desc")), None)
        if local(frame) != "frame":
            yield from self._pieces(frame)
        elif first is not None:
            yield from self._piece(first)

    def _span(self, node: _Element) -> str:
        style = attribute(node, "style-name") or ""
        if self._styles.is_hidden("text", style):
            return ""
        text = "".join(self._pieces(node))
        return raised(text) if self._styles.is_raised(style) else text

    def _note(self, node: _Element) -> str:
        kind = _NOTES.get(attribute(node, "note-class") or "", "note")
        self._counts[kind] += 1
        mark = f"[{kind} {self._counts[kind]}]"
        body = child(node, "note-body")
        if body is not None:
            self._notes.append((mark, body))
        return mark

    def _formula(self, node: _Element) -> str:
        """The signs of a formula, which is a part of its own (MathML 3, §3.2)."""
        place = _FORMULA.fullmatch(attribute(node, "href") or "")
        name = f"{place[1]}/{CONTENT}" if place else ""
        root = child(node, "math")
        if root is None and name in self._parts.names:
            root = part(self._parts, name, doctype=True)
        if root is None or local(root) != "math":
            return ""
        return "".join((each.text or "").strip() for each in root.iter() if local(each) in
                       ("mi", "mn", "mo", "mtext"))  # fmt: skip


def paragraphs(block: _Element) -> Iterator[_Element]:
    """The paragraphs that a block is or wraps, hidden sections left out."""
    if local(block) in _PARAGRAPHS:
        yield block
    elif local(block) in _WRAPPERS and not is_hidden_section(block):
        for each in block:
            yield from paragraphs(each)


def is_hidden_section(block: _Element) -> bool:
    """Whether a block is a section that is not shown."""
    if local(block) != "section":
        return False
    if attribute(block, "display") == "condition":
        return attribute(block, "is-hidden") == "true"
    return attribute(block, "display") == "none"


def _hides_itself(paragraph: _Element) -> bool:
    field = child(paragraph, "hidden-paragraph")
    return field is not None and attribute(field, "is-hidden") == "true"
