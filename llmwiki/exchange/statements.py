"""What a page of notes says: its sentences, list items and rows, each with its own words."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from llmwiki.core.text import fold, normalise
from llmwiki.language.scripts import count_cjk
from llmwiki.language.sentences import split_sentences
from llmwiki.pages import file_links, links
from llmwiki.pages.lines import heading
from llmwiki.pages.scan import Leaf, RunText, body_start, scan
from llmwiki.sources.plain_words import strip_markup
from llmwiki.sources.quotes import MAX_CJK, MAX_WORDS

MOST_QUOTES = 3
_RULE = re.compile(r"[\s|:.=-]+")
_SKIPPED = frozenset({"seen in", "backlinks", "linked references", "table of contents", "contents"})
"""Headings of sections that only repeat what stands elsewhere."""


class SaidIn(NamedTuple):
    """Words of a page, and the lines they stand in, from 1."""

    quote: str
    first: int
    last: int


class ForeignStatement(NamedTuple):
    """One thing that a page says."""

    text: str
    """Without markup."""
    quotes: tuple[SaidIn, ...]
    names: tuple[str, ...]
    """Pages that it links to, as the links name them."""


class PageStatements(NamedTuple):
    """The statements of a page, and what of it says nothing on its own."""

    statements: tuple[ForeignStatement, ...]
    lead: str
    """Its first paragraph in front of any section, without markup; empty where there is none."""
    too_long: tuple[int, ...]
    """Lines of sentences that no quote can hold."""


def statements_of(text: str) -> PageStatements:
    """What the page of this text says; code, maths and HTML say nothing."""
    found: list[ForeignStatement] = []
    too_long: list[int] = []
    section, lead, is_head = "", "", True
    begins = list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))
    seen: set[str] = set()
    for block in scan(text, body_start(text)):
        for leaf in block.leaves:
            if leaf.kind == "heading":
                level, title = _heading(text, leaf)
                section, is_head = (title, False) if level > 1 else ("", is_head)
                continue
            if leaf.kind not in ("paragraph", "table") or fold(section) in _SKIPPED:
                continue
            if is_head and not lead and block.kind == "text" and leaf.kind == "paragraph":
                lead = strip_markup(RunText(text, leaf.spans).text)
            parts = _rows(text, leaf, begins) if leaf.kind == "table" else _said(text, leaf, begins)
            for raw, quotes, words in parts:
                if not _says(words) or fold(words) in seen:
                    continue
                seen.add(fold(words))
                if quotes is None:
                    too_long.append(_line(begins, leaf.spans[0][0]))
                    continue
                names = tuple(dict.fromkeys(_linked(raw)))
                found.append(ForeignStatement(words, quotes, names))
    return PageStatements(tuple(found), lead, tuple(too_long))


def _linked(raw: str) -> Iterator[str]:
    yield from (link.target for link in links.scan(raw) if link.target and not link.embed)
    for file in file_links.scan(raw):
        if file.to.endswith(".md") and not file.embed:
            yield file.to


def _line(begins: list[int], offset: int) -> int:
    return bisect_right(begins, offset)


def _heading(text: str, leaf: Leaf) -> tuple[int, str]:
    line = text[text.rfind("\n", 0, leaf.spans[0][0]) + 1 :].split("\n", 1)[0]
    found = heading(line)
    if found is not None:
        return found[0], strip_markup(found[1])
    # An underlined one.
    return 2, strip_markup(RunText(text, leaf.spans).text)


_Part = tuple[str, tuple[SaidIn, ...] | None, str]
"""Raw text, its quotes (None: it is too long for them), its words."""


def _said(text: str, leaf: Leaf, begins: list[int]) -> Iterator[_Part]:
    run = RunText(text, leaf.spans)
    for start, end in split_sentences(run.text):
        raw = run.text[start:end]
        first = _line(begins, run.offset(start))
        last = _line(begins, run.offset(end - 1))
        yield raw, quotes_of(raw, first, last), strip_markup(raw)


def quotes_of(raw: str, first: int, last: int) -> tuple[SaidIn, ...] | None:
    """The words as one quote, or as up to three where one may not be so long."""
    words = normalise(raw).split()
    if count_cjk(raw) > MAX_CJK:
        return None
    cut = [" ".join(words[at : at + MAX_WORDS]) for at in range(0, len(words), MAX_WORDS)]
    if len(cut) > MOST_QUOTES:
        return None
    return tuple(SaidIn(each, first, last) for each in cut)


def _rows(text: str, leaf: Leaf, begins: list[int]) -> Iterator[_Part]:
    rows = [(text[start:end], _line(begins, start)) for start, end in leaf.spans if text[start:end]]
    if not rows:
        return
    header, at = rows[0]
    names = _cells(header)
    for raw, line in rows[1:]:
        cells = _cells(raw)
        if _RULE.fullmatch(raw) or not cells or len(raw.split()) > MAX_WORDS:
            continue
        told = [
            f"{name}: {cell}" if name else cell
            for name, cell in zip([*names, *[""] * len(cells)], cells, strict=False)
            if cell
        ]
        quotes = (SaidIn(raw.strip(), line, line), SaidIn(header.strip(), at, at))
        yield raw, quotes, "; ".join(told)


def _cells(row: str) -> list[str]:
    return [strip_markup(cell) for cell in re.split(r"(?<!\\)\|", row.strip().strip("|"))]


def _says(words: str) -> bool:
    """Whether words are more than a name or a mark."""
    return len(words.split()) >= 3 or count_cjk(words) >= 6
