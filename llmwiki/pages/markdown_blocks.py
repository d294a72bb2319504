"""The blocks of a Markdown text: which lines are code, HTML, headings, items, quotations, prose.

One pass over the lines, without a tree: top-level blocks, and the leaves in them. Method:
spec.commonmark.org/0.31.2, appendix "A parsing strategy", with footnote definitions as a container
four columns deep, tables of GFM, display maths (`$$`) and comments of Obsidian (`%%`).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate

from llmwiki.core.quick_to_load import NamedTuple, lazy_pattern
from llmwiki.core.text import MOST_NESTED
from llmwiki.pages.line_patterns import (
    BLANK,
    BLANKS,
    DELIMITERS,
    FENCE,
    FOOTNOTE,
    HEADING,
    HTML_TAG_LINE,
    ITEM,
    RULE,
    UNDERLINE,
    closes,
    fence,
    html_block,
)  # fmt: skip

Run = tuple[tuple[int, int], ...]
"""One run of prose: (start, end) of the part of each line that belongs to it."""


class Leaf(NamedTuple):
    """A run of lines that holds no other block."""

    kind: str
    """heading, paragraph, table, code, html, math or comment."""
    first: int
    """Its first line; lines count from 0 where the scan began."""
    last: int
    spans: Run
    """The part of each line that belongs to it; none of code and maths, nor of the line below an
    underlined heading."""


class Block:
    """A block that lies in no other: from its first line to its last one that is not blank."""

    __slots__ = ("first", "kind", "last", "leaves")

    def __init__(self, kind: str, first: int, last: int, leaves: list[Leaf]) -> None:
        self.kind = kind
        """heading (with number signs), code, html, math, comment, footnote, item, quote or text: a
        paragraph, a table, a rule, indented code."""
        self.first = first
        self.last = last
        self.leaves = leaves


_FRONTMATTER = lazy_pattern(r"\ufeff?---[ \t]*\r?\n(?s:.*?)(?<=\n)(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)")
_MATHS_END = lazy_pattern(r"\$\$\Z")
_COMMENT_END = lazy_pattern("%%")
_WORDS = r"(?!\d{1,9}[.)])(?:[^\W_]|[“\"(\\]|\[(?!\^)|`(?!``)|\*\*[^\W_]|~(?!~~))"
_PLAIN_ITEM = lazy_pattern(f"[-*+] {_WORDS}")
_PLAIN_NESTED = lazy_pattern(f"  [-*+] {_WORDS}")
_BULLETS = frozenset(("- ", "* ", "+ "))
_QUOTE = -1
_MAY_CONTAIN = frozenset(" \t>[-+*0123456789")
"""Begins a line that may open a container, or is indented."""


def body_start(text: str) -> int:
    """Where the text after the frontmatter starts; 0 where there is none."""
    if not text.startswith(("---", "\ufeff---")):
        return 0
    match = _FRONTMATTER.match(text)
    return match.end() if match else 0


def scan(text: str, start: int = 0) -> list[Block]:
    """The top-level blocks of a text from an offset on, in order; never raises, in linear time.

    One tolerance: a bullet that is indented by two columns more than the one above is part of that
    item, whatever width the marker above has.
    """
    reader = _Reader(text)
    lines = text[start:].split("\n")
    number = 0
    while number < len(lines):
        if reader.fence and not reader.containers:
            # Lines of code are passed over: only one with the mark may end it.
            at = text.find(reader.fence, start)
            if at < 0:
                reader.end_of_text(lines)
                break
            number += text.count("\n", start, at)
            start = text.rfind("\n", 0, at) + 1
        line = lines[number]
        after = reader.plain_item(lines, number) if line[:2] in _BULLETS else number
        if after > number:
            reader.take_item(lines, number, after, start)
            start += sum(map(len, lines[number:after])) + after - number
            number = after
            continue
        reader.number = number
        if line.strip(BLANKS):
            reader.read(line[0], start, start + len(line.rstrip("\r")))
            reader.filled = reader.blocks[-1].last = number
        else:
            reader.read_blank(start)
        start += len(line) + 1
        number += 1
    reader.close()
    return reader.blocks


class _Reader:
    """The state between two lines: open containers and the open leaf.

    A place in a line is a position in the text and the column it is shown at: tabs reach to the
    next multiple of four.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.blocks: list[Block] = []
        self.number = 0
        """Of the line that is read."""
        self.filled = -1
        """Number of the last line that is not blank."""
        self.containers: list[int] = []
        """For each open container the columns its content is indented by, or _QUOTE."""
        self.nested = 0
        """The column from which on a bullet is part of the top-level item."""
        self.kind = ""
        """Of the open leaf; empty: none is open."""
        self.first = 0
        """Line of the open leaf."""
        self.spans: list[tuple[int, int]] = []
        """Of the open leaf."""
        self.fence = ""
        self.closing: re.Pattern[str] | None = None
        """What ends the open block of HTML, maths or comment."""
        self.empty_item = False
        """The last line opened a list item and held nothing else."""

    def plain_item(self, lines: list[str], at: int) -> int:
        """The line after an item of plain lines, as the tool writes it; `at`: it is another."""
        if (self.kind not in ("", "paragraph") and not self.containers) or not _PLAIN_ITEM.match(
            lines[at]
        ):
            return at
        end = at + 1
        while end < len(lines) and _PLAIN_NESTED.match(lines[end]):
            end += 1
        following = end
        while following < len(lines) and not lines[following].strip(BLANKS):
            following += 1
        if following == len(lines):
            return end
        if following > end:
            return at if lines[following][0] in " \t" else end
        return end if lines[end][:2] in _BULLETS else at

    def take_item(self, lines: list[str], first: int, end: int, start: int) -> None:
        """Take lines `first` to `end`, which are a plain item and begin at offset `start`."""
        self.close()
        self.containers.clear()
        self.empty_item, self.nested = False, 2
        leaves, mark = [], 2
        for number in range(first, end):
            span = start + mark, start + len(lines[number].rstrip("\r"))
            leaves.append(Leaf("paragraph", number, number, (span,)))
            start += len(lines[number]) + 1
            mark = 4
        self.blocks.append(Block("item", first, end - 1, leaves))
        self.filled = end - 1

    def end_of_text(self, lines: list[str]) -> None:
        """Take code that nothing closes: up to the last line that is not blank."""
        number = len(lines) - 1
        while not lines[number].strip(BLANKS):
            number -= 1
        self.filled = self.blocks[-1].last = number

    def read_blank(self, start: int) -> None:
        """Take a blank line."""
        if self.containers or self.closing is not None:
            self._read(start, start)
        elif not self.fence:
            self.close()

    def read(self, sign: str, start: int, end: int) -> None:
        """Take a line that is not blank and begins with `sign`, given without its end."""
        if not self.containers and self.fence:
            self._read_raw(start, end, 0)
        elif self.containers or self.closing is not None or sign in _MAY_CONTAIN:
            self._read(start, end)
        else:
            self._open_leaf(start, end)

    def _read(self, start: int, end: int) -> None:
        depth, position, column = (
            self._match_containers(start, end) if self.containers else (0, start, 0)
        )
        self.empty_item = False
        if depth < len(self.containers):
            if self.kind == "paragraph" and self._is_lazy(position, end, column):
                self._extend_paragraph(position, end)
                return
            self.close()
            del self.containers[depth:]
        elif self.fence or self.closing is not None:
            self._read_raw(position, end, column)
            return
        self._open(position, end, column)

    def close(self) -> None:
        """End the open leaf: nothing more belongs to it."""
        if self.kind:
            kind = "table" if self._is_table() else self.kind
            leaf = Leaf(kind, self.first, self.filled, tuple(self.spans))
            self.blocks[-1].leaves.append(leaf)
            self.kind, self.spans, self.fence, self.closing = "", [], "", None

    def _begin(self, kind: str, block: str = "text") -> None:
        """Open a leaf, and the top-level block that it is where it lies in no container."""
        self._begin_block(block)
        self.kind, self.first, self.filled = kind, self.number, self.number

    def _begin_block(self, kind: str) -> None:
        self.close()
        if not self.containers:
            self.blocks.append(Block(kind, self.number, self.number, []))

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
            or FENCE.match(rest)
            or RULE.match(rest)
            or HEADING.match(rest)
            or FOOTNOTE.match(rest)
            or ITEM.match(rest)
            or html_block(rest)
        )

    def _read_raw(self, position: int, end: int, column: int) -> None:
        after, width = self._indent(position, end, column)
        rest = self.text[after:end].rstrip(BLANKS)
        if self.fence:
            is_end = width < 4 and closes(rest, self.fence)
        else:
            if self.kind != "math":
                self.spans.append((position, end))
            is_end = self.closing is not None and self.closing.search(rest) is not None
        if is_end:
            self.filled = self.number if rest else self.filled
            self.close()

    def _open(self, position: int, end: int, column: int) -> None:
        while True:
            after, width = self._indent(position, end, column)
            if after == end:
                self.close()
                return
            if width > 3:
                if self.kind == "paragraph":
                    self._extend_paragraph(after, end)
                elif not self.kind:
                    self._begin("code")
                return
            place = self._open_container(after, end, column, width)
            if place is None:
                break
            position, column = place
        self._open_leaf(after, end)

    def _open_container(
        self, after: int, end: int, column: int, width: int
    ) -> tuple[int, int] | None:
        """Open the container that starts at `after`; gives where its content starts."""
        if len(self.containers) >= MOST_NESTED:
            return None
        sign = self.text[after]
        if sign.isalpha() or sign in "#`|<":
            return None
        rest = self.text[after:end]
        if sign == ">":
            self._begin_block("quote")
            self.containers.append(_QUOTE)
            return self._after_quote(after, end, column + width)
        if sign == "[" and (note := FOOTNOTE.match(rest)):
            self._begin_block("footnote")
            self.containers.append(4)
            content, _ = self._indent(after + note.end(), end, 0)
            return content, column + 4
        item = ITEM.match(rest)
        if item is None or RULE.match(rest) or self._is_underline(rest):
            return None
        in_paragraph = self.kind == "paragraph"
        marked = after + item.end()
        content, blanks = self._indent(marked, end, column + width + item.end())
        if in_paragraph and (content == end or item[1] not in {None, "1"}):
            return None
        self.close()
        self.empty_item = content == end
        padding = blanks if blanks <= 4 and not self.empty_item else 1
        wanted = width + item.end() + padding
        if not self.containers:
            self._begin_item(width, width + 2 if item[1] is None else wanted)
        self.containers.append(wanted)
        if self.empty_item:
            return end, 0
        return self._skip(marked, column + width + item.end(), padding)

    def _begin_item(self, width: int, nested: int) -> None:
        is_bullet = nested == width + 2 and not self.empty_item
        above = self.blocks[-1].kind if self.blocks else ""
        if above != "item" or not is_bullet or width < self.nested:
            self._begin_block("item")
            self.nested = nested

    def _open_leaf(self, after: int, end: int) -> None:
        sign = self.text[after]
        if sign.isalnum():
            if self.kind != "paragraph":
                self._begin("paragraph")
            self.spans.append((after, end))
            return
        rest = self.text[after:end]
        if sign in "-=" and self._is_underline(rest) and not self._is_table():
            self.kind, self.filled = "heading", self.number
            self.close()
        elif sign in "`~" and (mark := fence(rest)):
            self._begin("code", "code")
            self.fence = mark
        elif sign == "#" and HEADING.match(rest):
            self._begin("heading", "heading")
            self.spans.append((after, end))
            self.close()
        elif sign in "-*_" and RULE.match(rest):
            self._begin_block("text")
        elif not (
            self._open_html(rest, after, end)
            or self._open_maths(rest, end)
            or self._open_comment(rest, after, end)
        ):
            self._extend_paragraph(after, end)

    def _open_html(self, rest: str, after: int, end: int) -> bool:
        if rest[0] != "<":
            return False
        closing = html_block(rest)
        if closing is None and self.kind != "paragraph" and HTML_TAG_LINE.match(rest):
            closing = BLANK
        if closing is None:
            return False
        self._begin("html", "html")
        self.spans.append((after, end))
        if closing.search(rest):
            self.close()
        self.closing = closing if self.kind else None
        return True

    def _open_maths(self, rest: str, end: int) -> bool:
        if not rest.startswith("$$"):
            return False
        body = rest[2:].rstrip()
        if len(body) > 1 and "$$" in body:
            if body.endswith("$$"):
                self._begin("math", "math")
                self.close()
                return True
            return False
        if not self._maths_ends(end):
            return False
        self._begin("math", "math")
        self.closing = _MATHS_END
        return True

    def _open_comment(self, rest: str, after: int, end: int) -> bool:
        in_block = self.containers or self.kind == "paragraph"
        if in_block or rest.rstrip(BLANKS) != "%%" or self.text.find("%%", end) < 0:
            return False
        self._begin("comment", "comment")
        self.spans.append((after, end))
        self.closing = _COMMENT_END
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
        if self.kind != "paragraph":
            self._begin("paragraph")
        self.spans.append((self._indent(position, end, 0)[0], end))

    def _is_underline(self, rest: str) -> bool:
        return self.kind == "paragraph" and UNDERLINE.match(rest) is not None

    def _is_table(self) -> bool:
        if self.kind != "paragraph" or len(self.spans) < 2:
            return False
        head, delimiters = (self.text[slice(*line)] for line in self.spans[:2])
        return "|" in head and DELIMITERS.match(delimiters) is not None


@lru_cache(maxsize=2)
def body_blocks(text: str) -> tuple[Block, ...]:
    """The blocks of a page behind its frontmatter, to be read only.

    Kept for the last pages: title, wikilinks, Markdown links and visible text each ask for them.
    """
    return tuple(scan(text, body_start(text)))


def prose(text: str) -> list[Run]:
    """The runs of prose of a page in order; inline markup never reaches from one into another."""
    runs: list[Run] = []
    for block in body_blocks(text):
        for leaf in block.leaves:
            if leaf.kind == "table":
                runs.extend((span,) for span in leaf.spans)
            elif leaf.kind in ("paragraph", "heading", "comment"):
                runs.append(leaf.spans)
    return runs


class RunText:
    """The text of one run of prose, without the marks before its lines (`> `, blanks)."""

    def __init__(self, text: str, run: Run) -> None:
        self.text = "\n".join([text[start:end] for start, end in run])
        self._run = run
        self._begins = list(accumulate((end - start + 1 for start, end in run), initial=0))

    def offset(self, at: int) -> int:
        """Where a character of the run stands in the whole text."""
        line = bisect_right(self._begins, at) - 1
        return self._run[line][0] + at - self._begins[line]
