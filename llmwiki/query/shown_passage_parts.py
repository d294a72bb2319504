"""The parts of a passage that are shown: paragraphs, and lists and tables with what introduces
them, whole where they are short."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from html import unescape
from typing import NamedTuple

from llmwiki.core.language.sentences import split_sentences
from llmwiki.pages.line_patterns import closes, fence, table_cells
from llmwiki.pages.markdown_blocks import Block, body_start, scan
from llmwiki.query.retrieval.passage import Passage, marked
from llmwiki.query.retrieval.plain_inline_text import plain

ROOM = 800
"""Characters of a part of a list, a table or code, about 120 words: as many items, rows or lines
side by side as fit."""
WHOLE = 2400
"""Characters of a list that is shown whole where a part of it answers."""
STEP = 200
"""Characters of a numbered item that is a step of its list; longer ones stand by themselves."""
PROSE = 500
"""The same of sentences, and the characters up to which a block goes on with the next one under its
heading."""
AROUND = 200
"""Lines before and behind those of a passage in which its paragraphs and lists begin and end."""
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
_RECORD = re.compile(r"row \d{1,9} \| ")
"""Begins a row of a table, as converters write it."""
_DEFINED = re.compile(r"\[[^\[\]\n]{1,200}\]: \S{1,1000}")
"""What a link stands for: `[guide]: https://…`."""
_HTML_ROW = re.compile(r"<tr\b.*?(?=</?tr\b|</table\b|\Z)", re.IGNORECASE | re.DOTALL)
_HTML_CELL = re.compile(r"<t[hd]\b[^<>]*>(.*?)(?=</?t[hdr]\b|\Z)", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^<>]*>")
_LINK = re.compile(
    r"\[\[[^\[\]\n]{1,300}\]\]|\[[^\[\]\n]{0,300}\]\([^()\n]{0,1000}\)|https?://\S{1,1000}"
)


class Unit(NamedTuple):
    """A sentence, an item, a row or a line of code, and its lines."""

    text: str
    """Of an item with others in it a line for each."""
    first: int
    last: int
    kind: str = "sentence"
    """sentence, row or line: an item or a line of code. All but sentences stand on lines of their
    own."""


class PassagePart(NamedTuple):
    """A part of a passage: some of the sentences, items or rows of one block."""

    passage: Passage
    """What it is of; of a source with the lines of this part."""
    intro: str
    """What stands before them: the sentence that introduces a list, or its headings."""
    units: tuple[Unit, ...]
    source: Sequence[str] = ()
    """All lines of the source, if it is of one; `units` then have the lines there, from 1."""
    block: tuple[Unit, ...] = ()
    """Of a source: all units of its block, which may go on."""
    start: int = 0
    """Of a source: the first line of that block, with what introduces it."""
    cites: tuple[Passage, ...] = ()
    """The claims and notes that say it, or a part of it, if there are some."""

    @property
    def text(self) -> str:
        """What is shown; a list that goes on ends with how many more there are, and where."""
        if len(self.units) == 1 and not self.intro:
            only = self.units[0]
            return _ITEM.sub("", only.text) if only.kind == "line" else only.text
        before = (Unit(self.intro, 0, 0),) if self.intro else ()
        said = _BETWEEN.sub("", _joined((*before, *self.units)))
        more = [unit for unit in self.block if unit.first > self.units[-1].last]
        if self.units[-1].kind != "line" or not more:
            return said
        return f"{said}\n… {len(more)} more ({self.passage.title}:{more[0].first})"

    def whole(self) -> PassagePart:
        """A list from its first item on, as far as `WHOLE` characters; anything else as it is."""
        if self.units[0].kind != "line" or not self.block:
            return self
        size, units = 0, list[Unit]()
        for unit in self.block:
            size += len(unit.text)
            if size > WHOLE and units:
                break
            units.append(unit)
        return self.only(units, self.start) if set(self.units) <= set(units) else self

    def only(self, units: Sequence[Unit], first: int = 0) -> PassagePart:
        """Some of its units; those of a source from that line on, where the first of them does not
        tell."""
        part = self._replace(units=tuple(units))
        if not self.source:
            return part
        first, last = first or units[0].first, units[-1].last
        cited = self.source[first - 1 : last]
        said = part.text
        passage = self.passage._replace(
            text="\n".join(_lines(cited)) if "\n" in said else " ".join(_words(cited)),
            line=first,
            last=last,
            handle=re.sub(r"#L\d+-L\d+\]\]\Z", f"#L{first}-L{last}]]", self.passage.handle),
        )
        return part._replace(passage=marked(passage, said))


def shown_parts(passage: Passage, source: Sequence[str]) -> list[PassagePart]:
    """The parts of a passage, in order; where it is lines of a source, whose whole lines are given,
    they begin and end as its blocks do, and there are none of markup or frontmatter."""
    if not source:
        units = _sentences([passage.text], 0)
        return [PassagePart(passage, "", tuple(run)) for run in _runs("", units, PROSE)]
    found: list[PassagePart] = []
    for block in _blocks_around(passage, source):
        if block.first <= passage.last and passage.line <= block.last:
            found += _parts_in(block, passage, source)
    return found


def _blocks_around(passage: Passage, source: Sequence[str]) -> Iterator[_Block]:
    """The blocks of a source near a passage of it that are no mere list of links."""
    start = max(passage.line - 1 - AROUND, 0)
    text = "\n".join(source[start : passage.last + AROUND])
    begin = 0 if start else body_start(text)
    start += 1 + text.count("\n", 0, begin)
    for block in _blocks(text[begin:].split("\n"), start):
        if not _only_points(source[block.first - 1 : block.last]):
            yield block


def _parts_in(block: _Block, passage: Passage, source: Sequence[str]) -> Iterator[PassagePart]:
    """The parts of a block of a source; a list that nothing introduces stands below its
    headings."""
    headings = block.headings if block.units[0].kind != "sentence" else ()
    intro = block.intro or (f"{' › '.join(headings)}:" if headings else "")
    whole = passage._replace(headings=block.headings)
    for run in _runs(intro, block.units, block.room):
        first = block.first if run[0] == block.units[0] else run[0].first
        part = PassagePart(whole, intro, (), source, tuple(block.units), block.first)
        yield part.only(run, first)


def readable(text: str) -> str:
    """What a person reads of a passage; of one that is nothing but pictures what they show."""
    return plain(_MARGIN.sub("", _NO_WORDS.sub(" ", text))) or plain(text)


def _only_points(lines: Sequence[str]) -> bool:
    """Whether most lines are nothing but links: of a list of links, or a table of contents."""
    told = [line for line in lines if re.search(r"\w", line)]
    bare = (_LINK.sub("", _ITEM.sub("", line.strip())) for line in told)
    return 2 * sum(re.search(r"\w", line) is None for line in bare) > len(told)


def _runs(intro: str, units: Sequence[Unit], room: int) -> Iterator[Sequence[Unit]]:
    """The runs of units that fit beside what introduces them, none within another."""
    end = 0
    for start in range(len(units)):
        size = len(intro) + len(units[start].text)
        grown = start + 1
        while grown < len(units) and size + len(units[grown].text) < room:
            size += len(units[grown].text) + 1
            grown += 1
        if grown > end:
            end = grown
            yield units[start:end]


def _joined(units: Sequence[Unit]) -> str:
    """The text of units, those on a line of their own with one."""
    text, was_line = "", False
    for unit in units:
        is_line = unit.kind != "sentence"
        between = "\n" if is_line or was_line else " "
        text, was_line = f"{text}{between}{unit.text}" if text else unit.text, is_line
    return text


def _sentences(lines: Sequence[str], first: int) -> list[Unit]:
    """The sentences of some lines, of which the first has that number."""
    text = "\n".join(lines)
    spans = split_sentences(text)
    ends = [*(start for start, _ in spans[1:]), len(text)]
    found = []
    for a, b in zip([0, *ends], ends, strict=False):
        said = text[a:b].strip()
        line = first + text.count("\n", 0, text.find(said, a))
        if words := readable(" ".join(_words(said.split("\n")))):
            found.append(Unit(words, line, line + said.count("\n")))
    return found


class _Block(NamedTuple):
    headings: tuple[str, ...]
    """Those it stands under, outermost first, without the title of the document."""
    intro: str
    units: list[Unit]
    first: int
    last: int
    room: int = PROSE

    def introduces(self) -> bool:
        """Whether what it says ends with what follows: no sentence, and no `Present: Ann, Bo`."""
        said = self.units[-1].text
        return not self.intro and not said.endswith(_ENDS) and ": " not in said

    def goes_on(self, units: Sequence[Unit], was_listed: bool, is_listed: bool) -> bool:
        """Whether what follows is of one piece with it."""
        if was_listed and is_listed and _is_step(self.units[-1]) and _is_step(units[0]):
            return True
        if not self.intro and any(
            is_item and each[0].text.endswith(_STOPS)
            for is_item, each in ((was_listed, self.units), (is_listed, units))
        ):
            return False
        if was_listed and is_listed:
            return True
        size = len(self.intro) + sum(len(unit.text) for unit in (*self.units, *units))
        return size < PROSE and not units[-1].text.endswith((":", "："))


def _is_step(unit: Unit) -> bool:
    """Whether an item is one of a row of steps."""
    return len(unit.text) <= STEP and unit.text[:1].isdigit() and bool(_ITEM.match(unit.text))


def _blocks(lines: Sequence[str], start: int) -> Iterator[_Block]:
    """Each paragraph as its sentences, each list as its items and each table as its rows, under the
    headings they stand under, lists and code with the paragraph that introduces them; the first
    of the lines has the number `start`."""
    above: dict[int, str] = {}
    title = ""
    held, was_listed, headings = None, False, tuple[str, ...]()
    for block in scan("\n".join(lines)):
        own = lines[block.first : block.last + 1]
        kinds = {block.kind, *(leaf.kind for leaf in block.leaves)}
        is_listed = bool(kinds & {"item", "table", "code", "html"})
        if "heading" in kinds:
            level = _level(own)
            above = {each: title for each, title in above.items() if each < level}
            above[level] = readable(" ".join(_words(own)).strip("#=- "))
            if level == 1 and not title and start == 1:
                title = above.pop(level)
            headings = tuple(filter(None, above.values()))
        units = _units(block, own, kinds, start + block.first)
        place = (start + block.first, start + block.last)
        is_code = "code" in kinds and not was_listed
        introduces = held is not None and held.introduces() and not was_listed
        if held and units and is_listed and (introduces or is_code):
            intro = _joined(held.units)
            held = _Block(headings, intro, units, held.first, place[1], ROOM)
        elif held and units and held.goes_on(units, was_listed, is_listed):
            held = held._replace(units=[*held.units, *units], last=place[1])
        else:
            if held:
                yield held
            room = ROOM if is_listed else PROSE
            held = _Block(headings, "", units, *place, room) if units else None
        was_listed = is_listed
    if held:
        yield held


def _level(lines: Sequence[str]) -> int:
    """The level of a heading."""
    signs = len(lines[0]) - len(lines[0].lstrip("#"))
    return signs or (1 if lines[-1].startswith("=") else 2)


def _units(block: Block, lines: Sequence[str], kinds: Set[str], first: int) -> list[Unit]:
    """What a block says: its rows, its lines of code, itself where it is an item, its sentences."""
    words = " ".join(_words(lines))
    if block.kind == "html":
        return _html_rows("\n".join(lines), first)
    if "heading" in kinds or block.kind == "comment":
        return []
    if kinds == {"text", "table"}:
        return _rows(lines, first)
    if not re.search(r"\w", _DEFINED.sub("", words)):
        return []
    if block.kind == "code":
        told = enumerate(lines, first)
        return [Unit(line.rstrip(), at, at, "line") for at, line in told if _words([line])]
    if not kinds & {"item", "table", "code"}:
        if all(map(_RECORD.match, lines)):
            return _records(lines, first)
        return _sentences(lines, first)
    items = _items(lines, first)
    if len(words) < ROOM:
        text = "\n".join(each.text for each in items)
        return [Unit(text, first, first + len(lines) - 1, "line")]
    return items if len(items) > 1 else _sentences([_ITEM.sub("", lines[0]), *lines[1:]], first)


def _rows(lines: Sequence[str], first: int) -> list[Unit]:
    """The rows of a table, each cell with the head of its column."""
    head, _, *rows = [[readable(cell) for cell in table_cells(line)] for line in lines]
    return [_row(head, row, at, at) for at, row in enumerate(rows, first + 2)]


def _row(head: Sequence[str], cells: Sequence[str], first: int, last: int) -> Unit:
    """A row of a table."""
    told = zip(head, cells, strict=False)
    said = "; ".join(f"{name}: {cell}" if name else cell for name, cell in told if cell)
    return Unit(f"{said}.", first, last, "row")


def _html_rows(text: str, first: int) -> list[Unit]:
    """The rows of a table in HTML below those of its heads; of any other HTML none."""
    found, head = [], list[str]()
    for row in _HTML_ROW.finditer(text):
        cells = [readable(unescape(_TAG.sub(" ", cell))) for cell in _HTML_CELL.findall(row[0])]
        if not head and "<th" in row[0].lower():
            head = cells
        elif any(cells):
            at = first + text.count("\n", 0, row.start())
            names = head or [""] * len(cells)
            found.append(_row(names, cells, at, at + row[0].rstrip().count("\n")))
    return found


def _records(lines: Sequence[str], first: int) -> list[Unit]:
    """The rows of a converted table, each of which names its columns."""
    return [
        Unit("; ".join(map(readable, line.split(" | ")[1:])) + ".", at, at, "row")
        for at, line in enumerate(lines, first)
        # The first one holds nothing but the names.
        if ": " in line
    ]


def _items(lines: Sequence[str], first: int) -> list[Unit]:
    """An item and those that lie in it, each on a line of its own, indented as it stands."""
    margin = len(lines[0]) - len(lines[0].lstrip())
    starts = [at for at, line in enumerate(lines) if not at or _ITEM.match(line.lstrip())]
    found = []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        indent = len(lines[start]) - len(lines[start].lstrip()) - margin
        if said := _item(lines[start:end], margin):
            found.append(Unit(" " * indent + said, first + start, first + end - 1, "line"))
    return found


def _item(lines: Sequence[str], margin: int) -> str:
    """The words of an item on one line, and each line of code in it."""
    said: list[str] = []
    words: list[str] = []
    mark = ""
    for line in lines:
        if mark:
            ends = closes(line.strip(), mark)
            mark = "" if ends else mark
            said += [] if ends else [line[margin:].rstrip()]
        elif mark := fence(line.strip()):
            said.append(readable(" ".join(words)))
            words = []
        else:
            words.append(line.strip())
    said.append(readable(" ".join(words)))
    return "\n".join(line for line in said if line.strip())


def _lines(lines: Sequence[str]) -> list[str]:
    """Some lines without the marks around code and blank ones."""
    return [line.rstrip() for line in lines if line.strip() and not fence(line.strip())]


def _words(lines: Sequence[str]) -> list[str]:
    """The words of some lines, without the marks around code."""
    return [word for line in lines if not fence(line.strip()) for word in line.split()]
