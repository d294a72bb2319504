"""Plain text, reStructuredText, Org and AsciiDoc made readable as Markdown, line for line.

Only whole lines change, so that every line keeps its number and its words: headings get number
signs; literal blocks, directives, comments, targets and drawn tables become blank.
"""

from __future__ import annotations

import re

from llmwiki.language.plurals import word_set

_ADORNMENT = re.compile(r"([=\-~^\"'`#*+.:_<>])\1{2,}\s*$")
_NUMBERED = re.compile(r"(?P<number>\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+(?=[A-Z])[^.!?]{2,70}$")
_DIRECTIVE = re.compile(r"\s*\.\. +(?P<name>[A-Za-z][\w:-]*)::[ \t]*+(?P<rest>.*)$")
_EXPLICIT = re.compile(r"\s*(?:\.\.(?:\s|$)|__ )")
_KEPT = word_set("""admonition attention caution danger error hint important note tip
    warning seealso versionadded versionchanged deprecated topic container class rubric""")
"""Directives whose content is text."""
_CODE = frozenset(["code", "code-block", "sourcecode", "parsed-literal", "literal"])
_OPTION = re.compile(r"\s*:[\w-]+:(?:\s|$)")
_BARE_FIELD = re.compile(r":[\w -]{1,40}:\s*")
"""A field without a value, such as `:orphan:`."""
_LETTERED = re.compile(r"(\s*)(?:[a-h]|#)[.)] +(?=\S)")
_SIMPLE_TABLE = re.compile(r"\s*+={2,}+(?:\s++={2,}+)++\s*+$")
_GRID = re.compile(r"\+[-=+]{3,}\+$")
_PAGE_FOOT = re.compile(r"\s\[Page \d{1,4}\]$")
_ORG_HEADING = re.compile(r"(\*{1,6}) +(?=\S)")
_ORG_CODE = re.compile(r"\s*#\+(begin|end)_(?:src|example|comment)\b", re.IGNORECASE)
_ORG_QUOTE = re.compile(r"\s*#\+(begin|end)_quote\b", re.IGNORECASE)
_ORG_KEYWORD = re.compile(r"\s*(?:#\+\w|# |:[\w-]+:\s*$|SCHEDULED:|DEADLINE:|CLOSED:)")
_ORG_FACT = re.compile(r"#\+(title|author|date):[ \t]*+(?=\S)", re.IGNORECASE)
_ADOC_HEADING = re.compile(r"(={1,6}) +(?=\S)")
_ADOC_UNDERLINE = re.compile(r"(=|-|~|\^|\+)\1{2,}\s*$")
_ADOC_LEVELS = "=-~^+"
"""What underlines a title, the document's own first (Asciidoctor: titles of two lines)."""
_ADOC_ITEM = re.compile(r"(\*{1,5}|\.{1,5}) +(?=\S)")
_ADOC_FENCE = re.compile(r"(?:-{4,}|\.{4,}|\+{4,}|/{4,}|`{3})\s*$")
_ADOC_FACT = re.compile(r":(author|revdate|date|url):[ \t]*+(?=\S)", re.IGNORECASE)
_ADOC_DRAWN = re.compile(
    r"//|:[\w!-]+:|\[[^\[\]]*+\]\s*$|\.[^\s.]|[a-z]+::\S*\[|(?:[=*_]{4,}|\|={3,}|--|\+)\s*$|\|"
)
"""Comments, attributes, titles of blocks, macros, rows and what delimits a block."""


def as_markdown(path: str, lines: list[str]) -> tuple[list[str], list[tuple[int, int]]]:
    """The lines of a text that is no Markdown, as Markdown, as many as there were.

    Beside them the first and last line of each literal block, from 1, in order.
    """
    ending = path.lower().rpartition(".")[2]
    if ending == "org":
        return _org(lines), []
    if ending in ("adoc", "asciidoc"):
        return _asciidoc(lines), []
    rewriter = _Rewriter(lines)
    rewriter.run()
    return rewriter.out, rewriter.codes


