"""OpenDocument texts, slides and sheets (.odt, .odp, .ods) to text.

Runs in the converting process only. A text, or what a shape of a slide holds, becomes the blocks
of a Word document, which that format's reader reads; a sheet is read as one of Excel is. Tracked
changes count as accepted; comments, headers and footers, what every slide repeats, and hidden text
are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError
from llmwiki.sources.converted import ConvertedText
from llmwiki.sources.converters.archive import Archive, locked
from llmwiki.sources.converters.from_docx import BlockReader, Numbering
from llmwiki.sources.converters.from_xlsx import read_workbook
from llmwiki.sources.converters.safe_xml import attribute, blocks, child, local, number, part
from llmwiki.sources.converters.writing import BULLET, Gathered, ListLevel

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml.etree import _Element


VERSIONS = {"text": "llmwiki-odt/2", "presentation": "llmwiki-odp/2"}
"""Raised with every change of the text that a document of that sort gives."""

_KINDS = {"text": "the document", "presentation": "the presentation", "spreadsheet": "the workbook"}
_CONTENT, _STYLES, _META = "content.xml", "styles.xml", "meta.xml"
_MANIFEST = "META-INF/manifest.xml"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_TYPE = "application/vnd.oasis.opendocument."
_FORMS = {
    "1": "decimal",
    "a": "lowerLetter",
    "A": "upperLetter",
    "i": "lowerRoman",
    "I": "upperRoman",
}
_ASKED = ("display", "visibility", "list-style-name", "text-position")
"""What of a style is used here."""
_MOST_AROUND = 40
"""Characters of what stands before or after a number."""
_MOST_REPEATED = 64
"""Cells or rows of a text's table that one element stands for; programs write that in sheets."""
_DEEPEST = 8
"""The lowest level of a list, from 0."""
_SKIPPED = frozenset(
    {"annotation", "annotation-end", "ruby-text", "tracked-changes", "forms", "event-listeners",
     "hidden-text", "title", "desc", "binary-data", "shapes", "page-thumbnail", "table-source",
     "enhanced-geometry", "notes", "sequence-decls", "table-of-content-source"}
)  # fmt: skip
_CHARACTERS = {"s": "tab", "tab": "tab", "line-break": "br"}
_WRAPPERS = frozenset(
    {"index-body", "index-title", "table-of-content", "alphabetical-index", "illustration-index",
     "table-index", "user-index", "object-index", "bibliography", "section", "numbered-paragraph"}
)  # fmt: skip
_ROW_GROUPS = frozenset({"table-header-rows", "table-rows", "table-row-group"})
_SHAPES = frozenset({"frame", "custom-shape", "rect", "ellipse"})
_REPEATED = frozenset({"header", "footer", "date-time", "page-number", "page"})
_DRAWN = _SHAPES | {
    "circle", "line", "polyline", "polygon", "regular-polygon", "path", "connector", "caption",
    "measure",
}  # fmt: skip
_OUTLINE = "outline"
"""The list of the headings."""
_BLANKS = re.compile(r"[ \t\r\n]+")
_FORMULA = re.compile(r"(?:\./)?([^/]{1,200})/?")


def convert(data: bytes, cap: int) -> ConvertedText:
    """The text of a document, after `Author:` and `Modified:` lines where it tells them.

    A text has the form of a Word document's, a sheet that of a workbook's; a slide begins with
    `[slide N]` (`[slide N hidden]`), its speaker's notes with `[slide N notes]`. `cap` bounds the
    bytes of text. Raises InputError when the file is broken, encrypted, empty or something else,
    PolicyError when it unpacks to too much.
    """
    sort, parts = _opened(data)
    out = Gathered(cap, _facts(parts))
    if sort == "spreadsheet":
        return read_workbook(data, parts, out)
    writer = _Blocks(parts)
    reader = BlockReader(out, {}, writer.numbering, writer.notes)
    if sort == "text":
        for node in blocks(parts, _CONTENT, f"{_OFFICE}text"):
            for block in writer.of([node]):
                reader.add(block)
    else:
        _add_slides(parts, writer, reader)
    return ConvertedText(out.text(), VERSIONS[sort])


