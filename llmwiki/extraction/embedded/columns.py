"""What the columns of a table are: the one that names what a row is about, dates, numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from llmwiki.extraction.embedded.dates import find_date
from llmwiki.extraction.embedded.names import cjk_count, fold_name
from llmwiki.extraction.embedded.records import Record, RecordCell, Table
from llmwiki.extraction.embedded.vocabulary import GENERIC_HEADERS, VERBS
from llmwiki.language.plurals import singular, word_set

MOST_LOOKED_AT = 1_000
"""Records by which columns are told apart."""
MOSTLY = 0.8
"""Share of a column's values that must be of a kind."""
HALF = 0.5
"""The same for sentences: a column with that many of them names nothing."""
UNIQUE = 0.9
"""Share of the rows that a naming column tells apart."""

THINGS = word_set(
    """name title product city town village country state region port harbour harbor station term
    concept word acronym person customer client company organisation organization supplier vendor
    model device machine material species plant animal dish recipe book film song place location
    site river lake mountain island bridge building museum park ship boat vessel train plane team
    department project service component module package library tool language server host
    employee member author artist player school university hospital street drug disease element
    planet star currency party event ferry host vehicle
    名前 氏名 名称 製品 製品名 商品 商品名 都市 都市名 市 国 国名 県 地域 港 駅 駅名
    用語 会社 会社名 企業 人物 場所 題名 書名 組織 部署 学校 病院 島 川 山"""
)
"""Last words of the names of columns that hold names of things."""
LABELS = word_set(
    """task issue ticket step action question todo bug item setting option parameter key property
    field variable feature subject section topic activity metric category item entry heading flag
    項目 課題 質問 設定 手順"""
)
"""The same for names that are no title of a page."""
NUMBERS = word_set(
    """id no nr number code sku key ref reference version release ticket isbn uuid guid case article
    番号 型番 版"""
)
"""The same for columns that tell rows apart by a number or a code."""
ACTS = word_set("order invoice booking transaction payment shipment delivery receipt 注文 請求書")
"""The same for things that have no other name, whoever the parties are."""
IDEAS = word_set("term concept word acronym 用語")
"""The same for names of ideas, not of things."""
DATES = word_set(
    """date day month timestamp datetime time period week quarter measured recorded observed
    updated updated_at last_updated as_of asof ts created created_at
    日付 日時 年月 月 年月日 更新日"""
) | {"as of", "last updated", "updated at", "measured on", "recorded on", "observed on"}
"""Columns that hold the time a row is about."""
YEARS = word_set("year 年 年度")
"""The same where a name alone does not tell the rows apart."""

_PLAIN = word_set("name title 名前 氏名 名称")
_NUMERIC = re.compile(
    r"[-+~≈<>≤≥±]?\s*+(?:[$€£¥]\s*+)?[-+]?[0-9][0-9.,'’\s:/%-]*(?:\s?[^\W\d_]{1,4}[²³]?|\s?[%°€$£¥].?)?"
)
_DATE = re.compile(
    r"(?:19|20)[0-9]{2}(?:[-/.](?:0?[1-9]|1[0-2])(?:[-/.](?:0?[1-9]|[12][0-9]|3[01]))?)?"
    r"(?:[T ][0-9]{1,2}:[0-9]{2}.{0,20})?"
    r"|(?:[0-9]{1,2}(?:st|nd|rd|th)?\.? )?[A-Z][a-z]{2,8}\.? (?:[0-9]{1,2}, )?(?:19|20)[0-9]{2}"
    r"|(?:19|20)[0-9]{2}年(?:[0-9]{1,2}月(?:[0-9]{1,2}日)?)?"
)
_DAY_FIRST = re.compile(r"(0?[1-9]|[12][0-9]|3[01])\.(0?[1-9]|1[0-2])\.((?:19|20)[0-9]{2})")
_EITHER_FIRST = re.compile(r"[0-9]{1,2}/[0-9]{1,2}/(?:19|20)[0-9]{2}")
"""A date, though not which: 03/04/2025 is of March or of April."""
_ADDRESS = re.compile(r"(?>\S[^\s@]*+@)(?>\S[^\s.]*+\.)\S++|[a-z]++://\S++")


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns of a table mean what; empty where none does."""

    subject: str = ""
    """Names what a row is about."""
    kind: Literal["entity", "concept"] | None = None
    """Of the pages that its names may be titles of; None where they may not."""
    date: str = ""
    """Tells as of when a row holds."""
    number: str = ""
    """Tells the rows apart where no name does."""


def date_of(value: str) -> str:
    """A value that is a date and nothing else as YYYY, YYYY-MM or YYYY-MM-DD; else empty."""
    day_first = _DAY_FIRST.fullmatch(value)
    if day_first:
        return f"{day_first[3]}-{int(day_first[2]):02}-{int(day_first[1]):02}"
    return (find_date(value) or "") if _DATE.fullmatch(value) else ""


def is_date(value: str) -> bool:
    """Whether a value is a date and nothing else, even if nobody can tell which."""
    return bool(date_of(value) or _EITHER_FIRST.fullmatch(value))


def is_label(value: str) -> bool:
    """Whether a value can stand for what a row is about: short text, no number, no address."""
    return (
        1 <= len(value) <= 80
        and len(value.split()) <= 8
        and (sum(map(str.isalpha, value)) >= 2 or cjk_count(value) > 0)
        and not _NUMERIC.fullmatch(value)
        and not is_date(value)
        and not _ADDRESS.fullmatch(value)
    )


def is_said(value: str) -> bool:
    """Whether a value says what happened instead of naming something: a verb, a share, an end."""
    words = value.rstrip(".!").split()
    verb = any(word in VERBS or (word.endswith("ed") and len(word) > 4) for word in words)
    return len(words) > 1 and (verb or "%" in value or value.endswith((".", "!")))


def cell_of(record: Record, column: str) -> RecordCell | None:
    """The record's first cell in a column."""
    return next((cell for cell in record.cells if column and cell.name == column), None)


