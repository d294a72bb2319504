"""Which parts of a Markdown text are prose: the block structure of CommonMark, without the tree.

A page is cut into runs of prose (paragraphs, headings, table rows); fenced and indented code, HTML
blocks, display maths and frontmatter are left out. Method: spec.commonmark.org/0.31.2, appendix "A
parsing strategy", with footnote definitions as a container four columns deep.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

Run = tuple[tuple[int, int], ...]
"""One run of prose: (start, end) of the part of each line that belongs to it."""

_FRONTMATTER = re.compile(r"\ufeff?---[ \t]*\r?\n(?:.*\n)*?(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)")
_INDENT = re.compile(r"[ \t]*")
_FENCE = re.compile(r"(`{3,})[^`\n]*\Z|(~{3,}).*\Z")
_RULE = re.compile(r"(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})\Z")
_ITEM = re.compile(r"(?:[-+*]|(\d{1,9})[.)])(?=[ \t]|\Z)")
_HEADING = re.compile(r"#{1,6}(?=[ \t]|\Z)")
_UNDERLINE = re.compile(r"(?:=+|-+)[ \t]*\Z")
_FOOTNOTE = re.compile(r"\[\^[^\s\]]+\]:")
_DELIMITERS = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*\Z")

_ATTRIBUTE = r"(?:\s+[A-Za-z_:][\w:.-]*(?:\s*=\s*(?:[^\"'=<>`\x00-\x20]+|'[^']*'|\"[^\"]*\"))?)"
TAG = rf"<[A-Za-z][A-Za-z0-9-]*{_ATTRIBUTE}*\s*/?>|</[A-Za-z][A-Za-z0-9-]*\s*>"
"""An HTML tag, open or closing, as CommonMark writes it."""

_BLOCK_TAGS = (
    "address article aside base basefont blockquote body caption center col colgroup dd details "
    "dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 "
    "head header hr html iframe legend li link main menu menuitem nav noframes ol optgroup option "
    "p param search section summary table tbody td tfoot th thead title tr track ul"
)
_BLANK = re.compile(r"\Z")
_HTML = (
    (
        re.compile(r"<(?:script|pre|style|textarea)(?=[\s>]|\Z)", re.I),
        re.compile(r"</(?:script|pre|style|textarea)>", re.I),
    ),
    (re.compile(r"<!--"), re.compile("-->")),
    (re.compile(r"<\?"), re.compile(r"\?>")),
    (re.compile(r"<![A-Za-z]"), re.compile(">")),
    (re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>")),
    (re.compile(rf"</?(?:{'|'.join(_BLOCK_TAGS.split())})(?=\s|/?>|\Z)", re.I), _BLANK),
)
_HTML_TAG_LINE = re.compile(rf"(?:{TAG})\s*\Z")

_QUOTE = -1


def body_start(text: str) -> int:
    """Where the text after the frontmatter starts; 0 where there is none."""
    match = _FRONTMATTER.match(text)
    return match.end() if match else 0


@dataclass(slots=True)
class _Reader:
    """The state between two lines: open containers and the open leaf."""

    text: str
    runs: list[Run] = field(default_factory=list)
    containers: list[int] = field(default_factory=list)
    """For each open container the columns of content it asks for, or _QUOTE."""
    paragraph: list[tuple[int, int]] = field(default_factory=list)
    fence: str = ""
    closing: re.Pattern[str] | None = None
    """What ends the open HTML or maths block."""
    empty_item: bool = False

    def line(self, start: int, end: int) -> None:
        position, column, depth = start, 0, 0
        for depth, wanted in enumerate([*self.containers, None]):  # noqa: B007
            if wanted is None:
                break
            after, width = self._indent(position, end, column)
            if wanted == _QUOTE:
                if width > 3 or self.text[after : after + 1] != ">" or after >= end:
                    break
                position, column = self._past_mark(after + 1, end, column + width + 1)
            elif after == end and not (self.empty_item and depth == len(self.containers) - 1):
                position = end
            elif width >= wanted:
                position, column = self._take(position, column, wanted)
            else:
                break
        matched = depth == len(self.containers)
        self.empty_item = False
        if not matched:
            if self.paragraph and self._is_lazy(position, end, column):
                self._continue_paragraph(position, end)
                return
            self._close_leaf()
            del self.containers[depth:]
        elif self._in_raw_block(position, end, column):
            return
        self._open(position, end, column)

    def _indent(self, position: int, end: int, column: int) -> tuple[int, int]:
        """Where the blanks end, and how many columns they are wide."""
        after = min(_INDENT.match(self.text, position).end(), end)  # type: ignore[union-attr]
        width = 0
        for character in self.text[position:after]:
            width += 4 - (column + width) % 4 if character == "\t" else 1
        return after, width

    def _take(self, position: int, column: int, wanted: int) -> tuple[int, int]:
        goal = column + wanted
        while column < goal:
            step = 4 - column % 4 if self.text[position] == "\t" else 1
            if column + step > goal:
                break
            column += step
            position += 1
        return position, column

    def _past_mark(self, position: int, end: int, column: int) -> tuple[int, int]:
        if position < end and self.text[position] == " ":
            return position + 1, column + 1
        return position, column

    def _is_lazy(self, position: int, end: int, column: int) -> bool:
        after, width = self._indent(position, end, column)
        if after == end:
            return False
        return width > 3 or not self._starts_block(after, end)

    def _starts_block(self, position: int, end: int) -> bool:
        """Whether a line ends the paragraph before it, by what it starts with."""
        rest = self.text[position:end]
        if rest[0] not in "`~>#*-_+<$[0123456789":
            return False
        item = _ITEM.match(rest)
        return bool(
            rest[0] == ">"
            or rest.startswith("$$")
            or _FENCE.match(rest)
            or _RULE.match(rest)
            or _HEADING.match(rest)
            or _FOOTNOTE.match(rest)
            or (item and rest[item.end() :].strip() and item[1] in {None, "1"})
            or any(opening.match(rest) for opening, _ in _HTML)
        )

    def _in_raw_block(self, position: int, end: int, column: int) -> bool:
        after, width = self._indent(position, end, column)
        if self.fence:
            rest = self.text[after:end].rstrip()
            if width < 4 and rest.startswith(self.fence) and not rest.strip(self.fence[0]):
                self.fence = ""
            return True
        if self.closing is not None:
            if self.closing.search(self.text[after:end].rstrip()) and (
                self.closing is not _BLANK or after == end
            ):
                self.closing = None
            return True
        return False

    def _open(self, position: int, end: int, column: int) -> None:
        while True:
            after, width = self._indent(position, end, column)
            if after == end:
                self._close_paragraph()
                return
            if width > 3:
                if self.paragraph:
                    self._continue_paragraph(position, end)
                return
            if not self._open_container(after, end, column + width):
                break
            position, column = self._resume
        rest = self.text[after:end]
        if self.paragraph and _UNDERLINE.match(rest):
            self._close_paragraph()
        elif fence := _FENCE.match(rest):
            self._close_paragraph()
            self.fence = fence[1] or fence[2]
        elif rest[0] == "#" and _HEADING.match(rest):
            self._close_paragraph()
            self.runs.append(((after, end),))
        elif rest[0] in "*-_" and _RULE.match(rest):
            self._close_paragraph()
        elif not (self._open_html(rest) or self._open_maths(rest, end)):
            self._continue_paragraph(after, end)

    _resume: tuple[int, int] = (0, 0)

    def _open_container(self, after: int, end: int, column: int) -> bool:
        """Open what starts at `after`; `_resume` says where its content is."""
        rest = self.text[after:end]
        if rest[0] == ">":
            self._close_paragraph()
            self.containers.append(_QUOTE)
            self._resume = self._past_mark(after + 1, end, column + 1)
            return True
        if rest[0] == "[" and (note := _FOOTNOTE.match(rest)):
            self._close_paragraph()
            self.containers.append(4)
            self._resume = (after + note.end(), column + note.end())
            return True
        item = _ITEM.match(rest) if rest[0] in "-+*0123456789" else None
        if item is None or _RULE.match(rest) or (self.paragraph and _UNDERLINE.match(rest)):
            return False
        content, blanks = self._indent(after + item.end(), end, column + item.end())
        blank = content == end
        in_own_list = bool(self.paragraph) and (blank or item[1] not in {None, "1"})
        if in_own_list:
            return False
        self._close_paragraph()
        padding = blanks if 1 <= blanks <= 4 and not blank else 1
        indent = column - self._column + item.end() + padding
        self.containers.append(indent)
        self.empty_item = blank
        marker_end = after + item.end()
        if blank:
            self._resume = (end, column + item.end())
        else:
            self._resume = self._take(marker_end, column + item.end(), padding)
        return True

    _column: int = 0

    def _open_html(self, rest: str) -> bool:
        if rest[0] != "<":
            return False
        for opening, closing in _HTML:
            if opening.match(rest):
                self._close_paragraph()
                if closing is _BLANK or not closing.search(rest):
                    self.closing = closing
                return True
        if not self.paragraph and _HTML_TAG_LINE.match(rest):
            self.closing = _BLANK
            return True
        return False

    def _open_maths(self, rest: str, end: int) -> bool:
        if not rest.startswith("$$"):
            return False
        body = rest[2:].rstrip()
        self._close_paragraph()
        if not body.endswith("$$"):
            # Without an end it is prose, as it is for the renderers.
            if self.text.find("$$", end) < 0:
                return False
            self.closing = _MATHS_END
        return True

    def _continue_paragraph(self, position: int, end: int) -> None:
        self.paragraph.append((_INDENT.match(self.text, position).end(), end))  # type: ignore[union-attr]

    def _close_paragraph(self) -> None:
        lines = self.paragraph
        if not lines:
            return
        if len(lines) > 1 and self._is_table(lines):
            self.runs.extend(((line,) for line in lines))
        else:
            self.runs.append(tuple(lines))
        self.paragraph = []

    def _is_table(self, lines: list[tuple[int, int]]) -> bool:
        head, delimiters = (self.text[slice(*line)] for line in lines[:2])
        return "|" in head and _DELIMITERS.match(delimiters) is not None

    def _close_leaf(self) -> None:
        self._close_paragraph()
        self.fence = ""
        self.closing = None


_MATHS_END = re.compile(r"\$\$\Z")
