"""The units of a text: its paragraphs, items, lists and tables, each with the claims it becomes.

The words of a claim are those of its quotes. What stands before an item for it to be understood,
a heading or the item that holds it, is a quote of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import median
from typing import Literal, NamedTuple

from llmwiki.core.text import fold_quote, normalise
from llmwiki.extraction.answer_limits import MAX_CLAIM, MIN_CHARACTERS, MIN_WORDS
from llmwiki.language.scripts import CJK, count_cjk
from llmwiki.language.sentences import split_sentences
from llmwiki.sources.outline import DocumentBlock, Outline
from llmwiki.sources.plain_words import strip_markup

MOST_WORDS, MOST_CJK, MOST_CHARACTERS = 58, 230, 900
"""Of a quote; one that is too short for a quote of its own is added to the one before it."""
MOST_QUOTES = 3
BODY_QUOTES = 2
"""Quotes of a unit's own words in one claim; what is longer becomes several claims."""
MOST_TOGETHER = 4
"""Claims of a paragraph that are told together or not at all."""
FEW_WORDS = 7
"""Words of an item that says nothing without its heading; of one that only heads others."""
FEW_OF_A_TOPIC = 12
"""Words of an item up to which it is only what the items in it are about."""
LONG_PREFIX = 30
"""Words of what stands before an item; of a longer introduction its last sentence does."""
FEW_ITEMS = 4
LONG_STEP = 30
"""Words of most steps of a list that is told as one."""

_TOKEN = re.compile(rf"[{CJK}]|[^\s{CJK}]+")
_MARKS = re.compile(r"[\s>]*(?:(?:[-*+•·‣◦]\s+|[・●○▪]\s*)(?:\[[ xX]\]\s+)?)?")
_NUMBER = re.compile(r"[\s>]*(?:[-*+]\s+)*(\d{1,3}[.)])\s")
_ENDS = re.compile(r"[.!?。！？][\"'”’)\]*_`」』]*\s*\Z")
_COLON = (":", "：")
_BEFORE_CODE = re.compile(
    r"\b(?:follow\w*|this|these|below|example|examples|e\.g\.|run|runs|like|code|commands?|use|"
    r"execute|type|enter|looks?|output|folgend\w*|beispiel)\b|次の|以下|例|実行",
    re.IGNORECASE,
)
"""Words of a sentence that leads to code and says nothing without it."""

UnitKind = Literal["paragraph", "line", "item", "list", "table"]


class UnitQuote(NamedTuple):
    """Words of the text, and the first and last line in which they stand."""

    quote: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class UnitClaim:
    """A claim as it will be told."""

    text: str
    quotes: tuple[UnitQuote, ...]
    as_of: str = ""
    scope: str = ""
    slot: tuple[str, str] | None = None


@dataclass(slots=True)
class TextUnit:
    """What is told whole or not at all."""

    kind: UnitKind
    first: int
    last: int
    section: int
    claims: list[UnitClaim]
    """None where it is not told whatever room there is."""
    text: str = ""
    """Its words without those before it."""
    listing: int = 0
    """The number of the list that it is an item of; 0: of none."""

    @property
    def words(self) -> int:
        """How much room it takes."""
        return sum(words_in(claim.text) for claim in self.claims)


def words_in(text: str) -> int:
    """Length in words; two characters of CJK count as one."""
    return len(text.split()) + count_cjk(text) // 2


def is_sentence(text: str) -> bool:
    """Whether a text ends as sentences do."""
    return _ENDS.search(text) is not None


