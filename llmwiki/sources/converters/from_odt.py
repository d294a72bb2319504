"""OpenDocument texts (.odt) to text with lxml. Runs in the converting process only.

The text is that of the document with every tracked change accepted; comments, headers and
footers, and hidden text are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmwiki.sources.converted import ConvertedText
from llmwiki.sources.converters.gather import Gathered
from llmwiki.sources.converters.numerals import BULLET
from llmwiki.sources.converters.odf import CONTENT, OFFICE, facts, open_parts
from llmwiki.sources.converters.odf_lists import Lists
from llmwiki.sources.converters.odf_styles import read_styles
from llmwiki.sources.converters.odf_table import read_table
from llmwiki.sources.converters.odf_text import INDEXES, ParagraphReader, is_hidden_section
from llmwiki.sources.converters.safe_xml import attribute, blocks, local, number

if TYPE_CHECKING:
    from lxml.etree import _Element

    from llmwiki.sources.converters.safe_xml import DocumentParts

VERSION = "llmwiki-odt/1"
"""Raised with every change of the text that a document gives."""

_KIND = "the document"
_WRAPPERS = INDEXES | {"section", "numbered-paragraph"}


def convert(data: bytes, cap: int) -> ConvertedText:
    """The text of a document, after `Author:` and `Modified:` lines where it tells them.

    Headings are `## …`, list items carry the number or bullet shown before them, a table's row
    is one line `table 1 row 2 | name: value | …`; notes follow the block that refers to them as
    `[note 1] …` and `[endnote 1] …`, described pictures are `[picture: …]`. `cap` bounds the
    bytes of text. Raises InputError when the file is broken, encrypted or something else,
    PolicyError when it unpacks to too much.
    """
    reader = _Reader(open_parts(data, _KIND, "text"), cap)
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
        for block in blocks(self._parts, CONTENT, f"{OFFICE}text"):
            self._add(block)

    def _add(self, block: _Element) -> None:
        name = local(block)
        if name == "h":
            self._add_heading(block)
        elif name == "p":
            self._add_paragraph(block)
        elif name == "list":
            self._add_list(block)
        elif name == "table":
            self._tables += 1
            self.out.add("")
            read_table(block, f"table {self._tables}", self._words.line, self.out)
        elif name == "frame":
            self._add_text(self._words.of(block))
        elif name in _WRAPPERS and not is_hidden_section(block):
            for each in block:
                self._add(each)
            return
        self._add_aside()

    def _add_paragraph(self, node: _Element) -> None:
        text = self._words.of(node)
        if self._styles.is_title(attribute(node, "style-name") or ""):
            self._add_title(text, 1)
        else:
            self._add_text(text)

    def _add_heading(self, node: _Element) -> None:
        level = max(1, number(attribute(node, "outline-level"), 1))
        name = attribute(node, "style-name") or ""
        bare = attribute(node, "is-list-header") == "true" or self._styles.list_of(name) == ""
        text = self._words.of(node)
        if text:
            label = "" if bare else self._lists.heading(level)
            self._add_title(f"{label} {text}" if label not in ("", BULLET) else text, level)

    def _add_title(self, text: str, level: int) -> None:
        if text:
            self.out.add(f"\n{'#' * min(level, 6)} {' '.join(text.split())}\n")

    def _add_text(self, text: str) -> None:
        if text:
            self.out.add(f"\n{text}")

    def _add_list(self, node: _Element) -> None:
        for block, label, level in self._lists.points(node):
            if local(block) == "h":
                text = self._words.of(block)
                number_ = "" if label in ("", BULLET) else f"{label} "
                self._add_title(
                    text and f"{number_}{text}", number(attribute(block, "outline-level"), 1)
                )
            elif local(block) == "p" and (text := self._words.of(block)):
                self.out.add(f"{'  ' * level}{label} {text}" if label else f"{'  ' * level}{text}")
            elif local(block) not in ("p", "h"):
                self._add(block)
            self._add_aside()

    def _add_aside(self) -> None:
        for text in self._words.aside():
            self.out.add(f"\n{text}")
