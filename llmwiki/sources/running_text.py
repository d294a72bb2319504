"""What the lines of a source are: running text, marks of places, rows, values.

Sources that are their own text have no form: all their lines are read as they stand. The forms of
converted ones are those of docs/sources.md. Marks never reach a quote, a heading or a title.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from llmwiki.pages.lines import fence
from llmwiki.pages.place_marks import PLACE_MARKS, TALK, TIME, names
from llmwiki.sources.dates import find_date
from llmwiki.sources.page_furniture import page_furniture, page_headings
from llmwiki.sources.plain_text import as_markdown
from llmwiki.sources.records import (
    Record,
    RecordCell,
    Table,
    Value,
    pipe_rows,
    read_value,
    row_label,
    rows,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llmwiki.core.document import Document

_VALUES = frozenset({"application/json", "application/jsonl", "application/yaml"})
_ROWS = frozenset({"text/csv", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"})
_MARK = re.compile(rf"\[(?P<kind>(?!{names(TALK)}){names()})(?P<rest>[:, ][^\[\]]{{1,300}})\]\s*$")
_NEW_SECTION = frozenset(mark.name for mark in PLACE_MARKS if mark.part)
_CHAT = re.compile(rf"\[(?P<kind>{names(TALK)}) \d+\](?: (?P<head>.*))?$")
_CUE = re.compile(rf"\[{TIME}\] (?P<text>.*)$")
_VOICE = re.compile(r"(?P<who>[^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){0,3}): (?=\S)")
_ADDRESS = re.compile(r"(?:(?<!\s)\s++)?<[^<>]*+>$")
_SIGNATURE = re.compile(r"--\s*$")
_FORWARDED = re.compile(r"-{3,}\s*(?:original|forwarded) message\s*-{3,}\s*$", re.IGNORECASE)
_QUOTES = re.compile(r"\s*>")
_NO_WORDS = re.compile(
    r"!\[[^][]{0,500}\]\([^()\s]{0,1000}(?: \"[^\"]{0,300}\")?\)|\{[:%][^{}]{0,500}\}"
    r"|\{[a-z]{1,20}: [^{}]{0,200}\}|\{\{[<%][^{}]{0,500}[>%]\}\}|\s"
)
"""Pictures, `{% … %}`, `{: … }`, `{height: 1rem}` and blanks."""
_HIGHLIGHT = re.compile(r"\s*\{%-?\s*(?:end)?(?:highlight|raw|code)\b[^{}]{0,200}%\}\s*$")
_ADMONITION = re.compile(r"(?:!!!|\?\?\?\+?) [\w-]{1,30}(?: \"[^\"]{0,200}\")?\s*$")
_FACTS = {"title": "title", "name": "title", "date": "date", "updated": "date",
          "published": "date", "last_updated": "date", "url": "url", "source": "url",
          "homepage": "url", "author": "author", "authors": "author", "status": "status",
          "description": "description"}  # fmt: skip
_OF_ITSELF = frozenset({"", "info", "metadata", "meta", "project", "package", "document"})
"""Objects at the top of a file that describe the file itself."""


@dataclass(slots=True)
class SourceLines:
    """A document as it is read: what is left of each line, and what was taken out."""

    lines: list[str]
    """The lines of the document; empty where they are no running text."""
    ends: dict[int, bool] = field(default_factory=dict)
    """Lines before which all that is open ends; True: the section too."""
    tables: list[Table] = field(default_factory=list)
    codes: dict[int, str] | None = None
    """The code of a text that is no Markdown, by its first line; None for Markdown."""
    facts: dict[str, list[str]] = field(default_factory=dict)
    """What the document says of itself, as the fields of a header."""
    titled: bool = True
    """Whether its headings name the document; those of messages do not."""
    data: bool = False
    """Whether tables are what it is made of, not what illustrates it."""
    _speakers: list[tuple[int, str, str]] = field(default_factory=list)

    def speaker_at(self, line: int) -> tuple[str, str]:
        """The speaker of a line, and the date (YYYY-MM-DD); empty where nobody is named."""
        at = bisect_right(self._speakers, (line + 1,)) - 1
        return self._speakers[at][1:] if at >= 0 else ("", "")

    def add_rows(self, numbered: Sequence[tuple[int, str]]) -> None:
        """Takes the rows of a Markdown table, where its first row names the columns."""
        if found := pipe_rows(numbered):
            self.tables.append(Table("|", records=found))

    def blank_line(self, number: int, *, section: bool = False) -> None:
        """Blanks out line `number` (from 1), so that it is not read as prose.

        The sentence open before it ends; with `section`, the section too.
        """
        self.lines[number - 1] = ""
        self.ends[number] = self.ends.get(number, False) or section

    def set_speaker(self, number: int, who: str, when: str) -> None:
        """Records the speaker from line `number` on, and the date (YYYY-MM-DD or empty)."""
        self._speakers.append((number, who, when))


def form_of(document: Document, first: int, last: int) -> SourceLines:
    """The form of lines `first` to `last` (from 1, inclusive)."""
    form = SourceLines(list(document.lines))
    if document.text_path is None:
        _own_text(document, form, first, last)
        return form
    kind = document.media_type
    opening = next((line for line in document.lines[first - 1 : last] if line.strip()), "")
    if kind in _VALUES and _CHAT.match(opening):
        _chat(form, first, last)
        return form
    form.data = kind in _VALUES or kind in _ROWS
    if kind == "message/rfc822":
        _mail(form, first, last)
    if kind == "application/pdf":
        _first_line(form, first, last)
        for number in page_furniture(form.lines, first, last):
            form.blank_line(number)
        for number in page_headings(form.lines, first, last):
            form.lines[number - 1] = f"## {form.lines[number - 1].strip()}"
    if kind == "text/vtt":
        _subtitles(form, first, last)
    elif kind in _VALUES:
        _values(form, first, last)
    else:
        _prose(form, first, last)
    return form


def _own_text(document: Document, form: SourceLines, first: int, last: int) -> None:
    """The lines of a text that nothing converted, as Markdown."""
    if document.media_type == "text/markdown":
        _admonitions(form.lines, first, last)
    else:
        lines = form.lines[first - 1 : last]
        form.lines[first - 1 : last], codes = as_markdown(document.path, lines)
        before = first - 1
        form.codes = {a + before: "\n".join(lines[a - 1 : b]) for a, b in codes}
    for number in range(first, last + 1):
        # What opens and closes a container, such as `:::tip`, is a block of no kind; a line of
        # pictures, templates or attributes alone has no words.
        line = form.lines[number - 1]
        if line.lstrip().startswith(":::") or (line.strip() and not _NO_WORDS.sub("", line)):
            form.lines[number - 1] = ""


def _admonitions(lines: list[str], first: int, last: int) -> None:
    """What `!!! note` holds, indented, is text; what `{% highlight %}` holds is code."""
    within = False
    for number in range(first, last + 1):
        line = lines[number - 1]
        if _HIGHLIGHT.match(line):
            lines[number - 1] = "```"
        elif _ADMONITION.match(line):
            within, lines[number - 1] = True, ""
        elif within and line.startswith("    "):
            lines[number - 1] = line[4:]
        elif line.strip():
            within = False


def _chat(form: SourceLines, first: int, last: int) -> None:
    form.titled = False
    talks: list[str] = []
    for number in range(first, last + 1):
        found = _CHAT.match(form.lines[number - 1])
        if found is None:
            continue
        form.blank_line(number, section=True)
        head = (found["head"] or "").strip()
        if found["kind"] == "conversation":
            talks.append(head)
            continue
        who, _, when = head.rpartition(", ")
        date = find_date(when) if who else None
        form.set_speaker(number, who if date else head, date or "")
    if len(talks) == 1 and talks[0]:
        form.facts["title"] = talks


def _subtitles(form: SourceLines, first: int, last: int) -> None:
    for number in range(first, last + 1):
        cue = _CUE.match(form.lines[number - 1])
        if cue is None:
            continue
        voice = _VOICE.match(cue["text"])
        form.blank_line(number)
        form.lines[number - 1] = cue["text"][voice.end() :] if voice else cue["text"]
        form.set_speaker(number, voice["who"] if voice else "", "")


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
                form.set_speaker(number, who, "")
            head = bool(line.strip())
        else:
            over = over or bool(_SIGNATURE.match(line) or _FORWARDED.match(line))
            if (over and not mark) or _QUOTES.match(line):
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


def _prose(form: SourceLines, first: int, last: int) -> None:
    """Marks and tables out of running text; outputs of a notebook's cells as well."""
    taker = _Tables(form)
    fenced = silent = False
    sheet = ""
    for number in range(first, last + 1):
        line = form.lines[number - 1]
        mark = _MARK.match(line)
        if mark:
            taker.end()
            form.blank_line(number, section=mark["kind"] in _NEW_SECTION)
            rest = mark["rest"].strip()
            fenced = False
            silent = mark["kind"] == "cell" and not rest.endswith(("markdown", "heading", "text"))
            sheet = rest.removesuffix(" hidden") if mark["kind"] == "sheet" else sheet
        elif silent:
            form.blank_line(number)
        elif fence(line):
            taker.end()
            fenced = not fenced
        elif not fenced:
            taker.take(number, line, sheet)
    taker.end()


