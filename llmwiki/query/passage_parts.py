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
_ITEM = re.compile(r"\A(?:[-+]|\*{1,5}|\d{1,3}[.)]) (?:\[[ xX]\] )?")
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
_LINK = re.compile(
    r"\[\[[^\[\]\n]{1,300}\]\]|\[[^\[\]\n]{0,300}\]\([^()\n]{0,1000}\)|https?://\S{1,1000}"
)


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
    """Of an item with others in it a line for each."""
    first: int
    last: int
    is_line: bool = False
    """Whether it stands on a line of its own: all but sentences."""


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
    lines = text[begin:].split("\n")
    for block in _blocks(lines):
        if _only_points(lines[block.first : block.last + 1]):
            continue
        if not (start + block.first <= passage.last and passage.line <= start + block.last):
            continue
        intro = block.intro
        if not intro and block.units[0].is_line and block.heading and not block.is_titled:
            # A list that nothing introduces stands below its heading; the title is told anyway.
            intro = f"{block.heading}:"
        for said, from_line, to_line in _runs(intro, block.units, block.room):
            is_start = from_line == block.units[0].first
            first, last = start + (block.first if is_start else from_line), start + to_line
            handle = re.sub(r"#L\d+-L\d+\]\]\Z", f"#L{first}-L{last}]]", passage.handle)
            cited = source[first - 1 : last]
            of_part = passage._replace(
                text="\n".join(_lines(cited)) if "\n" in said else " ".join(_words(cited)),
                line=first,
                last=last,
                handle=handle,
                headings=(block.heading,) * bool(block.heading),
            )
            found.append(PassagePart(said, marked(of_part, said)))
    return found


def readable(text: str) -> str:
    """What a person reads of a passage; the whole of one that is nothing but pictures."""
    said = plain(_MARGIN.sub("", _NO_WORDS.sub(" ", text)))
    return said or text.replace("&nbsp;", " ").strip()


def _only_points(lines: Sequence[str]) -> bool:
    """Whether most lines are nothing but links: of a list of links, or a table of contents."""
    told = [line for line in lines if re.search(r"\w", line)]
    bare = (_LINK.sub("", _ITEM.sub("", line.strip())) for line in told)
    return 2 * sum(re.search(r"\w", line) is None for line in bare) > len(told)


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
                whole = _joined(([_Unit(intro, 0, 0)] if intro else []) + list(run))
                whole = _BETWEEN.sub("", whole)
                text = whole if len(units) > 1 else _ITEM.sub("", whole)
                yield text, run[0].first, run[-1].last


def _joined(units: Sequence[_Unit]) -> str:
    """The text of units, those on a line of their own with one."""
    text, was_line = "", False
    for unit in units:
        between = "\n" if unit.is_line or was_line else " "
        text, was_line = f"{text}{between}{unit.text}" if text else unit.text, unit.is_line
    return text


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
    is_titled: bool = False
    """Whether its heading is the document's title."""

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


def _blocks(lines: Sequence[str]) -> Iterator[_Block]:
    """Each paragraph as its sentences, each list as its items and each table as its rows, under the
    heading they stand under, lists and code with the paragraph that introduces them."""
    heading, is_titled, held, was_listed = "", False, None, False
    for block in scan("\n".join(lines)):
        own = lines[block.first : block.last + 1]
        kinds = {block.kind, *(leaf.kind for leaf in block.leaves)}
        is_listed = bool(kinds & {"item", "table", "code"})
        if "heading" in kinds:
            heading = readable(" ".join(_words(own)).strip("# "))
            is_titled = own[0].startswith("# ") or own[-1].startswith("=")
        units = _units(block, own, kinds)
        is_code = "code" in kinds and not was_listed
        introduces = held is not None and held.introduces() and not was_listed
        if held and units and is_listed and (introduces or is_code):
            intro = _joined(held.units)
            held = _Block(heading, intro, units, held.first, block.last, ROOM, is_titled)
        elif held and units and held.goes_on(units, was_listed, is_listed):
            held = held._replace(units=[*held.units, *units], last=block.last)
        else:
            if held:
                yield held
            room = ROOM if is_listed else PROSE
            place = (block.first, block.last)
            held = _Block(heading, "", units, *place, room, is_titled) if units else None
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
        told = enumerate(lines, first)
        return [_Unit(line.rstrip(), at, at, True) for at, line in told if _words([line])]
    if not kinds & {"item", "table", "code"}:
        return _sentences(lines, first)
    items = _items(lines, first)
    if len(words) < ROOM:
        return [_Unit("\n".join(each.text for each in items), first, block.last, True)]
    return items if len(items) > 1 else _sentences([_ITEM.sub("", lines[0]), *lines[1:]], first)


def _rows(lines: Sequence[str], first: int) -> list[_Unit]:
    """The rows of a table, each cell with the head of its column."""
    head, _, *rows = [[readable(cell) for cell in table_cells(line)] for line in lines]
    told = (zip(head, row, strict=False) for row in rows)
    said = ("; ".join(f"{a}: {b}" if a else b for a, b in row if b) + "." for row in told)
    return [_Unit(text, at, at, True) for at, text in enumerate(said, first + 2)]


def _items(lines: Sequence[str], first: int) -> list[_Unit]:
    """An item and those that lie in it, each on a line of its own, indented as it stands."""
    margin = len(lines[0]) - len(lines[0].lstrip())
    starts = [at for at, line in enumerate(lines) if not at or _ITEM.match(line.lstrip())]
    found = []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        indent = len(lines[start]) - len(lines[start].lstrip()) - margin
        said = readable(" ".join(_words(lines[start:end])))
        found.append(_Unit(" " * indent + said, first + start, first + end - 1, True))
    return found


def _lines(lines: Sequence[str]) -> list[str]:
    """Some lines without the marks around code and blank ones."""
    return [line.rstrip() for line in lines if line.strip() and not fence(line.strip())]


def _words(lines: Sequence[str]) -> list[str]:
    """The words of some lines, without the marks around code."""
    return [word for line in lines if not fence(line.strip()) for word in line.split()]
