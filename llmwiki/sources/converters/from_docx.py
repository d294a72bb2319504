"""Word documents (.docx) to text: the parts read with lxml. Runs in the converting process only.

The text is that of the document with every tracked change accepted; comments, headers and
footers, and hidden text are left out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.sources.converters.numbered_text_writer import (
    BULLET,
    Gathered,
    TableCell,
    number,
    span,
)
from llmwiki.sources.converters.office_blocks import (
    BlockWriter,
    ListLevel,
    NumberedList,
    OfficeBlock,
    described,
    line,
    raised,
)
from llmwiki.sources.converters.zip_and_xml import (
    Archive,
    attribute,
    blocks,
    child,
    local,
    main_part,
    one_of,
    part,
    related,
    write_facts,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml.etree import _Element

_SKIPPED = frozenset(
    {"del", "moveFrom", "pPr", "rPr", "sdtPr", "instrText", "delText", "rt", "tblPr", "txPr"}
)
_CHARACTERS = {"tab": " ", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "ptab": " "}
_OFF = frozenset({"0", "false", "off"})
_NOTES = {"footnoteReference": ("footnotes", "note"), "endnoteReference": ("endnotes", "endnote")}
_WRAPPERS = frozenset({"sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag"})
_HEADING = re.compile(r"heading ([1-9])")
_BODY = 9
"""The outline level that means body text (ISO 29500-1, §17.3.1.20)."""
_FORMS = {
    "lowerLetter": "a",
    "upperLetter": "A",
    "lowerRoman": "i",
    "upperRoman": "I",
    "decimalZero": "01",
}
"""What points are numbered with (ISO 29500-1, §17.18.59); others are shown as `1`."""


def convert(data: bytes, out: Gathered) -> None:
    """The text of a Word document, after `Author:` and `Modified:` lines where it tells them.

    Headings are `## …`, list items carry the number or bullet shown before them, a table's row
    is one line `table 1 row 2 | name: value | …`; notes follow the block that refers to them as
    `[note 1] …` and `[endnote 1] …`, described pictures are `[picture: …]`. Raises InputError when
    the file is broken, encrypted or something else, PolicyError when it unpacks to too much.
    """
    archive = Archive(data, "the Word document")
    main = main_part(archive, "word/")
    write_facts(archive, out)
    writer = BlockWriter(out)
    reader = _Reader(archive, main, writer)
    for node in blocks(archive, main, "body"):
        writer.add(reader.blocks([node]))
    writer.end()


class _Reader:
    """Reads the blocks of one document, which are asked for in order."""

    def __init__(self, archive: Archive, main: str, writer: BlockWriter) -> None:
        relations = related(archive, main)

        def root(kind: str) -> Iterable[_Element]:
            path = one_of(relations, kind)
            return () if path is None else part(archive, path)

        self._writer = writer
        self._styles = _read_styles(root("styles"))
        self._lists, self._restarts = _read_lists(root("numbering"))
        self._notes = {
            (reference, attribute(node, "id") or ""): node
            for reference, (kind, _) in _NOTES.items()
            for node in root(kind)
        }
        self._marks: dict[tuple[str, str], str] = {}

    def blocks(self, nodes: Iterable[_Element]) -> Iterator[OfficeBlock]:
        """The paragraphs and tables that nodes are or wrap: content controls, and blocks inserted
        as a whole."""
        for node in nodes:
            if local(node) in _WRAPPERS:
                yield from self.blocks(node)
            elif local(node) == "p":
                yield self._paragraph(node)
            elif local(node) == "tbl":
                yield OfficeBlock(rows=self._rows(node), has_head=_has_head(node))

    def _paragraph(self, node: _Element) -> OfficeBlock:
        text = "".join(self._pieces(node))
        properties = child(node, "pPr")
        goes_on = child(properties, "rPr", "del") is not None
        if goes_on or not text.strip():
            return OfficeBlock(text, goes_on=goes_on)
        name = attribute(child(properties, "pStyle"), "val") or ""
        style = _own_style(properties, self._styles.get(name, ParagraphStyle()))
        return OfficeBlock(text, style.heading, self._label(style), style.level)

    def _label(self, style: ParagraphStyle) -> str:
        """What stands before a paragraph of this style."""
        if not style.list_id:
            return ""
        listed = self._lists.get(style.list_id)
        start = self._restarts.pop((style.list_id, style.level), None)
        if listed and start is not None:
            listed.restart(style.level, start)
        return listed.label(style.level) if listed else BULLET

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
                self._writer.box(self.blocks(each))
            elif name == "docPr":
                yield described(each)
            else:
                # Of two ways of writing the same, the second is for older programs.
                yield from self._pieces(each[:1] if name == "AlternateContent" else each)
                yield " " if name in ("p", "tc") else ""

    def _reference(self, kind: str, name: str) -> str:
        if (kind, name) not in self._marks:
            body = self._notes.get((kind, name), ())
            self._marks[kind, name] = self._writer.note(_NOTES[kind][1], self.blocks(body))
        return self._marks[kind, name]

    def _rows(self, table: _Element) -> Iterator[list[TableCell]]:
        for row in _below(table, "tr"):
            if child(row, "trPr", "del") is None:
                yield [self._cell(cell) for cell in _below(row, "tc")]

    def _cell(self, cell: _Element) -> TableCell:
        merge = child(cell, "tcPr", "vMerge")
        goes_on = merge is not None and attribute(merge, "val") != "restart"
        text = None if goes_on else line(self.blocks(cell))
        return TableCell(text, span(attribute(child(cell, "tcPr", "gridSpan"), "val")))


def _is_raised(run: _Element | None) -> bool:
    return attribute(child(run, "rPr", "vertAlign"), "val") == "superscript"


def _is_hidden(run: _Element) -> bool:
    vanish = child(run, "rPr", "vanish")
    return vanish is not None and attribute(vanish, "val") not in _OFF


def _has_head(table: _Element) -> bool | None:
    """Whether the first row names the columns; None where only its looks can tell."""
    first = next(_below(table, "tr"), None)
    marked = child(first, "trPr", "tblHeader")
    if marked is not None and attribute(marked, "val") not in _OFF:
        return True
    look = child(table, "tblPr", "tblLook")
    return False if attribute(look, "firstRow") in _OFF else None


def _below(node: _Element, name: str) -> Iterator[_Element]:
    for each in node:
        if local(each) == name:
            yield each
        elif local(each) in _WRAPPERS:
            yield from _below(each, name)


# --- styles and numbers -----------------------------------------------------------------------


class ParagraphStyle(NamedTuple):
    """What a paragraph gets from its style."""

    heading: int = 0
    """Level from 1; 0 for body text."""
    list_id: str = ""
    level: int = 0
    """Of the list, from 0."""


def _read_styles(root: Iterable[_Element]) -> dict[str, ParagraphStyle]:
    """The paragraph styles by id, with what they take from the styles they are based on."""
    nodes = {attribute(node, "styleId") or "": node for node in root if local(node) == "style"}
    found: dict[str, ParagraphStyle] = {}
    for name in nodes:
        chain: dict[str, None] = {}
        at = name
        # Styles based on one another in a ring end where they close.
        while at in nodes and at not in found and at not in chain:
            chain[at] = None
            at = attribute(child(nodes[at], "basedOn"), "val") or ""
        base = found.get(at, ParagraphStyle())
        for each in reversed(chain):
            base = found[each] = _own_style(
                child(nodes[each], "pPr"),
                base,
                (attribute(child(nodes[each], "name"), "val") or "").lower(),
            )
    return found


def _own_style(properties: _Element | None, base: ParagraphStyle, name: str = "") -> ParagraphStyle:
    """What paragraph properties make of a style; `name` is that of the style they define."""
    heading = base.heading
    if match := _HEADING.fullmatch(name):
        heading = int(match[1])
    elif name == "title":
        heading = 1
    outline = attribute(child(properties, "outlineLvl"), "val")
    if outline is not None:
        depth = number(outline, _BODY)
        heading = depth + 1 if depth < _BODY else 0
    listing = child(properties, "numPr")
    list_id = attribute(child(listing, "numId"), "val")
    level = attribute(child(listing, "ilvl"), "val")
    return ParagraphStyle(
        heading,
        base.list_id if list_id is None else "" if list_id == "0" else list_id,
        min(number(level, base.level), 8),
    )


def _read_lists(
    root: Iterable[_Element],
) -> tuple[dict[str, NumberedList], dict[tuple[str, int], int]]:
    """The lists by id, those of one shape counted together, and the number with which a list
    begins a level anew."""
    shapes: dict[str, NumberedList] = {}
    lists: dict[str, NumberedList] = {}
    restarts: dict[tuple[str, int], int] = {}
    for node in root:
        name = attribute(node, "numId") or ""
        if local(node) == "abstractNum":
            shapes[attribute(node, "abstractNumId") or ""] = NumberedList(_levels(node))
        elif local(node) == "num":
            shape = attribute(child(node, "abstractNumId"), "val") or ""
            lists[name] = shapes.get(shape) or NumberedList({})
            for each in node:
                start = attribute(child(each, "startOverride"), "val")
                if local(each) == "lvlOverride" and start is not None:
                    restarts[name, number(attribute(each, "ilvl"), 0)] = number(start, 1)
    return lists, restarts


def _levels(node: _Element) -> dict[int, ListLevel]:
    return {
        number(attribute(each, "ilvl"), 0): _level(each) for each in node if local(each) == "lvl"
    }


def _level(node: _Element) -> ListLevel:
    form = attribute(child(node, "numFmt"), "val") or "decimal"
    text = (attribute(child(node, "lvlText"), "val") or "")[:40]
    start = number(attribute(child(node, "start"), "val"), 1)
    is_numbered = text and form not in ("bullet", "none")
    return ListLevel(_FORMS.get(form, "1"), text, start) if is_numbered else ListLevel("", BULLET)
