"""Which parts of a Markdown text are prose: the block structure of CommonMark, without the tree.

A page is cut into runs of prose (paragraphs, headings, table rows); fenced and indented code, HTML
blocks, display maths and frontmatter are left out. Method: spec.commonmark.org/0.31.2, appendix "A
parsing strategy", with footnote definitions as a container four columns deep.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from llmwiki.core.bounds import NESTED

Run = tuple[tuple[int, int], ...]
"""One run of prose: (start, end) of the part of each line that belongs to it."""

_FRONTMATTER = re.compile(r"\ufeff?---[ \t]*\r?\n(?s:.*?)(?<=\n)(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)")
_FENCE = re.compile(r"(`{3,}+)[^`\n]*+\Z|(~{3,}+).*\Z")
_RULE = re.compile(r"(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})\Z")
_ITEM = re.compile(r"(?:[-+*]|(\d{1,9})[.)])(?=[ \t]|\Z)")
_HEADING = re.compile(r"#{1,6}(?=[ \t]|\Z)")
_UNDERLINE = re.compile(r"(?:=+|-+)[ \t]*\Z")
_FOOTNOTE = re.compile(r"\[\^[^\s\]]+\]:")
DELIMITERS = re.compile(
    r"[ \t]*+(?:\|[ \t]*+)?:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+(?:\|[ \t\r]*+)?\r?\Z"
)
"""The line below a table's head."""

_ATTRIBUTE = r"(?:\s+[A-Za-z_:][\w:.-]*(?:\s*=\s*(?:[^\"'=<>`\x00-\x20]+|'[^']*'|\"[^\"]*\"))?)"
TAG = rf"<[A-Za-z][A-Za-z0-9-]*{_ATTRIBUTE}*\s*/?>|</[A-Za-z][A-Za-z0-9-]*\s*>"
"""An HTML tag, open or closing, as CommonMark writes it."""

