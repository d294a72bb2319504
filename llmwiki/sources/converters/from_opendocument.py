"""OpenDocument texts, slides and sheets (.odt, .odp, .ods) to text with lxml.

Runs in the converting process only. The text is that of the document with every tracked change
accepted; comments, headers and footers, what every slide repeats, and hidden text are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import groupby, islice
from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.sources.converted import ConvertedText
from llmwiki.sources.converters.archive import Archive, locked
from llmwiki.sources.converters.safe_xml import (
    attribute,
    blocks,
    child,
    elements,
    local,
    number,
    part,
)
from llmwiki.sources.converters.writing import (
    BULLET,
    Asides,
    Gathered,
    ListLevel,
    TableCell,
    check_rows,
    list_label,
    raised,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from lxml.etree import _Element


VERSIONS = {
    "text": "llmwiki-odt/1",
    "presentation": "llmwiki-odp/1",
    "spreadsheet": "llmwiki-ods/1",
}
"""Raised with every change of the text that a document of that sort gives."""
MAX_CELLS = 10_000_000
"""Cells that all rows of a workbook make together, empty ones before the last of a row included."""
MAX_COLUMNS = 16_384
"""The last column that programs give a sheet."""
MAX_LEVEL = 10
"""Levels that a list has (OpenDocument 1.3, part 3, §19.880)."""

_KINDS = {"text": "the document", "presentation": "the presentation", "spreadsheet": "the workbook"}
_CONTENT, _STYLES, _META = "content.xml", "styles.xml", "meta.xml"
_MANIFEST = "META-INF/manifest.xml"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_PARAGRAPH = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}p"
_TYPE = "application/vnd.oasis.opendocument."
_FLAT = re.compile(
    rb'<office:document\s[^<>]{0,20000}?office:mimetype\s{0,9}=\s{0,9}"([^"]{0,99})"'
)
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
_SKIPPED = frozenset(
    {"annotation", "annotation-end", "ruby-text", "tracked-changes", "forms", "event-listeners",
     "hidden-text", "title", "desc", "binary-data", "shapes", "page-thumbnail", "table-source",
     "enhanced-geometry", "notes", "sequence-decls", "table-of-content-source"}
)  # fmt: skip
_CHARACTERS = {"s": " ", "tab": " ", "line-break": "\n", "soft-hyphen": ""}
_INDEXES = frozenset(
    {"index-body", "index-title", "table-of-content", "alphabetical-index", "illustration-index",
     "table-index", "user-index", "object-index", "bibliography"}
)  # fmt: skip
"""Wrappers of what a program gathered from the text: contents, lists of pictures."""
_WRAPPERS = _INDEXES | {"section", "numbered-paragraph"}
_HOLDERS = _WRAPPERS | {
    "list", "list-item", "list-header", "text-box", "note-body", "table", "table-row",
    "table-header-rows", "table-rows", "table-row-group", "table-cell",
}  # fmt: skip
_ROW_GROUPS = frozenset({"table-header-rows", "table-rows", "table-row-group"})
_NOTES = {"footnote": "note", "endnote": "endnote"}
_REPEATED = frozenset({"header", "footer", "date-time", "page-number", "page"})
_DRAWN = frozenset(
    {"frame", "custom-shape", "rect", "ellipse", "circle", "line", "polyline", "polygon",
     "regular-polygon", "path", "connector", "caption", "measure"}
)  # fmt: skip
_VALUES = ("string-value", "value", "boolean-value", "time-value")
"""Where a value stands that a program did not also write as text."""
_NO_DATE = "1899-12-30"
"""The day of a time without a date."""
_BLANKS = re.compile(r"[ \t\r\n]+")
_FORMULA = re.compile(r"(?:\./)?([^/]{1,200})/?")


def convert(data: bytes, cap: int) -> ConvertedText:
    """The text of a document, after `Author:` and `Modified:` lines where it tells them.

    Headings are `## …`, points carry the number or bullet shown before them, a table's row is one
    line `table 1 row 2 | name: value | …`; notes follow the block that refers to them as
    `[note 1] …` and `[endnote 1] …`, described pictures are `[picture: …]`. A slide begins with
    `[slide N]` (`[slide N hidden]`), its speaker's notes with `[slide N notes]`, a sheet with
    `[sheet NAME]` (`[sheet NAME hidden]`); of a sheet a row has its own number, and values stand
    as they are shown, dates as ISO 8601. `cap` bounds the bytes of text. Raises InputError when
    the file is broken, encrypted, empty or something else, PolicyError when it unpacks to too much.
    """
    sort, parts = _opened(data)
    out = Gathered(cap, _facts(parts))
    reader = _Reader(parts, out, gap="\n" if sort == "text" else "")
    if sort == "text":
        for block in blocks(parts, _CONTENT, f"{_OFFICE}text"):
            reader.add(block)
    elif sort == "presentation":
        _add_slides(parts, reader)
    else:
        _add_sheets(parts, reader)
    return ConvertedText(out.text(), VERSIONS[sort])


# --- the file ----------------------------------------------------------------------------------


class _Flat(Archive):
    """One XML file that holds what an archive has in several."""

    def __init__(self, data: bytes) -> None:
        self.kind = "the document"
        self._data = data

    @property
    def names(self) -> frozenset[str]:
        """Those that are asked for."""
        return frozenset({_CONTENT, _STYLES, _META})

    def read(self, name: str) -> bytes:
        """The whole file, whichever part is asked for."""
        del name
        return self._data


def _opened(data: bytes) -> tuple[str, Archive]:
    """The sort of an OpenDocument file, zipped or flat, and its parts."""
    if data[:200].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        parts: Archive = _Flat(data)
        found = _FLAT.search(data[:40_000])
        said = found[1] if found else b""
    else:
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


# --- styles and lists --------------------------------------------------------------------------


@dataclass(slots=True)
class _Styles:
    """The styles of one document, those that its program made for single places included."""

    said: dict[tuple[str, str], dict[str, str]] = field(default_factory=dict)
    """Family and name to what is asked of it; `parent` is the style it is based on."""
    lists: dict[str, dict[int, ListLevel]] = field(default_factory=dict)
    outline: dict[int, ListLevel] = field(default_factory=dict)
    """The numbers of headings, by level from 0."""

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
            if local(node) == "list-style":
                self.lists[name] = _levels(node)
            else:
                self.outline.update(_levels(node))

    def chain(self, family: str, name: str) -> list[str]:
        """The style and those it is based on; a ring ends where it closes."""
        chain: list[str] = []
        while (family, name) in self.said and name not in chain:
            chain.append(name)
            name = self.said[family, name]["parent"]
        return chain

    def of(self, family: str, node: _Element, what: str) -> str | None:
        """What the style of a node says, or one that it is based on."""
        for each in self.chain(family, attribute(node, "style-name") or ""):
            if (value := self.said[family, each].get(what)) is not None:
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
        is_marked = "number" not in local(node) and (attribute(node, "bullet-char") or "-").strip()
        text = f"{before}{shown}{after}" if at in forms else BULLET if is_marked else ""
        start = number(attribute(node, "start-value"), 1)
        found[at] = ListLevel(forms.get(at, ""), text, start)
    return found


_Counts = dict[int, int]


class _Lists:
    """Counts the lists of one document, which are asked for in order."""

    def __init__(self, styles: _Styles) -> None:
        self._styles = styles
        self._headings: _Counts = {}
        self._last: dict[str, _Counts] = {}
        self._named: dict[str, _Counts] = {}

    def heading(self, level: int) -> str:
        """The number shown before the next heading of that level, "" if there is none."""
        return list_label(self._headings, self._styles.outline, level - 1)

    def points(self, node: _Element) -> Iterator[tuple[_Element, str, int]]:
        """What a list holds, in order: a block, the label before it, its level from 0.

        The label is "" where none is shown: for a second paragraph of a point, too.
        """
        name = attribute(node, "style-name") or ""
        goes_on = attribute(node, "continue-list")
        counts: _Counts = self._named.get(goes_on or "", {})
        if goes_on is None and attribute(node, "continue-numbering") == "true":
            counts = self._last.get(name, {})
        self._last[name] = counts
        if own := attribute(node, "id"):
            self._named[own] = counts
        yield from self._points(node, name, counts, 0)

    def _points(
        self, node: _Element, name: str, counts: _Counts, level: int
    ) -> Iterator[tuple[_Element, str, int]]:
        levels = self._styles.lists.get(name, {})
        for item in node:
            if local(item) not in ("list-item", "list-header"):
                continue
            if (start := attribute(item, "start-value")) is not None:
                counts[level] = number(start, 1) - 1
            fresh = local(item) == "list-item"
            for block in item:
                if local(block) == "list":
                    inner = attribute(block, "style-name") or name
                    yield from self._points(block, inner, counts, min(level + 1, MAX_LEVEL - 1))
                    continue
                label = list_label(counts, levels, level) if fresh else ""
                fresh = False
                yield block, label, level


# --- paragraphs --------------------------------------------------------------------------------


class _Words:
    """Reads paragraphs of one document, which are asked for in order."""

    def __init__(self, parts: Archive, styles: _Styles) -> None:
        self._parts = parts
        self._styles = styles
        self.asides = Asides(self.line)

    def of(self, paragraph: _Element) -> str:
        """What a paragraph says, lines parted by LF; "" for one that is hidden.

        Notes are `[note 1]`, pictures `[picture: description]`; what stands in its notes and
        boxes is told by `asides`.
        """
        hides = attribute(child(paragraph, "hidden-paragraph"), "is-hidden") == "true"
        if hides or self._styles.of("paragraph", paragraph, "display") == "none":
            return ""
        lines = "".join(self._pieces(paragraph)).split("\n")
        return "\n".join(_BLANKS.sub(" ", line).strip() for line in lines)

    def line(self, nodes: Iterable[_Element]) -> str:
        """What stands in a cell, box or note, on one line."""
        texts = [" ".join(self.of(each).split()) for node in nodes for each in _paragraphs(node)]
        return " ".join(text for text in texts if text)

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
            kind = _NOTES.get(attribute(node, "note-class") or "", "note")
            yield self.asides.note(kind, child(node, "note-body") or ())
        elif name == "text-box":
            self.asides.box(node)
        elif name in ("frame", "custom-shape", "rect", "ellipse"):
            yield self.picture(node)
            shown = (each for each in node if local(each) not in ("title", "desc"))
            # Of several ways of showing the same, a frame has the best one first.
            for each in islice(shown, 1 if name == "frame" else None):
                yield from self._piece(each)
        elif name == "object":
            yield self._formula(node)
        elif name in ("p", "h"):
            # Text inside a shape that stands in the line.
            yield f" {self.of(node)} "
        elif name == "span":
            yield self._span(node)
        elif name not in _SKIPPED:
            yield from self._pieces(node)

    def _span(self, node: _Element) -> str:
        if self._styles.of("text", node, "display") == "none":
            return ""
        shift = (self._styles.of("text", node, "text-position") or "").partition(" ")[0]
        text = "".join(self._pieces(node))
        is_raised = shift == "super" or number(shift.removesuffix("%"), 0) > 0
        return raised(text) if is_raised else text

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


def _paragraphs(block: _Element) -> Iterator[_Element]:
    """The paragraphs that a block is or wraps, hidden sections left out."""
    if local(block) in ("p", "h"):
        yield block
    elif local(block) in _HOLDERS and not _is_hidden_section(block):
        for each in block:
            yield from _paragraphs(each)


def _is_hidden_section(block: _Element) -> bool:
    if local(block) == "section" and attribute(block, "display") == "condition":
        return attribute(block, "is-hidden") == "true"
    return local(block) == "section" and attribute(block, "display") == "none"


# --- texts and slides --------------------------------------------------------------------------


class _Reader:
    """Writes the blocks of a document as they come."""

    def __init__(self, parts: Archive, out: Gathered, gap: str) -> None:
        """`gap` stands before a paragraph."""
        self.out = out
        self.styles = _Styles.read(parts)
        self.words = _Words(parts, self.styles)
        self.tables = 0
        self._lists = _Lists(self.styles)
        self._gap = gap

    def add(self, block: _Element) -> None:
        """One block of a text: heading, paragraph, list, table, frame, or what wraps such."""
        name = local(block)
        if name == "h":
            self._add_heading(block)
        elif name == "p":
            text = self.words.of(block)
            style = attribute(block, "style-name") or ""
            if text and (style == "Title" or "Title" in self.styles.chain("paragraph", style)):
                self.out.heading(1, text)
            else:
                self._add_text(text)
        elif name == "list":
            self._add_list(block)
        elif name == "table":
            self.out.add("")
            self.add_table(block)
        elif name == "frame":
            self._add_text(self.words.of(block))
        elif name in _WRAPPERS and not _is_hidden_section(block):
            for each in block:
                self.add(each)
            return
        self.add_aside()

    def add_table(self, table: _Element) -> None:
        """The next table of the document or slide."""
        self.tables += 1
        looks_named = None if attribute(table, "use-first-row-styles") != "false" else False
        first = next(_rows(table), None)
        has_head = True if first is not None and first[1] else looks_named
        rows = _numbered_rows(table, self.words.line)
        self.out.table(f"table {self.tables}", rows, has_head=has_head)

    def add_aside(self) -> None:
        """What was only pointed at so far."""
        for text in self.words.asides.told():
            self.out.add(f"{self._gap}{text}")

    def lines(self, shape: _Element) -> Iterator[str]:
        """The lines of a shape on a slide."""
        box = child(shape, "text-box")
        for block in shape if box is None else box:
            if local(block) == "p" and (text := self.words.of(block)):
                yield text
            elif local(block) == "list":
                for each, label, level in self._lists.points(block):
                    if text := self.words.of(each):
                        yield f"{'  ' * level}{label} {text}" if label else text

    def _add_heading(self, node: _Element) -> None:
        level = max(1, number(attribute(node, "outline-level"), 1))
        is_bare = (
            attribute(node, "is-list-header") == "true"
            or self.styles.of("paragraph", node, "list-style-name") == ""
        )
        if text := self.words.of(node):
            self.out.heading(level, text, "" if is_bare else self._lists.heading(level))

    def _add_text(self, text: str) -> None:
        if text:
            self.out.add(f"{self._gap}{text}")

    def _add_list(self, node: _Element) -> None:
        for block, label, level in self._lists.points(node):
            text = self.words.of(block) if local(block) in ("p", "h") else ""
            if local(block) == "h" and text:
                self.out.heading(number(attribute(block, "outline-level"), 1), text, label)
            elif text:
                self.out.add(f"{'  ' * level}{label} {text}" if label else f"{'  ' * level}{text}")
            elif local(block) not in ("p", "h"):
                self.add(block)
            self.add_aside()


def _add_slides(parts: Archive, reader: _Reader) -> None:
    count = 0
    for page in blocks(parts, _CONTENT, f"{_OFFICE}presentation"):
        if local(page) == "page":
            count += 1
            _add_slide(page, count, reader)
    if not count:
        raise InputError("the presentation has no slides", fix="Check that it is complete.")


def _add_slide(page: _Element, at: int, reader: _Reader) -> None:
    is_hidden = reader.styles.of("drawing-page", page, "visibility") == "hidden"
    shapes = list(_shapes(page))
    out = reader.out
    reader.tables = 0
    out.add(f"\n[slide {at}{' hidden' if is_hidden else ''}]")
    for shape in shapes:
        if _class(shape) == "title" and (title := " ".join(reader.lines(shape))):
            out.add(f"# {' '.join(title.split())}\n")
    for shape in shapes:
        if _class(shape) in _REPEATED | {"title"}:
            continue
        if (table := child(shape, "table")) is not None:
            reader.add_table(table)
        else:
            for line in reader.lines(shape):
                out.add(line)
        reader.add_aside()
        if words := reader.words.picture(shape):
            out.add(words)
    spoken = (shape for shape in _shapes(child(page, "notes")) if _class(shape) == "notes")
    if notes := [line for shape in spoken for line in reader.lines(shape)]:
        out.add("\n".join(["", f"[slide {at} notes]", *notes]))


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


# --- tables and sheets -------------------------------------------------------------------------


def _rows(table: _Element, *, is_marked: bool = False) -> Iterator[tuple[_Element, bool]]:
    """The rows, and whether each is marked as a header."""
    for node in table:
        if local(node) == "table-row":
            yield node, is_marked
        elif local(node) in _ROW_GROUPS:
            yield from _rows(node, is_marked=is_marked or local(node) == "table-header-rows")


def _numbered_rows(
    table: _Element, text: Callable[[_Element], str]
) -> Iterator[tuple[int, list[TableCell]]]:
    """The rows that hold something, a repeated one as often as it stands."""
    at = 0
    left: dict[int, int] = {}
    """Columns in which a merged cell goes on, and for how many rows."""
    for row, _ in _rows(table):
        cells = []
        for column, (cell, rows) in enumerate(_row_cells(row, text)):
            if goes_on := cell.is_covered and left.get(column, 0) > 0:
                left[column] -= 1
            else:
                left[column] = rows - 1
            cells.append(cell._replace(goes_on=goes_on))
        times = _repeated(row)
        holds = any(cell.text or cell.goes_on for cell in cells)
        for more in range(1, times + 1 if holds else 2):
            yield at + more, cells
        at += times


def _row_cells(row: _Element, text: Callable[[_Element], str]) -> list[tuple[TableCell, int]]:
    """The cells of a row up to the last that holds something or is merged, each with how many
    rows it takes; a repeated one as often as it is repeated. Raises PolicyError past MAX_COLUMNS.
    """
    cells: list[tuple[TableCell, int]] = []
    nothing = (TableCell(""), 1)
    empty = 0
    for node in row:
        if local(node) not in ("table-cell", "covered-table-cell"):
            continue
        times = max(1, number(attribute(node, "number-columns-repeated"), 1))
        columns = max(1, number(attribute(node, "number-columns-spanned"), 1))
        rows = max(1, number(attribute(node, "number-rows-spanned"), 1))
        cell = TableCell(text(node), columns, local(node) == "covered-table-cell")
        if not cell.text and ((cell, rows) == nothing or times > MAX_COLUMNS):
            empty += times
            continue
        if len(cells) + empty + times > MAX_COLUMNS:
            raise PolicyError(
                f"a row of a table has more than {MAX_COLUMNS:,} cells",
                fix="Export the part that matters, and ingest that.",
            )
        cells += [nothing] * empty + [(cell, rows)] * times
        empty = 0
    return cells


def _repeated(row: _Element) -> int:
    """How often a row stands."""
    return max(1, number(attribute(row, "number-rows-repeated"), 1))


def _add_sheets(parts: Archive, reader: _Reader) -> None:
    is_filled = False
    # Of a sheet all is shown, and numbers stand as they are.
    reader.words = _Words(parts, _Styles())
    for sheet, held in groupby(_sheet_rows(parts, reader.words), lambda row: row[0]):
        is_hidden = reader.styles.of("table", sheet, "display") == "false"
        rows = ((at, values) for _, at, values in held)
        is_filled |= reader.out.sheet(attribute(sheet, "name") or "", rows, is_hidden=is_hidden)
    if not is_filled:
        raise InputError("the workbook has no values", fix="Check that it is complete.")


def _sheet_rows(parts: Archive, words: _Words) -> Iterator[tuple[_Element, int, list[str]]]:
    """The rows that hold something, each with its sheet and number."""
    sheet: _Element | None = None
    at = filled = passed = 0
    for row in elements(parts, _CONTENT, _is_sheet_row):
        home = next(row.iterancestors(f"{_TABLE}table"))
        if home is not sheet:
            sheet, at = home, 0
        cells = _row_cells(row, lambda cell: _shown(cell, words))
        values = ["" if cell.is_covered else cell.text for cell, _ in cells]
        times = _repeated(row)
        shown = times if any(values) else 0
        filled += shown
        check_rows(filled)
        passed += max(1, len(values) * shown)
        if passed > MAX_CELLS:
            raise PolicyError(
                f"its sheets have more than {MAX_CELLS:,} cells",
                fix="Export the part that matters, and ingest that.",
            )
        for more in range(1, shown + 1):
            yield home, at + more, values
        at += times


def _is_sheet_row(node: _Element) -> bool:
    """Whether it is a row of one of the workbook's sheets, and not of a table within a cell."""
    if node.tag != f"{_TABLE}table-row":
        return False
    tables = islice(node.iterancestors(f"{_TABLE}table"), 1)
    homes = [table.getparent() for table in tables]
    return any(home is not None and home.tag == f"{_OFFICE}spreadsheet" for home in homes)


def _shown(cell: _Element, words: _Words) -> str:
    date = attribute(cell, "date-value")
    if date and not date.startswith(_NO_DATE):
        # Shown, it may lack the century, or begin with the month.
        return date.partition(".")[0]
    if len(cell) == 1 and not len(cell[0]) and cell[0].tag == _PARAGRAPH and cell[0].text:
        # Most cells are that, and there are many.
        return str(cell[0].text)
    return words.line(cell) or next(filter(None, (attribute(cell, name) for name in _VALUES)), "")
