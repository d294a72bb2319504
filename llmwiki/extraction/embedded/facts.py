"""What a document says of itself: title, authors, date, address, status."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from llmwiki.core.text import normalise
from llmwiki.extraction.embedded.dates import find_date
from llmwiki.extraction.embedded.inline import strip_markup
from llmwiki.extraction.embedded.markdown import Outline
from llmwiki.language.scripts import HAN, KANA

if TYPE_CHECKING:
    from llmwiki.extraction.embedded.running_text import SourceLines

_HEADER_LINES = 30
"""Lines from the top in which a document is taken to describe itself."""

_KEY = re.compile(r"([A-Za-z_][\w -]{0,40}):(?:[ \t]+(.*))?$")
_ENTRY = re.compile(r"\s*-\s+(.+)$")
_AUTHOR_KEYS = ("author", "authors", "by", "creator", "writer", "作成者", "著者", "筆者", "執筆者")
_DATE_KEYS = (
    "date", "published", "publication date", "pubdate", "created", "updated", "last updated",
    "last_updated", "last modified", "last_modified", "lastmod", "revised", "日付",
    "作成日", "更新日", "最終更新", "最終更新日", "調査日", "公開日", "日時", "開催日",
)  # fmt: skip
_URL_KEYS = ("url", "source", "source_url", "link", "canonical", "canonical_url", "permalink",
             "original", "出典", "リンク")  # fmt: skip
_SILENT_KEYS = (
    "attendees", "participants", "present", "apologies", "location", "place", "version",
    "modified", "tags", "category", "出席者", "参加者", "場所", "版", "タグ",
)  # fmt: skip
"""They are no claims; when a file was last saved is no date of what it says either."""
_MAIL_KEYS = ("from", "to", "cc")
"""Only with an address: `From: Brest` may be anything."""
_STATUS_KEYS = ("status", "state", "stage", "ステータス", "状態")
_FIELD = re.compile(
    r"[-*+]?\s*([A-Za-z][A-Za-z _-]{1,24}|[" + KANA + HAN + r"]{2,8})\s*+[:：]\s*+(\S.*)$"
)
_BY = re.compile(r"(?:written\s+)?by\s+([A-Z][\w.'’-]+(?:\s+[A-Z][\w.'’-]+){1,3})[.,]?\s*$", re.I)
_STATED = re.compile(
    r"\b(?:written|updated|researched|published|measured|recorded|revised|modified|posted|created)"
    r"\s++(?:on|in)?\s*+(.{4,40})",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class DocumentMetadata:
    """What the document says of itself, and the lines in which it says it."""

    title: str = ""
    authors: tuple[str, ...] = ()
    date: str | None = None
    url: str | None = None
    status: str | None = None
    description: str = ""
    lines: frozenset[int] = frozenset()
    """Lines that only state such facts, and so make no claims."""
    named: bool = True
    """Whether the title is its own; False: it is that of its file."""
    body: int = 1
    """First line after the frontmatter."""


def frontmatter(lines: Sequence[str]) -> tuple[dict[str, list[str]], int]:
    """The scalar and list fields of a YAML header, read leniently, and the first line after it.

    Keys are folded; nested mappings are passed over. No header, or one without an end: ({}, 1).
    """
    if not lines or lines[0].lstrip("\ufeff").rstrip() != "---":
        return {}, 1
    end = next(
        (at for at in range(1, min(len(lines), 400)) if lines[at].rstrip() in ("---", "...")), 0
    )
    if not end:
        return {}, 1
    fields: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in lines[1:end]:
        text = line.rstrip()
        found = _KEY.match(text)
        if found:
            current = fields.setdefault(found[1].strip().casefold(), [])
            current.extend(_values(found[2] or ""))
            continue
        entry = _ENTRY.match(text)
        if entry and current is not None:
            current.extend(_values(entry[1]))
    return fields, end + 2


def _values(text: str) -> list[str]:
    text = re.sub(r"(?:^|\s)#.*$", "", text).strip() if not text.startswith(('"', "'")) else text
    if text.startswith("[") and text.endswith("]"):
        return [value for part in text[1:-1].split(",") if (value := _unquote(part))]
    return [value] if (value := _unquote(text)) else []


def _unquote(text: str) -> str:
    text = text.strip()
    if text[:1] in "\"'" and text[:1]:
        end = text.find(text[0], 1)
        if end > 0:
            return normalise(text[1:end])
    return "" if text in ("|", ">", "null", "~") else normalise(text)


def read_facts(path: str, form: SourceLines, outline: Outline, first: int) -> DocumentMetadata:
    """Title, authors, date, url and status from header, first heading and head lines."""
    lines = form.lines
    fields = (frontmatter(lines)[0] if first == 1 else {}) or form.facts
    authors = _first(fields, _AUTHOR_KEYS)
    dates = [date for value in _first(fields, _DATE_KEYS) if (date := find_date(value))]
    urls = [value for value in _first(fields, _URL_KEYS) if value.startswith(("http:", "https:"))]
    status = _first(fields, _STATUS_KEYS)
    if not status and fields.get("draft") == ["true"]:
        status = ["draft"]
    used: set[int] = set()
    head = _Head()
    start = max(1, first)
    limit = min(len(lines), start + _HEADER_LINES) if form.titled else 0
    for number in range(_body(lines, first), limit + 1):
        line = lines[number - 1]
        if head.read(strip_markup(line[:400])) and len(line) < 200:
            used.add(number)
    heading = _heading_title(outline) if form.titled else ""
    title = _undamaged(strip_markup((fields.get("title") or [""])[0] or heading))
    return DocumentMetadata(
        title=title or file_title(path),
        authors=tuple(dict.fromkeys([*authors, *head.authors]))[:12],
        date=next(iter(dates or head.dates), None),
        url=next(iter(urls or head.urls), None),
        status=next(iter(status or head.status), None),
        description=" ".join(fields.get("description") or fields.get("abstract") or []),
        lines=frozenset(used),
        named=bool(title),
        body=_body(lines, first),
    )


def _body(lines: Sequence[str], first: int) -> int:
    return max(first, frontmatter(lines)[1] if first == 1 else first)


def _first(fields: dict[str, list[str]], keys: Sequence[str]) -> list[str]:
    return next((fields[key] for key in keys if fields.get(key)), [])


class _Head:
    """Facts read from the head lines of the text itself."""

    def __init__(self) -> None:
        self.authors: list[str] = []
        self.dates: list[str] = []
        self.urls: list[str] = []
        self.status: list[str] = []

    def read(self, text: str) -> bool:
        """Take one plain line; True when the line is a field and nothing else."""
        field = _FIELD.match(text)
        if field and self._field(field[1].strip().casefold(), field[2].strip()):
            return len(text) < 160
        by = _BY.fullmatch(text)
        if by:
            self.authors.append(by[1])
            return True
        date = find_date(text) if len(text) <= 32 else None
        if date and not re.sub(r"[\W\d]|[年月日]", "", _without_months(text)):
            self.dates.append(date)
            return True
        stated = _STATED.search(text) if len(text) <= 300 else None
        date = find_date(stated[1]) if stated else _leading_date(text)
        if date:
            self.dates.append(date)
            return len(text) <= 60
        return False

    def _field(self, key: str, value: str) -> bool:
        if key in _MAIL_KEYS and "@" in value:
            if key == "from":
                self.authors.append(re.sub(r"(?:(?<!\s)\s++)?<[^<>]*+>$", "", value).strip('" '))
            return True
        if key in _AUTHOR_KEYS and len(value) <= 120:
            names = re.split(r"(?:(?<!\s)\s++)?(?:,|;|、|\band\b|&)\s*+", value)
            self.authors.extend(name.strip(" .") for name in names if name.strip(" ."))
            return True
        if key in _DATE_KEYS and (date := find_date(value[:60])):
            self.dates.append(date)
            return True
        if key in _URL_KEYS and value.startswith(("http:", "https:")):
            self.urls.append(value.split(maxsplit=1)[0])
            return True
        if key in _SILENT_KEYS:
            return True
        if key in _STATUS_KEYS and len(value.split()) <= 4:
            self.status.append(value.rstrip("."))
            return True
        return False


def _without_months(text: str) -> str:
    return re.sub(
        r"(?i)\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*|\b(?:[a-z]+day)\b|"
        r"(?<=[0-9])(?:st|nd|rd|th)\b|T[0-9:]+Z?",
        "",
        text,
    )


def _leading_date(text: str) -> str | None:
    found = re.match(r"(?:19|20)[0-9]{2}[-/][0-9]{1,2}[-/][0-9]{1,2}(?=[.,:\s])", text)
    return find_date(found[0]) if found else None


def _heading_title(outline: Outline) -> str:
    sections = outline.sections[1:]
    top = next((one for one in sections if one.level == 1), None)
    if (
        top is None
        and sections
        and not any(block.first < sections[0].line for block in outline.blocks)
    ):
        top = sections[0]
    return strip_markup(top.title) if top else ""


def _undamaged(title: str) -> str:
    """The title, or of one with lost characters the first part that has none."""
    if "\ufffd" not in title:
        return title
    parts = re.split(r"(?<!\s)\s++[-–—|]\s++|[:：]\s*+", title)
    return next((part for part in parts if part and "\ufffd" not in part), "")


def file_title(path: str) -> str:
    """A title from a file's name: `2024-05-01_field-notes.md` → `Field notes`."""
    stem = PurePosixPath(path).stem
    words = re.sub(
        r"[-_\s]+", " ", re.sub(r"^[0-9]{4}-?[0-9]{2}-?[0-9]{2}[-_ ]*", "", stem)
    ).strip()
    words = normalise(words or stem) or "Untitled"
    return words[0].upper() + words[1:]