class _Tables:
    """Takes the rows of a text out of it, one table after the other."""

    def __init__(self, form: SourceLines) -> None:
        self._form = form
        self._label = ""
        self._sheet = ""
        self._held: list[tuple[int, str]] = []

    def take(self, number: int, line: str, sheet: str) -> None:
        """One line, whatever it is; a blank one ends a table."""
        label = row_label(line) or ""
        if label != self._label:
            self.end()
            self._label, self._sheet = label, sheet
        if label:
            self._held.append((number, line))

    def end(self) -> None:
        """The table is over: its rows become records, where something names the columns."""
        held, self._held = self._held, []
        label, self._label = self._label, ""
        if not held:
            return
        for number, _ in held:
            self._form.blank_line(number)
        if found := rows(held):
            self._form.tables.append(Table(label, self._sheet, records=found))


def _values(form: SourceLines, first: int, last: int) -> None:
    """The lines of nested data; a text of several lines stays running text."""
    found: list[tuple[int, Value]] = []
    within = False
    part = 0
    for number in range(first, last + 1):
        line = form.lines[number - 1]
        blank_above = number == first or not form.lines[number - 2].strip()
        value = None if within and not blank_above else read_value(number, line)
        if value is not None:
            within = value.opens
            form.blank_line(number)
            found.append((part, value))
        elif _MARK.match(line):
            part += 1
            form.blank_line(number, section=True)
    _gather(form, found)
    for _, value in found:
        if value.record in _OF_ITSELF and not value.listed:
            for cell in value.cells:
                known = _FACTS.get(cell.name.casefold())
                if known and cell.value:
                    form.facts.setdefault(known, []).append(cell.value)


def _gather(form: SourceLines, values: Sequence[tuple[int, Value]]) -> None:
    """Lines about one record become that record, records of one list a table."""
    tables: dict[tuple[int, str], Table] = {}
    held: dict[tuple[int, str], tuple[Table, list[RecordCell]]] = {}
    for part, value in values:
        cells = [cell for cell in value.cells if cell.value]
        if value.record in _OF_ITSELF and not value.listed:
            cells = [cell for cell in cells if cell.name.casefold() not in _FACTS]
        if not cells:
            continue
        table = tables.setdefault((part, value.group), Table(value.group, listed=value.listed))
        held.setdefault((part, value.record), (table, []))[1].extend(cells)
    for table, cells in held.values():
        table.records.append(Record(tuple(cells)))
    form.tables = list(tables.values())
