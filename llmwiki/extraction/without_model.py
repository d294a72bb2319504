"""A source read without a model or a network: the document's own words, in their order.

Nothing is judged and nothing worded anew. A short document is told whole; of a longer one what
decides, what begins a section, whole lists and small tables come first, and the opening says which
lines are not told. The rules in plain words: docs/offline-extractor.md.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import groupby
from typing import TYPE_CHECKING

from llmwiki.core.injection import addresses_model
from llmwiki.core.text import cut, fold, normalise
from llmwiki.extraction import schema
from llmwiki.extraction.row_units import RowReader, row_name
from llmwiki.extraction.units import (
    FEW_WORDS,
    TextUnit,
    UnitClaim,
    UnitReader,
    is_sentence,
)
from llmwiki.language.plurals import word_set
from llmwiki.language.scripts import count_cjk
from llmwiki.language.sentences import split_sentences
from llmwiki.sources.document_facts import (
    DocumentMetadata,
    frontmatter,
    names_nothing,
    read_facts,
)
from llmwiki.sources.outline import Outline, outline
from llmwiki.sources.plain_words import strip_markup
from llmwiki.sources.running_text import SourceLines, form_of

if TYPE_CHECKING:
    from llmwiki.core.document import Document
    from llmwiki.sources.records import Table

SHORT = 500
"""Words of a document that is told whole, and the least that is told of a longer one."""
SHARE = 0.3
"""Of the words of a longer document that are told."""
MOST_UNITS = 80
MOST_CLAIMS = 160
MOST_LEAD = 300
"""Characters of the opening."""
MOST_PLACES = 12
"""Runs of lines that the opening names."""
MOST_HEADING = 60
MOST_QUESTIONS = 20
MOST_DEFINED = 20
"""Pages that one document makes of what it defines."""
MOST_SEEN = 4
"""Claims of a document to which the page of one thing that they name leads."""
LONG_LIST = 400
"""Words of a list beyond which its items are told one by one."""
LONG_LINE = 40
"""Words of a paragraph up to which it may be what was decided."""


def _phrases(text: str) -> frozenset[str]:
    return frozenset(" ".join(phrase.split()) for phrase in text.split("|"))


_POINTERS = _phrases("""backlinks| related| related notes| copyright| acknowledgements|
    acknowledgments| bibliography| citations| contributors| credits| external links| footnotes|
    further reading| licence| license| link| links| reference| references| see also|
    source| sources| literatur| quellen| siehe auch| ライセンス| リンク| 出典| 参照| 参考|
    参考リンク| 参考文献| 参考資料| 謝辞| 関連リンク""")
_CONTENTS = _phrases("contents| table of contents| toc| inhalt| inhaltsverzeichnis| 目次")
_LOGISTICS = _phrases("""attendees| attendance| attending| members| representatives| invited|
    invitees| observers| participants| present| apologies| regrets| absent| guests| roll call|
    registration| how to join| joining instructions| dial-in| anwesend| anwesende| teilnehmer|
    entschuldigt| 出席者| 参加者| 欠席者""")
"""Headings under which minutes say who was there and how to come."""
_AGENDA = _phrases("agenda| agenda items| proposed agenda| tagesordnung| 議題")
_NOTES = _phrases("notes| minutes| meeting notes| discussion| summary| protokoll| 議事録| 議事")
_QUESTIONS = _phrases("""open issues| open question| open questions| questions| unknowns|
    unresolved| unresolved issues| unresolved questions| offene fragen| 未決事項| 未解決|
    検討事項| 疑問点""")
_OPENINGS = _phrases("""abstract| summary| overview| introduction| tl;dr| description| purpose|
    about| zusammenfassung| einleitung| überblick| 概要| はじめに| 要約""")
"""Headings whose first words say what a document is."""
_DECIDED = word_set("""and agreed conclusion conclusions resolution resolutions decision decisions
    outcome outcomes action actions item items todo todos to do next steps tasks beschluss
    beschlüsse aufgaben 決定 決定事項 宿題 タスク""")
_DECIDES = re.compile(
    r"\b(?:decided?|decisions?|agreed?|resol(?:ved|ution)|polls?|votes?|voted|voting|approved?|"
    r"rejected|tabled|actions?|will|must|never|always|shall|deadline|"
    r"beschlossen|beschluss|einstimmig|muss|müssen|darf|dürfen|niemals?)\b|"
    r"決定|合意|決まっ|承認|却下|必ず|禁止|してはならない|なければならない",
    re.IGNORECASE,
)
_VERSION = re.compile(
    r"(?:(?:version|release|[a-z]\w{1,20})[ -])?\[?v?\d{1,4}\.\d{1,4}(?:\.[\w+-]{1,20}){0,3}\]?"
    r"(?: ?[-–—:]? ?\(?(?:\d{4}-\d\d-\d\d|(?:[A-Z][a-z]{2,8}|\d{1,2}(?:st|nd|rd|th)?),? "
    r"[\w,]{1,9}(?: \d{4})?)\)?)?$",
    re.IGNORECASE,
)
_ANSWERED = re.compile(
    r"\s*+(?:(?:[-*+]|\d{1,3}[.)])\s++)?(?:\[[xX]\]|\W{0,3}(?:resolved|answer(?:ed)?)\b)", re.I
)
_NO_QUESTION = re.compile(
    r"(?:none|n/?a|nothing|tbd)(?: yet| so far| at this time)?\W*|(?:特に)?な(?:し|い)。?", re.I
)
_NUMBERING = re.compile(r"(?:\(?\d{1,3}(?:\.\d{1,3}){0,4}[.):：]?|§\s*\d{0,3}|[IVX]{1,5}\.)\s+")
_NO_NAME = re.compile(
    r"[\ufffd=|→<>{};。？?！!\[\]\\@^~\"“”`#*%$,、:：/()（）]|https?|\.\s|\.\w{2,4}$"
)
_MAIL_MARK = re.compile(
    r"(?:(?:re|fwd?|aw|wg|sv)(?:\[[0-9]{1,3}\])?[:：]\s+|\[[a-z][\w./-]{0,40}\]\s(?=\w)){1,5}", re.I
)
_TOKEN = re.compile(r"\w+(?:[-.+#'/]\w+)*[+#]*")
_LONGEST_NAME = 6


def read_without_model(
    document: Document, known: Sequence[str] = (), *, first: int = 1
) -> schema.Extraction:
    """Read a document from line `first` (from 1) to its end.

    `known` are titles and aliases of pages the wiki has. The answer counts as the whole document
    (segment 1 of 1). Deterministic, and about linear in the length of the text; any text is taken,
    none raises.
    """
    last = len(document.lines)
    start = max(first, frontmatter(document.lines)[1] if first == 1 else first)
    form = form_of(document, start, last)
    read = outline(form.lines, start, last, form.ends, form.codes)
    for rows in () if form.data else read.tables:
        form.add_rows(rows)
    facts = read_facts(document.path, form, read, first)
    picker = _Picker(document, form, read, facts, known)
    claims, subjects = picker.claims()
    return schema.Extraction(
        source=schema.SourceEcho(
            sha256=document.sha256, segment=[1, 1], lines=[first, max(first, last)]
        ),
        document=schema.DocumentFacts(
            title=facts.title,
            summary=picker.opening(),
            authors=list(facts.authors),
            date=facts.date,
            url=facts.url,
            status=facts.status,
        ),
        subjects=subjects,
        claims=claims,
        questions=picker.questions(),
        end=True,
    )


class _Picker:
    """Chooses what is told of one document."""

    def __init__(
        self,
        document: Document,
        form: SourceLines,
        read: Outline,
        facts: DocumentMetadata,
        known: Sequence[str],
    ) -> None:
        self._document = document
        self._form = form
        self._read = read
        self._facts = facts
        self._titles = [strip_markup(one.title).casefold().strip(" :：.*") for one in read.sections]
        self._known = {key: name for name in sorted(known) if (key := row_name(name))}
        self._asking = self._below(_QUESTIONS)
        self._untold = self._below(_POINTERS | _LOGISTICS) | self._versions() | self._agenda()
        self._contents = {at for at, title in enumerate(self._titles) if title in _CONTENTS}
        units = UnitReader(document.lines, read).units(self._hidden())
        self._units = [
            one
            for one in units
            if one.claims or one.section not in self._asking
            if not self._is_of_facts(one)
        ]
        self._tables: list[tuple[Table, list[UnitClaim]]] = []
        self._read_tables()
        self._units = _merged(sorted(self._units, key=lambda one: (one.first, one.last)))
        self._told = self._choose()

    # --- what is not told ----------------------------------------------------------------

    def _below(self, titles: Collection[str]) -> set[int]:
        """The sections of such a title, and those that lie in them."""
        found: set[int] = set()
        for at, section in enumerate(self._read.sections):
            # The heading that names the document is no part of it.
            is_named = (
                at > 0 and self._titles[at] in titles and not (at == 1 and section.level == 1)
            )
            if is_named or section.parent in found:
                found.add(at)
        return found

    def _versions(self) -> set[int]:
        """The sections of a changelog: its lines tell what changed on a day, not what holds."""
        sections = self._read.sections
        found: set[int] = set()
        for at, section in enumerate(sections):
            if _VERSION.match(strip_markup(section.title)) or section.parent in found:
                found.add(at)
        return found if sum(sections[at].parent not in found for at in found) > 2 else set()

    def _agenda(self) -> set[int]:
        """An agenda that notes follow."""
        notes = [at for at, title in enumerate(self._titles) if title in _NOTES]
        last = max(notes, default=0)
        return {at for at in self._below(_AGENDA) if at < last}

    def _hidden(self) -> list[int]:
        """For each block 0, or why it is never told: 1, or 2 where it is a question."""
        untold = self._untold | self._contents
        pointers = _POINTERS | _CONTENTS | _LOGISTICS
        hidden: list[int] = []
        listing = 0
        """Of a list of pointers under a line that says so."""
        for block in self._read.blocks:
            listing = block.listing if listing in (-1, block.listing) else 0
            if not block.listing and len(block.raw) <= MOST_HEADING:
                is_pointer = strip_markup(block.raw).casefold().strip(" :：") in pointers
                listing = -1 if is_pointer else listing
            is_other = (
                block.kind in ("code", "quote")
                or listing
                or block.section in untold
                or addresses_model(block.raw)
            )
            hidden.append(2 if block.section in self._asking else int(bool(is_other)))
        return hidden

    def _is_of_facts(self, unit: TextUnit) -> bool:
        """Whether all its lines say what the document is, which its header tells."""
        return all(n in self._facts.lines for n in range(unit.first, unit.last + 1))

    # --- tables --------------------------------------------------------------------------

    def _read_tables(self) -> None:
        tables = self._form.tables
        scoped = len({table.sheet for table in tables}) > 1
        room = MOST_CLAIMS
        for at, table in enumerate(tables):
            reader = RowReader(
                table,
                self._document.lines,
                data=self._form.data,
                scope=table.sheet if scoped else "",
                named=self._known.keys(),
            )
            claims = [
                one
                for one in reader.claims(max(min(room, FEW_WORDS), room // (len(tables) - at)))
                if not addresses_model(one.text)
            ]
            room -= len(claims)
            lines = [cell.line for record in table.records for cell in record.cells]
            section = self._section_of(min(lines))
            hidden = section in self._untold | self._contents
            unit = TextUnit("table", min(lines), max(lines), section, [] if hidden else claims)
            self._tables.append((table, unit.claims))
            self._units.append(unit)

    def _section_of(self, line: int) -> int:
        before = [at for at, one in enumerate(self._read.sections) if one.line <= line]
        return before[-1]

    # --- what is told --------------------------------------------------------------------

    def _choose(self) -> list[TextUnit]:
        """The units that are told, in the order of the document."""
        units = [one for one in self._units if one.claims]
        every = sum(one.words for one in units)
        if every <= SHORT or self._form.data:
            return units
        room, count = max(SHORT, int(every * SHARE)), MOST_UNITS
        for_decisions = room // 2
        chosen: set[int] = set()
        queue = [
            (1 if self._decides(units, group) else _rank(units, group), group)
            for group in _groups(units)
        ]
        heapify(queue)
        while queue:
            rank, group = heappop(queue)
            words = sum(units[at].words for at in group)
            claims = sum(len(units[at].claims) for at in group)
            if rank == 1 and words > for_decisions:
                heappush(queue, (_rank(units, group), group))
            elif words <= room and claims <= count:
                chosen.update(group)
                room, count = room - words, count - claims
                for_decisions -= words if rank == 1 else 0
        return [one for at, one in enumerate(units) if at in chosen]

    def _decides(self, units: Sequence[TextUnit], group: Sequence[int]) -> bool:
        """Whether items, lines or short paragraphs say what was decided, or what must be."""
        return any(
            (unit.kind in ("item", "line", "list") or unit.words <= LONG_LINE)
            and (self._is_decided(unit.section) or _DECIDES.search(unit.text))
            for unit in (units[at] for at in group)
        )

    def _is_decided(self, section: int) -> bool:
        words = set(re.findall(r"\w+", self._titles[section]))
        return bool(words) and words <= _DECIDED

    def claims(self) -> tuple[list[schema.ExtractedClaim], list[schema.Subject]]:
        """The claims, and the subjects that own some or are named by some."""
        owners = self._defined()
        seen: Counter[str] = Counter()
        claims: list[schema.ExtractedClaim] = []
        listed: dict[str, schema.Subject] = {}
        for unit in self._told:
            owner = owners.get(unit.section, "")
            for one in unit.claims[: MOST_CLAIMS - len(claims)]:
                if owner and owner not in listed:
                    listed[owner] = schema.Subject(
                        name=owner, kind="concept", description=one.text, lead=one.text
                    )
                also = [n for n in self._names_in(one.text) if n != owner and seen[n] < MOST_SEEN]
                seen.update(also)
                for name in also:
                    listed.setdefault(
                        name, schema.Subject(name=name, kind="concept", description=one.text)
                    )
                claims.append(self._claim(f"k{len(claims) + 1}", owner, also, one))
        return claims, list(listed.values())

    def _claim(
        self, name: str, owner: str, also: list[str], one: UnitClaim
    ) -> schema.ExtractedClaim:
        speaker, when = self._form.speaker_at(one.quotes[0].first)
        key, value = one.slot or (None, None)
        return schema.ExtractedClaim(
            id=name,
            subject=owner or schema.DOCUMENT,
            also=also,
            text=one.text,
            evidence=[
                schema.ExtractedQuote(quote=quote, lines=[first, last])
                for quote, first, last in one.quotes
            ],
            speaker=speaker or None,
            as_of=one.as_of or when or None,
            scope=one.scope or None,
            key=key,
            value=value,
        )

    def _names_in(self, text: str) -> Iterator[str]:
        """Names of pages there are that a text holds, as the wiki spells them, but its own."""
        words = _TOKEN.findall(text) if self._known else []
        own = row_name(self._facts.title)
        found: dict[str, None] = {}
        for at in range(len(words)):
            for size in range(1, min(_LONGEST_NAME, len(words) - at) + 1):
                if (key := row_name(" ".join(words[at : at + size]))) in self._known:
                    found[key] = None
        wide = text.casefold() if count_cjk(text) else ""
        found.update((key, None) for key in self._known if count_cjk(key) > 1 and key in wide)
        yield from dict.fromkeys(self._known[key] for key in found if key != own)

    def _defined(self) -> Mapping[int, str]:
        """Sections whose first unit says what their heading is, with that name."""
        own = row_name(_MAIL_MARK.sub("", self._facts.title, count=1))
        names: dict[int, str] = {}
        told: set[str] = {own, row_name(self._facts.title)}
        seen: set[int] = set()
        for unit in self._told:
            if unit.section in seen or not unit.section:
                continue
            seen.add(unit.section)
            name = _name_of(self._read.sections[unit.section].title)
            key = row_name(name)
            full = len(names) == MOST_DEFINED
            if name and key not in told and not full and _defines(unit.text, name):
                told.add(key)
                names[unit.section] = self._known.get(key, name)
        return names

    # --- what is said of the whole -------------------------------------------------------

    def opening(self) -> str:
        """What the document says it is, and which lines are not told; never empty."""
        missing = self._missing()
        said = self._of_tables() if self._form.data else self._lead(whole=not missing)
        if not missing:
            return said or self._facts.title
        said = said or self._facts.title + ("" if is_sentence(self._facts.title) else ".")
        return f"{said} {missing}"

    def _lead(self, *, whole: bool) -> str:
        """The document's description or abstract; of one that is not told whole its beginning."""
        if self._facts.description and not addresses_model(self._facts.description):
            return _beginning([self._facts.description])
        first = self._read.sections[1:2]
        title = {0} | {1 for one in first if one.level == 1}
        short = sum(unit.words for unit in self._units) <= SHORT
        opening = [at for at, name in enumerate(self._titles) if name in _OPENINGS]
        sections = [{at} for at in opening[:1]] if opening else []
        if whole or short:
            sections = []
        else:
            sections.append(title)
        for among in sections:
            said: list[str] = []
            for unit in self._units:
                if unit.section in among:
                    if unit.kind != "paragraph" or not (unit.claims and is_sentence(unit.text)):
                        break
                    said.append(unit.text)
            if said:
                return _beginning(said)
        return ""

    def _missing(self) -> str:
        """How much is told, and the lines of the rest; empty where all is."""
        told = {id(unit) for unit in self._told}
        runs: list[tuple[int, int]] = []
        open_run = False
        for unit in () if self._form.data else self._units:
            if id(unit) in told:
                open_run = False
            elif open_run:
                runs[-1] = (runs[-1][0], max(runs[-1][1], unit.last))
            else:
                runs.append((unit.first, unit.last))
                open_run = True
        if not runs:
            return ""
        places = [f"L{a}" if a == b else f"L{a}–L{b}" for a, b in runs[:MOST_PLACES]]
        rest = f" and {len(runs) - MOST_PLACES} more places" if len(runs) > MOST_PLACES else ""
        return (
            f"(Told here: {len(self._told)} of {len(self._units)} passages; "
            f"more in {', '.join(places)}{rest}.)"
        )

    def _of_tables(self) -> str:
        """How long the tables are of which the document is made, and how much is told."""
        parts = [_beginning([self._facts.description])] if self._facts.description else []
        for table, claims in self._tables[:3]:
            if not (table.listed and table.columns()):
                continue
            size, columns = len(table.records), ", ".join(table.columns()[:6])
            sheet = f"{table.sheet}: " if table.sheet else ""
            few = f"; told here: {len(claims)}" if len(claims) < size else ""
            parts.append(normalise(f"{sheet}{size} rows of {cut(columns, 160)}{few}."))
        return " ".join(parts)

    def questions(self) -> list[schema.Question]:
        """What stands under a heading of open questions and is not answered."""
        found: list[schema.Question] = []
        for block in self._read.blocks:
            is_other = block.kind in ("code", "quote") or addresses_model(block.raw)
            if block.section not in self._asking or is_other:
                continue
            text = strip_markup(block.raw)
            asked = 3 <= len(text) <= 400 and not _NO_QUESTION.fullmatch(text)
            if asked and not _ANSWERED.match(self._form.lines[block.first - 1]):
                found.append(schema.Question(text=text, lines=[block.first, block.last]))
        return found[:MOST_QUESTIONS]


