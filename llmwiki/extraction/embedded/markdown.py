"""Lines into blocks: the part of Markdown's structure that statements are read from.

A line scanner, not a parser: it must give exact line numbers, take damaged and half-Markdown text
(table rows with blank lines between them, bullets of other scripts, hard-wrapped plain text) and
stay linear on any input. Code, comments, frontmatter, rules and reference definitions give no
block.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

from llmwiki.language.sentences import is_day
from llmwiki.pages.lines import BLANK, closes, fence, heading, html_block, table_cells

BOLD_LEVEL = 7
"""The level of a paragraph that is one bold phrase and works as a heading: below all six."""

Kind = Literal["paragraph", "item", "row"]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and its place in the tree of headings; section 0 is the document itself."""

    level: int
    title: str
    """As written, without the marks of a heading."""
    line: int
    """From 1; 0 for the document."""
    parent: int | None


@dataclass(frozen=True, slots=True)
class DocumentBlock:
    """A paragraph, list item or table row."""

    kind: Kind
    first: int
    last: int
    raw: str
    """The lines joined by LF, markup kept, the first line's own marker removed."""
    section: int
    parent: int | None = None
    """Index of the item this one is nested in."""
    lead: int | None = None
    """Index of the paragraph that introduces the list or table."""
    header: tuple[str, ...] = ()
    """The cells of the table's header row, as written."""
    header_raw: str = ""
    header_line: int = 0
    ordered: bool = False


@dataclass(slots=True)
class _Open:
    """The block being read."""

    kind: Kind
    first: int
    lines: list[str]
    parent: int | None = None
    lead: int | None = None
    ordered: bool = False


@dataclass(slots=True)
class Outline:
    """The blocks and sections of a document, in reading order."""

    blocks: list[DocumentBlock] = field(default_factory=list)
    sections: list[Section] = field(default_factory=lambda: [Section(0, "", 0, None)])


_ITEM = re.compile(r"(\s*)([-*+•·‣◦]|[・●○▪]|\(?[0-9]{1,4}[.)])(\s+|(?<=[・●○▪]))(?=\S)")
_QUOTE = re.compile(r"\s{0,3}>(?:[ \t]?>)*[ \t]?")
_REFERENCE = re.compile(r"\s{0,3}\[\^?[^\[\]]{1,200}\]:\s")
_TAG_LINE = re.compile(r"\s*</?[A-Za-z][^<>]{0,300}>\s*$")
_BOLD_LINE = re.compile(r"\s*(?:\*\*|__)([^*_]{2,80})(?:\*\*|__)\s*+(?:[:：]\s*+)?$")
_JA_HEADING = re.compile(r"\s*(?:[■◆▼□◇]\s*(\S.{0,38})|【([^【】]{1,38})】)\s*$")
_CAPS_LINE = re.compile(r"[A-Z][A-Z0-9 &/'-]{3,58}[A-Z0-9]$")


def is_delimiter(line: str) -> bool:
    """Whether a line parts the head of a table from its body, as `| --- | --- |` does."""
    text = line.strip()
    return "-" in text and "|" in text and not text.strip("|:- \t")


def _is_rule(line: str) -> bool:
    marks = line.replace(" ", "").replace("\t", "")
    return len(marks) >= 3 and marks[0] in "-*_=" and not marks.strip(marks[0])


def outline(
    lines: Sequence[str],
    first: int,
    last: int,
    *,
    plain: bool = False,
    ends: Mapping[int, bool] = MappingProxyType({}),
) -> Outline:
    """Read lines `first` to `last` (from 1, inclusive) into blocks.

    `plain` says that the text is no Markdown: indented lines are text then, not code. `ends` are
    lines before which all that is open ends, with True the section too.
    """
    scanner = _Scanner(plain)
    for number in range(first, last + 1):
        if number in ends:
            scanner.end_all(section=ends[number])
        following = lines[number].rstrip("\r") if number < last else ""
        scanner.feed(number, lines[number - 1].rstrip("\r"), following)
    scanner.flush()
    return scanner.out