def _org(lines: list[str]) -> list[str]:
    titled = any(line[:8].lower() == "#+title:" for line in lines[:20])
    made: list[str] = []
    quoted = False
    for line in lines:
        if mark := _ORG_QUOTE.match(line):
            quoted = mark[1].lower() == "begin"
            made.append("")
        elif _ORG_CODE.match(line):
            made.append("```")
        elif heading := _ORG_HEADING.match(line):
            level = min(6, len(heading[1]) + titled)
            made.append("#" * level + " " + line[heading.end() :])
        elif fact := _ORG_FACT.match(line):
            label = "# " if fact[1].lower() == "title" else f"{fact[1].capitalize()}: "
            made.append(label + line[fact.end() :])
        else:
            kept = "" if _ORG_KEYWORD.match(line) else line
            made.append(f"> {kept}" if quoted else kept)
    return made


def _asciidoc(lines: list[str]) -> list[str]:
    made: list[str] = []
    within = ""
    """What ends the block that is open: code, or what others said (`____`)."""
    for at, line in enumerate(lines):
        bare = line.rstrip()
        if within:
            is_quote, ended = within == "____", bare == within
            kept = f"> {line}" if is_quote else "" if line.startswith("include::") else line
            made.append(("" if is_quote else "```") if ended else kept)
            within = "" if ended else within
        elif level := _underlined(lines, at):
            made.append("#" * level + " " + line.strip())
        elif at and _underlined(lines, at - 1):
            made.append("")
        elif bare == "____" or _ADOC_FENCE.match(line):
            within = bare
            made.append("" if bare == "____" else "```")
        else:
            made.append(_asciidoc_line(line))
    return made


def _asciidoc_line(line: str) -> str:
    if heading := _ADOC_HEADING.match(line):
        return "#" * len(heading[1]) + " " + line[heading.end() :]
    if fact := _ADOC_FACT.match(line):
        label = "Date" if "date" in fact[1].lower() else fact[1].capitalize()
        return f"{label}: {line[fact.end() :]}"
    if item := _ADOC_ITEM.match(line):
        mark = "1. " if item[1][0] == "." else "* "
        return "   " * (len(item[1]) - 1) + mark + line[item.end() :]
    return "" if _ADOC_DRAWN.match(line) else line


def _underlined(lines: list[str], at: int) -> int:
    """The level of the title that a line is by the line below it, from 1; 0: it is none.

    A title stands after an empty line, and its underline is as long as it is, give or take one.
    """
    below = _ADOC_UNDERLINE.match(lines[at + 1]) if at + 1 < len(lines) else None
    title = lines[at].strip()
    if below is None or (at and lines[at - 1].strip()) or not any(map(str.isalnum, title)):
        return 0
    is_as_long = abs(len(lines[at + 1].rstrip()) - len(title)) <= 1
    return _ADOC_LEVELS.index(below[1]) + 1 if is_as_long else 0