def _merged(units: Sequence[TextUnit]) -> list[TextUnit]:
    """The units, of which those without claims that follow one another are one."""
    merged: list[TextUnit] = []
    for one in units:
        if merged and not one.claims and not merged[-1].claims:
            merged[-1].last = max(merged[-1].last, one.last)
        else:
            merged.append(one)
    return merged


def _rank(units: Sequence[TextUnit], group: Sequence[int]) -> int:
    """From 2, which is told first, to 5, by place and kind."""
    at = group[0]
    if not at or units[at - 1].section != units[at].section:
        return 2
    if len(group) > 1 or units[at].kind in ("list", "table"):
        return 3
    return 4 if units[at].kind in ("item", "line") else 5


def _groups(units: Sequence[TextUnit]) -> list[tuple[int, ...]]:
    """Units that are told together or not at all: the items of a list that is not long."""
    groups: list[tuple[int, ...]] = []
    for _, run in groupby(range(len(units)), key=lambda at: units[at].listing or -at):
        group = tuple(run)
        is_long = sum(units[at].words for at in group) > LONG_LIST
        groups += [(at,) for at in group] if is_long else [group]
    return groups


def _beginning(texts: Sequence[str]) -> str:
    """The first sentences of texts, as many as the opening holds."""
    said = ""
    for text in texts:
        for start, end in split_sentences(text):
            longer = f"{said} {text[start:end]}".strip()
            if said and len(longer) > MOST_LEAD:
                return said
            said = cut(longer, MOST_LEAD)
    return said