def columns_of(table: Table) -> Columns:
    """What the columns of a table are, told by their names and the values below them."""
    look = _Look(table.records[:MOST_LOOKED_AT])
    date = look.first(lambda name: _folded(name) in DATES, is_date)
    act = look.first(lambda name: _head(name) in ACTS, unique=True) if table.listed else ""
    subject = "" if act else _subject(look, date, alone=not table.listed)
    year = look.first(lambda name: _folded(name) in YEARS, date_of)
    if not date and year and (not subject or not look.is_unique(subject)):
        date = year
    number = act
    if table.listed and not act:
        number = look.first(lambda name: _head(name) in NUMBERS, unique=True)
    if subject:
        kind: Literal["entity", "concept"] = "concept" if _head(subject) in IDEAS else "entity"
        return Columns(subject, None if _head(subject) in LABELS else kind, date)
    return Columns("", None, date, number if number != date else "")


def _subject(look: _Look, date: str, *, alone: bool) -> str:
    """The column that names what a row is about; `alone`: of an object that is in no list."""
    texts = [name for name in look.names if look.depth[name] == 1 and look.are(name, is_label)]
    deeper = [name for name in look.names if look.depth[name] > 1 and look.are(name, is_label)]
    for among in (texts, deeper):
        plain = [name for name in among if _head(name) in _PLAIN]
        if alone:
            return plain[0] if plain else ""
        named = plain + [name for name in among if _head(name) in THINGS - _PLAIN]
        unique = [name for name in named if look.is_unique(name)]
        labels = [name for name in among if _head(name) in LABELS]
        telling = [name for name in named if name in plain or not look.are(name, is_said, HALF)]
        if found := unique or named or labels:
            return found[0] if found[0] in telling or not telling else telling[0]
    return _unnamed(look, texts, date)


def _unnamed(look: _Look, texts: Sequence[str], date: str) -> str:
    """The first column of text, where it tells the rows apart, alone or with the date."""
    among = frozenset(texts)
    for name in look.names:
        folded = _folded(name)
        if name in among and len(folded.split()) <= 3 and folded not in GENERIC_HEADERS:
            dated = date and not look.is_unique(date) and look.is_unique(name, date)
            is_telling = look.is_unique(name) or dated
            return name if is_telling else ""
    return ""


def _folded(name: str) -> str:
    return fold_name(name.replace("_", " ")) if " " in name else name.casefold()


def _head(name: str) -> str:
    """The word by which a column is known: its last, or the last before `of`; empty for others."""
    split = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", re.sub(r"\([^()]*\)", "", name))
    said = [singular(word) for word in re.split(r"[\s_./-]+", split.casefold()) if word]
    if not said or "?" in name or len(said) > 4:
        return ""
    at = said.index("of") if "of" in said[1:] else len(said)
    return said[at - 1]


class _Look:
    """The values of each column of some records."""

    def __init__(self, records: Sequence[Record]) -> None:
        self.size = len(records)
        self.depth: dict[str, int] = {}
        self._values: dict[str, list[str]] = {}
        self._rows = [{c.name: c.value.casefold() for c in reversed(r.cells)} for r in records]
        for record in records:
            for cell in record.cells:
                if cell.name:
                    self.depth.setdefault(cell.name, cell.depth)
                    self._values.setdefault(cell.name, []).append(cell.value)
        self.names = list(self._values)

    def are(self, name: str, is_so: Callable[[str], object], share: float = MOSTLY) -> bool:
        """Whether most rows have a value here, and that share of the values is of a kind."""
        values = self._values[name]
        return len(values) >= MOSTLY * self.size and sum(
            bool(is_so(value)) for value in values
        ) >= share * len(values)

    def is_unique(self, *names: str) -> bool:
        """Whether these columns together tell the rows apart."""
        keys = {tuple(row.get(name, "") for name in names) for row in self._rows}
        return len(keys) >= UNIQUE * self.size

    def first(
        self,
        is_named: Callable[[str], bool],
        is_so: Callable[[str], object] = bool,
        *,
        unique: bool = False,
    ) -> str:
        """The first column of such a name that holds such values; empty without one."""
        for name in self.names:
            if is_named(name) and self.are(name, is_so) and (not unique or self.is_unique(name)):
                return name
        return ""
