"""The units of a text: its paragraphs, lines, items and lists, each with the claims it becomes.

The words of a claim are those of its quotes. What stands before an item for it to be understood,
an introduction, a heading or the item that holds it, is a quote of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import median
from typing import Literal, NamedTuple

from llmwiki.core.language.scripts import CJK, count_cjk
from llmwiki.core.language.sentences import split_sentences
from llmwiki.core.prompt_injection import addresses_model
from llmwiki.core.text import fold_quote, normalise
from llmwiki.ingest.extraction.schema import MAX_CLAIM
from llmwiki.sources.blocks_and_headings import DocumentBlock, Outline
from llmwiki.sources.quotes import is_short

MOST_WORDS, MOST_CJK, MOST_CHARACTERS = 58, 230, 900
"""Of a quote."""
MOST_QUOTES = 3
FEW_WORDS = 7
"""Words of an item that says nothing without its heading."""
FEW_OF_A_LINE = 2
"""The same of a line of a paragraph that nobody wrapped, and of a numbered sentence."""
FEW_OF_A_TOPIC = 12
"""Words of an item up to which it is only what the items in it are about."""
LONG_TOPIC = 30
"""The same of one that ends in a colon."""
FEW_ITEMS = 4
LONG_LIST = 400
"""Words of a list up to which it is told whole or not at all; a longer one from its beginning."""
MOST_BEGINNINGS = 3
"""Sentences of a paragraph with which it may end where it is told in part."""
LONG_STEP = 30
"""Words of most steps of a list that is told as one."""
SHORT_LINE = 45
"""Characters of lines that are surely not wrapped."""

_TOKEN = re.compile(rf"\[[^\[\]]{{0,300}}\]\([^()\s]{{0,600}}\)|[{CJK}]|[^\s{CJK}]+")
_MARKS = re.compile(r"[\s>]*(?:[-*+•·‣◦]\s+|[・●○▪]\s*)?")
_TASK = re.compile(r"[\s>]*(?:[-*+]|\d{1,3}[.)])\s+(\[[ xX]\])\s")
_NUMBER = re.compile(r"[\s>]*(?:[-*+]\s+)*(\d{1,3}[.)])\s")
_ENDS = re.compile(r"[.!?。！？][\"'”’)\]*_`」』]*\s*\Z")
_COLON = (":", "：")
_BOXES = ("[ ] ", "[x] ", "[X] ")
"""With which an item begins that is to be done, or is done."""

UnitKind = Literal["paragraph", "list", "table"]


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
    is_inner: bool = False
    """Whether it lies in another item."""
    within: bool = False
    """Whether that is the item before it."""


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


@dataclass(frozen=True, slots=True)
class TextUnit:
    """What is told whole or not at all."""

    kind: UnitKind
    first: int
    last: int
    section: int
    claims: Sequence[UnitClaim]
    beginnings: Sequence[Sequence[UnitClaim]] = ()
    """Of a paragraph: the claims of its first sentence, of its first two, …; the same of the items
    of a long list."""

    @property
    def text(self) -> str:
        """All its words."""
        return " ".join(claim.text for claim in self.claims)


def words_in(text: str) -> int:
    """Length in words; two characters of CJK count as one."""
    return len(text.split()) + count_cjk(text) // 2


def is_sentence(text: str) -> bool:
    """Whether a text ends as sentences do."""
    return _ENDS.search(text) is not None


def fits(quote: str) -> bool:
    """Whether words are few enough for one quote."""
    return (
        len(quote) <= MOST_CHARACTERS
        and len(quote.split()) <= MOST_WORDS
        and count_cjk(quote) <= MOST_CJK
    )


def _says_little(text: str, few: int = FEW_WORDS) -> bool:
    """Whether an item has too few words to say something alone."""
    return words_in(text) <= few and not is_sentence(text) and not text.endswith(_COLON)


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
        self._folded = (0, 0), ""
        """Lines (from, to) that were asked for last, and their folded text."""

    def units(self, hidden: Collection[int]) -> Iterator[TextUnit]:
        """The units in reading order, but of the blocks whose index is hidden."""
        blocks = self._read.blocks
        intro: DocumentBlock | None = None
        shown = (at for at in range(len(blocks)) if at not in hidden)
        for _, run in groupby(shown, lambda at: blocks[at].listing or -at):
            places = list(run)
            block, after = blocks[places[0]], places[-1] + 1
            if block.listing:
                yield from self._listed(places, intro)
                intro = None
            elif after == len(blocks) or not self._words(block.raw).endswith(_COLON):
                yield from self._paragraph(block)
            elif blocks[after].listing and after not in hidden:
                intro = block
            elif blocks[after].kind != "code" or len(split_sentences(block.raw)) > 1:
                yield from self._paragraph(block, self._command(blocks[after]))
            elif command := self._command(blocks[after]):
                yield from self._paragraph(block, command)

    def _command(self, block: DocumentBlock) -> Part | None:
        """Code of one line, as it is told with what introduces it."""
        code = normalise(block.raw)
        lines = range(block.first, block.last + 1)
        at = next((n for n in lines if normalise(self._lines[n - 1]) == code), 0)
        if block.kind != "code" or not at or "`" in code or not fits(code):
            return None
        return None if addresses_model(code) else (f"`{code}`", UnitQuote(code, at, at))

    def _paragraph(self, block: DocumentBlock, command: Part | None = None) -> Iterator[TextUnit]:
        """A paragraph, and the command that it introduces; the lines of one that nobody wrapped are
        as items of a list."""
        lines = block.raw.split("\n")
        if not self._printed and _is_of_lines(lines):
            items = [ListItem(self._words(n), at, at) for at, n in enumerate(lines, block.first)]
            runs = self._runs(items, few=FEW_OF_A_LINE)
            claims = [claim for run in runs for claim in _claims(run)]
            yield TextUnit("list", block.first, block.last, block.section, claims)
            return
        parts = self._parts(block.raw, block.first, block.last)
        claims = _claims([*parts, *([command] if command else [])])
        for one in claims:
            first, last = one.quotes[0].first, one.quotes[-1].last
            begun = tuple(self._beginnings(block)) if len(claims) == 1 else ()
            yield TextUnit("paragraph", first, last, block.section, [one], begun)

    def _beginnings(self, block: DocumentBlock) -> Iterator[list[UnitClaim]]:
        """The claims of its first sentence, of its first two and so on; but not of the whole."""
        for _, end in split_sentences(block.raw)[:-1][:MOST_BEGINNINGS]:
            if not is_short(block.raw[:end]):
                yield _claims(self._parts(block.raw[:end], block.first, block.last))

    # --- lists ---------------------------------------------------------------------------

    def _listed(self, places: Sequence[int], intro: DocumentBlock | None) -> Iterator[TextUnit]:
        """A list with its introduction: as one text, or each item with what lies in it."""
        blocks = [self._read.blocks[at] for at in places]
        items = [self._item(block, at) for at, block in zip(places, blocks, strict=True)]
        tasks = [at for at, one in enumerate(items) if one.text.startswith(_BOXES)]
        is_one = not tasks and _is_one(blocks, [one.text for one in items], intro is not None)
        before = self._introduction(intro) if intro and is_one else None
        claims: list[UnitClaim] = []
        ends: list[int] = []
        if intro and before is None:
            claims += [claim for unit in self._paragraph(intro) for claim in unit.claims]
        if is_one:
            before = before or self._heading_of(items[0].text, blocks[0].section)
            parts = [part for run in self._runs(items, whole=True) for part in run]
            claims += _claims(parts, before, listed=True)
            ends += range(1, len(claims))
        tops = [at for at, one in enumerate(items) if not one.is_inner] or [0]
        for start, end in pairwise([*tops, len(items)] if not is_one else []):
            head, held = items[start], items[start:end]
            above = self._heading_of(head.text, blocks[start].section)
            quote = self._whole_lines(head.first, head.last)
            if len(held) > 1 and _is_topic(head.text) and fits(quote.quote):
                if tasks:
                    claims += _claims([(head.text, quote)], above)
                above, held = (head.text.rstrip(":：."), quote), held[1:]
            claims += [claim for run in self._runs(held) for claim in _claims(run, above)]
            ends.append(len(claims))
        is_long = sum(words_in(one.text) for one in claims) > LONG_LIST
        begun = [claims[:end] for end in ends if 0 < end < len(claims)] if is_long else []
        first, last = blocks[0].first, blocks[-1].last
        yield TextUnit("list", first, last, blocks[0].section, claims, begun)

    def _item(self, block: DocumentBlock, at: int) -> ListItem:
        number = _NUMBER.match(self._lines[block.first - 1]) if block.kind == "item" else None
        said = self._words(block.raw)
        task = _TASK.match(self._lines[block.first - 1]) if block.kind == "item" else None
        text = f"{number[1]} {said}" if number and said and block.ordered else said
        if task and text and not text.startswith(_BOXES):
            text = f"{task[1]} {text}"
        inner = block.parent is not None
        return ListItem(text, block.first, block.last, inner, block.parent == at - 1)

    def _introduction(self, block: DocumentBlock) -> Part | None:
        """What promises a list, where it is one quote."""
        parts = self._parts(block.raw, block.first, block.last)
        return (parts[0][0].rstrip(":："), parts[0][1]) if len(parts) == 1 else None

    def _runs(
        self, items: Iterable[ListItem], *, whole: bool = False, few: int = FEW_WORDS
    ) -> Iterator[list[Part]]:
        """Items that are told in one breath, as many as a quote may hold, or parts of a long one.

        Of a list that is not told `whole` those are with another that say little alone, for they
        have at most `few` words.
        """
        held: Part | None = None
        for one in items:
            alone = one.text.startswith(_BOXES) or (
                not whole
                and not (
                    _says_little(one.text, few)
                    or (held and one.within and _says_little(held[0], few))
                )
            )
            if held and not alone and not self._is_between(held[1].last, one.first):
                quote = self._whole_lines(held[1].first, one.last)
                if fits(quote.quote) and len(held[0]) + len(one.text) < MOST_CHARACTERS:
                    held = _joined(held[0], one.text, within=one.within), quote
                    continue
            if held:
                yield [held]
            held = (one.text, self._whole_lines(one.first, one.last)) if one.text else None
            if held and not fits(held[1].quote):
                held = None
                yield self._parts(self._own(one.first, one.last), one.first, one.last)
        if held:
            yield [held]

    def _is_between(self, last: int, first: int) -> bool:
        return any(map(str.strip, self._lines[last : first - 1]))

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
        for a, b in (cut for start, end in split_sentences(raw) for cut in _cut(raw, start, end)):
            if spans and (is_short(raw[a:b]) or fits(raw[spans[-1][0] : b])):
                spans[-1] = (spans[-1][0], b)
            else:
                spans.append((a, b))
        made: list[Part] = []
        for a, b in spans:
            line = first + raw.count("\n", 0, a)
            quote = UnitQuote(normalise(raw[a:b]), line, line + raw.count("\n", a, b))
            if is_short(quote.quote):
                quote = UnitQuote(normalise(self._lines[line - 1]), line, line)
            text = self._words(raw[a:b])
            if text and quote.last <= last and self._stands(*quote):
                made.append((text, quote))
        return made

    def _whole_lines(self, first: int, last: int) -> UnitQuote:
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
        if (first, last) != self._folded[0]:
            # Each part of a long line asks for the same one.
            text = fold_quote("\n".join(self._lines[first - 1 : last]))
            self._folded = (first, last), text
        return bool(quote) and quote in self._folded[1]


def _is_of_lines(lines: Sequence[str]) -> bool:
    """Whether each line of a paragraph stands for itself, and none was wrapped.

    Each ends a sentence, or none begins with a small letter, unless the first does, and all are
    short, or begin with a word for which there was room on the line before. A question is told
    with its answer.
    """
    open_ends = ("?", "？", ",", "、")
    if len(lines) < 2 or any(line.rstrip(" *_").endswith(open_ends) for line in lines[:-1]):
        return False
    if all(map(is_sentence, lines)):
        return len(split_sentences("\n".join(lines))) == len(lines)
    if is_sentence(lines[-1]) and not any(map(is_sentence, lines[:-1])):
        return False
    width = max(map(len, lines))
    roomy = all(len(a) + 1 + len(b.split(maxsplit=1)[0]) <= width for a, b in pairwise(lines))
    small = [line.lstrip("*_`\"'([")[:1].islower() for line in lines]
    fresh = small[0] or not any(small)
    return fresh and (roomy or width <= SHORT_LINE)


def _claims(
    parts: Sequence[Part], before: Part | None = None, *, listed: bool = False
) -> list[UnitClaim]:
    """Parts as claims: two in each, three of a list by itself, and what stands before them."""
    room = MOST_QUOTES if listed and not before else MOST_QUOTES - 1
    claims: list[UnitClaim] = []
    for at in range(0, len(parts), room):
        held = parts[at : at + room]
        text = held[0][0]
        for part, _ in held[1:]:
            text = _joined(text, part) if listed else f"{text} {part}"
        quotes = tuple(quote for _, quote in held)
        if before:
            text, quotes = f"{before[0]}: {text}", (*quotes, before[1])
        if any(map(str.isalnum, text)) and len(text) <= MAX_CLAIM:
            claims.append(UnitClaim(text, quotes))
    return claims


def _is_topic(text: str) -> bool:
    """Whether an item only says what the items in it are about."""
    most = LONG_TOPIC if text.endswith(_COLON) else FEW_OF_A_TOPIC
    return 0 < words_in(text) <= most and not is_sentence(text)


def _is_one(blocks: Sequence[DocumentBlock], told: Sequence[str], promised: bool) -> bool:
    """Whether items are steps, short, or what the sentence before them promises."""
    items = [one for one in zip(blocks, told, strict=True) if one[0].kind == "item"]
    if len(items) < 2:
        return promised and bool(items)
    middle = median(words_in(text) for _, text in items)
    unended = sum(not is_sentence(text) for _, text in items) * 2 > len(items)
    is_told = promised or unended
    outer = [block for block, _ in items if block.parent is None] or blocks
    steps = is_told and all(block.ordered for block in outer) and middle <= LONG_STEP
    short = middle <= FEW_WORDS and unended and len(outer) == len(items)
    return (promised and (unended or len(outer) <= FEW_ITEMS)) or steps or short


def _joined(text: str, part: str, *, within: bool = False) -> str:
    """Two parts of a list as one text; `within`: the second lies in the item before it."""
    text = text.rstrip(" ;,、")
    text = f"{text}:" if within and text[-1:].isalnum() else text
    return f"{text} {part}" if is_sentence(text) or text.endswith(_COLON) else f"{text}; {part}"


def _cut(raw: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A sentence in parts of which each fits; what no blank parts is left out beyond that."""
    begun = held = start
    for token in _TOKEN.finditer(raw, start, end):
        if not fits(raw[begun : token.end()]):
            if held > begun:
                yield begun, held
            begun = token.start()
        held = token.end()
    if fits(raw[begun:held]):
        yield begun, held