def _name_of(title: str) -> str:
    """A heading as the name of a page; empty where it can be none."""
    text = _NUMBERING.sub("", strip_markup(title), count=1).strip(' \t:：.,;*_`"“”「」『』')
    bare = re.sub(r"\A(?:the|an?)\s+(?=\S)", "", text, flags=re.IGNORECASE)
    text = text if bare == text else bare[0].upper() + bare[1:]
    text = re.sub(r"\s?[(（][^()（）]{1,80}[)）]\Z", "", text)
    few = len(text.split()) <= 5 and 2 <= len(text) <= 60
    return text if few and not _NO_NAME.search(text) and not names_nothing(text) else ""


def _defines(text: str, name: str) -> bool:
    """Whether a text begins by saying what that name is."""
    said, own = fold(text[:200]), fold(name)
    if count_cjk(name):
        return said.startswith((f"{own}とは", f"「{own}」とは", f"{own}是"))
    bare = re.sub(r"\A(?:the|an?|der|die|das|ein|eine) ", "", said)
    for spelled in {own, row_name(name), f"{own}s", f"{own}es"}:
        rest = bare.removeprefix(spelled)
        if rest != bare and re.match(
            r"(?: ?\([^()]{1,60}\))?,? (?:(?:is|was|ist) (?:an?|the|one|ein|eine|der|die|das)|"
            r"(?:are|were|sind) (?:the|all|any|those|things|ways|die)|means|refers to)\b",
            rest,
        ):
            return True
    return False
