"""The blocks of a document, with their lines: read by markdown-it-py from its tokens' line maps.

Code, HTML and tables come out beside the running text; frontmatter and reference definitions give
nothing. Lines in bold or in Japanese marks are understood as headings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from llmwiki.core.text import normalise

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_HTML_HEADING = re.compile(r"<h([1-6])\b[^<>]*>(.{1,1000}?)</h\1>", re.IGNORECASE | re.DOTALL)
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


_BOLD_LINE = re.compile(r"(?:\*\*|__)([^*_\n]{2,80})(?:\*\*|__)\s*(?:[:：]\s*)?$")
_JA_HEADING = re.compile(r"(?:[■◆▼□◇]\s*(\S.{0,38})|【([^【】]{1,38})】)\s*$")
_MARK_BEHIND = re.compile(r"(?<!\s)\s*+\{[#.:-][^{}]{0,200}\}\Z")
"""By what a generator tells a heading: `{#install}`, `{: .wide}`, `{-}`."""
_LONG = 8
"""Words of a heading above a rule that ends in a stop, at most: a longer one is a sentence."""
_NOTE = re.compile(r"\[\^[^\[\]\n]{1,80}\]:")


def outline(
    lines: Sequence[str],
    first: int,
    last: int,
    ends: Mapping[int, bool] = MappingProxyType({}),
    *,
    plain: bool = False,
) -> Outline:
    """Read lines `first` to `last` (from 1, inclusive) into blocks.

    `ends` are lines before which all that is open ends, with True the section too. In a `plain`
    text, which is no Markdown, indented lines are text.
    """
    reader = _Reader(lines, plain=plain)
    cuts = sorted({first, *(number for number in ends if first < number <= last), last + 1})
    for start, stop in pairwise(cuts):
        if ends.get(start):
            reader.section = 0
        if any(line.strip() for line in lines[start - 1 : stop - 1]):
            reader.read(start, stop)
    return reader.out


def _is_sentence(title: str) -> bool:
    return title.endswith((".", ",", ";")) and len(title.split()) > _LONG


@lru_cache(maxsize=2)
def _parser(plain: bool) -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser.disable(["code", "html_block"]) if plain else parser


class _Reader:
    """Walks over the tokens of one document, part by part."""

    def __init__(self, lines: Sequence[str], *, plain: bool) -> None:
        self.out = Outline()
        self.section = 0
        self._lines = lines
        self._plain = plain
        self._start = 1
        self._lists: list[bool] = []
        """Whether each open list is numbered."""
        self._listing = 0
        self._items: list[int | None] = []
        """Index of the first block of each open item, None until it is read."""
        self._quoted = 0
        """How many quotes are open."""

    def read(self, start: int, stop: int) -> None:
        """Take lines `start` up to but without `stop`."""
        text = "\n".join(line.replace("\r", " ") for line in self._lines[start - 1 : stop - 1])
        self._start = start
        level = 0
        ruled = table = False
        for token in _parser(self._plain).parse(text):
            if token.type == "inline" and not table:
                self._heading(token, level, is_ruled=ruled) if level else self._text(token)
            elif token.type in ("heading_open", "heading_close"):
                level = int(token.tag[1]) if token.nesting > 0 else 0
                ruled = token.markup == "-"
            elif token.type in ("table_open", "table_close"):
                table = token.nesting > 0
                if table:
                    self._table(*self._span(token))
            elif token.type in ("fence", "code_block"):
                if token.content.strip():
                    self._add("code", *self._span(token), token.content.rstrip())
            elif token.type == "html_block":
                self._html(token)
            else:
                self._container(token)

    def _html(self, token: Token) -> None:
        """The headings in it; a picture alone is none."""
        for found in _HTML_HEADING.finditer(token.content):
            title = normalise(re.sub(r"<[^<>]*>", " ", found[2]))
            line = self._span(token)[0] + token.content.count("\n", 0, found.start())
            if title:
                self._open_section(int(found[1]), title, line)

    def _container(self, token: Token) -> None:
        if token.type in ("bullet_list_open", "ordered_list_open"):
            self._listing += not self._lists
            self._lists.append(token.type == "ordered_list_open")
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            self._lists.pop()
        elif token.type == "list_item_open":
            self._items.append(None)
        elif token.type == "list_item_close":
            self._items.pop()
        elif token.type.startswith("blockquote"):
            self._quoted += token.nesting
        elif token.type == "hr":
            self.section = self.out.sections[self.section].parent or 0

    def _span(self, token: Token) -> tuple[int, int]:
        first, last = token.map or [0, 1]
        return self._start + first, min(self._start + last - 1, len(self._lines))

    def _heading(self, token: Token, level: int, *, is_ruled: bool) -> None:
        title = _MARK_BEHIND.sub("", token.content.strip(), count=1)
        if "\n" in title or (is_ruled and _is_sentence(title)):
            self._text(token)  # A paragraph that a rule closes.
        elif title:
            self._open_section(level, title, self._span(token)[0])

    def _open_section(self, level: int, title: str, line: int) -> None:
        sections = self.out.sections
        parent = self.section
        while parent > 0 and sections[parent].level >= level:
            parent = sections[parent].parent or 0
        sections.append(Section(level, title, line, parent))
        self.section = len(sections) - 1

    def _table(self, first: int, last: int) -> None:
        rows = range(first, last + 1)
        self.out.tables.append([(n, self._lines[n - 1].lstrip(" \t>").rstrip()) for n in rows])

    def _text(self, token: Token) -> None:
        first, last = self._span(token)
        raw = token.content
        if _NOTE.match(raw) or not raw.strip():
            return
        if self._quoted:
            self._add("quote", first, last, raw)
        elif "\n" not in raw and not self._items and (title := self._loose_title(raw)):
            self._open_section(title[0], title[1], first)
        elif raw.startswith("|") and raw.count("\n|") == raw.count("\n"):
            self._table(first, last)
        else:
            opens = bool(self._items) and self._items[-1] is None
            self._add("item" if opens else "paragraph", first, first + raw.count("\n"), raw)
            if opens:
                self._items[-1] = len(self.out.blocks) - 1

    def _loose_title(self, raw: str) -> tuple[int, str] | None:
        """The heading that a paragraph of one line is: bold, or in Japanese marks."""
        if bold := _BOLD_LINE.match(raw):
            return BOLD_LEVEL, bold[1].rstrip(":： ")
        japanese = _JA_HEADING.match(raw)
        return (2, japanese[1] or japanese[2]) if japanese else None

    def _add(self, kind: Kind, first: int, last: int, raw: str) -> None:
        """Add a block; an item lies in the item outside of its list."""
        opens = bool(self._items) and self._items[-1] is None
        outer = self._items[:-1] if opens else self._items
        self.out.blocks.append(
            DocumentBlock(
                kind, first, last, raw, self.section,
                next((at for at in reversed(outer) if at is not None), None),
                self._listing if self._lists else 0,
                bool(self._lists) and self._lists[-1],
            )
        )  # fmt: skip
