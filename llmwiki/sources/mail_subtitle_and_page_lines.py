"""What the lines of a source are: running text, marks of places, rows.

A source that is its own text is read as Markdown (`markup_to_markdown.py`). The forms of converted
ones are those of docs/sources.md. Marks never reach a quote, a heading or a title.
A PDF marks neither headings nor running heads: both are told by where a line stands.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from llmwiki.core.language.search_terms import STOP_WORDS
from llmwiki.pages.id_and_evidence_patterns import PAGE_MARK, PLACE_MARKS, TIME, names
from llmwiki.pages.line_patterns import fence
from llmwiki.sources.markup_to_markdown import as_markdown, mark_lines
from llmwiki.sources.table_rows import Table, row_label, rows

if TYPE_CHECKING:
    from llmwiki.core.document import Document

_VALUES = frozenset({"application/json", "application/jsonl", "application/yaml"})
"""Nested data: none of it is told without a model."""
_ROWS = frozenset({"text/csv", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"})
_MARK = re.compile(rf"\[(?P<kind>{names()})(?P<rest>[:, ][^\[\]]{{1,300}})\]\s*$")
_NEW_SECTION = frozenset(mark.name for mark in PLACE_MARKS if mark.part)
_CUE = re.compile(rf"\[{TIME}\] (?P<text>.*)$")
_VOICE = re.compile(r"(?P<who>[^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){0,3}): (?=\S)")
_ADDRESS = re.compile(r"(?:(?<!\s)\s++)?<[^<>]*+>$")
_ANSWERED = re.compile(
    r"--\s*$|-{3,}\s*(?:original|forwarded|weitergeleitete) \w+\s*-{3,}\s*$"
    r"|(?:On|Am) .{4,200} (?:wrote|schrieb)[^:]{0,100}:$",
    re.IGNORECASE,
)
"""What begins a signature, or the message that a mail answers."""
_SIGN_OFF = re.compile(
    r"(?:(?:all the|kind|best|warm|many|yours) )?"
    r"(?:best|regards|wishes|thanks|thank you|cheers|sincerely|yours|vielen dank|danke|mfg|lg|vg"
    r"|(?:mit )?(?:(?:beste|freundliche|herzliche|liebe|viele)n? )?(?:gruß|grüßen?)"
    r"|よろしくお願い(?:いた)?します)[,.!。]?\s*$",
    re.IGNORECASE,
)
_GREETING = re.compile(
    r"(?:hi|hello|hey|dear|hallo|moin|lieber?|sehr|guten)\b[^.?]{0,50}[,!，]\s*$", re.IGNORECASE
)


@dataclass(slots=True)
class SourceLines:
    """A document as it is read: what is left of each line, and what was taken out."""

    lines: list[str]
    """The lines of the document; empty where they are no running text."""
    ends: dict[int, bool] = field(default_factory=dict)
    """Lines before which all that is open ends; True: the section too."""
    tables: list[Table] = field(default_factory=list)
    plain: bool = False
    """Whether it is no Markdown: indented lines are text then."""
    facts: dict[str, list[str]] = field(default_factory=dict)
    """What the document says of itself, as the fields of a header."""
    data: bool = False
    """Whether tables are what it is made of, not what illustrates it."""
    courtesies: set[int] = field(default_factory=set)
    """Lines, blanked out, that greet or sign."""
    speakers: list[tuple[int, str]] = field(default_factory=list)
    """From which line on, in order, who speaks."""

    def speaker_at(self, line: int) -> str:
        """The speaker of a line; empty where nobody is named."""
        at = bisect_right(self.speakers, (line + 1,)) - 1
        return self.speakers[at][1] if at >= 0 else ""

    def blank_line(self, number: int, *, section: bool = False) -> None:
        """Blanks out line `number` (from 1), so that it is not read as prose.

        The sentence open before it ends; with `section`, the section too.
        """
        self.lines[number - 1] = ""
        self.ends[number] = self.ends.get(number, False) or section


def form_of(document: Document, first: int, last: int) -> SourceLines:
    """The form of lines `first` to `last` (from 1, inclusive)."""
    form = SourceLines(list(document.lines))
    kind = document.media_type
    if document.text_path is None:
        form.plain = kind != "text/markdown"
        form.lines[first - 1 : last] = as_markdown(kind, form.lines[first - 1 : last])
        _without_courtesies(form, first, last)
        return form
    form.data = kind in _VALUES or kind in _ROWS
    if kind in _VALUES:
        form.lines[first - 1 : last] = [""] * (last - first + 1)
        return form
    if kind == "message/rfc822":
        _mail(form, first, last)
        _without_courtesies(form, first, last)
    if kind == "application/pdf":
        _first_line(form, first, last)
        for number in page_furniture(form.lines, first, last):
            form.blank_line(number)
        for number in page_headings(form.lines, first, last):
            form.lines[number - 1] = f"## {form.lines[number - 1].strip()}"
    if kind == "text/vtt":
        _subtitles(form, first, last)
    else:
        _marked(form, first, last)
    mark_lines(form.lines)
    return form


def _subtitles(form: SourceLines, first: int, last: int) -> None:
    for number in range(first, last + 1):
        cue = _CUE.match(form.lines[number - 1])
        if cue is None:
            continue
        voice = _VOICE.match(cue["text"])
        form.blank_line(number)
        form.lines[number - 1] = cue["text"][voice.end() :] if voice else cue["text"]
        form.speakers.append((number, voice["who"] if voice else ""))


def _mail(form: SourceLines, first: int, last: int) -> None:
    """The sender is the speaker; signatures and quoted messages are left out.

    A message that is enclosed begins anew, with its own head.
    """
    head, over = True, False
    for number in range(first, last + 1):
        line = form.lines[number - 1]
        mark = _MARK.match(line)
        if mark and mark["kind"] == "enclosed":
            head, over = True, False
        elif head:
            name, _, value = line.partition(": ")
            if name == "From":
                who = _ADDRESS.sub("", value).strip('" ') or value.strip("<> ")
                form.speakers.append((number, who))
            head = bool(line.strip())
        else:
            over = over or bool(_ANSWERED.match(line))
            if over and not mark:
                form.blank_line(number)


def _without_courtesies(form: SourceLines, first: int, last: int) -> None:
    """Takes out lines that greet, and those that sign off with the lines right below them."""
    signs = False
    for number in range(first, last + 1):
        line = form.lines[number - 1]
        signs = bool(line.strip()) and (signs or _SIGN_OFF.match(line) is not None)
        if signs or _GREETING.match(line):
            form.courtesies.add(number)
            form.blank_line(number)


def _first_line(form: SourceLines, first: int, last: int) -> None:
    """The line that a document without headings begins with is its title, if it looks like one."""
    numbers = (n for n in range(first, last + 1) if not _MARK.match(form.lines[n - 1]))
    at = next((n for n in numbers if form.lines[n - 1].strip()), last)
    line, following = form.lines[at - 1].strip(), form.lines[at].strip() if at < last else ""
    titled = line[:1].isupper() and not line.endswith((".", "!", "?", ":", ",", ";", "-"))
    if titled and 2 <= len(line.split()) <= 10 and (not following or following[0].isupper()):
        form.facts["title"] = [line]
        form.blank_line(at)


def _marked(form: SourceLines, first: int, last: int) -> None:
    """Takes marks and rows out of the text, and code and outputs of a notebook's cells."""
    runs: list[tuple[str, str, list[tuple[int, str]]]] = []
    silent = fenced = False
    sheet = ""
    for number in range(first, last + 1):
        line = form.lines[number - 1]
        if mark := _MARK.match(line):
            form.blank_line(number, section=mark["kind"] in _NEW_SECTION)
            rest = mark["rest"].strip()
            silent = mark["kind"] == "cell" and not rest.endswith(("markdown", "heading", "text"))
            sheet = rest.removesuffix(" hidden") if mark["kind"] == "sheet" else sheet
            fenced = False
        elif silent:
            form.blank_line(number)
        elif fence(line):
            fenced = not fenced
        elif not fenced and (label := row_label(line)):
            if not runs or (label, number - 1) != (runs[-1][0], runs[-1][2][-1][0]):
                runs.append((label, sheet, []))
            runs[-1][2].append((number, line))
            form.blank_line(number)
    read = ((rows(numbered), sheet) for _, sheet, numbered in runs)
    form.tables = [Table(records, sheet) for records, sheet in read if records]


