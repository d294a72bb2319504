"""What single lines of Markdown begin and end: fences, headings, HTML, rules, rows of tables.

The patterns are those of CommonMark 0.31 for a line whose indentation is off, unless they say
otherwise. What a line is among others is the matter of `scan`.
"""

from __future__ import annotations

import re

from llmwiki.core.lazy_pattern import lazy_pattern

RECORD = "> [!note]- Record"
"""The first line of the folded record of a source's page."""

BLANKS = " \t\r"
_CELL_END = re.compile(r"(?<!\\)\|(?![^\[\]]{0,400}\]\])")
FENCE = re.compile(r"(`{3,}+)[^`\n]*+\Z|(~{3,}+).*\Z", re.DOTALL)
"""A line that opens fenced code, its indentation aside."""
RULE = lazy_pattern(r"(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})\Z")
ITEM = re.compile(r"(?:[-+*]|(\d{1,9})[.)])(?=[ \t]|\Z)")
HEADING = re.compile(r"#{1,6}(?=[ \t\r]|\Z)")
UNDERLINE = re.compile(r"(?:=+|-+)[ \t]*\Z")
FOOTNOTE = re.compile(r"\[\^([^\[\]\s]+)\]:")
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
BLANK = re.compile(r"\A\Z")
_HTML = (
    (
        re.compile(r"<(?:script|pre|style|textarea)(?=[\s>]|\Z)", re.I),
        re.compile(r"</(?:script|pre|style|textarea)>", re.I),
    ),
    (re.compile(r"<!--"), re.compile("-->")),
    (re.compile(r"<\?"), re.compile(r"\?>")),
    (re.compile(r"<![A-Za-z]"), re.compile(">")),
    (re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>")),
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