class UnitReader:
    """Makes units of the blocks of one document."""

    def __init__(self, lines: Sequence[str], read: Outline) -> None:
        """`lines` are those of the document, in which quotes stand."""
        self._lines = lines
        self._read = read
        self._codes = {block.first for block in read.blocks if block.kind == "code"}

    def units(self, hidden: Sequence[int]) -> Iterator[TextUnit]:
        """The units in reading order; `hidden` is for each block 0, or why it is not told.

        Blocks that are not told for one reason and follow one another are a unit without claims.
        """
        blocks = self._read.blocks
        keys = [-hidden[at] or block.listing or -9 - at for at, block in enumerate(blocks)]
        held: DocumentBlock | None = None
        for key, run in groupby(range(len(blocks)), key=keys.__getitem__):
            places = list(run)
            first = blocks[places[0]]
            if held and key > 0 and first.section == held.section:
                yield from self._listed(places, held)
                held = None
                continue
            if held:
                yield from self._introducing(held, first)
                held = None
            if -9 < key < 0:
                yield TextUnit("paragraph", first.first, blocks[places[-1]].last, first.section, [])
            elif key > 0:
                yield from self._listed(places, None)
            elif strip_markup(first.raw).endswith(_COLON):
                held = first
            else:
                yield from self._paragraph(first)
        if held:
            yield from self._paragraph(held)

    def _introducing(self, block: DocumentBlock, following: DocumentBlock) -> Iterator[TextUnit]:
        """A paragraph that ends in a colon; one that leads to code alone is not told."""
        says_little = len(split_sentences(block.raw)) == 1 and _BEFORE_CODE.search(block.raw)
        if following.kind == "code" and says_little:
            yield TextUnit("paragraph", block.first, block.last, block.section, [])
        else:
            yield from self._paragraph(block)

    def _paragraph(self, block: DocumentBlock) -> Iterator[TextUnit]:
        """A paragraph; each line of it is a unit where each is one sentence."""
        split = block.raw.split("\n")
        ends = all(map(is_sentence, split)) and len(split_sentences(block.raw)) == len(split)
        if len(split) > 1 and ends:
            for number, line in enumerate(split, block.first):
                yield self._unit("line", line, number, number, block.section)
        else:
            unit = self._unit("paragraph", block.raw, block.first, block.last, block.section)
            yield from [unit] if len(unit.claims) <= MOST_TOGETHER else _apart(unit)

    def _unit(
        self,
        kind: UnitKind,
        raw: str,
        first: int,
        last: int,
        section: int,
        before: tuple[str, UnitQuote] | None = None,
    ) -> TextUnit:
        raw = raw if self._stands(raw, first, last) else self._own(first, last)
        claims: list[UnitClaim] = []
        pieces = self._pieces(raw, first, last)
        for at in range(0, len(pieces), BODY_QUOTES):
            held = pieces[at : at + BODY_QUOTES]
            gaps = (raw[one[1] : other[0]] for one, other in pairwise(held))
            spans = [(held[0][0], held[-1][1])]
            if any(gap.strip() for gap in gaps):  # What lies between has no quote.
                spans = [(a, b) for a, b, _ in held]
            text = " ".join(strip_markup(raw[a:b], code=True) for a, b in spans)
            quotes = tuple(quote for _, _, quote in held)
            self._add(claims, text, quotes, before)
        return TextUnit(kind, first, last, section, claims, strip_markup(raw))

    def _add(
        self,
        claims: list[UnitClaim],
        text: str,
        quotes: tuple[UnitQuote, ...],
        before: tuple[str, UnitQuote] | None,
    ) -> None:
        if before:
            text, quotes = f"{before[0]}: {text}", (*quotes, before[1])
        few = any(is_short(quote) and first != last for quote, first, last in quotes)
        if not few and any(map(str.isalnum, text)) and len(text) <= MAX_CLAIM:
            claims.append(UnitClaim(text, quotes))

    # --- lists ---------------------------------------------------------------------------

    def _listed(self, places: Sequence[int], intro: DocumentBlock | None) -> Iterator[TextUnit]:
        """A list: as one unit, or each item of it."""
        blocks = [self._read.blocks[at] for at in places]
        told = [strip_markup(block.raw) for block in blocks]
        if self._is_one(blocks, told, intro is not None):
            yield from self._whole(places, blocks, intro)
            return
        if intro:
            for unit in self._paragraph(intro):
                unit.listing = blocks[0].listing
                yield unit
        parents = {block.parent for block in blocks}
        for at, block, text in zip(places, blocks, told, strict=True):
            if at in parents and self._is_topic(text):
                continue
            before = self._above(block, text)
            unit = self._unit("item", block.raw, block.first, block.last, block.section, before)
            unit.listing = block.listing
            yield unit

    def _is_topic(self, text: str) -> bool:
        """Whether an item only says what the items in it are about."""
        most = LONG_PREFIX if text.endswith(_COLON) else FEW_OF_A_TOPIC
        return words_in(text) <= most and not is_sentence(text)

    def _is_one(self, blocks: Sequence[DocumentBlock], told: list[str], promised: bool) -> bool:
        """Whether the items are steps, short, or what the sentence before them promises."""
        items = [
            (block, text) for block, text in zip(blocks, told, strict=True) if block.kind == "item"
        ]
        if len(items) < 2:
            return promised and bool(items)
        middle = median(words_in(text) for _, text in items)
        outer = [one for one in items if one[0].parent is None] or items
        steps = all(block.ordered for block, _ in outer) and middle <= LONG_STEP
        unended = sum(not is_sentence(text) for _, text in items) * 2 > len(items)
        few = middle <= FEW_WORDS and (promised or len(outer) == len(items))
        return steps or few or (promised and (len(outer) <= FEW_ITEMS or unended))

    def _whole(
        self,
        places: Sequence[int],
        blocks: Sequence[DocumentBlock],
        intro: DocumentBlock | None,
    ) -> Iterator[TextUnit]:
        """All items of a list with what introduces it, in as many claims as it takes."""
        before: tuple[str, UnitQuote] | None = None
        first = blocks[0].first
        if intro:
            spans = split_sentences(intro.raw)
            start = 0 if words_in(intro.raw) <= LONG_PREFIX or not spans else spans[-1][0]
            pieces = self._pieces(intro.raw[start:], intro.first + intro.raw[:start].count("\n"),
                                  intro.last)  # fmt: skip
            if len(pieces) == 1:
                before = strip_markup(intro.raw[start:], code=True).rstrip(":："), pieces[0][2]
            if start or not before:
                end = start if before else len(intro.raw)
                lines = intro.raw[:end].rstrip().count("\n")
                yield self._unit(
                    "paragraph", intro.raw[:end].rstrip(), intro.first, intro.first + lines,
                    intro.section,
                )  # fmt: skip
            else:
                first = intro.first
        else:
            before = self._heading_of(strip_markup(blocks[0].raw), blocks[0].section)
        claims: list[UnitClaim] = []
        room = BODY_QUOTES if before else MOST_QUOTES
        held: list[tuple[str, UnitQuote]] = []
        for part in self._runs(places, blocks):
            held.append(part)
            if len(held) == room:
                self._add_list(claims, held, before)
                held = []
        self._add_list(claims, held, before)
        yield TextUnit("list", first, blocks[-1].last, blocks[0].section, claims, "; ".join(
            claim.text for claim in claims
        ))  # fmt: skip

    def _add_list(
        self,
        claims: list[UnitClaim],
        held: Sequence[tuple[str, UnitQuote]],
        before: tuple[str, UnitQuote] | None,
    ) -> None:
        if held:
            text = ""
            for part, _ in held:
                text = _joined(text, part)
            self._add(claims, text, tuple(quote for _, quote in held), before)

    def _runs(
        self, places: Sequence[int], blocks: Sequence[DocumentBlock]
    ) -> Iterator[tuple[str, UnitQuote]]:
        """Items that follow one another without a break, as many as a quote may hold."""
        text = ""
        run: UnitQuote | None = None
        for at, block in zip(places, blocks, strict=True):
            number = _NUMBER.match(self._lines[block.first - 1]) if block.kind == "item" else None
            said = f"{number[1]} " if number else ""
            part = said + strip_markup(block.raw, code=True)
            if run and not any(
                self._lines[n - 1].strip() for n in range(run.last + 1, block.first)
            ):
                quote = self._line_quote(run.first, block.last)
                if fits(quote.quote) and len(text) + len(part) < MOST_CHARACTERS:
                    text, run = _joined(text, part, within=block.parent == at - 1), quote
                    continue
            if run:
                yield text, run
            text, run = part, self._line_quote(block.first, block.last)
            if not fits(run.quote):
                raw = self._own(block.first, block.last)
                for a, b, quote in self._pieces(raw, block.first, block.last):
                    yield strip_markup(raw[a:b], code=True), quote
                run = None
        if run:
            yield text, run

    def _above(self, block: DocumentBlock, text: str) -> tuple[str, UnitQuote] | None:
        """What an item is told with: the item that holds it, or its heading where it is short."""
        if block.parent is not None:
            outer = self._read.blocks[block.parent]
            said = strip_markup(outer.raw, code=True).rstrip(":：")
            if said and self._is_topic(strip_markup(outer.raw)):
                quote = self._line_quote(outer.first, outer.last)
                return (said, quote) if fits(quote.quote) else None
            return None
        return self._heading_of(text, block.section)

    def _heading_of(self, text: str, section: int) -> tuple[str, UnitQuote] | None:
        """The heading, where an item is too short to say something without it."""
        few = words_in(text) <= FEW_WORDS and not is_sentence(text) and not text.endswith(_COLON)
        return self._heading(section) if few else None

    def _heading(self, section: int) -> tuple[str, UnitQuote] | None:
        """A heading with its line as a quote; None for the one that names the document."""
        one = self._read.sections[section]
        title = strip_markup(one.title).rstrip(":： ")
        if not one.line or not title or (one.level == 1 and section == 1):
            return None
        quote = UnitQuote(normalise(self._lines[one.line - 1]), one.line, one.line)
        return (title, quote) if self._stands(one.title, one.line, one.line) else None

    # --- quotes --------------------------------------------------------------------------

    def _pieces(self, raw: str, first: int, last: int) -> list[tuple[int, int, UnitQuote]]:
        """A text as quotes that end with sentences where they can; `raw` begins on line `first`."""
        spans: list[tuple[int, int]] = []
        for start, end in split_sentences(raw):
            for a, b in _cut(raw, start, end):
                joined = (spans[-1][0], b) if spans else (a, b)
                short = is_short(raw[a:b])
                if spans and (short or fits(normalise(raw[joined[0] : b]))):
                    spans[-1] = joined
                else:
                    spans.append((a, b))
        made: list[tuple[int, int, UnitQuote]] = []
        for a, b in spans:
            line = first + raw.count("\n", 0, a)
            quote = UnitQuote(normalise(raw[a:b]), line, line + raw.count("\n", a, b))
            if is_short(quote.quote) and quote.last == line:
                quote = UnitQuote(normalise(self._lines[line - 1]), line, line)
            elif is_short(quote.quote):
                continue  # So few words of several lines carry no claim.
            if quote.quote and quote.last <= last and self._stands(*quote):
                made.append((a, b, quote))
        return made

    def _line_quote(self, first: int, last: int) -> UnitQuote:
        """Whole lines as a quote, without the bullet of the first."""
        quote = normalise(self._own(first, last))
        if is_short(quote):
            quote = normalise("\n".join(self._lines[first - 1 : last]))
        return UnitQuote(quote, first, last)

    def _own(self, first: int, last: int) -> str:
        text = "\n".join(self._lines[first - 1 : last])
        found = _MARKS.match(text)
        return text[found.end() :] if found else text

    def _stands(self, raw: str, first: int, last: int) -> bool:
        quote = fold_quote(raw)
        return bool(quote) and quote in fold_quote("\n".join(self._lines[first - 1 : last]))


