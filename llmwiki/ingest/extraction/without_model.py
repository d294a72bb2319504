"""A source read without a model or a network: the document's own words, in their order.

Nothing is judged and nothing worded anew. A short document is told whole; of a longer one what
decides, what begins a section, whole lists and small tables come first, and the opening says which
lines are not told. The rules in plain words: docs/offline-extractor.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from llmwiki.core.language.scripts import count_cjk
from llmwiki.core.language.sentences import split_sentences
from llmwiki.core.prompt_injection import addresses_model
from llmwiki.core.text import cut, fold, normalise
from llmwiki.ingest.extraction import schema
from llmwiki.ingest.extraction.extractor import Answers, Extractor
from llmwiki.ingest.extraction.row_units import RowReader, row_name
from llmwiki.ingest.extraction.units import (
    FEW_WORDS,
    TextUnit,
    UnitClaim,
    UnitReader,
    is_sentence,
    words_in,
)
from llmwiki.sources.blocks_and_headings import outline
from llmwiki.sources.document_facts import frontmatter, kinds_of, read_facts, unnumbered
from llmwiki.sources.mail_subtitle_and_page_lines import form_of
from llmwiki.sources.markup_to_markdown import has_words
from llmwiki.sources.read_source import first_quotable
from llmwiki.sources.strip_markup import is_restructured, strip_markup
from llmwiki.sources.table_rows import Table, pipe_rows
from llmwiki.version import SIGNED_OFFLINE

if TYPE_CHECKING:
    from llmwiki.core.document import Document
    from llmwiki.landing.wiki_state import WikiState
    from llmwiki.models.tokens_and_cost import Usage

SHORT = 1200
"""Words of a document that is told whole, and the least that is told of a longer one: two pages."""
SHARE = 0.4
"""Of the words of a longer document that are told."""
MOST_UNITS = 120
MOST_CLAIMS = 160
MOST_LEAD = 300
"""Characters of the opening."""
MOST_PLACES = 12
"""Runs of lines that the opening names."""
MOST_HEADING = 60
MOST_QUESTIONS = 20
MOST_DEFINED = 20
"""Pages that one document makes of what it defines."""

_UNTOLD = frozenset({"pointers", "people", "contents"})
"""What is never told of a document that it stands in."""
_ALONE = frozenset({"people", "contents"})
"""What ends with the next heading, whatever its level."""
_NO_QUESTION = re.compile(
    r"\s*+(?:(?:[-*+]|\d{1,3}[.)])\s++)?(?:\[[xX]\]|\W{0,3}(?:resolved|answer(?:ed)?)\b|"
    r"(?:none|n/?a|nothing|tbd|keine)(?: yet| so far)?\W*$|(?:特に)?な(?:し|い)。?$)",
    re.IGNORECASE,
)
"""A line below open questions that is answered, or says that there are none."""
_NAME = re.compile(r"[^\W_][\w&.'’+-]*(?: [\w&.'’+-]+){0,4}")
"""A heading that may name a page."""
_ARTICLE = "(?:(?:the|an?|der|die|das|ein|eine) )?"
_IS = re.compile(
    r",? (?:\([^()]{1,60}\),? )?(?:(?:is|was|ist) (?:an?|the|one|ein|eine|der|die|das)|"
    r"(?:are|were|sind) (?:the|all|any|those|things|ways|die)|means|refers to|bezeichnet|heißt)\b"
)
_IS_CJK = re.compile("」?(?:とは|是)")
_RULE = re.compile(
    r"[0-9`]|\b(?:must|shall|should|may not|cannot|can't|never|always|only|unless|until|requires?|"
    r"required|default|optional|need(?:s|ed)? to|have to|has to|do not|don't|"
    r"muss|müssen|soll|sollen|darf|dürfen|nur|nie|niemals|mindestens|höchstens|spätestens|"
    r"erforderlich|verpflichtet)\b|必要|必須|禁止|ください|まで|以上|以下|以内|のみ|場合",
    re.IGNORECASE,
)
"""Words of obligation and of limits, figures, and names in code."""
_LINK = re.compile(
    r"\[?!?\[[^][]{0,300}\](?:\([^()\s]{0,1000}\)|\[[^][]{0,200}\])"
    r"(?:\](?:\([^()\s]{0,1000}\)|\[[^][]{0,200}\]))?|<https?:[^<>\s]{0,1000}>"
)
_WIKILINK = re.compile(r"\[\[[^][]{1,300}\]\]")
_PLACE_MARK = re.compile(r"\[(?:page|sheet|slide|chapter|cell) [^\[\]]*\]")
_TOLD = "(Told here: "


class ReaderWithoutModel(Extractor):
    """The reader without a model: no network, no cost, the same answer each time."""

    def fill(self, document: Document, state: WikiState, before: Usage) -> Answers:
        """One extraction of the whole document."""
        del state, before
        read = read_without_model(document, first=first_quotable(document))
        return Answers([read], SIGNED_OFFLINE, SIGNED_OFFLINE, without_model=True)


def read_without_model(document: Document, *, first: int = 1) -> schema.Extraction:
    """Read a document from line `first` (from 1) to its end.

    The answer counts as the whole document (segment 1 of 1). Deterministic, and about linear in
    the length of the text; any text is taken, none raises.
    """
    picker = _Picker(document, first)
    claims, subjects = picker.claims()
    facts = picker.facts
    return schema.Extraction(
        source=schema.SourceEcho(
            sha256=document.sha256, segment=[1, 1], lines=[first, max(first, len(document.lines))]
        ),
        document=schema.DocumentFacts(
            title=facts.title,
            summary=picker.opening(claims),
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

    def __init__(self, document: Document, first: int) -> None:
        self._document = document
        self._start = frontmatter(document.lines)[1] if first == 1 else first
        last = len(document.lines)
        self._form = form = form_of(document, self._start, last)
        self._read = read = outline(form.lines, self._start, last, form.ends, plain=form.plain)
        for numbered in () if form.data else read.tables:
            if found := pipe_rows(numbered):
                form.tables.append(Table(found))
        self.facts = read_facts(
            document.path, form.lines, read, first, found=form.facts, rst=is_restructured(document)
        )
        """What the document says of itself."""
        self._words = partial(strip_markup, code=True, rst=is_restructured(document))
        self._kinds = [kinds_of(one.title) for one in read.sections]
        self._asking = self._below(self._of_kind("questions"))
        self._untold = self._below(self._sections_untold())
        printed = document.media_type.startswith(("application/pdf", "image/"))
        title = self.facts.title
        reader = UnitReader(document.lines, read, self._words, title=title, printed=printed)
        self._tables: list[tuple[Table, int]] = []
        """Each table of data, and how many of its rows are told."""
        units = [*reader.units(self._hidden()), *self._read_tables()]
        self._units = sorted((one for one in units if one.claims), key=lambda one: one.first)
        self._told = self._choose()

    # --- what is not told ----------------------------------------------------------------

    def _of_kind(self, *kinds: str) -> set[int]:
        """The sections of such headings, but of the one that names the document."""
        named = [at for at, one in enumerate(self._read.sections[:2]) if one.level == 1]
        found = {at for at, told in enumerate(self._kinds) if told & set(kinds)}
        return found.difference(named)

    def _below(self, found: set[int]) -> set[int]:
        """These sections and those that lie in them, but not below contents or who was there."""
        for at, section in enumerate(self._read.sections):
            around = self._kinds[section.parent] if section.parent in found else _ALONE
            if not around & _ALONE:
                found.add(at)
        return found

    def _sections_untold(self) -> set[int]:
        """Pointers, who was there, contents, and an agenda that notes follow."""
        contents = {at for at, kinds in enumerate(self._kinds) if "contents" in kinds}
        last = max(self._of_kind("notes"), default=0)
        agenda = {at for at in self._of_kind("agenda") if at < last}
        return self._of_kind(*_UNTOLD) | contents | agenda

    def _hidden(self) -> set[int]:
        """The blocks that are never told, or are told as questions."""
        hidden = self._only_links()
        listing = 0
        """Of a list below a line that says that it is one of pointers, or of people."""
        for at, block in enumerate(self._read.blocks):
            name, _, rest = strip_markup(block.raw).partition(":")
            kinds = kinds_of(name) & _UNTOLD if len(name) <= MOST_HEADING else frozenset()
            leads = not block.listing and bool(kinds) and not rest
            listing = -1 if leads else block.listing if listing in (-1, block.listing) else 0
            of_facts = self.facts.lines.issuperset(range(block.first, block.last + 1))
            unheard = block.kind in ("code", "quote") or addresses_model(block.raw)
            elsewhere = block.section in self._untold | self._asking or "people" in kinds
            if unheard or of_facts or elsewhere or listing:
                hidden.add(at)
        return hidden

    def _only_links(self) -> set[int]:
        """The blocks of nothing but links, and the lists of which each item is one; none where
        the document says nothing else."""
        blocks = self._read.blocks
        told = {at for at, one in enumerate(blocks) if not _is_links(one.raw)}
        lists = {blocks[at].listing for at in told}
        found = {
            at
            for at, one in enumerate(blocks)
            if at not in told and not (one.listing and one.listing in lists)
        }
        return found if told else set()

    # --- tables --------------------------------------------------------------------------

    def _read_tables(self) -> Iterator[TextUnit]:
        tables = self._form.tables
        scoped = len({table.sheet for table in tables}) > 1
        room = MOST_CLAIMS
        for at, table in enumerate(tables):
            reader = RowReader(
                table,
                self._document.lines,
                data=self._form.data,
                scope=table.sheet if scoped else "",
            )
            claims = reader.claims(max(min(room, FEW_WORDS), room // (len(tables) - at)))
            claims = [one for one in claims if not addresses_model(one.text)]
            room -= len(claims)
            first = min(cell.line for record in table.records for cell in record.cells)
            section = [at for at, one in enumerate(self._read.sections) if one.line <= first][-1]
            self._tables.append((table, len(claims)))
            if section not in self._untold:
                yield TextUnit("table", first, first, section, claims)

    # --- what is told --------------------------------------------------------------------

    def _choose(self) -> list[TextUnit]:
        """The units that are told, in the order of the document; of some only the beginning."""
        words = sum(words_in(unit.text) for unit in self._units)
        if words <= SHORT or self._form.data:
            return self._units
        room, count = max(SHORT, int(words * SHARE)), MOST_UNITS
        chosen: dict[int, Sequence[UnitClaim]] = {}
        for _, at, claims in sorted(self._pieces(), key=lambda piece: piece[:2]):
            told = chosen.get(at, ())
            size = _size(claims) - _size(told)
            if 0 < size <= room and len(claims) - len(told) <= count:
                chosen[at] = claims
                room, count = room - size, count - len(claims) + len(told)
        return [replace(self._units[at], claims=chosen[at]) for at in sorted(chosen)]

    def _pieces(self) -> Iterator[tuple[int, int, Sequence[UnitClaim]]]:
        """What may be told: its rank, which unit it is of, and its claims.

        The first sentence of a section comes first, then what holds a rule, an option or a figure,
        of each section the first; then other lists and first sentences, then the rest. A paragraph
        and a long list may be told in part, from the beginning.
        """
        begun: set[int] = set()
        for at, unit in enumerate(self._units):
            is_first = unit.section not in begun
            begun.add(unit.section)
            is_rule, is_list = holds_rule(unit.text), unit.kind != "paragraph"
            rank = 1 if is_first else 3 if is_rule or is_list else 4
            rest = 3 if is_list else 5 if not is_rule else 2 if is_first else 3
            for claims in (*unit.beginnings, unit.claims):
                yield rank, at, claims
                rank = rest

    def claims(self) -> tuple[list[schema.ExtractedClaim], list[schema.Subject]]:
        """The claims, and the pages that own some."""
        owners = self._defined()
        claims: list[schema.ExtractedClaim] = []
        subjects: dict[str, schema.Subject] = {}
        told = [(unit.section, claim) for unit in self._told for claim in unit.claims]
        for section, one in told[:MOST_CLAIMS]:
            owner = owners.get(section, "")
            if owner and owner not in subjects:
                subjects[owner] = schema.Subject(
                    name=owner, kind="concept", description=one.text, lead=one.text
                )
            speaker = self._form.speaker_at(one.quotes[0].first)
            key, value = one.slot or (None, None)
            claims.append(
                schema.ExtractedClaim(
                    id=f"k{len(claims) + 1}",
                    subject=owner or schema.DOCUMENT,
                    text=one.text,
                    evidence=[
                        schema.ExtractedQuote(quote=quote, lines=[first, last])
                        for quote, first, last in one.quotes
                    ],
                    speaker=speaker or None,
                    as_of=one.as_of or None,
                    scope=one.scope or None,
                    key=key,
                    value=value,
                )
            )
        return claims, list(subjects.values())

    def _defined(self) -> dict[int, str]:
        """Sections of which the first paragraph says what their heading is, with that name.

        None has the document's title: its own page tells of that.
        """
        names: dict[int, str] = {}
        own = row_name(self.facts.title)
        seen = {0}
        for unit in self._told:
            is_first = unit.section not in seen and unit.kind == "paragraph"
            seen.add(unit.section)
            if not is_first or self._kinds[unit.section] or len(names) == MOST_DEFINED:
                continue
            name = unnumbered(self._read.sections[unit.section].title)
            name = re.sub(_ARTICLE, "", name, count=1, flags=re.IGNORECASE).strip(" :：.*")
            name = name[:1].upper() + name[1:]
            if row_name(name) != own and _defines(unit.text, name):
                names[unit.section] = name
        return names

    # --- what is said of the whole -------------------------------------------------------

    def opening(self, claims: Iterable[schema.ExtractedClaim]) -> str:
        """What the document says it is, and which lines are not told; never empty."""
        missing = "" if self._form.data else self._missing(claims)
        said = self._of_tables() if self._form.data else self._lead(whole=not missing)
        if not missing:
            return said or self.facts.title
        said = said or self.facts.title + ("" if is_sentence(self.facts.title) else ".")
        return f"{said} {missing}"

    def _lead(self, *, whole: bool) -> str:
        """The document's description or abstract; of one that is not told whole its beginning."""
        if self.facts.description and not addresses_model(self.facts.description):
            return _beginning([self.facts.description])
        if whole or self._told == self._units:
            return ""
        first = self._read.sections[1:2]
        title = {0} | {1 for one in first if one.level == 1}
        opening = [at for at, kinds in enumerate(self._kinds) if "openings" in kinds]
        for among in ({*opening[:1]}, title):
            said: list[str] = []
            for unit in (one for one in self._units if one.section in among):
                if unit.kind != "paragraph" or not is_sentence(unit.text):
                    break
                said.append(unit.text)
            if said:
                return _beginning(said)
        return ""

    def _missing(self, claims: Iterable[schema.ExtractedClaim]) -> str:
        """How many lines are told, and which are not; empty where all are."""
        headings = {one.line for one in self._read.sections} | self.facts.lines
        headings |= self._form.courtesies
        own = enumerate(self._document.lines[self._start - 1 :], self._start)
        worded = [n for n, line in own if has_words(line) and not _PLACE_MARK.match(line)]
        rows = [n for n in worded if n not in headings]
        quoted = [quote.lines for one in claims for quote in one.evidence]
        quoted += [one.lines for one in self.questions()]
        told = {n for lines in quoted if lines for n in range(lines[0], lines[-1] + 1)}
        told -= {line for unit in self._told for line in self._cut_lines(unit)}
        runs: list[tuple[int, int]] = []
        for before, number in zip([0, *rows], rows, strict=False):
            if number in told:
                continue
            if runs and runs[-1][1] == before:
                runs[-1] = runs[-1][0], number
            else:
                runs.append((number, number))
        if not runs:
            return ""
        places = [f"L{a}" if a == b else f"L{a}–L{b}" for a, b in runs[:MOST_PLACES]]
        rest = f" and {len(runs) - MOST_PLACES} more places" if len(runs) > MOST_PLACES else ""
        count = sum(number in told for number in rows)
        return f"{_TOLD}{count} of {len(rows)} lines; more in {', '.join(places)}{rest}.)"

    def _cut_lines(self, unit: TextUnit) -> range:
        """The lines of a paragraph that is told in part from that on in which it ends."""
        said, _, last = unit.claims[-1].quotes[-1]
        line = normalise(self._document.lines[last - 1])
        ends = line.endswith(said) or said.endswith(line)
        return range(last + ends, unit.last + 1) if unit.beginnings else range(0)

    def _of_tables(self) -> str:
        """How long the tables are of which the document is made, and how much is told."""
        parts = [_beginning([self.facts.description])] if self.facts.description else []
        for table, told in self._tables[:3]:
            if not table.columns():
                continue
            size, columns = len(table.records), ", ".join(table.columns()[:6])
            sheet = f"{table.sheet}: " if table.sheet else ""
            few = f"; told here: {told}" if told < size else ""
            parts.append(normalise(f"{sheet}{size} rows of {cut(columns, 160)}{few}."))
        return " ".join(parts)

    def questions(self) -> list[schema.SourceQuestion]:
        """What stands under a heading of open questions and is not answered."""
        found: list[schema.SourceQuestion] = []
        for block in self._read.blocks:
            is_other = block.kind in ("code", "quote") or addresses_model(block.raw)
            if block.section not in self._asking or is_other:
                continue
            text = self._words(block.raw)
            answered = _NO_QUESTION.match(self._form.lines[block.first - 1])
            if 3 <= len(text) <= 400 and not answered:
                found.append(schema.SourceQuestion(text=text, lines=[block.first, block.last]))
        return found[:MOST_QUESTIONS]


def told_lines(summary: str) -> str:
    """How much of a document is told, as its opening says it, `44 of 145 lines`; empty: all."""
    return summary.partition(_TOLD)[2].partition(";")[0]


def holds_rule(text: str) -> bool:
    """Whether a text says what holds or is to be done: an obligation, a limit, a name in code."""
    return _RULE.search(text) is not None


def _is_links(raw: str) -> bool:
    """Whether a text is made of links and pictures, without a word beside them."""
    found, count = _LINK.subn("", raw)
    return count > 0 and not _WIKILINK.search(raw) and not any(map(str.isalnum, found))


def _size(claims: Iterable[UnitClaim]) -> int:
    return sum(words_in(one.text) for one in claims)


def _defines(text: str, name: str) -> bool:
    """Whether a text begins by saying what that name is."""
    own, said = fold(name), fold(text[:200])
    article = re.match(_ARTICLE, said)
    said = said[article.end() :] if article and not count_cjk(name) else said.removeprefix("「")
    is_name = _NAME.fullmatch(name) is not None and len(name) <= MOST_HEADING
    verb = (_IS_CJK if count_cjk(name) else _IS).match(said[len(own) :])
    return is_name and said.startswith(own) and verb is not None


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