_BLOCK_TAGS = (
    "address article aside base basefont blockquote body caption center col colgroup dd details "
    "dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 "
    "head header hr html iframe legend li link main menu menuitem nav noframes ol optgroup option "
    "p param search section summary table tbody td tfoot th thead title tr track ul"
)
BLANK = re.compile(r"\Z")
_HTML = (
    (
        re.compile(r"<(?:script|pre|style|textarea)(?=[\s>]|\Z)", re.I),
        re.compile(r"</(?:script|pre|style|textarea)>", re.I),
    ),
    (re.compile(r"<!--"), re.compile("-->")),
    (re.compile(r"<\?"), re.compile(r"\?>")),
    (re.compile(r"<![A-Za-z]"), re.compile(">")),
    (re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>")),
    (re.compile(rf"</?(?:{'|'.join(_BLOCK_TAGS.split())})(?=\s|/?>|\Z)", re.I), BLANK),
)
HTML_TAG_LINE = re.compile(rf"(?:{TAG})\s*\Z")


def html_block(text: str) -> re.Pattern[str] | None:
    """What ends the HTML block that a line begins, its indentation aside; None: it begins none.

    `BLANK` says that a blank line does. A lone tag (`HTML_TAG_LINE`) begins one too, but ends no
    paragraph.
    """
    return next((closing for opening, closing in _HTML if opening.match(text)), None)


_MATHS_END = re.compile(r"\$\$\Z")

_QUOTE = -1


def body_start(text: str) -> int:
    """Where the text after the frontmatter starts; 0 where there is none."""
    if not text.startswith(("---", "\ufeff---")):
        return 0
    match = _FRONTMATTER.match(text)
    return match.end() if match else 0


@dataclass(slots=True)
class _Reader:
    """The state between two lines: open containers and the open leaf.

    A place in a line is a position in the text and the column it is shown at: tabs reach to the
    next multiple of four.
    """

    text: str
    runs: list[Run] = field(default_factory=list)
    containers: list[int] = field(default_factory=list)
    """For each open container the columns its content is indented by, or _QUOTE."""
    paragraph: list[tuple[int, int]] = field(default_factory=list)
    fence: str = ""
    closing: re.Pattern[str] | None = None
    """What ends the open HTML or maths block."""
    empty_item: bool = False
    """The last line opened a list item and held nothing else."""

    def read(self, start: int, end: int) -> None:
        """Take the next line, given without its end."""
        if not self.containers and self._read_simple(start, end):
            return
        depth, position, column = self._match_containers(start, end)
        self.empty_item = False
        if depth < len(self.containers):
            if self.paragraph and self._is_lazy(position, end, column):
                self._extend_paragraph(position, end)
                return
            self.close()
            del self.containers[depth:]
        elif self._in_raw_block(position, end, column):
            return
        self._open(position, end, column)

    def _read_simple(self, start: int, end: int) -> bool:
        """The lines most pages are made of, outside containers: blank, plain text, code."""
        if self.fence:
            if self.text.find(self.fence, start, end) < 0:
                return True
        elif self.closing is None:
            if start == end:
                if self.paragraph:
                    self.close()
                return True
            if self.text[start].isalpha():
                self.paragraph.append((start, end))
                return True
        return False

    def close(self) -> None:
        """End the open leaf: nothing more belongs to it."""
        lines, self.paragraph = self.paragraph, []
        if len(lines) > 1 and self._is_table(lines):
            self.runs.extend((line,) for line in lines)
        elif lines:
            self.runs.append(tuple(lines))
        self.fence, self.closing = "", None

    def _match_containers(self, position: int, end: int) -> tuple[int, int, int]:
        column = 0
        filled = end
        while filled > position and self.text[filled - 1] in " \t":
            filled -= 1
        for depth, wanted in enumerate(self.containers):
            if wanted == _QUOTE:
                after, width = self._indent(position, end, column, 4)
                if width > 3 or after == end or self.text[after] != ">":
                    return depth, position, column
                position, column = self._after_quote(after, end, column + width)
                continue
            if position >= filled and not (self.empty_item and depth == len(self.containers) - 1):
                position = end
            elif self._indent(position, end, column, wanted)[1] >= wanted:
                position, column = self._skip(position, column, wanted)
            else:
                return depth, position, column
        return len(self.containers), position, column

    def _indent(
        self, position: int, end: int, column: int, enough: int | None = None
    ) -> tuple[int, int]:
        """Where the blanks end, and how many columns they are wide, as far as that is asked for.

        Each container looks at its own columns only: else a line would be read as often as it is
        nested.
        """
        if position >= end or self.text[position] not in " \t":
            return position, 0
        start = column
        while position < end and self.text[position] in " \t":
            column += 4 - column % 4 if self.text[position] == "\t" else 1
            position += 1
            if enough is not None and column - start >= enough:
                break
        return position, column - start

    def _skip(self, position: int, column: int, wanted: int) -> tuple[int, int]:
        """Go on by so many columns of blanks; what a tab has beyond them stays ahead."""
        goal = column + wanted
        while column < goal:
            step = 4 - column % 4 if self.text[position] == "\t" else 1
            if column + step > goal:
                return position, goal
            column += step
            position += 1
        return position, column

    def _after_quote(self, mark: int, end: int, column: int) -> tuple[int, int]:
        blank = mark + 1 < end and self.text[mark + 1] == " "
        return mark + 1 + blank, column + 1 + blank

    def _is_lazy(self, position: int, end: int, column: int) -> bool:
        """Whether a line outside its container goes on with the paragraph all the same."""
        after, width = self._indent(position, end, column)
        if after == end:
            return False
        rest = self.text[after:end]
        return width > 3 or not (
            rest.startswith(">")
            or _FENCE.match(rest)
            or _RULE.match(rest)
            or _HEADING.match(rest)
            or _FOOTNOTE.match(rest)
            or _ITEM.match(rest)
            or html_block(rest)
        )

    def _in_raw_block(self, position: int, end: int, column: int) -> bool:
        if not self.fence and self.closing is None:
            return False
        after, width = self._indent(position, end, column)
        rest = self.text[after:end].rstrip()
        if self.fence:
            if width < 4 and rest.startswith(self.fence) and not rest.strip(self.fence[0]):
                self.fence = ""
        elif self.closing is not None and (
            self.closing.match(rest) if self.closing is BLANK else self.closing.search(rest)
        ):
            self.closing = None
        return True

    def _open(self, position: int, end: int, column: int) -> None:
        while True:
            after, width = self._indent(position, end, column)
            if after == end:
                self.close()
                return
            if width > 3:
                if self.paragraph:
                    self._extend_paragraph(after, end)
                return
            place = self._open_container(after, end, column, width)
            if place is None:
                break
            position, column = place
        self._open_leaf(after, end)

    def _open_container(
        self, after: int, end: int, column: int, width: int
    ) -> tuple[int, int] | None:
        """Open the container that starts at `after`, and say where its content starts."""
        if len(self.containers) >= NESTED:
            return None
        rest = self.text[after:end]
        if rest[0] == ">":
            self.close()
            self.containers.append(_QUOTE)
            return self._after_quote(after, end, column + width)
        if rest[0] == "[" and (note := _FOOTNOTE.match(rest)):
            self.close()
            self.containers.append(4)
            content, _ = self._indent(after + note.end(), end, 0)
            return content, column + 4
        item = _ITEM.match(rest)
        if item is None or _RULE.match(rest) or (self.paragraph and _UNDERLINE.match(rest)):
            return None
        marked = after + item.end()
        content, blanks = self._indent(marked, end, column + width + item.end())
        if self.paragraph and (content == end or item[1] not in {None, "1"}):
            return None
        self.close()
        self.empty_item = content == end
        padding = blanks if blanks <= 4 and not self.empty_item else 1
        self.containers.append(width + item.end() + padding)
        if self.empty_item:
            return end, 0
        return self._skip(marked, column + width + item.end(), padding)

    def _open_leaf(self, after: int, end: int) -> None:
        rest = self.text[after:end]
        if self.paragraph and _UNDERLINE.match(rest):
            self.close()
        elif fence := _FENCE.match(rest):
            self.close()
            self.fence = fence[1] or fence[2]
        elif _HEADING.match(rest):
            self.close()
            self.runs.append(((after, end),))
        elif _RULE.match(rest):
            self.close()
        elif not self._open_html(rest) and not self._open_maths(rest, end):
            self._extend_paragraph(after, end)

    def _open_html(self, rest: str) -> bool:
        if rest[0] != "<":
            return False
        if closing := html_block(rest):
            self.close()
            if closing is BLANK or not closing.search(rest):
                self.closing = closing
            return True
        if not self.paragraph and HTML_TAG_LINE.match(rest):
            self.closing = BLANK
            return True
        return False

    def _open_maths(self, rest: str, end: int) -> bool:
        if self.paragraph or not rest.startswith("$$"):
            return False
        body = rest[2:].rstrip()
        if len(body) > 1 and "$$" in body:
            return body.endswith("$$")
        if not self._maths_ends(end):
            return False
        self.closing = _MATHS_END
        return True

    def _maths_ends(self, end: int) -> bool:
        """Whether a line that closes display maths follows before a blank one."""
        stop = self.text.find("\n", end)
        while stop >= 0:
            start, stop = stop + 1, self.text.find("\n", stop + 1)
            line = self.text[start : len(self.text) if stop < 0 else stop]
            if line.removesuffix("\r").rstrip(" \t").endswith("$$"):
                return True
            if not line.strip():
                return False
        return False

    def _extend_paragraph(self, position: int, end: int) -> None:
        start, _ = self._indent(position, end, 0)
        self.paragraph.append((start, end))

    def _is_table(self, lines: list[tuple[int, int]]) -> bool:
        head, delimiters = (self.text[slice(*line)] for line in lines[:2])
        return "|" in head and DELIMITERS.match(delimiters) is not None


def prose(text: str) -> list[Run]:
    """The runs of prose of a page in order; inline markup never reaches from one into another."""
    reader = _Reader(text)
    _read_body(reader)
    return reader.runs


class _HtmlReader(_Reader):
    """A reader that keeps the lines of HTML blocks as well."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.html: list[tuple[int, int]] = []
        self._opened = False

    def _open_html(self, rest: str) -> bool:
        self._opened = super()._open_html(rest)
        return self._opened

    def _open_leaf(self, after: int, end: int) -> None:
        self._opened = False
        super()._open_leaf(after, end)
        if self._opened:
            self.html.append((after, end))

    def _in_raw_block(self, position: int, end: int, column: int) -> bool:
        is_html = self.closing is not None and self.closing is not _MATHS_END
        inside = super()._in_raw_block(position, end, column)
        if inside and is_html:
            self.html.append((position, end))
        return inside


def prose_and_html(text: str) -> tuple[list[Run], list[tuple[int, int]]]:
    """The runs of prose of a page, and (start, end) of each line of its HTML blocks."""
    reader = _HtmlReader(text)
    _read_body(reader)
    return reader.runs, reader.html


def _read_body(reader: _Reader) -> None:
    text = reader.text
    start = body_start(text)
    while start < len(text):
        stop = text.find("\n", start)
        stop = len(text) if stop < 0 else stop
        reader.read(start, stop - (text[start:stop].endswith("\r")))
        start = stop + 1
    reader.close()