class _Rewriter:
    """One pass over the lines of a text; `self.out` is what is read."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.out = list(lines)
        self.codes: list[tuple[int, int]] = []
        self._levels: list[str] = []
        """The styles of headings, the first of them the highest."""

    def run(self) -> None:
        """Rewrite all lines."""
        at = 0
        while at < len(self.lines):
            at = max(at + 1, self._take(at))

    def _take(self, at: int) -> int:
        """Rewrite what begins at index `at`; gives the index behind it."""
        line = self.lines[at]
        if not line.strip():
            return at + 1
        if directive := _DIRECTIVE.match(line):
            return self._directive(at, directive["name"], directive["rest"])
        if _EXPLICIT.match(line) or _BARE_FIELD.fullmatch(line):
            return self._blank(at, self._indented_end(at))
        if heading := self._heading(at):
            return heading
        if _SIMPLE_TABLE.match(line):
            return self._blank(at, self._table_end(at))
        bare = line.strip()
        drawn = _GRID.match(bare) or (bare.startswith("|") and bare.endswith("|"))
        if drawn or _PAGE_FOOT.search(bare):
            return self._blank(at, at + 1)
        if line.rstrip().endswith("::"):
            self.out[at] = line.rstrip()[:-1]
            return self._literal(at)
        if item := _LETTERED.match(line):
            self.out[at] = f"{item[1]}1. {line[item.end() :]}"
        return at + 1

    def _indent(self, at: int) -> int:
        return len(self.lines[at]) - len(self.lines[at].lstrip())

    def _indented_end(self, at: int) -> int:
        """The index behind the lines that are indented more than the one at `at`."""
        margin = self._indent(at)
        end = last = at + 1
        while end < len(self.lines):
            if self.lines[end].strip():
                if self._indent(end) <= margin:
                    break
                last = end + 1
            end += 1
        return last

    def _blank(self, start: int, end: int) -> int:
        for at in range(start, end):
            self.out[at] = ""
        return end

    def _directive(self, at: int, name: str, rest: str) -> int:
        end = self._indented_end(at)
        if name in _KEPT:
            self.out[at] = rest if rest and name not in ("class", "container") else ""
            following = at + 1
            while following < end and _OPTION.match(self.lines[following]):
                following = self._blank(following, following + 1)
            self._dedent(following, end)
            return following
        if name in _CODE:
            return self._code(at + 1, self._blank(at, at + 1) and end)
        return self._blank(at, end)

    def _dedent(self, start: int, end: int) -> None:
        margin = min(
            (self._indent(n) for n in range(start, end) if self.lines[n].strip()), default=0
        )
        for at in range(start, end):
            self.lines[at] = self.out[at] = self.lines[at][margin:]

    def _literal(self, at: int) -> int:
        """What follows a line that ends in `::`, where it is indented more: code."""
        start = at + 1
        if start < len(self.lines) and self.lines[start].strip():
            return start
        end = self._indented_end(at)
        return self._code(start, end) if end > start + 1 else start

    def _code(self, start: int, end: int) -> int:
        """Take the lines from `start` out of the text, as code."""
        inner = [at for at in range(start, end) if not _OPTION.match(self.lines[at])]
        inner = [at for at in inner if self.lines[at].strip()]
        if inner:
            self.codes.append((inner[0] + 1, inner[-1] + 1))
        return self._blank(start, end)

    def _table_end(self, at: int) -> int:
        end = last = at + 1
        while end < len(self.lines) and end < at + 200:
            if _SIMPLE_TABLE.match(self.lines[end]):
                last = end + 1
            elif not self.lines[end].strip() and last > at + 2:
                break
            end += 1
        return last

    def _heading(self, at: int) -> int | None:
        """Rewrite a heading that is underlined, or numbered and alone; the index behind it."""
        mark = _ADORNMENT.match(self.lines[at])
        if mark:
            over = self._adorned(at + 1, mark[1])
            if over:
                self._title(at + 1, f"{mark[1]} over")
                self._blank(at, at + 1)
                return self._blank(at + 2, at + 3)
            return None
        if at and self.lines[at - 1].strip():
            return None
        if style := self._adorned(at):
            self._title(at, style)
            return self._blank(at + 1, at + 2)
        number = _NUMBERED.match(self.lines[at].strip())
        alone = at + 1 < len(self.lines) and not self.lines[at + 1].strip()
        if number and alone and self._indent(at) < 4 and self._leads_deeper(at):
            self.out[at] = (
                "#" * min(6, number["number"].count(".") + 2) + " " + self.lines[at].strip()
            )
            return at + 1
        return None

    def _leads_deeper(self, at: int) -> bool:
        """Whether what follows is indented more, or another such heading: no list has that."""
        below = next(
            (n for n in range(at + 1, min(at + 4, len(self.lines))) if self.lines[n].strip()), at
        )
        return self._indent(below) > self._indent(at) or (
            below > at and _NUMBERED.match(self.lines[below].strip()) is not None
        )

    def _adorned(self, at: int, wanted: str = "") -> str:
        """The sign that underlines the line at `at`; empty where it is no heading."""
        if at + 1 >= len(self.lines):
            return ""
        title, below = self.lines[at].strip(), _ADORNMENT.match(self.lines[at + 1])
        if not title or below is None or len(title) > 100 or (wanted and below[1] != wanted):
            return ""
        long_enough = len(below[0].rstrip()) >= max(3, len(title) // 2)
        return below[1] if long_enough and not title.startswith(("|", "- ")) else ""

    def _title(self, at: int, style: str) -> None:
        if style not in self._levels:
            self._levels.append(style)
        level = min(6, self._levels.index(style) + 1)
        self.out[at] = f"{'#' * level} {self.lines[at].strip()}"
