"""The units of a text: its paragraphs, lines, items and lists, each with the claims it becomes.

The words of a claim are those of its quotes. What stands before an item for it to be understood,
a heading or the item that holds it, is a quote of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import median
from typing import Literal, NamedTuple

from llmwiki.core.text import fold_quote, normalise
from llmwiki.extraction.answer_limits import MAX_CLAIM, MIN_CHARACTERS, MIN_WORDS
from llmwiki.language.scripts import CJK, count_cjk
from llmwiki.language.sentences import split_sentences
from llmwiki.sources.outline import DocumentBlock, Outline

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
SHORT_LINE, FEW_SHORT = 45, 5
"""Characters and words of lines that are surely not wrapped."""

_TOKEN = re.compile(rf"\[[^\[\]]{{0,300}}\]\([^()\s]{{0,600}}\)|[{CJK}]|[^\s{CJK}]+")
_MARKS = re.compile(r"[\s>]*(?:(?:[-*+•·‣◦]\s+|[・●○▪]\s*)(?:\[ \]\s+)?)?")
_NUMBER = re.compile(r"[\s>]*(?:[-*+]\s+)*(\d{1,3}[.)])\s")
_ENDS = re.compile(r"[.!?。！？][\"'”’)\]*_`」』]*\s*\Z")
_LABEL = re.compile(r"\W{0,4}[^\W\d_]\w{1,20}(?::|：)")
"""What begins a line that says who does what, or what is told."""
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


class ListItem(NamedTuple):
    """The words of an item, and the first and last line in which they stand."""

    text: str
    first: int
    last: int
    within: bool = False
    """Whether it lies in the item before it."""


Part = tuple[str, UnitQuote]
"""Words as they are told, and their quote."""


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
    section: int
    claims: list[UnitClaim]
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


def _says_little(text: str) -> bool:
    """Whether an item has too few words to say something alone."""
    return words_in(text) <= FEW_WORDS and not is_sentence(text) and not text.endswith(_COLON)


class UnitReader:
    """Makes units of the blocks of one document."""

    def __init__(
        self,
        lines: Sequence[str],
        read: Outline,
        words: Callable[[str], str],
        *,
        title: str,
        printed: bool,
    ) -> None:
        """`lines` are those of the document, in which quotes stand; `words` takes markup off.

        `printed`: lines are as long as a page is wide, and tell nothing.
        """
        self._lines = lines
        self._read = read
        self._words = words
        self._title = title
        self._printed = printed

    def units(self, hidden: Collection[int]) -> Iterator[TextUnit]:
        """The units in reading order, but of the blocks whose index is hidden."""
        blocks = self._read.blocks
        intro: DocumentBlock | None = None
        shown = (at for at in range(len(blocks)) if at not in hidden)
        for _, run in groupby(shown, lambda at: blocks[at].listing or -at):
            places = list(run)
            block = blocks[places[0]]
            following = places[-1] + 1
            after = blocks[following] if following < len(blocks) else None
            if block.listing:
                yield from self._listed(places, intro)
                intro = None
            elif after is None or not self._words(block.raw).endswith(_COLON):
                yield from self._paragraph(block)
            elif after.listing and following not in hidden and after.section == block.section:
                intro = block
            elif after.kind != "code" or not self._leads_to_code(block.raw):
                yield from self._paragraph(block)

    def _leads_to_code(self, raw: str) -> bool:
        return len(split_sentences(raw)) == 1 and _BEFORE_CODE.search(raw) is not None

    def _paragraph(self, block: DocumentBlock) -> Iterator[TextUnit]:
        """A paragraph; lines that nobody wrapped are units, or a list of few words each."""
        lines = block.raw.split("\n")
        if self._printed or not _is_of_lines(lines):
            parts = self._parts(block.raw, block.first, block.last)
            unit = self._unit("paragraph", block, parts)
            yield from [unit] if len(unit.claims) <= MOST_TOGETHER else _apart(unit)
            return
        for sentences, run in groupby(enumerate(lines, block.first), lambda n: is_sentence(n[1])):
            items = [ListItem(self._words(line), n, n) for n, line in run]
            if not sentences and median(words_in(one.text) for one in items) <= FEW_WORDS:
                yield self._unit("list", block, list(self._runs(items)))
            else:
                for n in range(items[0].first, items[-1].last + 1):
                    yield self._unit("line", block, self._parts(lines[n - block.first], n, n))

    def _unit(
        self,
        kind: UnitKind,
        block: DocumentBlock,
        parts: Sequence[Part],
        before: Part | None = None,
        room: int = BODY_QUOTES,
    ) -> TextUnit:
        """A unit of these parts, `room` of them in each claim."""
        claims: list[UnitClaim] = []
        for at in range(0, len(parts), room):
            held = parts[at : at + room]
            text = held[0][0]
            for part, _ in held[1:]:
                text = _joined(text, part) if kind == "list" else f"{text} {part}"
            quotes = tuple(quote for _, quote in held)
            if before:
                text, quotes = f"{before[0]}: {text}", (*quotes, before[1])
            if any(map(str.isalnum, text)) and len(text) <= MAX_CLAIM:
                claims.append(UnitClaim(text, quotes))
        first = parts[0][1].first if parts else block.first
        text = " ".join(text for text, _ in parts)
        return TextUnit(kind, first, block.section, claims, text, block.listing)

    # --- lists ---------------------------------------------------------------------------

    def _listed(self, places: Sequence[int], intro: DocumentBlock | None) -> Iterator[TextUnit]:
        """A list: as one unit, or each item of it."""
        blocks = [self._read.blocks[at] for at in places]
        told = [self._words(block.raw) for block in blocks]
        if self._is_one(blocks, told, intro is not None):
            yield from self._whole(places, blocks, intro)
            return
        for unit in self._paragraph(intro) if intro else ():
            unit.listing = blocks[0].listing
            yield unit
        inner: dict[int, list[str]] = {}
        for block, text in zip(blocks, told, strict=True):
            if block.parent is not None:
                inner.setdefault(block.parent, []).append(text)

        def together(one: tuple[int, DocumentBlock, str]) -> int:
            """Few words that lie in one item are told together."""
            at, block, text = one
            alone = block.parent is None or at in inner or not _says_little(text)
            return at if alone else -1 - (block.parent or 0)

        for _, run in groupby(zip(places, blocks, told, strict=True), together):
            group = list(run)
            at, block, text = group[0]
            led = inner.get(at, ())
            if led and (self._is_topic(text) or (fits(text) and all(map(_says_little, led)))):
                continue  # It is told with those that lie in it.
            parts = self._parts(block.raw, block.first, block.last)
            if len(group) > 1:
                parts = list(self._runs([self._item(one) for _, one, _ in group]))
            yield self._unit("item", block, parts, self._above(block, text))

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
        few = middle <= FEW_WORDS and (promised or (unended and len(outer) == len(items)))
        return steps or few or (promised and (len(outer) <= FEW_ITEMS or unended))

    def _whole(
        self, places: Sequence[int], blocks: Sequence[DocumentBlock], intro: DocumentBlock | None
    ) -> Iterator[TextUnit]:
        """All items of a list with what introduces it, in as many claims as it takes."""
        before = self._heading_of(self._words(blocks[0].raw), blocks[0].section)
        if intro:
            # Of a long introduction the last sentence is repeated, and the rest is told before it.
            spans = split_sentences(intro.raw) or [(0, 0)]
            start = 0 if words_in(intro.raw) <= LONG_PREFIX else spans[-1][0]
            line = intro.first + intro.raw.count("\n", 0, start)
            parts = self._parts(intro.raw[start:], line, intro.last)
            before = (parts[0][0].rstrip(":："), parts[0][1]) if len(parts) == 1 else None
            rest = self._parts(intro.raw[: start if before else None], intro.first, intro.last)
            if start or not before:
                yield self._unit("paragraph", intro, rest)
        room = BODY_QUOTES if before else MOST_QUOTES
        items = [
            self._item(block, within=block.parent == at - 1)
            for at, block in zip(places, blocks, strict=True)
        ]
        yield self._unit("list", blocks[0], list(self._runs(items)), before, room)

    def _item(self, block: DocumentBlock, *, within: bool = False) -> ListItem:
        number = _NUMBER.match(self._lines[block.first - 1]) if block.kind == "item" else None
        said = self._words(block.raw)
        text = f"{number[1]} {said}" if number and said else said
        return ListItem(text, block.first, block.last, within)

    def _runs(self, items: Iterable[ListItem]) -> Iterator[Part]:
        """Items that follow one another without a break, as many as a quote may hold."""
        held: Part | None = None
        for text, first, last, within in items:
            if held and not any(map(str.strip, self._lines[held[1].last : first - 1])):
                quote = self._line_quote(held[1].first, last)
                if fits(quote.quote) and len(held[0]) + len(text) < MOST_CHARACTERS:
                    held = _joined(held[0], text, within=within), quote
                    continue
            if held:
                yield held
            held = (text, self._line_quote(first, last)) if text else None
            if held and not fits(held[1].quote):
                held = None
                yield from self._parts(self._own(first, last), first, last)
        if held:
            yield held

    def _above(self, block: DocumentBlock, text: str) -> Part | None:
        """What an item is told with: the item that holds it, or its heading, where it says little
        alone."""
        if block.parent is None:
            return self._heading_of(text, block.section)
        outer = self._read.blocks[block.parent]
        said = self._words(outer.raw)
        if not said or not (self._is_topic(said) or _says_little(text)):
            return None
        quote = self._line_quote(outer.first, outer.last)
        return (said.rstrip(":：."), quote) if fits(quote.quote) else None

    def _heading_of(self, text: str, section: int) -> Part | None:
        """The heading, where an item is too short to say something without it.

        None for the one that names the document.
        """
        one = self._read.sections[section]
        title = self._words(one.title).rstrip(":： ")
        if title in ("", self._title) or (one.level == 1 and section == 1):
            return None
        if not _says_little(text) or not self._stands(one.title, one.line, one.line):
            return None
        return title, UnitQuote(normalise(self._lines[one.line - 1]), one.line, one.line)

    # --- quotes --------------------------------------------------------------------------

    def _parts(self, raw: str, first: int, last: int) -> list[Part]:
        """A text in parts that end with sentences where they can; `raw` begins on line `first`."""
        raw = raw if self._stands(raw, first, last) else self._own(first, last)
        spans: list[tuple[int, int]] = []
        for start, end in split_sentences(raw):
            for a, b in _cut(raw, start, end):
                if spans and (is_short(raw[a:b]) or fits(normalise(raw[spans[-1][0] : b]))):
                    spans[-1] = (spans[-1][0], b)
                else:
                    spans.append((a, b))
        made: list[Part] = []
        for a, b in spans:
            line = first + raw.count("\n", 0, a)
            quote = UnitQuote(normalise(raw[a:b]), line, line + raw.count("\n", a, b))
            if is_short(quote.quote):
                if quote.last > line:
                    continue  # So few words of several lines carry no claim.
                quote = UnitQuote(normalise(self._lines[line - 1]), line, line)
            text = self._words(raw[a:b])
            if text and quote.last <= last and self._stands(*quote):
                made.append((text, quote))
        return made

    def _line_quote(self, first: int, last: int) -> UnitQuote:
        """Whole lines as a quote, without the bullet of the first."""
        quote = normalise(self._own(first, last))
        whole = "\n".join(self._lines[first - 1 : last])
        return UnitQuote(normalise(whole) if is_short(quote) else quote, first, last)

    def _own(self, first: int, last: int) -> str:
        text = "\n".join(self._lines[first - 1 : last])
        found = _MARKS.match(text)
        return text[found.end() :] if found else text

    def _stands(self, raw: str, first: int, last: int) -> bool:
        quote = fold_quote(raw)
        return bool(quote) and quote in fold_quote("\n".join(self._lines[first - 1 : last]))


def _is_of_lines(lines: Sequence[str]) -> bool:
    """Whether each line of a paragraph stands for itself, and none was wrapped.

    Each ends a sentence, or all are short, or none begins with a small letter or with a word for
    which there was room on the line before. A question is told with its answer.
    """
    open_ends = ("?", "？", ",", "、")
    if len(lines) < 2 or any(line.rstrip(" *_").endswith(open_ends) for line in lines[:-1]):
        return False
    if any(line.lstrip().startswith(":") for line in lines):
        return False  # A definition.
    if all(map(is_sentence, lines)):
        return len(split_sentences("\n".join(lines))) == len(lines)
    if is_sentence(lines[-1]) and not any(map(is_sentence, lines[:-1])):
        return False
    sizes = [words_in(line) for line in lines]
    labels = any(n <= 3 and ":" not in line for n, line in zip(sizes, lines, strict=True))
    if labels and any(map(is_sentence, lines)):
        return False
    width = max(map(len, lines))
    fresh = all(not line.lstrip("*_`\"'([")[:1].islower() for line in lines)
    roomy = all(
        len(a) + 1 + len(b.split(maxsplit=1)[0]) <= width or _LABEL.match(b)
        for a, b in pairwise(lines)
    )
    return (fresh and roomy) or (width <= SHORT_LINE and (fresh or median(sizes) <= FEW_SHORT))


def _apart(unit: TextUnit) -> Iterator[TextUnit]:
    """The claims of a long paragraph as units of their own."""
    for claim in unit.claims:
        yield TextUnit(unit.kind, claim.quotes[0].first, unit.section, [claim], claim.text)


def _joined(text: str, part: str, *, within: bool = False) -> str:
    """Two parts of a list as one text; `within`: the second lies in the item before it."""
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
        size = len(token[0].split())
        over = words + size > MOST_WORDS or wide >= MOST_CJK
        if (over or token.end() - begun > MOST_CHARACTERS) and held > begun:
            yield begun, held
            begun, words, wide = token.start(), 0, 0
        fresh = raw[token.start() - 1 : token.start()].isspace() or token.start() == begun
        words += size if fresh else size - 1
        wide += is_wide
        held = token.end()
    if held - begun <= MOST_CHARACTERS:
        yield begun, held
