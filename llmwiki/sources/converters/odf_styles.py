"""What the styles of an OpenDocument file say of text: what is hidden, a title, or in a list."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from llmwiki.sources.converters.odf import CONTENT, OFFICE, STYLES
from llmwiki.sources.converters.safe_xml import attribute, blocks, local, number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element

    from llmwiki.sources.converters.safe_xml import DocumentParts

_FORMS = {
    "1": "decimal",
    "a": "lowerLetter",
    "A": "upperLetter",
    "i": "lowerRoman",
    "I": "upperRoman",
}
_ASKED = ("display", "visibility", "list-style-name", "text-position")
_MOST = 40
"""Characters of what stands before or after a number."""


@dataclass(frozen=True, slots=True)
class Level:
    """How the points of one level of a list are numbered."""

    form: str
    """The kind of number, as `numerals.numeral` takes it; "" for points without a number."""
    marked: bool
    """Whether anything stands before a point."""
    before: str = ""
    after: str = ""
    shown: int = 1
    """How many levels the label shows, this one the last."""
    start: int = 1


@dataclass(frozen=True, slots=True)
class _Style:
    parent: str
    said: dict[str, str]
    """Those of its own attributes that are used here."""


@dataclass(frozen=True, slots=True)
class Styles:
    """The styles of one document."""

    _styles: dict[tuple[str, str], _Style] = field(default_factory=dict)
    lists: dict[str, dict[int, Level]] = field(default_factory=dict)
    """The styles of lists by name: levels, from 1."""
    outline: dict[int, Level] = field(default_factory=dict)
    """The numbers of headings, by level."""

    def is_hidden(self, family: str, name: str) -> bool:
        """Whether text of that style is not shown."""
        return self._said(family, name, "display") == "none"

    def is_raised(self, name: str) -> bool:
        """Whether text of that style stands above the line."""
        shift = (self._said("text", name, "text-position") or "").partition(" ")[0]
        return shift == "super" or number(shift.removesuffix("%"), 0) > 0

    def is_title(self, name: str) -> bool:
        """Whether paragraphs of that style are the document's title."""
        return name == "Title" or "Title" in self._chain("paragraph", name)

    def list_of(self, name: str) -> str | None:
        """The list that paragraphs of that style belong to: "" for none, None if not said."""
        return self._said("paragraph", name, "list-style-name")

    def is_hidden_slide(self, name: str) -> bool:
        """Whether slides of that style are left out of a show."""
        return self._said("drawing-page", name, "visibility") == "hidden"

    def is_hidden_sheet(self, name: str) -> bool:
        """Whether sheets of that style are not shown."""
        return self._said("table", name, "display") == "false"

    def _said(self, family: str, name: str, what: str) -> str | None:
        for each in self._chain(family, name):
            if (value := self._styles[family, each].said.get(what)) is not None:
                return value
        return None

    def _chain(self, family: str, name: str) -> list[str]:
        """The style and those it is based on; a ring ends where it closes."""
        chain: list[str] = []
        while (family, name) in self._styles and name not in chain:
            chain.append(name)
            name = self._styles[family, name].parent
        return chain


def read_styles(parts: DocumentParts) -> Styles:
    """The styles of a document, those that its program made for single places included."""
    found = Styles()
    for node in _nodes(parts):
        name = attribute(node, "name") or ""
        if local(node) == "style":
            parent = attribute(node, "parent-style-name") or ""
            found._styles[attribute(node, "family") or "", name] = _Style(parent, _own(node))
        elif local(node) == "list-style":
            found.lists[name] = _levels(node)
        elif local(node) == "outline-style":
            found.outline.update(_levels(node))
    return found


def _nodes(parts: DocumentParts) -> Iterator[_Element]:
    if STYLES in parts.names:
        yield from blocks(parts, STYLES, f"{OFFICE}styles")
    yield from blocks(parts, CONTENT, f"{OFFICE}automatic-styles")


def _own(style: _Element) -> dict[str, str]:
    said: dict[str, str] = {}
    for node in (style, *style):
        for key, value in node.items():
            if (name := key.rpartition("}")[2]) in _ASKED:
                said[name] = str(value)
    return said


def _levels(style: _Element) -> dict[int, Level]:
    return {number(attribute(node, "level"), 1): _level(node) for node in style}


def _level(node: _Element) -> Level:
    if not local(node).endswith(("level-style-number", "outline-level-style")):
        sign = attribute(node, "bullet-char")
        return Level("", marked=sign is None or bool(sign.strip()))
    said = attribute(node, "num-format") or ""
    form = _FORMS.get(said, "decimal") if said else ""
    return Level(
        form,
        bool(form),
        (attribute(node, "num-prefix") or "")[:_MOST],
        (attribute(node, "num-suffix") or "")[:_MOST],
        number(attribute(node, "display-levels"), 1),
        number(attribute(node, "start-value"), 1),
    )
