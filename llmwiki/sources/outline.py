"""The blocks of a document, with their lines: read by markdown-it-py from its tokens' line maps.

Code, HTML and tables come out beside the running text; frontmatter and reference definitions give
nothing. The bullets and headings of plain and of Japanese text are understood too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from llmwiki.language.sentences import is_day

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

CALLOUT_LEVEL = 8
"""The level of the title of a callout, which ends with it."""
BOLD_LEVEL = 7
"""The level of a paragraph that is one bold phrase and works as a heading: below all six."""

Kind = Literal["paragraph", "item", "code", "quote"]


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
    """A paragraph, a list item, a piece of code, or a paragraph of what others said."""

    kind: Kind
    first: int
    last: int
    raw: str
    """The lines joined by LF, markup kept; of the first line what stands before it is left out."""
    section: int
    parent: int | None = None
    """Index of the first block of the item that it lies in."""
    listing: int = 0
    """The number, from 1, of the outermost list that it is of; 0: of none."""
    ordered: bool = False


@dataclass(slots=True)
class Outline:
    """The blocks, sections and tables of a document, in reading order."""

    blocks: list[DocumentBlock] = field(default_factory=list)
    sections: list[Section] = field(default_factory=lambda: [Section(0, "", 0, None)])
    tables: list[list[tuple[int, str]]] = field(default_factory=list)
    """The numbered rows of each Markdown table, the row of dashes among them."""


_BULLET = re.compile(r"[ \t]*(?:[•·‣◦]\s|[・●○▪✅❌⚠]️?)\s*(?=\S)")
_BOLD_LINE = re.compile(r"(?:\*\*|__)([^*_\n]{2,80})(?:\*\*|__)\s*(?:[:：]\s*)?$")
_JA_HEADING = re.compile(r"(?:[■◆▼□◇]\s*(\S.{0,38})|【([^【】]{1,38})】)\s*$")
_CAPS_LINE = re.compile(r"(?=.* )[A-Z][A-Z0-9 &/'-]{3,58}[A-Z0-9]$")
_ATTRIBUTES = re.compile(r" \{(?:#[\w:.-]{1,100}|/\*[\w:.-]{1,100}\*/)\}$")
_CALLOUT = re.compile(r"\[!([\w-]{1,40})[^\]\n]{0,40}\][-+]?([^\n]{0,200})(?:\n|\Z)")
_ENUMERATOR = re.compile(
    r"\A(?:\((?:[ivx]{1,5}|[a-z])\)|(?:[ivx]{1,5}|[a-z])[.)]|\d{1,2}\))"
    r"[ \t]+(?=\S)(?!\d{4}\b)"
)
"""`(a)`, `iv.` or `2)` before a text: a mark like a bullet, unless it is the © of a year."""
_NOTE = re.compile(r"\[\^[^\[\]\n]{1,80}\]:")


def outline(
    lines: Sequence[str],
    first: int,
    last: int,
    ends: Mapping[int, bool] = MappingProxyType({}),
    codes: Mapping[int, str] | None = None,
) -> Outline:
    """Read lines `first` to `last` (from 1, inclusive) into blocks.

    `ends` are lines before which all that is open ends, with True the section too. `codes` is the
    code of a text that is no Markdown, by its first line; indented lines are text then.
    """
    reader = _Reader(lines, codes)
    cuts = sorted({first, *(number for number in ends if first < number <= last), last + 1})
    for start, stop in pairwise(cuts):
        if ends.get(start):
            reader.section = 0
        if any(line.strip() for line in lines[start - 1 : stop - 1]):
            reader.read(start, stop)
    reader.take_codes(last + 1)
    return reader.out


@lru_cache(maxsize=2)
def _parser(plain: bool) -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser.disable(["code", "html_block"]) if plain else parser


class _Reader:
    """Walks over the tokens of one document, part by part."""

    def __init__(self, lines: Sequence[str], codes: Mapping[int, str] | None) -> None:
        self.out = Outline()
        self.section = 0
        self._lines = lines
        self._plain = codes is not None
        self._codes = sorted((codes or {}).items(), reverse=True)
        self._start = 1
        self._lists: list[bool] = []
        """Whether each open list is numbered."""
        self._listing = 0
        self._items: list[int | None] = []
        """Index of the first block of each open item, None until it is read."""
        self._quoted = 0
        """How many quotes or callouts are open."""
        self._called = False
        """Whether the outermost of them is a callout, which is the document's own."""
        self._around = 0
        """The section that goes on behind a callout which has a title."""

    def read(self, start: int, stop: int) -> None:
        """Take lines `start` up to but without `stop`."""
        text = "\n".join(line.replace("\r", " ") for line in self._lines[start - 1 : stop - 1])
        self._start = start
        tokens = _parser(self._plain).parse(text)
        level = 0
        table = False
        for token in tokens:
            if token.type == "inline" and not table:
                self._heading(token, level) if level else self._text(token)
            elif token.type in ("heading_open", "heading_close"):
                level = int(token.tag[1]) if token.nesting > 0 else 0
            elif token.type in ("table_open", "table_close"):
                table = token.nesting > 0
                if table:
                    self._table(token)
            elif token.type in ("fence", "code_block"):
                self._code(token)
            else:
                self._container(token)

    def _container(self, token: Token) -> None:
        if token.type in ("bullet_list_open", "ordered_list_open"):
            self._name_list()
            self._listing += not self._lists
            self._lists.append(token.type == "ordered_list_open")
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            self._lists.pop()
        elif token.type == "list_item_open":
            self._items.append(None)
        elif token.type == "list_item_close":
            self._items.pop()
        elif token.type == "blockquote_open":
            self._quoted += 1
            self._called = self._called and self._quoted > 1
        elif token.type == "blockquote_close":
            self._quoted -= 1
            if not self._quoted and self.out.sections[self.section].level == CALLOUT_LEVEL:
                self.section = self._around
        elif token.type == "hr" and self.out.sections[self.section].level == BOLD_LEVEL:
            self.section = self.out.sections[self.section].parent or 0

    def _name_list(self) -> None:
        """Takes a word or two alone above a list for the heading that they are."""
        block = self.out.blocks[-1] if self.out.blocks else None
        if block is None or block.section != self.section or self._items or self._quoted:
            return
        bare = block.kind == "paragraph" and block.raw[-1:].isalnum() and "\n" not in block.raw
        if bare and len(block.raw.split()) <= 4 and len(block.raw) <= 40:
            self.out.blocks.pop()
            self._open_section(BOLD_LEVEL, block.raw, block.first)

    def _span(self, token: Token) -> tuple[int, int]:
        first, last = token.map or [0, 1]
        return self._start + first, self._start + last - 1

    def _heading(self, token: Token, level: int) -> None:
        first, _ = self._span(token)
        title = _ATTRIBUTES.sub("", token.content.strip())
        if "\n" in title and (len(title) > 100 or title.count("\n") > 1):
            self._text(token)
        elif title:
            self._open_section(level, title.replace("\n", " "), first)

    def take_codes(self, before: int) -> None:
        """Add the code that stands before a line and was no part of the text."""
        while self._codes and self._codes[-1][0] < before:
            first, code = self._codes.pop()
            last = first + code.count("\n")
            self.out.blocks.append(DocumentBlock("code", first, last, code, self.section))

    def _open_section(self, level: int, title: str, line: int) -> None:
        self.take_codes(line)
        sections = self.out.sections
        parent = self.section
        while parent > 0 and sections[parent].level >= level:
            parent = sections[parent].parent or 0
        sections.append(Section(level, title, line, parent))
        self.section = len(sections) - 1

    def _table(self, token: Token) -> None:
        first, last = self._span(token)
        self.out.tables.append([(n, self._row(n)) for n in range(first, last + 1)])

    def _row(self, number: int) -> str:
        return self._lines[number - 1].lstrip(" \t>").rstrip()

    def _code(self, token: Token) -> None:
        first, last = self._span(token)
        if token.type == "fence":
            first, last = first + 1, max(first + 1, last - 1)
        info = token.info.strip().casefold()
        if token.content.strip() and info not in ("mermaid", "dataview", "query"):
            self._add("code", first, min(last, len(self._lines)), token.content.rstrip())

    def _text(self, token: Token) -> None:
        first, last = self._span(token)
        raw = token.content
        if self._quoted and (callout := _CALLOUT.match(raw)):
            raw, first, self._called = raw[callout.end() :], first + 1, True
            if (title := callout[2].strip(" :：")) and title.casefold() != callout[1].casefold():
                self._around = self.section
                self._open_section(CALLOUT_LEVEL, title, first - 1)
        elif _NOTE.match(raw):
            return
        if not raw.strip():
            return
        if self._quoted and not self._called:
            self._add("quote", first, last, raw)
        elif "\n" not in raw and not self._items and (title := self._loose_title(raw)):
            self._open_section(title[0], title[1], first)
        elif raw.startswith("|") and raw.count("\n|") == raw.count("\n"):
            self.out.tables.append([(n, self._row(n)) for n in range(first, last + 1)])
        elif _BULLET.match(raw) or "\n・" in raw or "\n•" in raw:
            self._loose_items(raw, first)
        elif not self._joins(raw, first, last):
            self._paragraph(raw, first)

    def _loose_title(self, raw: str) -> tuple[int, str] | None:
        """The heading that a paragraph of one line is: bold, in Japanese marks, in capitals."""
        if bold := _BOLD_LINE.match(raw):
            return BOLD_LEVEL, bold[1].rstrip(":： ")
        if japanese := _JA_HEADING.match(raw):
            return 2, japanese[1] or japanese[2]
        return (2, raw) if self._plain and _CAPS_LINE.match(raw) else None

    def _joins(self, raw: str, first: int, last: int) -> bool:
        """Takes `1. Juni` at the start of a line for what it is: the day of a date."""
        blocks = self.out.blocks
        if not (self._items and self._lists[-1] and blocks and blocks[-1].last == first - 1):
            return False
        number = self._lines[first - 1].split(".", 1)[0].strip(" >")
        if blocks[-1].kind != "paragraph" or not is_day(number, raw):
            return False
        rest = raw.partition("\n")[2]
        joined = f"{blocks[-1].raw}\n{self._lines[first - 1].strip()}\n{rest}"
        blocks[-1] = DocumentBlock(
            "paragraph", blocks[-1].first, last, joined.rstrip(), self.section
        )
        return True

    def _loose_items(self, raw: str, first: int) -> None:
        """Lines that begin with bullets that Markdown does not know."""
        held: list[tuple[int, list[str], bool]] = []
        for number, line in enumerate(raw.split("\n"), first):
            marker = _BULLET.match(line)
            if marker or not held:
                held.append(
                    (number, [line[marker.end() :] if marker else line], marker is not None)
                )
            else:
                held[-1][1].append(line)
        self._listing += not self._lists
        for number, lines, is_item in held:
            kind: Kind = "item" if is_item else "paragraph"
            listing = self._listing if is_item else 0
            self._add(kind, number, number + len(lines) - 1, "\n".join(lines), listing)

    def _paragraph(self, raw: str, first: int) -> None:
        opens = bool(self._items) and self._items[-1] is None
        self._add("item" if opens else "paragraph", first, first + raw.count("\n"), raw)
        if opens:
            self._items[-1] = len(self.out.blocks) - 1

    def _add(self, kind: Kind, first: int, last: int, raw: str, listing: int = 0) -> None:
        """Add a block; an item lies in the item outside of its list."""
        self.take_codes(first)
        opens = bool(self._items) and self._items[-1] is None
        outer = self._items[:-1] if opens else self._items
        parent = next((at for at in reversed(outer) if at is not None), None)
        if kind != "code":
            raw = _ENUMERATOR.sub("", raw, count=1)
        self.out.blocks.append(
            DocumentBlock(
                kind, first, last, raw, self.section, parent,
                listing or (self._listing if self._lists else 0),
                bool(self._lists) and self._lists[-1],
            )
        )  # fmt: skip
