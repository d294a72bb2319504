"""What a document says of itself: title, authors, date, address, status.

Only its own words about itself count: frontmatter, what a converter found, the fields of its head.
A date in its text may be of anything.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from llmwiki.core.text import normalise
from llmwiki.language.plurals import singular, word_set
from llmwiki.language.scripts import HAN, KANA
from llmwiki.language.tokens import STOP_WORDS
from llmwiki.sources.dates import find_date
from llmwiki.sources.plain_words import strip_markup

if TYPE_CHECKING:
    from llmwiki.sources.outline import Outline
    from llmwiki.sources.running_text import SourceLines

_HEAD_LINES = 15
"""Lines of the text, blank ones aside, in which a document is taken to describe itself."""
_FEW_FIELDS = 2
"""Fields that stand together at the top make a header, whatever they are called."""

_HEADING = re.compile(r"#{1,2} ")
_NAMED_DAY = re.compile(r"(?<!\d)(?:19|20)\d\d[-_.](?:0\d|1[0-2])[-_.](?:[0-2]\d|3[01])(?!\d)")
_KEY = re.compile(r"([A-Za-z_][\w -]{0,40}):(?:[ \t]+(.*))?$")
_ENTRY = re.compile(r"\s*-\s+(.+)$")
_FIELD = re.compile(
    r"(?:[-*+]\s+|:)?([A-Za-z][A-Za-z _-]{1,24}(?:\(s\))?|["
    + KANA
    + HAN
    + r"]{2,8})\s*+[:：]\s*+(\S.*)$"
)
_BY = re.compile(r"(?:written\s+)?by\s+([A-Z][\w.'’-]+(?:\s+[A-Z][\w.'’-]+){1,3})[.,]?\s*$", re.I)
_STATED = re.compile(
    r"(?:last\s)?(?:written|updated|published|revised|posted|modified)\s?:?\s(?:on\s|in\s)?(.{4,30})$",
    re.IGNORECASE,
)
_ANY_FILE = word_set("""notes note readme index todo untitled document doc page minutes meeting log
    main home draft text file changelog license メモ 議事録""")
"""Names of files that say nothing without their folder."""
_GENERIC = word_set(
    """
    abstract abstrakt action agenda alternative answer api appendix article author
    background basic change changelog chapter claim command conclusion configuration
    consequence constraint content context contribute contributing credit data date
    decision default definition description design detail discussion document
    documentation error example exception faq feature file format getting started
    glossary goal guide help history home how implementation index information input
    installation install instruction interface introduction issue item key license
    limitation line link list log main manual meeting metadata method minute misc
    motivation name new next note notice object open option other output overview
    page part participant point policy present problem process property proposal
    purpose question quick rationale readme reason reference related release request
    requirement resource response result rule scope section see setting setup
    software source specification status step summary support table task team term
    test text tip title tldr todo tool topic type update usage use user value
    version warning welcome what why work einleitung hinweis inhalt überblick
    zusammenfassung はじめに おわりに 概要 目次 背景 目的 まとめ 結論 参考 内容
    詳細 説明 課題 議題 設定 使い方 注意"""
)
"""Words that name nothing by themselves, alone or only with each other."""
_DATED_TITLE = re.compile(
    r"^(?:19|20)\d\d-\d\d-\d\d|(?:(?:19|20)\d\d-\d\d-\d\d|\d{1,2} [A-Z][a-z]{2,8} (?:19|20)\d\d"
    r"|[A-Z][a-z]{2,8} \d{1,2}, (?:19|20)\d\d|(?:19|20)\d\d年\d{1,2}月\d{1,2}日)$"
)
"""A title that begins or ends with a day, as minutes of meetings have."""

_NO_TITLE = re.compile(r"<%|\{\{|\{%|\A(?:19|20)\d\d[-_.]\d\d[-_.]\d\d\Z")
"""What a program fills in when it makes a page of the text; a day alone."""

_KEYS = {
    "title": "title name-of-document 題名 タイトル",
    "author": "author authors by creator writer 作成者 著者 筆者 執筆者",
    "date": "date when start-date published publication-date pubdate created updated "
    "last-updated last-modified lastmod revised "
    "日付 作成日 更新日 最終更新 最終更新日 調査日 公開日 日時 開催日",
    "url": "url source source-url link canonical canonical-url permalink original 出典 リンク",
    "status": "status state stage ステータス 状態",
    "description": "description abstract subtitle",
    "": "attendees participants present apologies location where contact name email e-mail place "
    "version modified tags category type topic requires replaces resolution post-history "
    "discussions-to python-version sponsor delegate pep-delegate bdfl-delegate content-type "
    "last-edited from to cc subject chair minutes note-taker permission aliases cssclasses publish "
    "mobile 出席者 参加者 場所 版 タグ",
}
_FIELDS = {key: kind for kind, keys in _KEYS.items() for key in keys.split()}
"""Names of fields to what they tell; empty: nothing that is asked, and no claim either."""


@dataclass(frozen=True, slots=True)
class DocumentMetadata:
    """What the document says of itself, and the lines in which it says it."""

    title: str
    authors: tuple[str, ...] = ()
    date: str | None = None
    url: str | None = None
    status: str | None = None
    description: str = ""
    lines: frozenset[int] = frozenset()
    """Lines that only state such facts, and so make no claims."""


def frontmatter(lines: Sequence[str]) -> tuple[dict[str, list[str]], int]:
    """The scalar and list fields of a YAML or TOML header, read leniently, and the line behind it.

    Keys are folded; nested mappings are passed over. No header, or one without an end: ({}, 1).
    """
    opened = lines[0].lstrip("\ufeff").rstrip() if lines else ""
    if opened not in ("---", "+++"):
        return {}, 1
    closing = ("---", "...") if opened == "---" else ("+++",)
    end = next((at for at in range(1, min(len(lines), 400)) if lines[at].rstrip() in closing), 0)
    fields: dict[str, list[str]] = {}
    current: list[str] = []
    for line in lines[1:end]:
        told = line.replace(" = ", ": ", 1) if opened == "+++" else line
        if found := _KEY.match(told.rstrip()):
            current = fields.setdefault(_folded(found[1]), [])
            current.extend(_values(found[2] or ""))
        elif entry := _ENTRY.match(line.rstrip()):
            current.extend(_values(entry[1]))
    return fields, end + 2 if end else 1


def _folded(key: str) -> str:
    return re.sub(r"[\s_]++", "-", key.strip().casefold().removesuffix("(s)"))


def _values(text: str) -> list[str]:
    text = re.sub(r"(?:^|\s)#.*$", "", text).strip() if not text.startswith(('"', "'")) else text
    if text.startswith("[") and text.endswith("]") and not text.startswith("[["):
        return [value for part in text[1:-1].split(",") if (value := _unquote(part))]
    return [value] if (value := _unquote(text)) else []


def _unquote(text: str) -> str:
    text = text.strip()
    end = text.find(text[0], 1) if text[:1] in ("'", '"') else 0
    text = text[1:end] if end > 0 else text
    return "" if text in ("|", ">", "null", "~") else strip_markup(text)


_TITLE_LABEL = re.compile(r"\A(?:title|題名|タイトル)[:：]\s*+(?=\S)", re.IGNORECASE)


class _Facts:
    """Facts by kind, in the order in which they were found."""

    def __init__(self) -> None:
        self.of: dict[str, list[str]] = {}
        self.lines: set[int] = set()

    def take(self, fields: Mapping[str, Sequence[str]]) -> None:
        """All fields of a header that tell something asked for."""
        for key, values in fields.items():
            for value in values:
                self.field(key, value)

    def field(self, key: str, value: str) -> bool:
        """One field; True where its name is one that documents describe themselves by."""
        kind = _FIELDS.get(_folded(key))
        value = strip_markup(value)
        if kind == "date":
            value = _moment(value) or find_date(value[:60]) or ""
        elif kind == "url":
            value = value.split(maxsplit=1)[0] if value.startswith(("http:", "https:")) else ""
        elif key.casefold() == "from" and "@" in value:
            kind = "author"
            name = " ".join(word for word in value.split() if "@" not in word).strip(" \"'")
            values = [name] if name else []
            self.of.setdefault(kind, []).extend(values)
            return True
        elif kind == "status" and len(value.split()) > 4:
            return False
        if kind and value:
            values = _authors(value) if kind == "author" else [value]
            self.of.setdefault(kind, []).extend(values)
        return kind is not None

    def first(self, kind: str) -> str:
        return next(iter(self.of.get(kind, ())), "")


def _moment(value: str) -> str:
    """The day of a count of seconds or milliseconds since 1970; empty for what is none."""
    if not value.isdecimal() or len(value) not in (10, 13):
        return ""
    return datetime.fromtimestamp(int(value[:10]), UTC).date().isoformat()


def _authors(value: str) -> list[str]:
    """The names in a list of authors, without their addresses."""
    bare = re.sub(r"<[^<>]{0,200}>|\([^()]{0,200}\)", "", value)
    bare = re.sub(r"(?<![^\s,;@])[^\s,;@]*+@[^\s,;]*+", "", bare)
    names = re.split(r"(?<!\s)\s*+(?:,|;|、|&|\band\b)\s*+", bare)
    return [name.strip(" .\"'") for name in names if name.strip(" .\"'")]


def read_facts(path: str, form: SourceLines, outline: Outline, first: int) -> DocumentMetadata:
    """What the header, the first heading and the head lines of a document say."""
    facts = _Facts()
    fields, body = frontmatter(form.lines) if first == 1 else ({}, first)
    facts.take(fields)
    facts.take(form.facts)
    if fields.get("draft") == ["true"]:
        facts.field("status", "draft")
    if form.titled:
        _read_head(form.lines, max(1, first, body), facts)
    told = facts.first("title"), _heading_title(outline, facts.lines, path) if form.titled else ""
    titles = (_TITLE_LABEL.sub("", strip_markup(title)) for title in told)
    title = next((t for t in titles if t and not _NO_TITLE.search(t)), "")
    name = PurePosixPath(path).name
    for dated in (_DATED_TITLE.search(title), _NAMED_DAY.search(title), _NAMED_DAY.search(name)):
        if dated:
            facts.field("date", dated[0].replace("_", "-"))
    return DocumentMetadata(
        title=_undamaged(title) or file_title(path),
        authors=tuple(dict.fromkeys(facts.of.get("author", ())))[:12],
        date=facts.first("date") or None,
        url=facts.first("url") or None,
        status=facts.first("status") or None,
        description=" ".join(facts.of.get("description", ())),
        lines=frozenset(facts.lines),
    )


def _read_head(lines: Sequence[str], start: int, facts: _Facts) -> None:
    """The fields at the top: a block of them first of all, and then known ones line by line."""
    at = _next_filled(lines, start)
    # A mail as text has its subject for a heading, and its fields below.
    titled = at <= len(lines) and _HEADING.match(lines[at - 1]) is not None
    top = _next_filled(lines, at + 1) if titled else at
    header = _header(lines, top)
    known = sum(_folded(key) in _FIELDS for _, key, _ in header)
    listed = top <= len(lines) and lines[top - 1].lstrip()[:1] in "-*+"
    # A list of terms that are explained is no header.
    if known * 2 >= len(header) > 0 if listed else known or len(header) >= _FEW_FIELDS:
        for number, key, value in header:
            facts.lines.add(number)
            facts.field(key, value)
    seen = 0
    for number in range(at, len(lines) + 1):
        line = lines[number - 1]
        seen += bool(line.strip())
        if seen > _HEAD_LINES or line.startswith("## "):
            return
        is_read = number in facts.lines or not line.strip() or len(line) >= 200
        if not is_read and _head_line(strip_markup(line), facts):
            facts.lines.add(number)


def _next_filled(lines: Sequence[str], start: int) -> int:
    """The number of the first line from there on that is not blank; behind the last: none is."""
    return next((n for n in range(start, len(lines) + 1) if lines[n - 1].strip()), len(lines) + 1)


def _header(lines: Sequence[str], at: int) -> list[tuple[int, str, str]]:
    """The lines of a block `Key: value`, of which all are such; else none."""
    found: list[tuple[int, str, str]] = []
    for number in range(at, min(len(lines), at + 40) + 1):
        line = lines[number - 1].rstrip()
        if not line:
            break
        bare = strip_markup(line)
        field = _FIELD.match(bare)
        if field and len(field[1].split()) <= 3:
            found.append((number, field[1].strip(), field[2]))
        elif found and line[0] in " \t":
            found.append((number, found[-1][1], line.strip()))
        elif bare.endswith(":") and ":" not in bare[:-1]:
            found.append((number, bare[:-1].lstrip("-*+ "), ""))
        else:
            return []
    return found


def _head_line(text: str, facts: _Facts) -> bool:
    """Take one plain line near the top; True when it is a field and nothing else."""
    if field := _FIELD.match(text):
        return len(text) < 160 and facts.field(field[1], field[2].strip())
    if by := _BY.fullmatch(text):
        return facts.field("author", by[1])
    stated = _STATED.match(text)
    date = find_date(stated[1] if stated else text) if len(text) <= 40 else None
    if date and (stated or not re.sub(r"[\W\d]|[年月日曜月火水木金土]", "", _without_months(text))):
        return facts.field("date", date)
    return False


def _without_months(text: str) -> str:
    return re.sub(
        r"(?i)\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*|\b(?:[a-z]+day)\b|"
        r"(?<=[0-9])(?:st|nd|rd|th)\b|T[0-9:]+Z?",
        "",
        text,
    )


def _heading_title(outline: Outline, facts: Collection[int], path: str) -> str:
    """The heading that names the document: no text stands above it, and it is no name of a part.

    One of several of its level is a part, unless its words are those of the file's name.
    """
    sections = outline.sections[1:]
    if not sections:
        return ""
    top = sections[0]
    above = (block for block in outline.blocks if block.first < top.line)
    if any(number not in facts for block in above for number in range(block.first, block.last + 1)):
        return ""
    words = set(re.findall(r"\w{3,}", file_title(path).casefold()))
    if words & set(re.findall(r"\w{3,}", top.title.casefold())):
        return top.title
    beside = sum(one.level <= top.level for one in sections[1:])
    is_part = names_nothing(top.title) or (beside > 1 if top.level == 1 else beside > 0 and words)
    return "" if is_part else top.title


def _undamaged(title: str) -> str:
    """The title, or of one with lost characters the first part that has none."""
    if "\ufffd" not in title:
        return title
    parts = re.split(r"(?<!\s)\s++[-–—|]\s++|[:：]\s*+", title)
    return next((part for part in parts if part and "\ufffd" not in part), "")


def names_nothing(title: str) -> bool:
    """Whether a title is made of words that name nothing, as `Introduction` and `Example 3` are."""
    words = re.findall(r"\w[\w'’-]*", strip_markup(title).casefold())
    return all(
        {word, singular(word)} & _GENERIC or word in STOP_WORDS or not any(map(str.isalpha, word))
        or re.fullmatch(r"[a-z]?\d+[a-z]?", word)
        for word in words
    )  # fmt: skip


def file_title(path: str) -> str:
    """A title from a file's name: `2024-05-01_field-notes.md` → `Field notes`.

    A name that any file may have, such as `notes`, gets that of its folder behind it.
    """
    place = PurePosixPath(path)
    stem = place.name.rsplit(".", 1)[0] or place.name
    stem = re.sub(r"^0[0-9]{1,4}[-_ ]+(?=[^\W\d])", "", stem)
    bare = re.sub(r"^[0-9]{4}-?[0-9]{2}-?[0-9]{2}(?:T[0-9]{4})?[-_ ]*", "", stem) or stem
    words = normalise(re.sub(r"[_\s]+", " ", bare if " " in bare else bare.replace("-", " ")))
    words = (
        re.sub(r"\b((?:19|20)\d\d) (\d\d) (\d\d)\b", r"\1-\2-\3", words.strip("/")) or "Untitled"
    )
    words = words if any(map(str.isupper, words)) else words[0].upper() + words[1:]
    if words.casefold() in _ANY_FILE and (day := _NAMED_DAY.search(stem)):
        return f"{words} {day[0]}"
    folder = normalise(re.sub(r"[-_\s]+", " ", place.parent.name))
    any_name = words.casefold() in _ANY_FILE or _NAMED_DAY.fullmatch(words)
    named = folder and len(place.parts) > 2 and any_name
    return f"{words} ({folder})" if named else words