def _opened(data: bytes) -> tuple[str, Archive]:
    """The sort of an OpenDocument file, and its parts."""
    parts = Archive(data, "the document")
    if _MANIFEST in parts.names:
        # The directory stays readable under a password; the manifest says which parts do not.
        manifest = part(parts, _MANIFEST, doctype=True).iter()
        if any(local(node) == "encryption-data" for node in manifest):
            raise locked(parts.kind)
    said = parts.read("mimetype") if "mimetype" in parts.names else b""
    for sort, kind in _KINDS.items():
        if said.startswith(f"{_TYPE}{sort}".encode()):
            parts.kind = kind
            return sort, parts
    raise parts.broken("it is a file of something else")


def _facts(parts: Archive) -> list[str]:
    """What the document says of itself; the author is who began it."""
    said: dict[str, str] = {}
    if _META in parts.names:
        for node in blocks(parts, _META, f"{_OFFICE}meta"):
            said.setdefault(local(node), " ".join((node.text or "").split())[:300])
    author = said.get("initial-creator") or said.get("creator", "")
    date = said.get("date") or said.get("creation-date", "")
    lines = (("Author: ", author), ("Modified: ", date.partition(".")[0]))
    return [label + value for label, value in lines if value]


# --- styles ------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Styles:
    """The styles of one document, those that its program made for single places included."""

    said: dict[tuple[str, str], dict[str, str]] = field(default_factory=dict)
    """Family and name to what is asked of it; `parent` is the style it is based on."""
    lists: dict[str, dict[int, ListLevel]] = field(default_factory=dict)
    """By name; that of headings is _OUTLINE."""

    @classmethod
    def read(cls, parts: Archive) -> _Styles:
        found = cls()
        places = ((_STYLES, f"{_OFFICE}styles"), (_CONTENT, f"{_OFFICE}automatic-styles"))
        for name, home in places:
            for node in blocks(parts, name, home) if name in parts.names else ():
                found._take(node)
        return found

    def _take(self, node: _Element) -> None:
        name = attribute(node, "name") or ""
        if local(node) == "style":
            said = {"parent": attribute(node, "parent-style-name") or ""}
            for each in (node, *node):
                told = ((key.rpartition("}")[2], str(value)) for key, value in each.items())
                said |= {key: value for key, value in told if key in _ASKED}
            self.said[attribute(node, "family") or "", name] = said
        elif local(node) in ("list-style", "outline-style"):
            self.lists[name if local(node) == "list-style" else _OUTLINE] = _levels(node)

    def chain(self, family: str, node: _Element) -> list[str]:
        """The style of a node and those it is based on; a ring ends where it closes."""
        chain: list[str] = []
        name = attribute(node, "style-name") or ""
        while (family, name) in self.said and name not in chain:
            chain.append(name)
            name = self.said[family, name]["parent"]
        return chain if chain or not name else [name]

    def of(self, family: str, node: _Element, what: str) -> str | None:
        """What the style of a node says, or one that it is based on."""
        for name in self.chain(family, node):
            if (value := self.said.get((family, name), {}).get(what)) is not None:
                return value
        return None


def _levels(style: _Element) -> dict[int, ListLevel]:
    """The levels of a list from 0."""
    nodes = {number(attribute(node, "level"), 1) - 1: node for node in style}
    forms = {
        at: _FORMS.get(said, "decimal")
        for at, node in nodes.items()
        if local(node).endswith(("level-style-number", "outline-level-style"))
        and (said := attribute(node, "num-format"))
    }
    found: dict[int, ListLevel] = {}
    for at, node in nodes.items():
        before, after = (
            (attribute(node, name) or "")[:_MOST_AROUND] for name in ("num-prefix", "num-suffix")
        )
        first = max(0, at + 1 - number(attribute(node, "display-levels"), 1))
        shown = ".".join(f"%{each + 1}" for each in range(first, at + 1) if each in forms)
        text = f"{before}{shown}{after}" if at in forms else BULLET
        start = number(attribute(node, "start-value"), 1)
        found[at] = ListLevel(forms.get(at, ""), text, start)
    return found


