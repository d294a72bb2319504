"""Documents of blocks: what Word, PowerPoint and OpenDocument have in common.

A format's reader gives paragraphs and tables in their order; how they look in a text, how their
lists are numbered and how slides follow each other is told here.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.core.errors import InputError
from llmwiki.sources.converters.numbered_text_writer import BULLET, Gathered, TableCell, numeral
from llmwiki.sources.converters.zip_and_xml import attribute

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml.etree import _Element

_PLACE = re.compile("%(10|[1-9])")
_RAISED = re.compile(r"[-+\u2212]?\d[\d,]*")


class OfficeBlock(NamedTuple):
    """A paragraph, or a table."""

    text: str = ""
    heading: int = 0
    """Level from 1; 0 for body text."""
    label: str = ""
    """Its number or bullet; empty for what is no point of a list."""
    level: int = 0
    """Of the list, from 0."""
    goes_on: bool = False
    """Whether its end is deleted, so that the next paragraph goes on where it stops."""
    rows: Iterable[list[TableCell]] | None = None
    """Of a table."""
    has_head: bool | None = None
    """Whether the first row names the columns; None where only its looks can tell."""


class BlockWriter:
    """Writes the blocks of one document as they come, and what they point at after them."""

    def __init__(self, out: Gathered) -> None:
        self.out = out
        self.tables = 0
        """Tables so far."""
        self._waiting: list[tuple[str, Iterable[OfficeBlock]]] = []
        self._counts: Counter[str] = Counter()
        self._carried = ""

    def add(self, blocks: Iterable[OfficeBlock]) -> None:
        """Paragraphs and tables; boxes and notes that one points at follow it."""
        for block in blocks:
            if block.rows is None:
                self._add_paragraph(block)
            else:
                self.tables += 1
                self.out.add("")
                self.out.table(f"table {self.tables}", block.rows, has_head=block.has_head)
            while self._waiting:
                mark, inner = self._waiting.pop(0)
                if text := f"{mark} {line(inner)}".strip():
                    self.out.add(f"\n{text}")

    def box(self, blocks: Iterable[OfficeBlock]) -> None:
        """Text that stands beside the block under way."""
        at = len(self._waiting)
        # Notes that it names follow it.
        self._waiting[at:at] = [("", [block]) for block in blocks]

    def note(self, kind: str, blocks: Iterable[OfficeBlock]) -> str:
        """The mark of the next note of a kind, `[endnote 2]`; the note follows the block."""
        self._counts[kind] += 1
        mark = f"[{kind} {self._counts[kind]}]"
        self._waiting.append((mark, blocks))
        return mark

    def end(self) -> None:
        """Write what a last paragraph without an end holds."""
        if self._carried.strip():
            self.out.add(f"\n{self._carried.strip()}")

    def _add_paragraph(self, block: OfficeBlock) -> None:
        text, self._carried = self._carried + block.text, ""
        if block.goes_on:
            self._carried = text
        elif not text.strip():
            return
        elif block.heading:
            self.out.heading(block.heading, text, block.label)
        elif block.label:
            self.out.add(f"{'  ' * block.level}{block.label} {text.strip()}")
        else:
            self.out.add(f"\n{text.strip()}")


def line(blocks: Iterable[OfficeBlock]) -> str:
    """What stands in a cell, box or note, on one line."""
    texts: list[str] = []
    for block in blocks:
        texts.append(block.text)
        texts += [cell.text or "" for row in block.rows or () for cell in row]
    return " ".join(" ".join(texts).split())


def raised(text: str) -> str:
    """Text that stands above the line: numbers as `^2`, so that they are not part of the word.

    Powers and the marks of notes look alike, and stay so.
    """
    return f"^{text}" if _RAISED.fullmatch(text) else text


def described(picture: _Element | None) -> str:
    """`[picture: …]` with the description that the author gave a picture, "" if none."""
    words = " ".join((attribute(picture, "descr") or "").split())
    return f"[picture: {words}]" if words else ""


# --- lists --------------------------------------------------------------------------------------


class ListLevel(NamedTuple):
    """How the points of one level of a list are numbered."""

    form: str
    """The kind of number, as `numeral` takes it; "" for points without one."""
    text: str
    """What is shown: `%1.%2)` is the number of the first level, a stop, that of the second, a
    bracket. Of points without a number what stands before them."""
    start: int = 1


class NumberedList:
    """Counts the points of one list, which are asked for in order."""

    def __init__(self, levels: dict[int, ListLevel]) -> None:
        """`levels` are counted from 0."""
        self.levels = levels
        self._last: dict[int, int] = {}

    def restart(self, level: int, first: int) -> None:
        """The number of the next point of a level."""
        self._last[level] = first - 1

    def end(self, level: int) -> None:
        """The next points of a level, and of those below it, begin anew."""
        self._last = {each: last for each, last in self._last.items() if each < level}

    def label(self, level: int) -> str:
        """What stands before the next point of a level."""
        own = self.levels.get(level)
        if own is None or not own.form:
            return (own.text if own else "") or BULLET
        self._last[level] = self._last.get(level, own.start - 1) + 1
        self.end(level + 1)

        def shown(match: re.Match[str]) -> str:
            at = int(match[1]) - 1
            each = self.levels.get(at, own)
            return numeral(self._last.get(at, each.start), each.form)

        return _PLACE.sub(shown, own.text).strip() or BULLET


# --- slides -------------------------------------------------------------------------------------


class Slide(NamedTuple):
    """One slide: its title, what stands on it in the order it is read, and the speaker's notes."""

    is_hidden: bool
    titles: Iterable[OfficeBlock]
    body: Iterable[OfficeBlock]
    notes: Iterable[OfficeBlock]


def write_slides(writer: BlockWriter, slides: Iterable[Slide]) -> None:
    """`[slide N]` (`[slide N hidden]`), the title as `# …`, what is on it, and its notes after
    `[slide N notes]`. Raises InputError where there are none."""
    count = 0
    for count, slide in enumerate(slides, start=1):
        writer.out.add(f"\n[slide {count}{' hidden' if slide.is_hidden else ''}]")
        writer.tables = 0
        for title in slide.titles:
            if words := line([title]):
                writer.out.add(f"# {words}\n")
        writer.add(slide.body)
        notes = list(slide.notes)
        if line(notes):
            writer.out.add(f"\n[slide {count} notes]")
            writer.add(notes)
    if not count:
        raise InputError("the presentation has no slides", fix="Check that it is complete.")