def _apart(unit: TextUnit) -> Iterator[TextUnit]:
    """The claims of a long paragraph as units of their own."""
    for claim in unit.claims:
        first, last = claim.quotes[0].first, claim.quotes[-1].last
        yield TextUnit(unit.kind, first, last, unit.section, [claim], claim.text)


def _joined(text: str, part: str, *, within: bool = False) -> str:
    """Two parts of a list as one text; `within`: the second lies in the item before it."""
    if not text:
        return part
    text = text.rstrip(" ;,、")
    text = f"{text}:" if within and text[-1:].isalnum() else text
    return f"{text} {part}" if is_sentence(text) or text.endswith(_COLON) else f"{text}; {part}"


def is_short(quote: str) -> bool:
    """Whether words prove nothing unless they are all that their line says."""
    text = normalise(quote)
    few = len(text) < MIN_CHARACTERS and len(text.split()) < MIN_WORDS
    return few and count_cjk(text) < 4


def fits(quote: str) -> bool:
    """Whether words are few enough for one quote."""
    return (
        len(quote) <= MOST_CHARACTERS
        and len(quote.split()) <= MOST_WORDS
        and count_cjk(quote) <= MOST_CJK
    )


def _cut(raw: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A sentence in parts of which each fits; what no blank parts is left out beyond that."""
    if fits(raw[start:end]):
        yield start, end
        return
    begun = held = start
    words = wide = 0
    for token in _TOKEN.finditer(raw, start, end):
        is_wide = token.end() - token.start() == 1 and count_cjk(token[0]) == 1
        over = words >= MOST_WORDS or wide >= MOST_CJK
        if (over or token.end() - begun > MOST_CHARACTERS) and held > begun:
            yield begun, held
            begun, words, wide = token.start(), 0, 0
        words += raw[token.start() - 1 : token.start()].isspace() or token.start() == begun
        wide += is_wide
        held = token.end()
    if held - begun <= MOST_CHARACTERS:
        yield begun, held
