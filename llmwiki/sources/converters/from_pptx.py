"""Presentations (.pptx) to text: the parts read with lxml. Runs in the converting process only.

Comments, and what every slide repeats (header, footer, date, number), are left out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from llmwiki.core.errors import InputError
from llmwiki.sources.converted import ConvertedText
from llmwiki.sources.converters.archive import Archive
from llmwiki.sources.converters.safe_xml import (
    attribute,
    child,
    described,
    facts,
    local,
    main_part,
    named_id,
    number,
    one_of,
    part,
    related,
)
from llmwiki.sources.converters.writing import (
    BULLET,
    Gathered,
    ListLevel,
    TableCell,
    list_label,
    raised,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element

VERSION = "llmwiki-pptx/1"
"""Raised with every change of the text that a presentation gives."""

_KIND = "the presentation"
_OFF = frozenset({"0", "false"})
_REPEATED = frozenset({"dt", "ftr", "hdr", "sldNum", "sldImg"})
_TITLES = frozenset({"title", "ctrTitle"})
_LISTS = frozenset({"body", "obj", ""})
"""Kinds of placeholder whose paragraphs are points of a list; "" is how `obj` is left out."""
_SCHEME = re.compile("(arabic|alphaLc|alphaUc|romanLc|romanUc)(Plain|Period|ParenR|ParenBoth)")
"""The names of what is numbered how (ECMA-376, part 1, §20.1.10.61); others are shown as `1.`"""
_FORMS = {
    "alphaLc": "lowerLetter",
    "alphaUc": "upperLetter",
    "romanLc": "lowerRoman",
    "romanUc": "upperRoman",
}
_AROUND = {"Plain": "{}", "ParenR": "{})", "ParenBoth": "({})"}


def convert(data: bytes, cap: int) -> ConvertedText:
    """The text of the slides in order, after `Author:` and `Modified:` lines where they are told.

    Each slide begins with `[slide N]` (`[slide N hidden]`) and its title as `# …`; its text
    follows in reading order, points as `- …` or with their number, a
    table's row as `table 1 row 2 | name: value`,
    a described picture as `[picture: …]`, and the speaker's notes after `[slide N notes]`.
    `cap` bounds the bytes of text. Raises InputError when the file is broken, encrypted,
    without slides or something else, PolicyError when it unpacks to too much.
    """
    archive = Archive(data, _KIND)
    main = main_part(archive, "ppt/")
    relations = related(archive, main)
    out = Gathered(cap, facts(archive))
    count = 0
    seen: set[str] = set()
    for entry in child(part(archive, main), "sldIdLst") or ():
        kind, path = relations.get(named_id(entry), ("", ""))
        if kind != "slide":
            raise archive.broken(f"slide {count + 1} is missing")
        if path in seen:
            raise archive.broken(f"slide {count + 1} is one of the slides before")
        seen.add(path)
        count += 1
        _add_slide(archive, path, count, out)
    if not count:
        raise InputError("the presentation has no slides", fix="Check that it is complete.")
    return ConvertedText(out.text(), VERSION)


def _add_slide(archive: Archive, path: str, at: int, out: Gathered) -> None:
    root = part(archive, path)
    hidden = " hidden" if root.get("show") in _OFF else ""
    relations = related(archive, path)
    shapes = list(_shapes(child(root, "cSld", "spTree")))
    out.add(f"\n[slide {at}{hidden}]")
    for shape in shapes:
        if _placeholder(shape) in _TITLES and (title := " ".join(_words(shape).split())):
            out.add(f"# {title}\n")
    tables = 0
    for shape in shapes:
        if _placeholder(shape) in _TITLES | _REPEATED:
            continue
        if local(shape) == "graphicFrame":
            tables += 1
            _add_graphic(archive, shape, relations, tables, out)
        else:
            for line in _paragraphs(shape):
                out.add(line)
        if words := described(_named(shape)):
            out.add(words)
    notes = one_of(relations, "notesSlide")
    if notes is not None:
        spoken = [
            line
            for shape in _shapes(child(part(archive, notes), "cSld", "spTree"))
            if _placeholder(shape) == "body"
            for line in _paragraphs(shape, plain=True)
        ]
        if spoken:
            out.add("\n".join(["", f"[slide {at} notes]", *spoken]))


def _shapes(tree: _Element | None) -> Iterator[_Element]:
    """Shapes in the order they are read aloud, groups taken apart, hidden ones left out."""
    for node in () if tree is None else tree:
        name = local(node)
        if (attribute(_named(node), "hidden") or "0") not in _OFF:
            continue
        if name == "grpSp":
            yield from _shapes(node)
        elif name == "AlternateContent":
            # Two ways of writing the same: the second is for older programs.
            if len(node):
                yield from _shapes(node[0])
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


def _paragraphs(shape: _Element, *, plain: bool = False) -> Iterator[str]:
    body = child(shape, "txBody")
    listed = not plain and _placeholder(shape) in _LISTS
    numbers = _Numbers()
    for node in () if body is None else body:
        if local(node) != "p" or not (text := _words(node).strip()):
            continue
        properties = child(node, "pPr")
        level = min(number(attribute(properties, "lvl"), 0), 8)
        label = numbers.label(level, child(properties, "buAutoNum"))
        marked = label != BULLET or child(properties, "buChar") is not None
        if not plain and (marked or (listed and child(properties, "buNone") is None)):
            yield f"{'  ' * level}{label} {text}"
        else:
            yield text


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


def _add_graphic(
    archive: Archive,
    frame: _Element,
    relations: dict[str, tuple[str, str]],
    table: int,
    out: Gathered,
) -> None:
    """A table's rows, or the words of a diagram; charts are pictures here."""
    data = child(frame, "graphic", "graphicData")
    rows = child(data, "tbl")
    if rows is not None:
        out.table(f"table {table}", _table_rows(rows), has_head=_has_head(child(rows, "tblPr")))
        return
    kind, path = relations.get(attribute(child(data, "relIds"), "dm") or "", ("", ""))
    if kind == "diagramData":
        for node in child(part(archive, path), "ptLst") or ():
            if text := " ".join(_words(node).split()):
                out.add(f"- {text}")


