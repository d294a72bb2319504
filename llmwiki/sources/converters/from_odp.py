"""OpenDocument slides (.odp) to text with lxml. Runs in the converting process only.

Comments, and what every slide repeats (header, footer, date, number), are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError
from llmwiki.sources.converted import ConvertedText
from llmwiki.sources.converters.gather import Gathered
from llmwiki.sources.converters.odf import CONTENT, OFFICE, facts, open_parts
from llmwiki.sources.converters.odf_lists import Lists
from llmwiki.sources.converters.odf_styles import read_styles
from llmwiki.sources.converters.odf_table import read_table
from llmwiki.sources.converters.odf_text import ParagraphReader
from llmwiki.sources.converters.safe_xml import attribute, blocks, child, local

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml.etree import _Element

    from llmwiki.sources.converters.safe_xml import DocumentParts

VERSION = "llmwiki-odp/1"
"""Raised with every change of the text that a presentation gives."""

_KIND = "the presentation"
_REPEATED = frozenset({"header", "footer", "date-time", "page-number", "page"})
_DRAWN = frozenset(
    {"frame", "custom-shape", "rect", "ellipse", "circle", "line", "polyline", "polygon",
     "regular-polygon", "path", "connector", "caption", "measure"}
)  # fmt: skip


def convert(data: bytes, cap: int) -> ConvertedText:
    """The text of the slides in order, after `Author:` and `Modified:` lines where they are told.

    Each slide begins with `[slide N]` (`[slide N hidden]`) and its title as `# …`; its text
    follows in the order of its shapes, points as `- …`, a table's row as `table 1 row 2 | name:
    value`, a described picture as `[picture: …]`, and the speaker's notes after `[slide N
    notes]`. `cap` bounds the bytes of text. Raises InputError when the file is broken,
    encrypted, without slides or something else, PolicyError when it unpacks to too much.
    """
    reader = _Reader(open_parts(data, _KIND, "presentation"), cap)
    reader.read()
    return ConvertedText(reader.out.text(), VERSION)


class _Reader:
    def __init__(self, parts: DocumentParts, cap: int) -> None:
        self.out = Gathered(cap)
        self._parts = parts
        self._styles = read_styles(parts)
        self._lists = Lists(self._styles)
        self._words = ParagraphReader(parts, self._styles)
        self._tables = 0

    def read(self) -> None:
        for line in facts(self._parts):
            self.out.add(line)
        count = 0
        for node in blocks(self._parts, CONTENT, f"{OFFICE}presentation"):
            if local(node) == "page":
                count += 1
                self._add_slide(node, count)
        if not count:
            raise InputError("the presentation has no slides", fix="Check that it is complete.")

    def _add_slide(self, page: _Element, at: int) -> None:
        hidden = self._styles.is_hidden_slide(attribute(page, "style-name") or "")
        shapes = list(_shapes(page))
        self._tables = 0
        self.out.add(f"\n[slide {at}{' hidden' if hidden else ''}]")
        for shape in shapes:
            if _class(shape) == "title" and (title := " ".join(self._lines_of(shape))):
                self.out.add(f"# {' '.join(title.split())}\n")
        for shape in shapes:
            if _class(shape) not in _REPEATED | {"title"}:
                self._add_shape(shape)
        notes = [
            line
            for shape in _shapes(child(page, "notes"))
            if _class(shape) == "notes"
            for line in self._lines_of(shape)
        ]
        if notes:
            self.out.add("\n".join(["", f"[slide {at} notes]", *notes]))

    def _add_shape(self, shape: _Element) -> None:
        table = child(shape, "table")
        if table is not None:
            self._tables += 1
            read_table(table, f"table {self._tables}", self._words.line, self.out)
        else:
            for line in self._lines_of(shape):
                self.out.add(line)
        for text in self._words.aside():
            self.out.add(text)
        if words := self._words.picture(shape):
            self.out.add(words)

    def _lines_of(self, shape: _Element) -> list[str]:
        box = child(shape, "text-box")
        return list(self._lines(shape if box is None else box))

    def _lines(self, home: Iterable[_Element]) -> Iterator[str]:
        for block in home:
            if local(block) == "p" and (text := self._words.of(block)):
                yield text
            elif local(block) == "list":
                for each, label, level in self._lists.points(block):
                    if text := self._words.of(each):
                        yield f"{'  ' * level}{label} {text}" if label else text


def _shapes(home: _Element | None) -> Iterator[_Element]:
    """Shapes in the order they are drawn, groups taken apart."""
    for node in () if home is None else home:
        if local(node) in ("g", "a"):
            yield from _shapes(node)
        elif local(node) in _DRAWN:
            yield node


def _class(shape: _Element) -> str:
    """What a shape holds the place of; "" for one of its own."""
    return attribute(shape, "class") or ""