# --- blocks ------------------------------------------------------------------------------------


def _made(tag: str, *inner: _Element, **attributes: str) -> _Element:
    """An element of a Word document; the reader asks for local names only."""
    from lxml import etree

    node = etree.Element(tag, attributes)
    node.extend(inner)
    return node


class _Blocks:
    """Makes the blocks of a Word document of one document's, which are asked for in order."""

    def __init__(self, parts: Archive) -> None:
        self._parts = parts
        self.styles = _Styles.read(parts)
        outline = self.styles.lists.get(_OUTLINE, {})
        self.numbering = Numbering({_OUTLINE: outline}, {_OUTLINE: _OUTLINE}, {})
        self.notes: dict[tuple[str, str], _Element] = {}
        self._named: dict[str, str] = {}
        """The way in which the last list of a style is numbered, or the one with an id."""

    def of(self, nodes: Iterable[_Element]) -> Iterator[_Element]:
        """What these nodes are or wrap."""
        for node in nodes:
            name = local(node)
            if name in ("p", "h"):
                yield self._paragraph(node)
            elif name == "list":
                yield from self._points(node, self._list(node), 0)
            elif name == "table":
                yield self._table(node)
            elif name in _SHAPES:
                yield _made("p", *self._inline(node, is_raised=False))
            elif name in _WRAPPERS and not self._is_hidden(node):
                yield from self.of(node)

    def _is_hidden(self, node: _Element) -> bool:
        name = local(node)
        if name == "section":
            shown = attribute(node, "display")
            return shown == "none" or (
                shown == "condition" and attribute(node, "is-hidden") == "true"
            )
        hides = attribute(child(node, "hidden-paragraph"), "is-hidden") == "true"
        family = "text" if name == "span" else "paragraph"
        return hides or self.styles.of(family, node, "display") == "none"

    def _paragraph(self, node: _Element, numbered: tuple[str, int] | None = None) -> _Element:
        """A paragraph; `numbered` has the list and the level of one that is a point."""
        if self._is_hidden(node):
            return _made("p")
        properties = _made("pPr")
        if local(node) == "h":
            level = max(1, number(attribute(node, "outline-level"), 1)) - 1
            properties.append(_made("outlineLvl", val=str(min(level, _DEEPEST))))
            is_bare = (
                attribute(node, "is-list-header") == "true"
                or self.styles.of("paragraph", node, "list-style-name") == ""
            )
            numbered = numbered or (None if is_bare else (_OUTLINE, level))
        elif "Title" in self.styles.chain("paragraph", node):
            properties.append(_made("outlineLvl", val="0"))
        if numbered is not None:
            name, level = numbered
            listed = (_made("ilvl", val=str(level)), _made("numId", val=name))
            properties.append(_made("numPr", *listed))
        return _made("p", properties, *self._runs(node, is_raised=False))

    def _list(self, node: _Element) -> str:
        """The id of a list that begins, or goes on with another one's numbers."""
        name = attribute(node, "style-name") or ""
        before = attribute(node, "continue-list")
        if before is None and attribute(node, "continue-numbering") == "true":
            before = f"last {name}"
        shape = self._named.get(before or "")
        if shape is None:
            shape = f"shape {len(self.numbering.levels)}"
            self.numbering.levels[shape] = dict(self.styles.lists.get(name, {}))
        self._named[f"last {name}"] = shape
        self._named[attribute(node, "id") or "last"] = shape
        return self._begun(shape)

    def _begun(self, shape: str) -> str:
        """The id of a new list that is numbered so."""
        listed = f"list {len(self.numbering.lists)}"
        self.numbering.lists[listed] = shape
        return listed

    def _points(self, node: _Element, listed: str, level: int) -> Iterator[_Element]:
        shape = self.numbering.lists[listed]
        own = self.styles.lists.get(attribute(node, "style-name") or "", {}) if level else {}
        self.numbering.levels[shape] |= {at: each for at, each in own.items() if at >= level}
        for item in node:
            start = attribute(item, "start-value")
            if start is not None:
                listed = self._begun(shape)
                self.numbering.restarts[listed, level] = number(start, 1)
            is_fresh = local(item) == "list-item"
            for block in item:
                if local(block) == "list":
                    yield from self._points(block, listed, min(level + 1, _DEEPEST))
                elif local(block) in ("p", "h"):
                    yield self._paragraph(block, (listed, level) if is_fresh else None)
                    is_fresh = False
                else:
                    yield from self.of([block])

    def _table(self, node: _Element) -> _Element:
        looks = _made("tblLook", firstRow="0")
        is_plain = attribute(node, "use-first-row-styles") == "false"
        table = _made("tbl", _made("tblPr", *([looks] if is_plain else [])))
        below: dict[int, tuple[int, str]] = {}
        """Columns in which a merged cell goes on: for how many rows, and how wide it is."""
        for row, is_head in _rows(node):
            for _ in range(_times(row, "number-rows-repeated")):
                marked = _made("trPr", *([_made("tblHeader")] if is_head else []))
                table.append(_made("tr", marked, *self._cells(row, below)))
        return table

    def _cells(self, row: _Element, below: dict[int, tuple[int, str]]) -> Iterator[_Element]:
        at = 0
        for cell in row:
            is_covered = local(cell) == "covered-table-cell"
            if not is_covered and local(cell) != "table-cell":
                continue
            for column in range(at, at := at + _times(cell, "number-columns-repeated")):
                left, wide = below.get(column, (0, "1"))
                if not is_covered:
                    left = number(attribute(cell, "number-rows-spanned"), 1)
                    wide = attribute(cell, "number-columns-spanned") or "1"
                    yield _made("tc", _made("tcPr", _made("gridSpan", val=wide)), *self.of(cell))
                elif left > 0:
                    yield _made("tc", _made("tcPr", _made("gridSpan", val=wide), _made("vMerge")))
                below[column] = left - 1, wide

    # --- inside a paragraph --------------------------------------------------------------------

    def _runs(self, node: _Element, *, is_raised: bool) -> Iterator[_Element]:
        """The text below a node. The parser lets nothing be deeper than 256 levels."""
        yield from _run(node.text, is_raised=is_raised)
        for each in node:
            yield from self._inline(each, is_raised=is_raised)
            yield from _run(each.tail, is_raised=is_raised)

    def _inline(self, node: _Element, *, is_raised: bool) -> Iterator[_Element]:
        name = local(node)
        if name in _CHARACTERS:
            yield _made(_CHARACTERS[name])
        elif name == "note":
            yield self._note(node)
        elif name == "text-box":
            yield _made("txbxContent", *self.of(node))
        elif name in _SHAPES:
            yield _described(node)
            shown = (each for each in node if local(each) not in ("title", "desc"))
            # Of several ways of showing the same, a frame has the best one first.
            for each in islice(shown, 1 if name == "frame" else None):
                yield from self._inline(each, is_raised=is_raised)
        elif name == "object":
            yield from _run(self._formula(node), is_raised=False)
        elif name in ("p", "h"):
            # Text inside a shape that stands in the line, such as below a picture.
            if "".join(node.itertext()).strip():
                yield self._paragraph(node)
        elif name not in _SKIPPED and not (name == "span" and self._is_hidden(node)):
            is_up = is_raised or (name == "span" and self._is_up(node))
            yield from self._runs(node, is_raised=is_up)

    def _is_up(self, span: _Element) -> bool:
        """Whether a span stands above the line: by its name, or by so many per cent."""
        shift = (self.styles.of("text", span, "text-position") or "").partition(" ")[0]
        return shift == "super" or number(shift.removesuffix("%"), 0) > 0

    def _note(self, node: _Element) -> _Element:
        """What refers to a note, which is kept by that."""
        kind = "end" if attribute(node, "note-class") == "endnote" else "foot"
        reference = _made(f"{kind}noteReference", id=str(len(self.notes)))
        body = child(node, "note-body")
        inner = self.of(() if body is None else body)
        self.notes[reference.tag, reference.get("id", "")] = _made("note", *inner)
        return reference

    def _formula(self, node: _Element) -> str:
        """The signs of a formula, which is a part of its own (MathML 3, §3.2)."""
        place = _FORMULA.fullmatch(attribute(node, "href") or "")
        name = f"{place[1]}/{_CONTENT}" if place else ""
        root = child(node, "math")
        if root is None and name in self._parts.names:
            root = part(self._parts, name, doctype=True)
        if root is None or local(root) != "math":
            return ""
        signs = (each for each in root.iter() if local(each) in ("mi", "mn", "mo", "mtext"))
        return "".join((each.text or "").strip() for each in signs)


