"""Presentations (.pptx) to text: the parts read with lxml. Runs in the converting process only.

Comments, and what every slide repeats (header, footer, date, number), are left out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

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
    described,
    raised,
    write_slides,
)
from llmwiki.sources.converters.zip_and_xml import (
    Archive,
    attribute,
    child,
    local,
    main_part,
    named_id,
    one_of,
    part,
    related,
    write_facts,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml.etree import _Element

_OFF = frozenset({"0", "false"})
_REPEATED = frozenset({"dt", "ftr", "hdr", "sldNum", "sldImg"})
_TITLES = frozenset({"title", "ctrTitle"})
_LISTS = frozenset({"body", "obj", ""})
"""Kinds of placeholder whose paragraphs are points of a list; "" is how `obj` is left out."""
_SCHEME = re.compile("(arabic|alphaLc|alphaUc|romanLc|romanUc)(Plain|Period|ParenR|ParenBoth)")
"""The names of what is numbered how (ECMA-376, part 1, §20.1.10.61); others are shown as `1.`"""
_FORMS = {"alphaLc": "a", "alphaUc": "A", "romanLc": "i", "romanUc": "I"}
_AROUND = {"Plain": "{}", "ParenR": "{})", "ParenBoth": "({})"}


def convert(data: bytes, out: Gathered) -> None:
    """The text of the slides in order, after `Author:` and `Modified:` lines where they are told.

    Each slide begins with `[slide N]` (`[slide N hidden]`) and its title as `# …`; its text
    follows in reading order, points as `- …` or with their number, a
    table's row as `table 1 row 2 | name: value`,
    a described picture as `[picture: …]`, and the speaker's notes after `[slide N notes]`.
    Raises InputError when the file is broken, encrypted, without slides or something else,
    PolicyError when it unpacks to too much.
    """
    archive = Archive(data, "the presentation")
    main = main_part(archive, "ppt/")
    write_facts(archive, out)
    write_slides(BlockWriter(out), _slides(archive, main))


def _slides(archive: Archive, main: str) -> Iterator[Slide]:
    relations = related(archive, main)
    seen: set[str] = set()
    for count, entry in enumerate(child(part(archive, main), "sldIdLst") or (), start=1):
        kind, path = relations.get(named_id(entry), ("", ""))
        if kind != "slide":
            raise archive.broken(f"slide {count} is missing")
        if path in seen:
            raise archive.broken(f"slide {count} is one of the slides before")
        seen.add(path)
        root, near = part(archive, path), related(archive, path)
        shapes = list(_shapes(root))
        titles = [shape for shape in shapes if _placeholder(shape) in _TITLES]
        body = [shape for shape in shapes if _placeholder(shape) not in _TITLES | _REPEATED]
        notes = one_of(near, "notesSlide")
        spoken = [
            shape
            for shape in _shapes(part(archive, notes) if notes else None)
            if _placeholder(shape) == "body"
        ]
        yield Slide(
            root.get("show") in _OFF,
            (OfficeBlock(_words(title)) for title in titles),
            _blocks(archive, body, near),
            (block._replace(label="") for shape in spoken for block in _paragraphs(shape)),
        )


def _shapes(slide: _Element | None) -> Iterator[_Element]:
    return _taken_apart(child(slide, "cSld", "spTree"))


def _taken_apart(tree: Iterable[_Element] | None) -> Iterator[_Element]:
    """Shapes in the order they are read aloud, groups taken apart, hidden ones left out."""
    for node in tree if tree is not None else ():
        name = local(node)
        if (attribute(_named(node), "hidden") or "0") not in _OFF:
            continue
        if name == "grpSp":
            yield from _taken_apart(node)
        elif name == "AlternateContent":
            # Two ways of writing the same: the second is for older programs.
            yield from _taken_apart(next(iter(node), None))
        elif name in ("sp", "graphicFrame", "pic", "cxnSp"):
            yield node


def _placeholder(shape: _Element) -> str | None:
    """What the shape holds the place of; "" for any content, None for a shape of its own."""
    for properties in shape:
        place = child(properties, "nvPr", "ph")
        if place is not None:
            return attribute(place, "type") or ""
    return None


def _named(shape: _Element) -> _Element | None:
    return next((found for each in shape if (found := child(each, "cNvPr")) is not None), None)


def _blocks(
    archive: Archive, shapes: Iterable[_Element], relations: dict[str, tuple[str, str]]
) -> Iterator[OfficeBlock]:
    """The text of shapes, a table's rows, the words of a diagram; charts are pictures here."""
    for shape in shapes:
        data = child(shape, "graphic", "graphicData")
        rows = child(data, "tbl")
        kind, path = relations.get(attribute(child(data, "relIds"), "dm") or "", ("", ""))
        if rows is not None:
            yield OfficeBlock(rows=_table_rows(rows), has_head=_has_head(child(rows, "tblPr")))
        elif kind == "diagramData":
            for node in child(part(archive, path), "ptLst") or ():
                yield OfficeBlock(" ".join(_words(node).split()), label=BULLET)
        yield from _paragraphs(shape)
        yield OfficeBlock(described(_named(shape)))