class _Scanner:
    """The state of one pass over the lines."""

    def __init__(self, plain: bool) -> None:
        self.plain = plain
        self.out = Outline()
        self.section = 0
        """Index of the section being read."""
        self.open: _Open | None = None
        self.fence = ""
        self.closing: re.Pattern[str] | None = None
        """What ends the HTML that holds no text of the document: a comment, a script."""
        self.blank = True
        self.items: list[tuple[int, int]] = []
        """Indent and block index of the items around the present line."""
        self.lead: int | None = None
        self.number = 0
        """Of the last numbered item."""
        self.header: tuple[int, str] | None = None
        """Line and text of the header row of the table being read."""
        self.rows: list[tuple[int, str]] = []

    # -- ends of blocks

    def flush(self) -> None:
        """End the open block and table."""
        self._end_block()
        self._end_table()

    def end_all(self, *, section: bool) -> None:
        """End whatever is open: block, table, list, code, comment; with `section` that too."""
        self.flush()
        self.fence, self.closing = "", None
        self.items, self.lead, self.blank = [], None, True
        if section:
            self.section = 0

    def _end_block(self) -> None:
        block, self.open = self.open, None
        if block is None:
            return
        raw = "\n".join(block.lines)
        if block.kind == "paragraph":
            bold = _BOLD_LINE.match(raw) if len(block.lines) == 1 else None
            if bold:
                self._section(BOLD_LEVEL, bold[1].rstrip(":： "), block.first)
                return
            self.lead = len(self.out.blocks)
        self.out.blocks.append(
            DocumentBlock(
                block.kind,
                block.first,
                block.first + len(block.lines) - 1,
                raw,
                self.section,
                parent=block.parent,
                lead=block.lead,
                ordered=block.ordered,
            )
        )

    def _end_table(self) -> None:
        rows, self.rows = self.rows, []
        header, self.header = self.header, None
        if not rows:
            return
        for number, raw in rows:
            block = DocumentBlock("row", number, number, raw.strip(), self.section, lead=self.lead)
            if header:
                block = replace(
                    block,
                    header=tuple(table_cells(header[1])),
                    header_raw=header[1].strip(),
                    header_line=header[0],
                )
            self.out.blocks.append(block)

    def _section(self, level: int, title: str, line: int) -> None:
        sections = self.out.sections
        parent = self.section
        while parent > 0 and sections[parent].level >= level:
            above = sections[parent].parent
            parent = 0 if above is None else above
        sections.append(Section(level, title.strip(), line, parent))
        self.section = len(sections) - 1
        self.lead = None
        self.items = []

    # -- lines

    def feed(self, number: int, line: str, following: str) -> None:
        """Take one line; `following` is the next one, or empty."""
        if self._inside_code(line):
            return
        text = line
        quoted = _QUOTE.match(line)
        if quoted:
            text = line[quoted.end() :]
        if not text.strip():
            self._end_block()
            self.blank = True
            return
        blank, self.blank = self.blank, False
        if self._leaf(number, line, text, following):
            return
        if self._table(number, text, following):
            return
        self._end_table()
        if self._item(number, line, text):
            return
        self._text(number, line, text, blank)

    def _inside_code(self, line: str) -> bool:
        if self.fence:
            self.fence = "" if closes(line, self.fence) else self.fence
            return True
        if self.closing is not None:
            self.closing = None if self.closing.search(line) else self.closing
            return True
        return False

    def _leaf(self, number: int, line: str, text: str, following: str) -> bool:
        """Fences, comments, headings, rules, reference definitions, lone tags."""
        if mark := fence(text):
            self.flush()
            self.fence = mark
            return True
        stripped = text.lstrip()
        closing = html_block(stripped) if stripped.startswith("<") else None
        if closing not in (None, BLANK):
            self.flush()
            self.closing = None if closing.search(stripped) else closing
            return True
        if found := heading(text):
            self.flush()
            self._section(*found, number)
            return True
        if self._underline(text) or _is_rule(text):
            if not self._setext(text):
                self.flush()
            return True
        if _REFERENCE.match(text) or _TAG_LINE.match(text):
            self.flush()
            return True
        return self._loose_heading(number, line, following)

    @staticmethod
    def _underline(text: str) -> bool:
        mark = text.strip()
        return len(mark) >= 2 and mark[0] in "=-" and not mark.strip(mark[0])

    def _setext(self, text: str) -> bool:
        block = self.open
        if block is None or block.kind != "paragraph" or not self._underline(text):
            return False
        title = " ".join(part.strip() for part in block.lines)
        if len(block.lines) > 2 or len(title) > 100 or title.startswith("|"):
            return False
        self.open = None
        self._section(1 if text.strip()[0] == "=" else 2, title, block.first)
        return True

    def _loose_heading(self, number: int, line: str, following: str) -> bool:
        """Headings of plain text: a line of capitals alone, ■ …, 【…】."""
        japanese = _JA_HEADING.match(line)
        alone = self.open is None and not following.strip()
        if japanese:
            self.flush()
            self._section(2, japanese[1] or japanese[2], number)
            return True
        if alone and _CAPS_LINE.match(line.strip()) and " " in line.strip():
            self.flush()
            self._section(2, line.strip(), number)
            return True
        return False

    def _table(self, number: int, text: str, following: str) -> bool:
        if is_delimiter(text):
            self._end_block()
            if self.rows:
                header = self.rows.pop()
                self._end_table()
                self.header = header
            return True
        bar = text.lstrip().startswith("|") and text.count("|") >= 2
        if not bar and not ("|" in text and (self.header or is_delimiter(following))):
            return False
        self._end_block()
        self.rows.append((number, text))
        return True

    def _marker(self, text: str) -> tuple[int, int, bool] | None:
        """Indent, end of the marker and whether it numbers; None when the line is no item."""
        item = _ITEM.match(text)
        if item:
            number = item[2][-1] in ".)"
            if number:
                value = int(item[2].strip("()."))
                if not self._may_number(value, text[item.end() :]):
                    return None
                self.number = value
            return len(item[1].expandtabs(4)), item.end(), number
        body = text.lstrip()
        if unicodedata.category(body[0]) == "So" and len(body) > 3:
            end = len(text) - len(body) + 1
            while end < len(text) and (text[end].isspace() or text[end] == "\ufe0f"):
                end += 1
            return len(text) - len(body), end, False
        return None

    def _may_number(self, value: int, after: str) -> bool:
        """Whether a number may start an item here: in a paragraph, a line may just begin so."""
        block = self.open
        if block is not None and block.kind == "paragraph" and is_day(str(value), after):
            return False
        if block is None or block.kind != "paragraph" or value in (1, self.number + 1):
            return True
        return len(block.lines) == 1 and (
            block.lines[0].rstrip().endswith((":", "：")) or bool(_BOLD_LINE.match(block.lines[0]))
        )

    def _item(self, number: int, line: str, text: str) -> bool:
        marker = self._marker(text)
        if marker is None:
            return False
        indent, end, ordered = marker
        self._end_block()
        while self.items and self.items[-1][0] >= indent:
            self.items.pop()
        parent = self.items[-1][1] if self.items else None
        self.open = _Open("item", number, [text[end:]], parent, self.lead, ordered)
        self.items.append((indent, len(self.out.blocks)))
        return True

    def _text(self, number: int, line: str, text: str, blank: bool) -> None:
        if self.open is not None:
            self.open.lines.append(line)
            return
        indent = len(text.expandtabs(4)) - len(text.expandtabs(4).lstrip())
        if indent >= 4 and blank and not self.items and not self.plain:
            return
        if indent == 0:
            self.items = []
        self.open = _Open("paragraph", number, [text])