PAGE = re.compile(rf"{PAGE_MARK}\s*$")
_EDGE = 2
"""Lines at the top and at the foot of a page among which running heads are looked for."""
_PAGES = 3
"""Pages on which a line stands before it counts as one; two of no more than three."""
_ONLY_NUMBER = re.compile(r"[-–—\s]*(?:\d{1,4}|[ivxlc]{1,7})[-–—\s]*$")
_LEADERS = re.compile(r"(?:\s?\.){4,}|(?:\s?…){2,}")
_ENDS_SENTENCE = re.compile(r"[.!?。！？][\"'”’)\]]*$")
_HEADING = re.compile(r"(?=.{1,60}$)(?:\d{1,2}(?:\.\d{1,2}){0,4}\.?\s+)?[^\W\d_a-z][^|<>{}=;]*$")
_OF_PAGES = frozenset({"page", "of", "seite", "von", "am", "pm"})
_WORDS = 8
_PROSE = 5
"""Words of the line below a heading, at least."""


def page_furniture(lines: list[str], first: int, last: int) -> set[int]:
    """The lines, from 1, that are running heads, page numbers or a table of contents."""
    edges: list[int] = []
    page: list[int] = []
    pages = 0
    for number in range(first, last + 2):
        if number > last or PAGE.match(lines[number - 1]):
            edges += dict.fromkeys([*page[:_EDGE], *page[-_EDGE:]])
            pages += bool(page)
            page = []
        elif lines[number - 1].strip():
            page.append(number)
    shapes = {number: re.sub(r"\d+", "0", lines[number - 1].strip()) for number in edges}
    often = Counter(shapes.values())
    needed = _PAGES if pages > _PAGES else _PAGES - 1
    running = {
        number
        for number, shape in shapes.items()
        if often[shape] >= needed
        or _ONLY_NUMBER.match(lines[number - 1])
        or _is_of_printer(lines[number - 1])
    }
    return running | {n for n in range(first, last + 1) if _LEADERS.search(lines[n - 1])}