def _paragraphs(shape: _Element) -> Iterator[OfficeBlock]:
    body = child(shape, "txBody")
    is_list = _placeholder(shape) in _LISTS
    listed = NumberedList({})
    for node in () if body is None else body:
        if local(node) == "p" and (text := _words(node).strip()):
            properties = child(node, "pPr")
            level = min(number(attribute(properties, "lvl"), 0), 8)
            label = _label(listed, level, child(properties, "buAutoNum"))
            is_point = label != BULLET or child(properties, "buChar") is not None
            is_point |= is_list and child(properties, "buNone") is None
            yield OfficeBlock(text, label=label if is_point else "", level=level)


def _label(listed: NumberedList, level: int, numbering: _Element | None) -> str:
    """What stands before the next point of a text: its number, BULLET where `numbering` is None.

    A point of the same or a higher level without a number, or with another kind of it, ends the
    count.
    """
    own = ListLevel("", BULLET)
    if numbering is not None:
        found = _SCHEME.fullmatch(attribute(numbering, "type") or "")
        form, around = found.groups() if found else ("", "")
        text = _AROUND.get(around, "{}.").format(f"%{level + 1}")
        start = number(attribute(numbering, "startAt"), 1)
        own = ListLevel(_FORMS.get(form, "1"), text, start)
    is_fresh = own != listed.levels.get(level) or not own.form
    listed.end(level if is_fresh else level + 1)
    listed.levels[level] = own
    return listed.label(level)


def _words(node: _Element) -> str:
    parts: list[str] = []
    for each in node.iter():
        name = local(each)
        if name == "t":
            text = each.text or ""
            parts.append(raised(text) if _is_raised(each.getparent()) else text)
        elif name in ("br", "p") and parts:
            parts.append("\n")
        elif name == "tab" and local(each.getparent()) != "tabLst":
            parts.append(" ")
    return "".join(parts)


def _is_raised(run: _Element | None) -> bool:
    shift = attribute(child(run, "rPr"), "baseline") or ""
    return number(shift.removesuffix("%"), 0) > 0


def _table_rows(table: _Element) -> Iterator[list[TableCell]]:
    for row in table:
        if local(row) == "tr":
            cells = [cell for cell in row if local(cell) == "tc"]
            yield [
                TableCell(
                    None if cell.get("vMerge", "0") not in _OFF else _words(cell),
                    min(span(cell.get("gridSpan")), len(cells)),
                )
                for cell in cells
                if cell.get("hMerge", "0") in _OFF
            ]


def _has_head(style: _Element | None) -> bool | None:
    """Whether the first row may be a header: it is marked, or nothing is said of any style."""
    if style is None or not (len(style) or style.attrib):
        return None
    return None if style.get("firstRow", "0") not in _OFF else False
