"""Word documents (.docx) to text: the parts read with lxml. Runs in the converting process only.

The text is that of the document with every tracked change accepted; comments, headers and
footers, and hidden text are left out.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING

from llmwiki.sources.converted import ConvertedText
from llmwiki.sources.converters.archive import Archive
from llmwiki.sources.converters.docx_numbering import Numbering
from llmwiki.sources.converters.docx_styles import Style, own_style, read_styles
from llmwiki.sources.converters.docx_table import read_table
from llmwiki.sources.converters.gather import Gathered
from llmwiki.sources.converters.numerals import raised
from llmwiki.sources.converters.opc import facts, main_part, one_of, related
from llmwiki.sources.converters.safe_xml import attribute, blocks, child, described, local, part

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml.etree import _Element

VERSION = "llmwiki-docx/1"
"""Raised with every change of the text that a document gives."""

_KIND = "the Word document"
_SKIPPED = frozenset(
    {"del", "moveFrom", "pPr", "rPr", "sdtPr", "instrText", "delText", "rt", "tblPr", "txPr"}
)
_CHARACTERS = {"tab": " ", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "ptab": " "}
_OFF = frozenset({"0", "false", "off"})
_NOTES = {"footnoteReference": ("footnotes", "note"), "endnoteReference": ("endnotes", "endnote")}


def convert(data: bytes, cap: int) -> ConvertedText:
    """The text of a Word document, after `Author:` and `Modified:` lines where it tells them.

    Headings are `## …`, list items carry the number or bullet shown before them, a table's row
    is one line `table 1 row 2 | name: value | …`; notes follow the block that refers to them as
    `[note 1] …` and `[endnote 1] …`, described pictures are `[picture: …]`. `cap` bounds the
    bytes of text. Raises InputError when the file is broken, encrypted or something else,
    PolicyError when it unpacks to too much.
    """
    archive = Archive(data, _KIND)
    reader = _Reader(archive, main_part(archive, "word/"), cap)
    reader.read()
    return ConvertedText(reader.out.text(), VERSION)


class _Reader:
    def __init__(self, archive: Archive, main: str, cap: int) -> None:
        self.out = Gathered(cap)
        self._archive = archive
        self._main = main
        self._relations = related(archive, main)
        self._styles = read_styles(self._part("styles"))
        self._numbering = Numbering(self._part("numbering"))
        self._notes: dict[str, dict[str, _Element]] = {}
        self._numbers: dict[tuple[str, str], int] = {}
        self._counts: Counter[str] = Counter()
        self._waiting: deque[tuple[str, str]] = deque()
        self._boxes: deque[_Element] = deque()
        self._carried = ""
        self._tables = 0

    def read(self) -> None:
        for line in facts(self._archive):
            self.out.add(line)
        for block in blocks(self._archive, self._main, "body"):
            self._add_block(block)
        if self._carried:
            self.out.add(f"\n{self._carried}")

    def _part(self, kind: str) -> _Element | None:
        path = one_of(self._relations, kind)
        return None if path is None else part(self._archive, path)

    def _add_block(self, block: _Element) -> None:
        for node in _unwrapped(block):
            if local(node) == "p":
                self._add_paragraph(node)
            elif local(node) == "tbl":
                self._tables += 1
                self.out.add("")
                read_table(node, f"table {self._tables}", self._cell, self.out)
            self._add_boxes_and_notes()

    def _add_paragraph(self, node: _Element) -> None:
        properties = child(node, "pPr")
        text = self._carried + self._text(node)
        self._carried = ""
        if child(properties, "rPr", "del") is not None:
            # Its end is deleted: accepted, the next paragraph goes on where it stops.
            self._carried = text
            return
        if not text.strip():
            return
        name = attribute(child(properties, "pStyle"), "val") or ""
        style = own_style(properties, self._styles.get(name, Style()))
        label = self._numbering.label(style.list_id, style.level) if style.list_id else ""
        if style.heading:
            number = "" if label in ("", "-") else f"{label} "
            marks = "#" * min(style.heading, 6)
            self.out.add(f"\n{marks} {number}{' '.join(text.split())}\n")
        elif label:
            self.out.add(f"{'  ' * style.level}{label} {text.strip()}")
        else:
            self.out.add(f"\n{text.strip()}")

    def _add_boxes_and_notes(self) -> None:
        """What the last block only pointed at; boxes may hold notes, and notes boxes."""
        while self._boxes or self._waiting:
            if self._boxes:
                for node in self._boxes.popleft():
                    for each in _unwrapped(node):
                        if text := self._cell([each]):
                            self.out.add(f"\n{text}")
                continue
            kind, name = self._waiting.popleft()
            note = self._notes_of(kind).get(name)
            text = "" if note is None else self._cell(note)
            marker = f"[{_NOTES[kind][1]} {self._numbers[kind, name]}]"
            self.out.add(f"\n{marker} {text}".rstrip())

    def _notes_of(self, kind: str) -> dict[str, _Element]:
        if kind not in self._notes:
            root = self._part(_NOTES[kind][0])
            self._notes[kind] = {
                attribute(node, "id") or "": node for node in (() if root is None else root)
            }
        return self._notes[kind]

    def _cell(self, nodes: Iterable[_Element]) -> str:
        """What stands in a cell, box or note, on one line."""
        texts = []
        for node in nodes:
            for each in _unwrapped(node):
                if local(each) in ("p", "tbl"):
                    texts.append(" ".join(self._text(each).split()))
        return " ".join(text for text in texts if text)

    def _text(self, node: _Element) -> str:
        return "".join(self._pieces(node))

    def _pieces(self, node: Iterable[_Element]) -> Iterator[str]:
        """The text below a node, as shown. The parser lets nothing be deeper than 256 levels."""
        for each in node:
            name = local(each)
            if name in _SKIPPED or (name == "r" and _is_hidden(each)):
                continue
            if name == "t":
                text = each.text or ""
                yield raised(text) if _is_raised(each.getparent()) else text
            elif name in _CHARACTERS:
                yield _CHARACTERS[name]
            elif name in _NOTES:
                yield self._reference(name, attribute(each, "id") or "")
            elif name == "txbxContent":
                self._boxes.append(each)
            elif name == "docPr":
                yield described(each)
            else:
                # Of two ways of writing the same, the second is for older programs.
                yield from self._pieces(each[:1] if name == "AlternateContent" else each)
                yield " " if name in ("p", "tc") else ""

    def _reference(self, kind: str, name: str) -> str:
        number = self._numbers.get((kind, name))
        if number is None:
            self._counts[kind] += 1
            number = self._counts[kind]
            self._numbers[kind, name] = number
            self._waiting.append((kind, name))
        return f"[{_NOTES[kind][1]} {number}]"


def _unwrapped(node: _Element) -> Iterator[_Element]:
    """The blocks that a node is or wraps: content controls, and blocks inserted as a whole."""
    if local(node) in ("sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag"):
        for each in node:
            yield from _unwrapped(each)
    elif local(node) not in _SKIPPED:
        yield node


def _is_raised(run: _Element | None) -> bool:
    return attribute(child(run, "rPr", "vertAlign"), "val") == "superscript"


def _is_hidden(run: _Element) -> bool:
    vanish = child(run, "rPr", "vanish")
    return vanish is not None and attribute(vanish, "val") not in _OFF
