"""An answer as its statements: one a sentence, list item or table row, each with its citations.

A citation is a wikilink, `[[Page#^c-…]]`. It belongs to the sentence it stands in or behind:
"Tea is brewed. [[Tea#^c-…]]" is one statement, and so is a list item of one sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from llmwiki.core.language.sentences import ends_sentence
from llmwiki.core.text import normalise
from llmwiki.pages.escape import unescape
from llmwiki.pages.ids import ITEM_ID
from llmwiki.pages.lines import closes, fence, table_cells
from llmwiki.pages.links import Link, scan

GAP = "Not in the wiki:"
"""The beginning of a sentence of an answer about what is missing in the context."""

_ON = "\0"
"""Begins a line that goes on with a block whose first sentences are given out."""

_LONG, _GROWN = 500, 6

_MARKER = re.compile(r"[ \t]*(?:>[ \t]*)*(?:(?P<head>#{1,6})|[-*+]|\d{1,9}[.)])(?=[ \t]+\S)")
_QUOTE = re.compile(r"\A[ \t]*(?:>[ \t]?)+")
_TABLE_RULE = re.compile(r"[\s|:-]+")
_LINK = r"!?\[\[[^\[\]\n]*\]\]"
_CITED = rf"`*+{_LINK}`*+"
_LINKS = re.compile(
    rf"(?:[ \t]*+(?:[,;][ \t]*+)?(?:\({_CITED}(?:[,;]?[ \t]*+{_CITED})*+\)|{_CITED}))+[.!?]?"
)
_ANY_LINK = re.compile(_LINK)
_CODED = re.compile(rf"(`{{1,3}})({_LINK})\1(?!`)")
_BRACKET = re.compile(r"\\([\[\]])")
_SINGLE = re.compile(rf"(?<!\[)\[([^\[\]|\n]*#\^{ITEM_ID})\](?![\](])")
_BARE = re.compile(rf"(?<![\w\[#/|-])\^?(?<![\w#-])({ITEM_ID})(?![\w\]-])")
_HALF_ID = re.compile(r"\^?\b[cn](?:-[0-9a-z]*)?(?![\w-])")
_STOP = re.compile(r"(?:[.!?…]{1,9}[\"'”’)\]*_]{0,9}(?=\s)|[。！？]+[」』）]*)")
_EMPTY = re.compile(r"\([,;\s]*+\)|(?<=\s)[,;](?=\s*(?:[,;.!?)]|\Z))")
# Bounded, so that marks which nothing closes cost no search of the whole text each.
_MARKUP = re.compile(
    r"(\*\*|__|~~)(?=\S)(.{1,400}?)(?<=\S)\1"
    r"|(?<![\w*])([*_])(?=\S)(.{1,400}?)(?<=\S)\3(?![\w*])"
)
_CODE = re.compile(r"(?<!`)(`++)(.{1,400}?)(?<!`)\1(?!`)")
_SPACE_BEFORE = re.compile(r"(?<!\s)\s++(?=[.,;:!?)。，、！？](?:\s|$))")


@dataclass(frozen=True, slots=True)
class AnswerStatement:
    """One statement of an answer."""

    kind: str
    """`sentence`, `heading`, `gap` (what is missing in the wiki), or `code` (a fenced block)."""
    marker: str
    """What stood before it on its line: `- `, `1. `, `## `, blanks kept; empty for prose."""
    opens: bool
    """Whether it begins its paragraph, item or row; another sentence of the same block does not."""
    text: str
    """As plain text of one line, without citations and markup; of code, and of a list or a table
    that is quoted, the lines as they are."""
    citations: tuple[Link, ...]
    """Links to a block (`#^…`) wherever they stand, other links where they end the sentence."""


@dataclass(frozen=True, slots=True)
class _Block:
    kind: str
    """`text`, `heading`, `row` or `code`; empty: not known yet."""
    marker: str
    text: str
    opens: bool
    """Whether its first sentence is the first of the block, and none was given out before."""
    closed: bool
    """Whether nothing that may still come can be part of it."""
    rest: str = ""
    """Of an open block: what follows and may be part of it."""


def split(answer: str) -> tuple[AnswerStatement, ...]:
    """The statements of a whole answer, in order."""
    splitter = Splitter()
    return (*splitter.feed(answer), *splitter.finish())


class Splitter:
    """The statements of an answer while it is being written.

    However the text is cut into pieces, the statements are those of the whole.
    """

    def __init__(self) -> None:
        self._text = ""
        """What is not given out yet."""
        self._marker = ""
        """Of the block that `_text` goes on with, where it begins with `_ON`."""
        self._opens = True
        """Whether that block's first sentence is still to be given out."""
        self._read = 0
        """Characters of `_text` that were looked through before."""

    def feed(self, piece: str) -> list[AnswerStatement]:
        """Takes up a piece; the statements that nothing to come can change."""
        self._text += piece.replace(_ON, " ")
        # A long block without an end is read again only when it has grown by a part of itself.
        if self._read > _LONG and len(self._text) - self._read < self._read // _GROWN:
            return []
        found = self._take(ended=False)
        self._read = len(self._text)
        return found

    def finish(self) -> list[AnswerStatement]:
        """The statements that were held back."""
        return self._take(ended=True)

    def _take(self, *, ended: bool) -> list[AnswerStatement]:
        found: list[AnswerStatement] = []
        blocks = _blocks(self._text, self._marker, self._opens, ended)
        self._text = ""
        for block in blocks:
            if block.closed:
                found += _statements(block)
            elif block.kind == "text":
                settled, left = _settled(block)
                found += settled
                self._marker, self._opens = block.marker, block.opens and not settled
                self._text = _ON + left + block.rest
            else:
                self._text = block.marker + block.text + block.rest
        return found


