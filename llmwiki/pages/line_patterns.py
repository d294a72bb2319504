"""What single lines of Markdown begin and end: fences, headings, HTML, rules, rows of tables.

The patterns are those of CommonMark 0.31 for a line whose indentation is off, unless they say
otherwise. What a line is among others is the matter of `scan`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from llmwiki.core.quick_to_load import lazy_pattern

RECORD = "> [!note]- Record"
"""The first line of the folded record of a source's page."""

BLANKS = " \t\r"
_CELL_END = lazy_pattern(r"(?<!\\)\|(?![^\[\]]{0,400}\]\])")
FENCE = lazy_pattern(r"(`{3,}+)[^`\n]*+\Z|(~{3,}+).*\Z", re.DOTALL)
"""A line that opens fenced code, its indentation aside."""
RULE = lazy_pattern(r"(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})\Z")
ITEM = lazy_pattern(r"(?:[-+*]|(\d{1,9})[.)])(?=[ \t]|\Z)")
HEADING = lazy_pattern(r"#{1,6}(?=[ \t\r]|\Z)")
UNDERLINE = lazy_pattern(r"(?:=+|-+)[ \t]*\Z")
FOOTNOTE = lazy_pattern(r"\[\^([^\[\]\s]+)\]:")
DELIMITERS = lazy_pattern(
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
BLANK = lazy_pattern(r"\A\Z")
_HTML = (
    (
        lazy_pattern(r"<(?:script|pre|style|textarea)(?=[\s>]|\Z)", re.I),
        lazy_pattern(r"</(?:script|pre|style|textarea)>", re.I),
    ),
    (lazy_pattern(r"<!--"), lazy_pattern("-->")),
    (lazy_pattern(r"<\?"), lazy_pattern(r"\?>")),
    (lazy_pattern(r"<![A-Za-z]"), lazy_pattern(">")),
    (lazy_pattern(r"<!\[CDATA\["), lazy_pattern(r"\]\]>")),
    (lazy_pattern(rf"</?(?:{'|'.join(_BLOCK_TAGS.split())})(?=\s|/?>|\Z)", re.I), BLANK),
)
HTML_TAG_LINE = lazy_pattern(rf"(?:{TAG})\s*\Z")


def html_block(text: str) -> re.Pattern[str] | None:
    """What ends the HTML block that a line begins, its indentation aside; None: it begins none.

    `BLANK` says that a blank line does. A lone tag (`HTML_TAG_LINE`) begins one too, but ends no
    paragraph.
    """
    return next((closing for opening, closing in _HTML if opening.match(text)), None)


def fence(line: str) -> str:
    """The mark of a code fence that opens on a line, whatever its indentation; empty: none does."""
    found = FENCE.match(line.lstrip(BLANKS))
    return (found[1] or found[2]) if found else ""


def closes(line: str, mark: str) -> bool:
    """Whether a line closes the fence that `mark` opened."""
    text = line.strip(BLANKS)
    return len(text) >= len(mark) and text == mark[0] * len(text)


def fence_after(line: str, mark: str) -> str:
    """The mark of the fence that is open after a line, where `mark` is open before; empty: none."""
    return fence(line) if not mark else "" if closes(line, mark) else mark


def is_blank(line: str) -> bool:
    """Whether a line holds nothing but blanks and tabs."""
    return not line.strip(BLANKS)


def table_cells(row: str) -> list[str]:
    """The cells of a table row; a bar that is escaped or inside a wikilink ends none."""
    bare = row.strip().removeprefix("|")
    found = [cell.strip() for cell in _CELL_END.split(bare)]
    return found if found[-1] else found[:-1]


def heading(line: str) -> tuple[int, str] | None:
    """(level, text) of a heading that starts with number signs."""
    bare = line.lstrip(" ")
    found = HEADING.match(bare) if len(line) - len(bare) < 4 else None
    if not found:
        return None
    text = bare[found.end() :].strip(BLANKS)
    open_end = text.rstrip("#")
    if open_end != text and (not open_end or open_end[-1] in BLANKS):
        text = open_end.rstrip(BLANKS)
    return found.end(), text


# --- spans within lines --------------------------------------------------------------------------

_TICKS = lazy_pattern(r"`+")
_ENDS = {"<!--": "-->", "<?": "?>"}

Span = tuple[int, int]
"""Where something starts, and where it ends."""


class Closers:
    """What closes code spans, comments and instructions in one run of prose; looked for once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._last: dict[str, int] | None = None

    def behind(self, mark: str, at: int) -> int:
        """Where what `mark` opened just before `at` ends; `at` itself where nothing closes it."""
        if self._last is None:
            ticks = _TICKS.finditer(self._text, at)
            self._last = {match[0]: match.start() for match in ticks}
            self._last |= {end: self._text.rfind(end, at) for end in _ENDS.values()}
        end = _ENDS.get(mark, mark)
        if self._last.get(end, -1) < at:
            return at
        if end != mark:
            return self._text.index(end, at) + len(end)
        match = re.compile(rf"(?<!`){end}(?!`)").search(self._text, at)
        return match.end() if match else at


def code_spans(text: str) -> list[Span]:
    """The code spans of one run of prose, marks included, in order."""
    found: list[Span] = []
    closers = Closers(text)
    end = 0
    for ticks in _TICKS.finditer(text) if "`" in text else ():
        start = ticks.start() + is_escaped(text, ticks.start())
        if end <= start < ticks.end():
            last = closers.behind(text[start : ticks.end()], ticks.end())
            if last > ticks.end():
                found.append((start, last))
                end = last
    return found


def is_escaped(text: str, position: int) -> bool:
    """Whether a backslash that is none itself stands before a character."""
    back = position
    while back > 0 and text[back - 1] == "\\":
        back -= 1
    return (position - back) % 2 == 1


def marked_spans(text: str, opening: str, closing: str) -> list[Span]:
    """Each stretch from an opening mark to the next closing one, both included, in order."""
    found: list[Span] = []
    start = text.find(opening)
    while start >= 0:
        end = text.find(closing, start + len(opening))
        if end < 0:
            break
        end += len(closing)
        found.append((start, end))
        start = text.find(opening, end)
    return found


def comment_spans(text: str) -> list[Span]:
    """The HTML comments of a text that end, in order."""
    return marked_spans(text, "<!--", "-->")


def without(text: str, spans: list[Span], instead: str | Callable[[str], str]) -> str:
    """The text with each of these spans, which are in order, replaced."""
    parts: list[str] = []
    at = 0
    for start, end in spans:
        parts += [text[at:start], instead if isinstance(instead, str) else instead(text[start:end])]
        at = end
    parts.append(text[at:])
    return "".join(parts)
