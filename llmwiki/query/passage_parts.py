"""The parts of a passage that are shown: paragraphs, and lists and tables with what introduces
them, whole where they are short."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

from llmwiki.core.language.sentences import split_sentences
from llmwiki.pages.lines import fence, table_cells
from llmwiki.pages.scan import Block, body_start, scan
from llmwiki.query.retrieval.inline import plain
from llmwiki.query.retrieval.passage import Passage, marked

ROOM = 800
"""Characters of a part of a list, a table or code, about 120 words: as many items, rows or lines
side by side as fit."""
PROSE = 500
"""The same of sentences, and the characters up to which a block goes on with the next one under its
heading."""
AROUND = 200
"""Lines before and behind those of a passage in which its paragraphs and lists begin and end."""
FEW = 3
"""Sentences of a short part."""
_STOPS = (".", "!", "?", "。", "！", "？")
_BETWEEN = re.compile("(?<=[。！？]) ")
"""Sentences of Japanese and Chinese stand without a blank between them."""
_ENDS = (*_STOPS, "|")
_ITEM = re.compile(r"\A(?:[-*+]|\d{1,3}[.)]) (?:\[[ xX]\] )?")
_NO_WORDS = re.compile(
    r"(?:\[(?=!))?!\[[^\[\]\n]{0,300}\]\([^()\n]{0,1000}\)(?:\]\([^()\n]{0,1000}\))?"
    r"|!\[\[[^\[\]\n]{0,300}\]\]"
    r"|\{\{[<%][^{}]{0,500}\}\}|\{%[^{}]{0,500}\}"
)
"""Pictures and what a site generator would replace: `{{< note >}}`, `{% include x %}`."""
_MARGIN = re.compile(r"(?:\A|(?<=\s))>(?: \[![\w-]{1,40}\][+-]?)?(?=\s|\Z)")
"""The margin of a block quote, and the mark of a callout."""
_DEFINED = re.compile(r"\[[^\[\]\n]{1,200}\]: \S{1,1000}")
"""What a link stands for: `[guide]: https://…`."""


class PassagePart(NamedTuple):
    """A part of a passage."""

    text: str
    """What is shown."""
    passage: Passage
    """What it is of; of a source with the lines of this part."""
    cites: tuple[Passage, ...] = ()
    """The claims and notes that say a part of it, if there are some."""


class _Unit(NamedTuple):
    """A sentence, an item, a row or a line of code, and its lines, from 0."""

    text: str
    first: int
    last: int


def parts_of(passage: Passage, source: Sequence[str]) -> list[PassagePart]:
    """The parts of a passage, in order; where it is lines of a source, whose whole lines are given,
    they begin and end as its blocks do, and there are none of markup or frontmatter."""
    if not source:
        return [
            PassagePart(text, passage)
            for text, *_ in _runs("", _sentences([passage.text], 0), PROSE)
        ]
    start = max(passage.line - 1 - AROUND, 0)
    text = "\n".join(source[start : passage.last + AROUND])
    begin = 0 if start else body_start(text)
    found: list[PassagePart] = []
    start += 1 + text.count("\n", 0, begin)
    for block in _blocks(text[begin:]):
        if not (start + block.first <= passage.last and passage.line <= start + block.last):
            continue
        for said, from_line, to_line in _runs(block.intro, block.units, block.room):
            is_start = from_line == block.units[0].first
            first, last = start + (block.first if is_start else from_line), start + to_line
            handle = re.sub(r"#L\d+-L\d+\]\]\Z", f"#L{first}-L{last}]]", passage.handle)
            cited = passage._replace(
                text=" ".join(_words(source[first - 1 : last])),
                line=first,
                last=last,
                handle=handle,
                headings=(block.heading,) * bool(block.heading),
            )
            found.append(PassagePart(said, marked(cited, said)))
    return found


def readable(text: str) -> str:
    """What a person reads of a passage; the whole of one that is nothing but pictures."""
    return plain(_MARGIN.sub("", _NO_WORDS.sub(" ", text))) or text


def _runs(intro: str, units: Sequence[_Unit], room: int) -> Iterator[tuple[str, int, int]]:
    """The runs of units that fit, each with what introduces them and its lines; of sentences also
    those of a few: a text that says it in fewer words is the better answer."""
    for most in (len(units), FEW) if room == PROSE and len(units) > FEW else (len(units),):
        end = 0
        for start in range(len(units)):
            size = len(intro) + len(units[start].text)
            grown = start + 1
            while grown < min(len(units), start + most) and size + len(units[grown].text) < room:
                size += len(units[grown].text) + 1
                grown += 1
            if grown > end:
                run, end = units[start:grown], grown
                whole = " ".join(filter(None, [intro, *(unit.text for unit in run)]))
                whole = _BETWEEN.sub("", whole)
                text = whole if len(units) > 1 else _ITEM.sub("", whole)
                yield text, run[0].first, run[-1].last


def _sentences(lines: Sequence[str], first: int) -> list[_Unit]:
    """The sentences of some lines, of which the first has that number."""
    text = "\n".join(lines)
    spans = split_sentences(text)
    ends = [*(start for start, _ in spans[1:]), len(text)]
    found = []
    for a, b in zip([0, *ends], ends, strict=False):
        said = text[a:b].strip()
        line = first + text.count("\n", 0, text.find(said, a))
        if words := readable(" ".join(_words(said.split("\n")))):
            found.append(_Unit(words, line, line + said.count("\n")))
    return found


class _Block(NamedTuple):
    heading: str
    intro: str
    units: list[_Unit]
    first: int
    last: int
    """Lines, from 0."""
    room: int = PROSE

    def introduces(self) -> bool:
        """Whether what it says ends with what follows."""
        return not self.intro and not self.units[-1].text.endswith(_ENDS)

    def goes_on(self, units: Sequence[_Unit], was_listed: bool, is_listed: bool) -> bool:
        """Whether what follows is of one piece with it."""
        if not self.intro and any(
            is_item and each[0].text.endswith(_STOPS)
            for is_item, each in ((was_listed, self.units), (is_listed, units))
        ):
            return False
        if was_listed and is_listed:
            return True
        size = len(self.intro) + sum(len(unit.text) for unit in (*self.units, *units))
        return size < PROSE and not units[-1].text.endswith((":", "："))


def _blocks(text: str) -> Iterator[_Block]:
    """Each paragraph as its sentences, each list as its items and each table as its rows, under the
    heading they stand under, lists and code with the paragraph that introduces them."""
    lines = text.split("\n")
    heading, held, was_listed = "", None, False
    for block in scan(text):
        own = lines[block.first : block.last + 1]
        kinds = {block.kind, *(leaf.kind for leaf in block.leaves)}
        is_listed = bool(kinds & {"item", "table", "code"})
        if "heading" in kinds:
            heading = readable(" ".join(_words(own)).strip("# "))
        units = _units(block, own, kinds)
        is_code = "code" in kinds and not was_listed
        if held and units and is_listed and (held.introduces() or is_code):
            intro = " ".join(unit.text for unit in held.units)
            held = _Block(heading, intro, units, held.first, block.last, ROOM)
        elif held and units and held.goes_on(units, was_listed, is_listed):
            held = held._replace(units=[*held.units, *units], last=block.last)
        else:
            if held:
                yield held
            room = ROOM if is_listed else PROSE
            held = _Block(heading, "", units, block.first, block.last, room) if units else None
        was_listed = is_listed
    if held:
        yield held


def _units(block: Block, lines: Sequence[str], kinds: Set[str]) -> list[_Unit]:
    """What a block says: its rows, its lines of code, itself where it is an item, its sentences."""
    first = block.first
    words = " ".join(_words(lines))
    if "heading" in kinds or block.kind in {"html", "comment"}:
        return []
    if kinds == {"text", "table"}:
        return _rows(lines, first)
    if not re.search(r"\w", _DEFINED.sub("", words)):
        return []
    if block.kind == "code":
        told = ((at, " ".join(_words([line]))) for at, line in enumerate(lines, first))
        return [_Unit(line, at, at) for at, line in told if line]
    if kinds & {"item", "table", "code"} and len(words) < ROOM:
        return [_Unit(readable(words), first, block.last)]
    return _sentences(lines, first)


def _rows(lines: Sequence[str], first: int) -> list[_Unit]:
    """The rows of a table, each cell with the head of its column."""
    head, _, *rows = [[readable(cell) for cell in table_cells(line)] for line in lines]
    told = (zip(head, row, strict=False) for row in rows)
    said = ("; ".join(f"{a}: {b}" if a else b for a, b in row if b) + "." for row in told)
    return [_Unit(text, at, at) for at, text in enumerate(said, first + 2)]


def _words(lines: Sequence[str]) -> list[str]:
    """The words of some lines, without the marks around code."""
    return [word for line in lines if not fence(line.strip()) for word in line.split()]
