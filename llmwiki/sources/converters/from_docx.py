"""Word documents (.docx) to text: the parts read with lxml. Runs in the converting process only.

The text is that of the document with every tracked change accepted; comments, headers and
footers, and hidden text are left out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.sources.converted import ConvertedText
from llmwiki.sources.converters.archive import Archive
from llmwiki.sources.converters.safe_xml import (
    attribute,
    blocks,
    child,
    described,
    facts,
    local,
    main_part,
    number,
    one_of,
    part,
    related,
)
from llmwiki.sources.converters.writing import (
    BULLET,
    Asides,
    Gathered,
    ListLevel,
    TableCell,
    list_label,
    raised,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

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
_WRAPPERS = frozenset({"sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag"})
_HEADING = re.compile(r"heading ([1-9])")
_BODY = 9
"""The outline level that means body text (ISO 29500-1, §17.3.1.20)."""
_MOST_SPANNED = 64
"""Columns that one cell may take (Word's own limit is 63 columns a table)."""


def convert(data: bytes, cap: int) -> ConvertedText:
    """The text of a Word document, after `Author:` and `Modified:` lines where it tells them.

    Headings are `## …`, list items carry the number or bullet shown before them, a table's row
    is one line `table 1 row 2 | name: value | …`; notes follow the block that refers to them as
    `[note 1] …` and `[endnote 1] …`, described pictures are `[picture: …]`. `cap` bounds the
    bytes of text. Raises InputError when the file is broken, encrypted or something else,
    PolicyError when it unpacks to too much.
    """
    archive = Archive(data, _KIND)
    main = main_part(archive, "word/")
    relations = related(archive, main)

    def root(kind: str) -> Iterable[_Element]:
        path = one_of(relations, kind)
        return () if path is None else part(archive, path)

    notes = {
        (reference, attribute(node, "id") or ""): node
        for reference, (kind, _) in _NOTES.items()
        for node in root(kind)
    }
    out = Gathered(cap, facts(archive))
    reader = BlockReader(out, _read_styles(root("styles")), _numbering(root("numbering")), notes)
    for block in blocks(archive, main, "body"):
        reader.add(block)
    reader.end()
    return ConvertedText(out.text(), VERSION)


class BlockReader:
    """Writes the blocks of one document as they come."""

    def __init__(
        self,
        out: Gathered,
        styles: dict[str, ParagraphStyle],
        numbering: Numbering,
        notes: Mapping[tuple[str, str], Iterable[_Element]],
    ) -> None:
        """`notes` has the blocks of a note by the name of what refers to it, and its id."""
        self.out = out
        self.tables = 0
        """Tables so far."""
        self._styles = styles
        self._numbering = numbering
        self._notes = notes
        self._marks: dict[tuple[str, str], str] = {}
        self._asides = Asides(self.line)
        self._carried = ""

    def end(self) -> None:
        """Write what a last paragraph without an end holds."""
        if self._carried:
            self.out.add(f"\n{self._carried}")

    def add(self, block: _Element) -> None:
        """A paragraph or table, or what wraps such."""
        for node in _unwrapped(block):
            if local(node) == "p":
                self._add_paragraph(node)
            elif local(node) == "tbl":
                self.tables += 1
                self.out.add("")
                rows = _rows(node, self.line)
                self.out.table(f"table {self.tables}", rows, has_head=_has_head(node))
            for text in self._asides.told():
                self.out.add(f"\n{text}")

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
        style = _own_style(properties, self._styles.get(name, ParagraphStyle()))
        label = self._numbering.label(style.list_id, style.level) if style.list_id else ""
        if style.heading:
            self.out.heading(style.heading, text, label)
        elif label:
            self.out.add(f"{'  ' * style.level}{label} {text.strip()}")
        else:
            self.out.add(f"\n{text.strip()}")

    def line(self, nodes: Iterable[_Element]) -> str:
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
                self._asides.box(block for node in each for block in _unwrapped(node))
            elif name == "docPr":
                yield described(each)
            else:
                # Of two ways of writing the same, the second is for older programs.
                yield from self._pieces(each[:1] if name == "AlternateContent" else each)
                yield " " if name in ("p", "tc") else ""

    def _reference(self, kind: str, name: str) -> str:
        if (kind, name) not in self._marks:
            body = self._notes.get((kind, name), ())
            self._marks[kind, name] = self._asides.note(_NOTES[kind][1], body)
        return self._marks[kind, name]


def _unwrapped(node: _Element) -> Iterator[_Element]:
    """The blocks that a node is or wraps: content controls, and blocks inserted as a whole."""
    if local(node) in _WRAPPERS:
        for each in node:
            yield from _unwrapped(each)
    elif local(node) not in _SKIPPED:
        yield node


def _is_raised(run: _Element | None) -> bool:
    return attribute(child(run, "rPr", "vertAlign"), "val") == "superscript"


def _is_hidden(run: _Element) -> bool:
    vanish = child(run, "rPr", "vanish")
    return vanish is not None and attribute(vanish, "val") not in _OFF


# --- tables -----------------------------------------------------------------------------------


def _has_head(table: _Element) -> bool | None:
    """Whether the first row names the columns; None where only its looks can tell."""
    first = next(_below(table, "tr"), None)
    marked = child(first, "trPr", "tblHeader")
    if marked is not None and attribute(marked, "val") not in _OFF:
        return True
    look = child(table, "tblPr", "tblLook")
    return False if attribute(look, "firstRow") in _OFF else None


def _rows(
    table: _Element, text: Callable[[Iterable[_Element]], str]
) -> Iterator[tuple[int, list[TableCell]]]:
    kept = (row for row in _below(table, "tr") if child(row, "trPr", "del") is None)
    for at, row in enumerate(kept, start=1):
        cells: list[TableCell] = []
        for cell in _below(row, "tc"):
            merge = child(cell, "tcPr", "vMerge")
            goes_on = merge is not None and attribute(merge, "val") != "restart"
            span = number(attribute(child(cell, "tcPr", "gridSpan"), "val"), 1)
            columns = max(1, min(span, _MOST_SPANNED))
            cells.append(TableCell("" if goes_on else text(cell), columns, goes_on=goes_on))
            cells += [TableCell("", is_covered=True)] * (columns - 1)
        yield at, cells


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


class Numbering:
    """Counts the lists of one document; its paragraphs are asked for in order."""

    def __init__(
        self,
        levels: dict[str, dict[int, ListLevel]],
        lists: dict[str, str],
        restarts: dict[tuple[str, int], int],
    ) -> None:
        """`levels` are those of each way to number, `lists` has the way of each list, `restarts`
        the number of the first point of a list and level, where it counts anew."""
        self.levels = levels
        self.lists = lists
        self.restarts = restarts
        self._counts: dict[str, dict[int, int]] = {}

    def label(self, list_id: str, level: int) -> str:
        """What stands before the next paragraph of a list, BULLET where no number does."""
        shape = self.lists.get(list_id, "")
        levels = self.levels.get(shape, {})
        counts = self._counts.setdefault(shape, {})
        restart = self.restarts.pop((list_id, level), None)
        if restart is not None:
            counts[level] = restart - 1
        return list_label(counts, levels, level) or BULLET


def _numbering(root: Iterable[_Element]) -> Numbering:
    levels: dict[str, dict[int, ListLevel]] = {}
    lists: dict[str, str] = {}
    restarts: dict[tuple[str, int], int] = {}
    for node in root:
        name = attribute(node, "numId") or ""
        if local(node) == "abstractNum":
            levels[attribute(node, "abstractNumId") or ""] = _levels(node)
        elif local(node) == "num":
            lists[name] = attribute(child(node, "abstractNumId"), "val") or ""
            for each in node:
                start = attribute(child(each, "startOverride"), "val")
                if local(each) == "lvlOverride" and start is not None:
                    restarts[name, number(attribute(each, "ilvl"), 0)] = number(start, 1)
    return Numbering(levels, lists, restarts)


def _levels(node: _Element) -> dict[int, ListLevel]:
    return {
        number(attribute(each, "ilvl"), 0): _level(each) for each in node if local(each) == "lvl"
    }


def _level(node: _Element) -> ListLevel:
    form = attribute(child(node, "numFmt"), "val") or "decimal"
    text = (attribute(child(node, "lvlText"), "val") or "")[:40]
    start = number(attribute(child(node, "start"), "val"), 1)
    is_numbered = text and form not in ("bullet", "none")
    return ListLevel(form, text, start) if is_numbered else ListLevel("", BULLET)