def _is_of_printer(line: str) -> bool:
    """Whether a program that prints wrote the line: where the text was, and the page (1/3)."""
    words = line.casefold().split()
    addressed = any("://" in word for word in words)
    paged = any(a.isdecimal() and b.isdecimal() for a, _, b in (w.partition("/") for w in words))
    said = [w for w in words if "://" not in w and any(map(str.isalpha, w))]
    only = all(word in _OF_PAGES for word in said)
    filed = words[-1].startswith("file://")
    return filed or (paged and (addressed or only)) or (only and words[0] in _OF_PAGES)


def page_headings(lines: list[str], first: int, last: int) -> list[int]:
    """Short lines that end no sentence, between the end of one and the start of another."""
    found: list[int] = []
    fresh = True
    for number in range(first, last):
        line = lines[number - 1].strip()
        if not line or PAGE.match(line):
            fresh = True
        elif fresh and _is_heading(line) and _begins(lines[number].strip(), line):
            found.append(number)
        else:
            fresh = bool(_ENDS_SENTENCE.search(line))
    return found


def _is_heading(line: str) -> bool:
    ends = line.endswith((".", "!", "?", ",", ";", ":", "-", "–"))
    return len(line.split()) <= _WORDS and not ends and _HEADING.match(line) is not None


def _begins(line: str, heading: str) -> bool:
    """Whether a line begins a paragraph: rows of a table hold figures, and no linking words."""
    words = line.split()
    if not line[:1].isupper() or len(words) < _PROSE or len(line) <= len(heading):
        return False
    linked = any(word in STOP_WORDS for word in words)
    return linked or not any(map(str.isdigit, line))
