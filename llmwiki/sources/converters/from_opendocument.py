"""OpenDocument texts, slides and sheets (.odt, .odp, .ods) to text.

Runs in the converting process only. A text has the form of a Word document's, slides that of a
presentation's; a sheet is read as one of Excel is. Tracked changes count as accepted; comments,
headers and footers, what every slide repeats, and hidden text are left out.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from llmwiki.sources.converters.from_xlsx import write_workbook
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
    Slide,
    line,
    raised,
    write_slides,
)
from llmwiki.sources.converters.zip_and_xml import (
    Archive,
    attribute,
    blocks,
    child,
    local,
    locked,
    part,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml.etree import _Element


_KINDS = {"text": "the document", "presentation": "the presentation", "spreadsheet": "the workbook"}
_CONTENT, _STYLES, _META = "content.xml", "styles.xml", "meta.xml"
_MANIFEST = "META-INF/manifest.xml"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_TYPE = "application/vnd.oasis.opendocument."
_ASKED = ("display", "visibility", "list-style-name", "text-position")
"""What of a style is used here."""
_MOST_AROUND = 40
"""Characters of what stands before or after a number."""
_DEEPEST = 8
"""The lowest level of a list, from 0."""
_SKIPPED = frozenset(
    {"annotation", "annotation-end", "ruby-text", "tracked-changes", "forms", "event-listeners",
     "hidden-text", "title", "desc", "binary-data", "shapes", "page-thumbnail", "table-source",
     "enhanced-geometry", "notes", "sequence-decls", "table-of-content-source"}
)  # fmt: skip
_CHARACTERS = {"s": " ", "tab": " ", "line-break": "\n"}
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


def convert(data: bytes, out: Gathered) -> None:
    """The text of a document, after `Author:` and `Modified:` lines where it tells them.

    Raises InputError when the file is broken, encrypted, empty or something else, PolicyError when
    it unpacks to too much.
    """
    sort, parts = _opened(data)
    _write_facts(parts, out)
    if sort == "spreadsheet":
        write_workbook(data, parts, out)
        return
    writer = BlockWriter(out)
    reader = _Reader(parts, writer)
    if sort == "text":
        for node in blocks(parts, _CONTENT, f"{_OFFICE}text"):
            writer.add(reader.blocks([node]))
    else:
        pages = blocks(parts, _CONTENT, f"{_OFFICE}presentation")
        write_slides(writer, (reader.slide(page) for page in pages if local(page) == "page"))


def _opened(data: bytes) -> tuple[str, Archive]:
    """The sort of an OpenDocument file, and its parts."""
    parts = Archive(data, "the document")
    if _MANIFEST in parts.names:
        # The directory stays readable under a password; the manifest says which parts do not.
        manifest = part(parts, _MANIFEST).iter()
        if any(local(node) == "encryption-data" for node in manifest):
            raise locked(parts.kind)
    said = parts.read("mimetype") if "mimetype" in parts.names else b""
    for sort, kind in _KINDS.items():
        if said.startswith(f"{_TYPE}{sort}".encode()):
            parts.kind = kind
            return sort, parts
    raise parts.broken("it is a file of something else")


def _write_facts(parts: Archive, out: Gathered) -> None:
    """What the document says of itself; the author is who began it."""
    said: dict[str, str] = {}
    if _META in parts.names:
        for node in blocks(parts, _META, f"{_OFFICE}meta"):
            said.setdefault(local(node), " ".join((node.text or "").split())[:300])
    author = said.get("initial-creator") or said.get("creator", "")
    date = said.get("date") or said.get("creation-date", "")
    out.fact("Author: ", author)
    out.fact("Modified: ", date.partition(".")[0])


# --- styles ------------------------------------------------------------------------------------


class _Styles:
    """The styles of one document, those that its program made for single places included."""

    def __init__(self, parts: Archive) -> None:
        self._said: dict[tuple[str, str], dict[str, str]] = {}
        """Family and name to what is asked of it; `parent` is the style it is based on."""
        self.lists: dict[str, dict[int, ListLevel]] = {}
        """By name; that of headings is _OUTLINE."""
        places = ((_STYLES, f"{_OFFICE}styles"), (_CONTENT, f"{_OFFICE}automatic-styles"))
        for name, home in places:
            for node in blocks(parts, name, home) if name in parts.names else ():
                self._take(node)

    def _take(self, node: _Element) -> None:
        name = attribute(node, "name") or ""
        if local(node) == "style":
            said = {"parent": attribute(node, "parent-style-name") or ""}
            for each in (node, *node):
                told = ((key.rpartition("}")[2], str(value)) for key, value in each.items())
                said |= {key: value for key, value in told if key in _ASKED}
            self._said[attribute(node, "family") or "", name] = said
        elif local(node) in ("list-style", "outline-style"):
            self.lists[name if local(node) == "list-style" else _OUTLINE] = _levels(node)

    def chain(self, family: str, node: _Element) -> list[str]:
        """The style of a node and those it is based on; a ring ends where it closes."""
        chain: list[str] = []
        name = attribute(node, "style-name") or ""
        while (family, name) in self._said and name not in chain:
            chain.append(name)
            name = self._said[family, name]["parent"]
        return chain if chain or not name else [name]

    def of(self, family: str, node: _Element, what: str) -> str | None:
        """What the style of a node says, or one that it is based on."""
        for name in self.chain(family, node):
            if (value := self._said.get((family, name), {}).get(what)) is not None:
                return value
        return None


def _levels(style: _Element) -> dict[int, ListLevel]:
    """The levels of a list from 0."""
    nodes = {number(attribute(node, "level"), 1) - 1: node for node in style}
    forms = {
        at: said
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


class _Reader:
    """Reads the blocks of one document, which are asked for in order."""

    def __init__(self, parts: Archive, writer: BlockWriter) -> None:
        self._parts = parts
        self._writer = writer
        self._styles = _Styles(parts)
        self._headings = NumberedList(self._styles.lists.get(_OUTLINE, {}))
        self._lists: dict[str, NumberedList] = {}
        """The last list of a style, and the one with an id."""

    def blocks(self, nodes: Iterable[_Element]) -> Iterator[OfficeBlock]:
        """What these nodes are or wrap."""
        for node in nodes:
            name = local(node)
            if name in ("p", "h") and not self._is_hidden(node):
                yield self._paragraph(node)
            elif name == "list":
                yield from self._points(node, self._list(node), 0)
            elif name == "table":
                is_plain = attribute(node, "use-first-row-styles") == "false"
                first = next(_rows(node), None)
                has_head = True if first and first[1] else False if is_plain else None
                yield OfficeBlock(rows=self._table(node), has_head=has_head)
            elif name in _SHAPES:
                yield OfficeBlock("".join(self._inline(node, is_raised=False)))
            elif name in _WRAPPERS and not self._is_hidden(node):
                yield from self.blocks(node)

    def _is_hidden(self, node: _Element) -> bool:
        name = local(node)
        if name == "section":
            shown = attribute(node, "display")
            return shown == "none" or (
                shown == "condition" and attribute(node, "is-hidden") == "true"
            )
        hides = attribute(child(node, "hidden-paragraph"), "is-hidden") == "true"
        family = "text" if name == "span" else "paragraph"
        return hides or self._styles.of(family, node, "display") == "none"

    def _paragraph(
        self, node: _Element, listed: NumberedList | None = None, level: int = 0
    ) -> OfficeBlock:
        """A paragraph; `listed` is the list of one that is a point, or a heading of one."""
        text = "".join(self._runs(node, is_raised=False))
        heading = 0
        if local(node) == "h":
            heading = max(1, number(attribute(node, "outline-level"), 1))
            is_bare = (
                attribute(node, "is-list-header") == "true"
                or self._styles.of("paragraph", node, "list-style-name") == ""
            )
            if listed is None and not is_bare:
                listed, level = self._headings, heading - 1
        elif "Title" in self._styles.chain("paragraph", node):
            heading = 1
        label = listed.label(level) if listed and text.strip() else ""
        return OfficeBlock(text, heading, label, level)

    def _list(self, node: _Element) -> NumberedList:
        """A list that begins, or goes on with another one's numbers."""
        name = attribute(node, "style-name") or ""
        before = attribute(node, "continue-list")
        if before is None and attribute(node, "continue-numbering") == "true":
            before = f"last {name}"
        listed = self._lists.get(before or "")
        if listed is None:
            listed = NumberedList(dict(self._styles.lists.get(name, {})))
        self._lists[f"last {name}"] = listed
        self._lists[attribute(node, "id") or "last"] = listed
        return listed

    def _points(self, node: _Element, listed: NumberedList, level: int) -> Iterator[OfficeBlock]:
        own = self._styles.lists.get(attribute(node, "style-name") or "", {}) if level else {}
        listed.levels |= {at: each for at, each in own.items() if at >= level}
        for item in node:
            start = attribute(item, "start-value")
            if start is not None:
                listed.restart(level, number(start, 1))
            is_fresh = local(item) == "list-item"
            for block in item:
                if local(block) == "list":
                    yield from self._points(block, listed, min(level + 1, _DEEPEST))
                elif local(block) not in ("p", "h"):
                    yield from self.blocks([block])
                elif not self._is_hidden(block):
                    yield self._paragraph(block, listed if is_fresh else None, level)
                    is_fresh = False

    def _table(self, node: _Element) -> Iterator[list[TableCell]]:
        below: dict[int, tuple[int, int]] = {}
        """Columns in which a merged cell goes on: for how many rows, and how wide it is."""
        for row, _ in _rows(node):
            for _ in range(span(attribute(row, "number-rows-repeated"))):
                yield list(self._cells(row, below))

    def _cells(self, row: _Element, below: dict[int, tuple[int, int]]) -> Iterator[TableCell]:
        at = 0
        for cell in row:
            is_covered = local(cell) == "covered-table-cell"
            if not is_covered and local(cell) != "table-cell":
                continue
            for column in range(at, at := at + span(attribute(cell, "number-columns-repeated"))):
                left, wide = below.get(column, (0, 1))
                if not is_covered:
                    left = number(attribute(cell, "number-rows-spanned"), 1)
                    wide = span(attribute(cell, "number-columns-spanned"))
                    yield TableCell(line(self.blocks(cell)), wide)
                elif left > 0:
                    yield TableCell(None, wide)
                below[column] = left - 1, wide

    # --- inside a paragraph --------------------------------------------------------------------

    def _runs(self, node: _Element, *, is_raised: bool) -> Iterator[str]:
        """The text below a node. The parser lets nothing be deeper than 256 levels."""
        yield _run(node.text, is_raised=is_raised)
        for each in node:
            yield from self._inline(each, is_raised=is_raised)
            yield _run(each.tail, is_raised=is_raised)

    def _inline(self, node: _Element, *, is_raised: bool) -> Iterator[str]:
        name = local(node)
        if name in _CHARACTERS:
            yield _CHARACTERS[name]
        elif name == "note":
            body = child(node, "note-body")
            kind = "endnote" if attribute(node, "note-class") == "endnote" else "note"
            yield self._writer.note(kind, self.blocks(() if body is None else body))
        elif name == "text-box":
            self._writer.box(self.blocks(node))
        elif name in _SHAPES:
            yield _described(node)
            shown = (each for each in node if local(each) not in ("title", "desc"))
            # Of several ways of showing the same, a frame has the best one first.
            for each in islice(shown, 1 if name == "frame" else None):
                yield from self._inline(each, is_raised=is_raised)
        elif name == "object":
            yield self._formula(node)
        elif name in ("p", "h"):
            # Text inside a shape that stands in the line, such as below a picture.
            words = "".join(self._runs(node, is_raised=False)).strip()
            yield f"{words} " if words else ""
        elif name not in _SKIPPED and not (name == "span" and self._is_hidden(node)):
            yield from self._runs(node, is_raised=is_raised or self._is_up(node))

    def _is_up(self, span: _Element) -> bool:
        """Whether a span stands above the line: by its name, or by so many per cent."""
        if local(span) != "span":
            return False
        shift = (self._styles.of("text", span, "text-position") or "").partition(" ")[0]
        return shift == "super" or number(shift.removesuffix("%"), 0) > 0

    def _formula(self, node: _Element) -> str:
        """The signs of a formula, which is a part of its own (MathML 3, §3.2)."""
        name = f"{(attribute(node, 'href') or '').removeprefix('./').rstrip('/')}/{_CONTENT}"
        root = part(self._parts, name) if name in self._parts.names else child(node, "math")
        if root is None or local(root) != "math":
            return ""
        signs = (each for each in root.iter() if local(each) in ("mi", "mn", "mo", "mtext"))
        return "".join((each.text or "").strip() for each in signs)

    # --- slides --------------------------------------------------------------------------------

    def slide(self, page: _Element) -> Slide:
        """One slide."""
        shapes = list(_shapes(page))
        spoken = (shape for shape in _shapes(child(page, "notes")) if _class(shape) == "notes")
        titles = (
            line(self.blocks(_content(shape))) for shape in shapes if _class(shape) == "title"
        )
        return Slide(
            self._styles.of("drawing-page", page, "visibility") == "hidden",
            map(OfficeBlock, titles),
            self._on_slide(shape for shape in shapes if _class(shape) not in _REPEATED | {"title"}),
            (block for shape in spoken for block in self.blocks(_content(shape))),
        )

    def _on_slide(self, shapes: Iterable[_Element]) -> Iterator[OfficeBlock]:
        for shape in shapes:
            yield from self.blocks(_content(shape))
            yield OfficeBlock(_described(shape))


def _run(text: str | None, *, is_raised: bool) -> str:
    plain = _BLANKS.sub(" ", text or "")
    return raised(plain) if is_raised else plain


def _described(frame: _Element) -> str:
    """The description that the author gave a frame, else its title."""
    told = (getattr(child(frame, name), "text", None) for name in ("desc", "title"))
    words = " ".join(next(filter(None, told), "").split())
    return f"[picture: {words}]" if words else ""


def _rows(table: _Element, *, is_head: bool = False) -> Iterator[tuple[_Element, bool]]:
    """The rows, and whether each is marked as a header."""
    for node in table:
        if local(node) == "table-row":
            yield node, is_head
        elif local(node) in _ROW_GROUPS:
            yield from _rows(node, is_head=is_head or local(node) == "table-header-rows")


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