def _settled(block: _Block) -> tuple[list[AnswerStatement], str]:
    """The statements of an open block that are as they will be, and the text of the others."""
    pieces = _sentences(block.text)
    found = _statements(block)
    # What may become a citation belongs to the sentence before it, so that is held back too.
    last = _HALF_ID.sub("", pieces[-1].partition("[")[0]) if pieces else ""
    held = 1 if re.search(r"\w", last) else 2
    settled = found[: max(len(found) - held, 0)]
    first = count = 0
    for place, piece in enumerate(pieces):
        count += bool(plain(_mended(piece)))
        if settled and count > len(settled):
            first = place
            break
    blank = " " if block.text[-1:].isspace() else ""
    return settled, "".join(pieces[first:]).lstrip() + blank


def _blocks(text: str, marker: str, opens: bool, ended: bool) -> Iterator[_Block]:
    """Paragraphs, items, headings, rows and fences; the last may be open."""
    kind, lines, mark = "", list[str](), ""
    rows = text.split("\n")
    for number, row in enumerate(rows):
        whole = number < len(rows) - 1
        if mark:
            lines.append(row)
            if (whole or ended) and closes(row, mark):
                yield _Block("code", "", "\n".join(lines), True, True)
                kind, lines, mark = "", [], ""
            continue
        if not whole and not ended and not _is_clear(row):
            # Not yet known whether this line goes on with the block or begins another.
            rest = "\n" + row if lines else row
            yield _Block(kind, marker if lines else "", "\n".join(lines), opens, False, rest)
            return
        opened = None if row.startswith(_ON) else _opening(row)
        if opened is None and row.strip() and kind == "text":
            lines.append(_QUOTE.sub("", row))
            continue
        if lines:
            yield _Block(kind, marker, "\n".join(lines), opens, True)
            kind, lines = "", []
        if row.startswith(_ON):
            kind, lines = "text", [row[1:]]
            continue
        if not row.strip():
            continue
        kind, marker, rest = opened or ("text", "", _QUOTE.sub("", row))
        opens, lines = True, [rest]
        mark = fence(rest) if kind == "code" else ""
    if lines:
        yield _Block(kind, marker, "\n".join(lines), opens, ended)


def _is_clear(row: str) -> bool:
    """Whether the beginning of a line shows what it is: a second word has begun."""
    return row.startswith(_ON) or len(row.lstrip(" \t>").split()) > 1


def _opening(row: str) -> tuple[str, str, str] | None:
    """(kind, marker, rest) of a line that begins a block of its own; None for prose."""
    if fence(row):
        return "code", "", row
    found = _MARKER.match(row)
    if found:
        rest = row[found.end() :].lstrip()
        return ("heading" if found["head"] else "text"), found[0] + " ", rest
    if row.lstrip().startswith("|"):
        return "row", "", row
    return None