def _table_rows(table: _Element) -> Iterator[tuple[int, list[TableCell]]]:
    rows = (node for node in table if local(node) == "tr")
    for at, row in enumerate(rows, start=1):
        cells = [node for node in row if local(node) == "tc"]
        going_on = [cell.get("vMerge", "0") not in _OFF for cell in cells]
        yield (
            at,
            [
                TableCell("" if goes_on else _words(cell), goes_on=goes_on)
                for cell, goes_on in zip(cells, going_on, strict=True)
            ],
        )


def _has_head(style: _Element | None) -> bool | None:
    """Whether the first row may be a header: it is marked, or nothing is said of any style."""
    if style is None or not (len(style) or style.attrib):
        return None
    return None if style.get("firstRow", "0") not in _OFF else False


class _Numbers:
    """Counts the points of one text, which are asked for in order."""

    def __init__(self) -> None:
        self._levels: dict[int, ListLevel] = {}
        self._counts: dict[int, int] = {}

    def label(self, level: int, numbering: _Element | None) -> str:
        """What stands before the next point: its number, BULLET where `numbering` is None.

        A point of the same or a higher level without a number, or with another kind of it, ends
        the count.
        """
        own = ListLevel("", BULLET)
        if numbering is not None:
            found = _SCHEME.fullmatch(attribute(numbering, "type") or "")
            form, around = found.groups() if found else ("", "")
            text = _AROUND.get(around, "{}.").format(f"%{level + 1}")
            start = number(attribute(numbering, "startAt"), 1)
            own = ListLevel(_FORMS.get(form, "decimal"), text, start)
        fresh = own != self._levels.get(level) or not own.form
        for ended in [each for each in self._counts if each > level or (each == level and fresh)]:
            del self._counts[ended]
        self._levels[level] = own
        return list_label(self._counts, self._levels, level)