def _run(text: str | None, *, is_raised: bool) -> Iterator[_Element]:
    if text:
        raised = (_made("rPr", _made("vertAlign", val="superscript")),) if is_raised else ()
        run = _made("r", *raised, said := _made("t"))
        said.text = _BLANKS.sub(" ", text)
        yield run


def _described(frame: _Element) -> _Element:
    """The description that the author gave a frame, else its title."""
    told = (getattr(child(frame, name), "text", None) for name in ("desc", "title"))
    return _made("docPr", descr=next(filter(None, told), ""))


def _rows(table: _Element, *, is_head: bool = False) -> Iterator[tuple[_Element, bool]]:
    """The rows, and whether each is marked as a header."""
    for node in table:
        if local(node) == "table-row":
            yield node, is_head
        elif local(node) in _ROW_GROUPS:
            yield from _rows(node, is_head=is_head or local(node) == "table-header-rows")


def _times(node: _Element, name: str) -> int:
    return max(1, min(number(attribute(node, name), 1), _MOST_REPEATED))


# --- slides ------------------------------------------------------------------------------------


def _add_slides(parts: Archive, writer: _Blocks, reader: BlockReader) -> None:
    pages = blocks(parts, _CONTENT, f"{_OFFICE}presentation")
    count = 0
    for page in pages:
        if local(page) == "page":
            count += 1
            _add_slide(page, count, writer, reader)
    if not count:
        raise InputError("the presentation has no slides", fix="Check that it is complete.")