def _statements(block: _Block) -> list[AnswerStatement]:
    if block.kind == "code":
        return [AnswerStatement("code", "", True, block.text, ())]
    if block.kind == "heading":
        said = plain(block.text)
        cites = _citations(block.text)
        return [AnswerStatement("heading", block.marker, True, said, cites)] if said else []
    if block.kind == "row":
        if not _TABLE_RULE.sub("", block.text):
            return []
        cells = " · ".join(filter(None, map(plain, table_cells(block.text))))
        return (
            [AnswerStatement("sentence", "- ", True, cells, _citations(block.text))]
            if cells
            else []
        )
    found: list[AnswerStatement] = []
    for written in _sentences(block.text):
        piece = _mended(written)
        text = plain(piece)
        links = _citations(piece)
        if not text:
            if links and found:
                last = found[-1]
                found[-1] = AnswerStatement(
                    last.kind, last.marker, last.opens, last.text, (*last.citations, *links)
                )
            continue
        gap = text.casefold().startswith(GAP.casefold())
        found.append(
            AnswerStatement(
                "gap" if gap else "sentence",
                block.marker,
                block.opens and not found,
                text,
                links,
            )
        )
    return found


def _mended(sentence: str) -> str:
    """A sentence whose citations are links, where a model wrote them almost so.

    In code marks, escaped, in single brackets, or as the bare id of a claim or note.
    """
    sentence = _CODED.sub(r"\2", _BRACKET.sub(r"\1", sentence))
    sentence = _SINGLE.sub(r"[[\1]]", sentence)
    return _BARE.sub(r"[[#^\1]]", sentence)


def _sentences(text: str) -> list[str]:
    """Sentences, each with the citations behind it."""
    flat = " ".join(text.split())
    found: list[str] = []
    start = at = seen = opened = 0
    while stop := _STOP.search(flat, at):
        at = stop.end()
        opened += flat.count("[[", seen, at) - flat.count("]]", seen, at)
        seen = at
        is_full_stop = stop[0][0] == "."
        if opened > 0 or (is_full_stop and not ends_sentence(flat, start, at, small=True)):
            continue
        behind = _LINKS.match(flat, at)
        if behind and _goes_before(behind[0], flat[behind.end() : behind.end() + 2]):
            at = seen = behind.end()
        if flat[at : at + 2].lstrip()[:1].islower():
            continue
        found.append(flat[start:at])
        start, seen, opened = at, at, 0
    if flat[start:].strip():
        found.append(flat[start:])
    return found


def _goes_before(links: str, rest: str) -> bool:
    """Whether links behind a full stop cite what stands before it, and do not begin a sentence."""
    return "#^" in links or not rest.lstrip()[:1].islower()


def plain(text: str) -> str:
    """A sentence as plain text: citations gone, other links as their words, no markup."""
    out: list[str] = []
    place = 0
    cited = set(_citations(text))
    for link in _links(text):
        out.append(text[place : link.start])
        if link not in cited:
            out.append(link.label or link.target.rpartition("/")[2] or link.heading)
        place = link.end
    out.append(text[place:])
    return _bare("".join(out))


def _citations(text: str) -> tuple[Link, ...]:
    links = _links(text)
    tail = len(text)
    for link in reversed(links):
        if text[link.end : tail].strip(" \t.,;:!?()。"):
            break
        tail = link.start
    return tuple(link for link in links if link.block or link.start >= tail)


def _links(text: str) -> list[Link]:
    """Every wikilink, wherever it stands: no code, maths or HTML hides a citation."""
    return [
        link._replace(start=link.start + found.start(), end=link.end + found.start())
        for found in _ANY_LINK.finditer(text)
        for link in scan(found[0])
    ]


def _bare(text: str) -> str:
    text = _CODE.sub(lambda code: code[2].strip(), text)
    for _ in range(3):
        text = _MARKUP.sub(lambda mark: mark[2] or mark[4], text)
    text = normalise(_EMPTY.sub("", text))
    text = _SPACE_BEFORE.sub("", unescape(text))
    text = re.sub(r"([.!?])[.]{1,9}\Z", r"\1", text) if not text.endswith("...") else text
    return normalise(text) if re.search(r"\w", text) else ""
