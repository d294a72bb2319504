"""What a document says of itself: title, authors, date, address, status.

Only its own words about itself count: frontmatter, what a converter found, the fields of its head.
A date in its text may be of anything.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from llmwiki.core.language.scripts import HAN, KANA
from llmwiki.core.language.word_forms import word_set
from llmwiki.core.text import fold, normalise
from llmwiki.sources.dates_in_documents import find_date, only_date
from llmwiki.sources.strip_markup import strip_markup

if TYPE_CHECKING:
    from llmwiki.sources.blocks_and_headings import Outline

_HEAD_LINES = 15
"""Lines of the text, blank ones aside, in which a document is taken to describe itself."""
_LONGEST_FIELD = 160

_KEY = re.compile(r"([A-Za-z_][\w -]{0,40}):(?:[ \t]+(.*))?$")
_ENTRY = re.compile(r"\s*-\s+(.+)$")
_FOLDED = re.compile(r"[|>][+-]?\d?\s*$")
"""What says that the text of a field stands on the lines below, indented."""
_LETTER = "A-Za-zÄÖÜäöüß"
_FIELD = re.compile(
    rf"(?:[-*+]\s+|:)?([{_LETTER}][{_LETTER} _-]{{1,24}}(?:\(s\))?|[{KANA}{HAN}]{{2,8}})"
    r"\s*+[:：]\s*+(\S.*)$"
)
_ALONE = re.compile(r"(?:[-*+]\s+)?(\w[\w -]{0,40}):\Z")
_LABEL = re.compile(r"(?:title|titel|題名|タイトル)[:：]\s*+(?=\S)", re.IGNORECASE)
_FILLED_IN = re.compile(r"<%|\{\{|\{%")
"""What a program fills in when it makes a page of the text."""
_ANY_FILE = word_set("""notes note readme index todo untitled document doc page minutes meeting log
    main home draft text file changelog license notizen protokoll メモ 議事録""")
"""Names of files that say nothing without their folder."""
_KEYS = {
    "title": "title name-of-document post-title titel 題名 タイトル",
    "author": "author authors by creator autor autorin verfasser 作成者 著者 筆者 執筆者",
    "date": "date when start-date post-date published publication-date pubdate created updated "
    "last-updated last-modified lastmod last-changed revised datum stand erstellt "
    "日付 作成日 更新日 最終更新 最終更新日 調査日 公開日 日時 開催日",
    "url": "url source source-url link canonical canonical-url permalink original homepage quelle "
    "出典 リンク",
    "status": "status state stage ステータス 状態",
    "description": "description abstract subtitle post-excerpt beschreibung",
    "": "attendees participants present apologies location where contact name email e-mail place "
    "version modified tags category type topic requires replaces resolution post-history "
    "discussions-to python-version sponsor delegate pep-delegate bdfl-delegate content-type "
    "last-edited from to cc subject chair minutes note-taker permission aliases cssclasses publish "
    "mobile anwesend anwesende teilnehmer entschuldigt ort beginn ende protokoll 出席者 参加者 "
    "場所 版 タグ",
}
_KIND_OF = {key: kind for kind, keys in _KEYS.items() for key in keys.split()}
"""Names of fields to what they tell; empty: nothing that is asked."""


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


def field_kind(name: str) -> str | None:
    """What a field of this name tells (`title` …), empty: nothing asked; None: it is no field."""
    return _KIND_OF.get(re.sub(r"[\s_]++", "-", name.strip().casefold().removesuffix("(s)")))


def frontmatter(lines: Sequence[str]) -> tuple[dict[str, list[str]], int]:
    """The scalar and list fields of a YAML or TOML header, read leniently, and the line behind it.

    Nested mappings are passed over. No header, or one without an end: ({}, 1).
    """
    opened = lines[0].lstrip("\ufeff").rstrip() if lines else ""
    if opened not in ("---", "+++"):
        return {}, 1
    closing = ("---", "...") if opened == "---" else ("+++",)
    end = next((at for at in range(1, min(len(lines), 400)) if lines[at].rstrip() in closing), 0)
    fields: dict[str, list[str]] = {}
    current: list[str] = []
    is_folded = False
    for line in lines[1:end]:
        if is_folded and (line[:1] in (" ", "\t") or not line.strip()):
            current[:] = [normalise(" ".join([*current, strip_markup(line)]))]
            continue
        is_folded = False
        told = line.replace(" = ", ": ", 1) if opened == "+++" else line
        if found := _KEY.match(told.rstrip()):
            current = fields.setdefault(found[1], [])
            is_folded = _FOLDED.match(found[2] or "") is not None
            current.extend([] if is_folded else _values(found[2] or ""))
        elif entry := _ENTRY.match(line.rstrip()):
            current.extend(_values(entry[1]))
    return fields, end + 2 if end else 1


def _values(text: str) -> list[str]:
    text = re.sub(r"(?:^|\s)#.*$", "", text).strip() if not text.startswith(('"', "'")) else text
    if text.startswith("[") and text.endswith("]") and not text.startswith("[["):
        return [value for part in text[1:-1].split(",") if (value := _unquote(part))]
    return [value] if (value := _unquote(text)) else []


def _unquote(text: str) -> str:
    text = text.strip()
    end = text.find(text[0], 1) if text[:1] in ("'", '"') else 0
    text = text[1:end] if end > 0 else text
    return "" if text in ("null", "~") else strip_markup(text)


class _Facts(dict[str, list[str]]):
    """Facts by kind, in the order in which they were found."""

    def take(self, fields: Mapping[str, Sequence[str]]) -> None:
        """All fields of a header that tell something asked for."""
        for key, values in fields.items():
            for value in values:
                self.field(key, value)

    def field(self, key: str, value: str) -> None:
        """One field, if it is one that documents describe themselves by."""
        kind = field_kind(key)
        value = strip_markup(value)
        if kind == "date":
            value = find_date(value[:60]) or ""
        elif kind == "url":
            value = value.split(maxsplit=1)[0] if value.startswith(("http:", "https:")) else ""
        elif kind == "status" and len(value.split()) > 4:
            return
        elif key.casefold() == "from" and "@" in value:  # One name, which may hold a comma.
            name = " ".join(word for word in value.split() if "@" not in word).strip(" \"'")
            self.setdefault("author", []).extend([name] if name else [])
        if kind and value:
            self.setdefault(kind, []).extend(_authors(value) if kind == "author" else [value])

    def first(self, kind: str) -> str:
        return next(iter(self.get(kind, ())), "")


def _authors(value: str) -> list[str]:
    """The names in a list of authors, without their addresses."""
    bare = re.sub(r"<[^<>]{0,200}>|\([^()]{0,200}\)", "", value)
    bare = re.sub(r"(?<![^\s,;@])[^\s,;@]*+@[^\s,;]*+", "", bare)
    names = re.split(r"(?<!\s)\s*+(?:,|;|、|&|\b(?:and|und)\b)\s*+", bare)
    return [name.strip(" .\"'") for name in names if name.strip(" .\"'")]


def read_facts(
    path: str,
    lines: Sequence[str],
    outline: Outline,
    first: int,
    *,
    found: Mapping[str, Sequence[str]],
    rst: bool = False,
) -> DocumentMetadata:
    """What the header, the first heading and the head lines of a document say.

    `found` are fields that its converter told; `rst`: its headings are reStructuredText.
    """
    facts = _Facts()
    fields, body = frontmatter(lines) if first == 1 else ({}, first)
    facts.take(fields)
    facts.take(found)
    told = _read_head(lines, max(1, first, body), facts)
    heading = strip_markup(_heading_title(outline, told, path), rst=rst)
    titles = (_LABEL.sub("", strip_markup(one), count=1) for one in (facts.first("title"), heading))
    named = (one for one in titles if one and not only_date(one))
    title = next((one for one in named if not _FILLED_IN.search(one)), "")
    for name in (title, PurePosixPath(path).stem):
        date = find_date(name)
        if date and len(date) == len("2024-05-01"):
            facts.setdefault("date", []).append(date)
    return DocumentMetadata(
        title=title.rstrip(" :：") or file_title(path),
        authors=tuple(dict.fromkeys(facts.get("author", ())))[:12],
        date=facts.first("date") or None,
        url=facts.first("url") or None,
        status=facts.first("status") or None,
        description=" ".join(facts.get("description", ())),
        lines=frozenset(told),
    )


def _read_head(lines: Sequence[str], start: int, facts: _Facts) -> set[int]:
    """Takes the fields at the top, and gives the lines that are nothing else.

    A block of fields of which half are known is a header, whatever the others are called.
    """
    told: set[int] = set()
    filled = [n for n in range(start, min(len(lines), start + 99) + 1) if lines[n - 1].strip()]
    # A mail as text has its subject for a heading, and its fields below.
    top = filled[1:] if filled and re.match("#{1,2} ", lines[filled[0] - 1]) else filled
    header = _header(lines, top[0]) if top else []
    if sum(field_kind(key) is not None for _, key, _ in header) * 2 >= len(header):
        for number, key, value in header:
            told.add(number)
            facts.field(key, value)
    for number in filled[:_HEAD_LINES]:
        text = strip_markup(lines[number - 1])
        field = _FIELD.match(text)
        if lines[number - 1].startswith("## "):
            break
        if number in told or len(text) > _LONGEST_FIELD:
            continue
        if field and (kind := field_kind(field[1])):
            before = len(facts.get(kind, ()))
            facts.field(field[1], field[2])
            if len(facts.get(kind, ())) > before and lines[number - 1].lstrip()[0] not in "-*+":
                told.add(number)  # An item stays with the others of its list.
        elif date := only_date(text):
            facts.setdefault("date", []).append(date)
            told.add(number)
    return told


def _header(lines: Sequence[str], at: int) -> list[tuple[int, str, str]]:
    """The lines of a block `Key: value`, of which all are such; else none."""
    found: list[tuple[int, str, str]] = []
    for number in range(at, min(len(lines), at + 40) + 1):
        line = lines[number - 1].rstrip()
        if not line:
            break
        field = _FIELD.match(strip_markup(line))
        if field and len(field[1].split()) <= 3:
            found.append((number, field[1], field[2]))
        elif found and line[0] in " \t":
            found.append((number, found[-1][1], line))
        elif label := _ALONE.match(strip_markup(line)):
            found.append((number, label[1], ""))
        else:
            return []
    return found


def _heading_title(outline: Outline, facts: Collection[int], path: str) -> str:
    """The heading that names the document: it alone is of the first level and has words of the
    file's name, or no text stands above it, and it is no name of a part.

    One of several of its level is a part, unless it has words of the file's name.
    """
    sections = outline.sections[1:]
    if not sections:
        return ""
    words = set(re.findall(r"\w{3,}", file_title(path).casefold()))
    alone = [one.title for one in sections if one.level == 1]
    if len(alone) == 1 and words & set(re.findall(r"\w{3,}", alone[0].casefold())):
        return alone[0]
    top = sections[0]
    above = (block for block in outline.blocks if block.first < top.line)
    if any(number not in facts for block in above for number in range(block.first, block.last + 1)):
        return ""
    # Of a page of a site its own heading, without the name of the site.
    begins = re.split(r"\s[|–—]\s", top.title)[0].casefold()
    for one in sections[1:3] if begins != top.title.casefold() else ():
        if one.title.casefold().startswith(begins):
            return one.title
    if words & set(re.findall(r"\w{3,}", top.title.casefold())):
        return top.title
    beside = sum(one.level <= top.level for one in sections[1:])
    is_part = kinds_of(top.title) or (beside > 1 if top.level == 1 else beside > 0 and words)
    return "" if is_part else top.title


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
    any_name = words.casefold() in _ANY_FILE
    date = find_date(stem) or ""
    if any_name and len(date) == len("2024-05-01"):
        return f"{words} {date}"
    folder = normalise(re.sub(r"[-_\s]+", " ", place.parent.name))
    named = folder and len(place.parts) > 2 and (any_name or only_date(words))
    return f"{words} ({folder})" if named else words


_NUMBER_LINES = 12
"""Lines, blank ones aside, in which a document may say its number."""
_NUMBERED = re.compile(
    r"(?P<number>[A-Z]{2,8}[ -]?\d{1,6})(?:(?<!\s)\s*+[-–—:|]\s++(?P<rest>\S.*)|\Z)"
)
_NUMBER_FIELD = re.compile(r":?(?P<series>[A-Z]{2,8}): {1,20}(?P<number>\d{1,6})\s*\Z")
_RFC = re.compile(r"Request for Comments: {1,20}(?P<number>\d{1,6})\b")
"""The header of an RFC as text (rfc-editor.org/rfc/rfc7322, section 4.1.2)."""


def names_of(title: str, lines: Sequence[str]) -> tuple[str, ...]:
    """The names besides its title that a document of these lines surely has.

    `PEP 7` for one whose header says `PEP: 7`, or whose title is `PEP 7 – Style guide`; for that
    title `Style guide` too.
    """
    found: dict[str, None] = {}
    if numbered := _NUMBERED.match(title):
        found[numbered["number"]] = None
        if len((numbered["rest"] or "").split()) > 1:
            found[normalise(numbered["rest"])] = None
    head = [line for line in lines[: 4 * _NUMBER_LINES] if line.strip()][:_NUMBER_LINES]
    for line in head:
        if field := _NUMBER_FIELD.match(line):
            found[f"{field['series']} {field['number']}"] = None
        elif rfc := _RFC.match(line):
            found[f"RFC {rfc['number']}"] = None
    return tuple(name for name in found if fold(name) != fold(title))


# --- headings that any document may have ---------------------------------------------------

_TOLD_BELOW = {
    "pointers": """backlinks| related| related notes| copyright| acknowledgements| acknowledgments|
        bibliography| citations| contributors| credits| external links| footnotes| further reading|
        licence| license| link| links| reference| references| see also| source| sources| literatur|
        quellen| siehe auch| verweise| danksagung| lizenz| ライセンス| リンク| 出典| 参照| 参考|
        参考リンク| 参考文献| 参考資料| 謝辞| 関連リンク""",
    "contents": "contents| table of contents| toc| inhalt| inhaltsverzeichnis| 目次",
    "people": """attendees| attendance| attending| members| representatives| invited| invitees|
        observers| participants| present| apologies| regrets| absent| guests| visitors| roll call|
        registration| how to join| joining instructions| dial-in| anwesend| anwesende|
        anwesende mitglieder| anwesenheit| anwesenheitsliste| teilnehmer| teilnehmende|
        entschuldigt| abwesend| gäste| 出席者| 参加者| 欠席者""",
    "agenda": "agenda| agenda items| proposed agenda| tagesordnung| tagesordnungspunkte| 議題",
    "notes": """notes| minutes| meeting notes| discussion| summary| protokoll| besprechung| 議事録|
        議事""",
    "questions": """open issues| open question| open questions| questions| unknowns| unresolved|
        unresolved issues| unresolved questions| offene fragen| offene punkte| 未決事項| 未解決|
        検討事項| 疑問点""",
    "openings": """abstract| summary| overview| introduction| tl;dr| description| purpose| about|
        zusammenfassung| einleitung| überblick| 概要| はじめに| 要約""",
    "others": """background| changelog| changes| configuration| context| design| details| example|
        examples| faq| features| getting started| glossary| goals| history| home| how to| index|
        installation| motivation| note| rationale| readme| requirements| rules| scope| status|
        test| usage| use| warning| what| why| hintergrund| hinweis| hinweise| regeln| sonstiges|
        verschiedenes| おわりに| 背景| 目的| まとめ| 結論| 内容| 詳細| 説明| 課題| 設定| 使い方|
        注意| decision| decisions| resolution| resolutions| conclusion| conclusions| outcome|
        outcomes| action| actions| action items| tasks| todo| todos| to do| next steps|
        decisions and actions| beschluss| beschlüsse| ergebnis| ergebnisse| aufgaben|
        nächste schritte| 決定| 決定事項| 宿題| タスク""",
}
_HEADINGS = {
    kind: frozenset(" ".join(heading.split()) for heading in headings.split("|"))
    for kind, headings in _TOLD_BELOW.items()
}
"""What stands below a heading that any document may have, to such headings."""
_HEADING_NUMBER = re.compile(
    r"(?:\(?\d{1,3}(?:\.\d{1,3}){0,4}[.):：]?|§\s*\d{0,3}|[IVX]{1,5}\.)\s+"
)


def unnumbered(title: str) -> str:
    """The words of a heading without its number."""
    return _HEADING_NUMBER.sub("", strip_markup(title), count=1)


def kinds_of(title: str) -> frozenset[str]:
    """What is told below such a heading (`pointers`, `agenda` …); empty for one that names it."""
    name = unnumbered(title).casefold().strip(" :：.*")
    return frozenset(kind for kind, headings in _HEADINGS.items() if name in headings)
