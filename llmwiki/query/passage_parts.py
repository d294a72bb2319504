"""The parts of a passage that are shown: paragraphs, and lists and tables with what introduces
them, whole where they are short."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from llmwiki.core.language.sentences import split_sentences
from llmwiki.pages.lines import fence, table_cells
from llmwiki.pages.scan import body_start, scan
from llmwiki.query.retrieval.inline import plain
from llmwiki.query.retrieval.passage import Passage

ROOM = 800
"""Characters of a part, about 120 words; of a longer block as many sentences, items or rows side
by side as fit."""
SHORT = 500
"""Characters up to which a block goes on with the next one under its heading."""
AROUND = 200
"""Lines before and behind those of a passage in which its paragraphs and lists begin and end."""
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
    """What it is of; of a source the paragraph, list or table, with its own lines."""
    cites: tuple[Passage, ...] = ()
    """The claims and notes that say a part of it, if there are some."""


def parts_of(passage: Passage, source: Sequence[str]) -> list[PassagePart]:
    """The parts of a passage, in order; where it is lines of a source, whose whole lines are given,
    they begin and end as its blocks do, and there are none of markup or frontmatter."""
    if not source:
        return [PassagePart(text, passage) for text in _runs("", _sentences(passage.text))]
    start = max(passage.line - 1 - AROUND, 0)
    text = "\n".join(source[start : passage.last + AROUND])
    begin = 0 if start else body_start(text)
    found: list[PassagePart] = []
    start += text.count("\n", 0, begin)
    for heading, intro, units, from_line, to_line in _blocks(text[begin:]):
        first, last = start + from_line + 1, start + to_line + 1
        if first <= passage.last and passage.line <= last:
            handle = re.sub(r"#L\d+-L\d+\]\]\Z", f"#L{first}-L{last}]]", passage.handle)
            raw = " ".join(_words(source[first - 1 : last]))
            cited = passage._replace(
                text=raw, line=first, last=last, handle=handle, headings=(heading,) * bool(heading)
            )
            found += (PassagePart(said, cited) for said in _runs(intro, units))
    return found


def readable(text: str) -> str:
    """What a person reads of a passage; the whole of one that is nothing but pictures."""
    return plain(_MARGIN.sub("", _NO_WORDS.sub(" ", text))) or text


def _runs(intro: str, units: Sequence[str]) -> Iterator[str]:
    """The runs of units that fit, each with what introduces them; all of them, if they do."""
    end = 0
    units = [one for unit in units for one in ([unit] if len(unit) < ROOM else _sentences(unit))]
    for start in range(len(units)):
        size = len(intro)
        grown = start
        while grown < len(units) and (grown == start or size + len(units[grown]) < ROOM):
            size += len(units[grown]) + 1
            grown += 1
        if grown > end:
            run, end = units[start:grown], grown
            whole = _BETWEEN.sub("", " ".join([intro, *run])).strip()
            yield whole if len(units) > 1 else _ITEM.sub("", whole)


def _sentences(text: str) -> list[str]:
    spans = split_sentences(text)
    ends = [*(start for start, _ in spans[1:]), len(text)]
    return [text[a:b].strip() for a, b in zip([0, *ends], ends, strict=False)]


class _Block(NamedTuple):
    heading: str
    intro: str
    units: list[str]
    first: int
    last: int
    """Lines, from 0."""

    def introduces(self) -> bool:
        """Whether what it says ends with what follows."""
        return not self.intro and not self.units[-1].endswith(_ENDS)

    def goes_on(self, units: Sequence[str], was_listed: bool, is_listed: bool) -> bool:
        """Whether what follows is of one piece with it: items that are sentences and that nothing
        introduces stand each for itself."""
        if not self.intro and any(
            is_item and each[0].endswith(_STOPS)
            for is_item, each in ((was_listed, self.units), (is_listed, units))
        ):
            return False
        return (was_listed and is_listed) or self._takes(units)

    def _takes(self, units: Sequence[str]) -> bool:
        """Whether it is still short with what follows."""
        size = len(self.intro) + sum(map(len, (*self.units, *units)))
        return size < SHORT and not units[-1].endswith((":", "："))


def _blocks(text: str) -> Iterator[_Block]:
    """Each paragraph as its sentences, each list as its items and each table as its rows, under the
    heading they stand under, lists and code with the paragraph that introduces them."""
    lines = text.split("\n")
    heading, held, was_listed = "", None, False
    for block in scan(text):
        words = " ".join(_words(lines[block.first : block.last + 1]))
        kinds = {block.kind, *(leaf.kind for leaf in block.leaves)}
        is_listed = bool(kinds & {"item", "table", "code"})
        units: list[str] = []
        if "heading" in kinds:
            heading = readable(words.strip("# "))
        elif kinds == {"text", "table"}:
            units = _rows(lines[block.first : block.last + 1])
        elif block.kind not in {"html", "comment"} and re.search(r"\w", _DEFINED.sub("", words)):
            told = words if block.kind == "code" else readable(words)
            units = [told] if is_listed else _sentences(told)
            if block.kind == "item" and len(told) > ROOM:
                units = list(map(readable, filter(str.strip, lines[block.first : block.last + 1])))
        is_code = "code" in kinds and not was_listed
        if held and units and is_listed and (held.introduces() or is_code):
            held = _Block(heading, " ".join(held.units), units, held.first, block.last)
        elif held and units and held.goes_on(units, was_listed, is_listed):
            held = held._replace(units=[*held.units, *units], last=block.last)
        else:
            if held:
                yield held
            held = _Block(heading, "", units, block.first, block.last) if units else None
        was_listed = is_listed
    if held:
        yield held


def _rows(lines: Sequence[str]) -> list[str]:
    """The rows of a table, each cell with the head of its column."""
    head, _, *rows = [[readable(cell) for cell in table_cells(line)] for line in lines]
    told = (zip(head, row, strict=False) for row in rows)
    return ["; ".join(f"{a}: {b}" if a else b for a, b in row if b) + "." for row in told]


def _words(lines: Sequence[str]) -> list[str]:
    """The words of some lines, without the marks around code."""
    return [word for line in lines if not fence(line.strip()) for word in line.split()]