def _add_slide(page: _Element, at: int, writer: _Blocks, reader: BlockReader) -> None:
    is_hidden = writer.styles.of("drawing-page", page, "visibility") == "hidden"
    reader.out.add(f"\n[slide {at}{' hidden' if is_hidden else ''}]")
    reader.tables = 0
    shapes = list(_shapes(page))
    for shape in shapes:
        if _class(shape) == "title" and (title := reader.line(writer.of(_content(shape)))):
            reader.out.add(f"# {title}\n")
    for shape in shapes:
        if _class(shape) not in _REPEATED | {"title"}:
            for block in (*writer.of(_content(shape)), _made("p", _described(shape))):
                reader.add(block)
    spoken = (shape for shape in _shapes(child(page, "notes")) if _class(shape) == "notes")
    notes = [block for shape in spoken for block in writer.of(_content(shape))]
    if reader.line(notes):
        reader.out.add(f"\n[slide {at} notes]")
        for block in notes:
            reader.add(block)


def _shapes(home: _Element | None) -> Iterator[_Element]:
    """Shapes in the order they are drawn, groups taken apart."""
    for node in () if home is None else home:
        if local(node) in ("g", "a"):
            yield from _shapes(node)
        elif local(node) in _DRAWN:
            yield node


def _content(shape: _Element) -> _Element:
    """What holds the blocks of a shape."""
    box = child(shape, "text-box")
    return shape if box is None else box


def _class(shape: _Element) -> str:
    """What a shape holds the place of; "" for one of its own."""
    return attribute(shape, "class") or ""
