"""An answer as its statements: one a sentence, list item or table row, each with its citations.

A citation is a wikilink, `[[Page#^c-…]]`. It belongs to the sentence it stands in or behind:
"Tea is brewed. [[Tea#^c-…]]" is one statement, and so is a list item of one sentence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from llmwiki.core.language.sentences import ends_sentence
from llmwiki.core.text import normalise
from llmwiki.pages.escape import unescape
from llmwiki.pages.find_links import Link, scan
from llmwiki.pages.id_and_evidence_patterns import ITEM_ID
from llmwiki.pages.line_patterns import closes, fence, table_cells

GAP = "Not in the wiki:"
"""The beginning of a sentence of an answer about what is missing in the context."""

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
    ends: bool
    """Whether it is the last of its paragraph, item or row."""
    text: str
    """As plain text of one line, without citations and markup; of code, and of a list or a table
    that is quoted, the lines as they are."""
    citations: tuple[Link, ...]
    """Links to a block (`#^…`) wherever they stand, other links where they end the sentence."""


def split(answer: str) -> tuple[AnswerStatement, ...]:
    """The statements of a whole answer, in order."""
    splitter = Splitter()
    return (*splitter.feed(answer), *splitter.finish())


class Splitter:
    """The statements of an answer while it is being written, a paragraph or an item at a time.

    However the text is cut into pieces, the statements are those of the whole.
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        """Of the line that is being written."""
        self._kind, self._marker = "", ""
        """Of the block that is being written: text, heading, row or code; empty for none."""
        self._lines: list[str] = []
        self._fence = ""
        """What ends a block of code."""

    def feed(self, piece: str) -> list[AnswerStatement]:
        """Takes up a piece; the statements of the blocks that it ends."""
        self._pieces.append(piece)
        if "\n" not in piece:
            return []
        *whole, begun = "".join(self._pieces).split("\n")
        self._pieces = [begun]
        return [each for line in whole for each in self._take(line)]

    def finish(self) -> list[AnswerStatement]:
        """The statements that were held back."""
        return [*self._take("".join(self._pieces)), *self._ended()]

    def _take(self, line: str) -> list[AnswerStatement]:
        if self._fence:
            self._lines.append(line)
            return self._ended() if closes(line, self._fence) else []
        opened = _opening(line)
        if opened is None and line.strip() and self._kind == "text":
            self._lines.append(_QUOTE.sub("", line))
            return []
        found = self._ended()
        if line.strip():
            self._kind, self._marker, rest = opened or ("text", "", _QUOTE.sub("", line))
            self._lines = [rest]
            self._fence = fence(rest) if self._kind == "code" else ""
        return found

    def _ended(self) -> list[AnswerStatement]:
        """The statements of the block that ends here."""
        found = _statements(self._kind, self._marker, "\n".join(self._lines))
        self._kind, self._marker, self._lines, self._fence = "", "", [], ""
        return found


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


def _statements(kind: str, marker: str, block: str) -> list[AnswerStatement]:
    if kind == "code":
        return [AnswerStatement("code", "", True, block, ())]
    if kind == "heading":
        said = plain(block)
        return [AnswerStatement("heading", marker, True, said, _citations(block))] if said else []
    if kind == "row":
        cells = " · ".join(filter(None, map(plain, table_cells(block))))
        is_rule = not _TABLE_RULE.sub("", block)
        said = "" if is_rule else cells
        return [AnswerStatement("sentence", "- ", True, said, _citations(block))] if said else []
    found: list[AnswerStatement] = []
    for written in _sentences(block):
        piece = _mended(written)
        text, links = plain(piece), _citations(piece)
        if text:
            said = "gap" if text.casefold().startswith(GAP.casefold()) else "sentence"
            found.append(AnswerStatement(said, marker, False, text, links))
        elif links and found:
            found[-1] = replace(found[-1], citations=(*found[-1].citations, *links))
    return [*found[:-1], *(replace(each, ends=True) for each in found[-1:])]


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
