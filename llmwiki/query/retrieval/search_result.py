"""What a search found, and how its passages are shown."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from llmwiki.core.language.search_terms import is_cjk, terms, terms_of, words
from llmwiki.core.language.word_forms import base
from llmwiki.core.quick_to_load import NamedTuple
from llmwiki.core.secrets import redacted
from llmwiki.core.text import cut, listed
from llmwiki.pages.page_file_names import stem_of, told_apart

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from llmwiki.index.lookups import Card
    from llmwiki.query.retrieval.passage import Passage
    from llmwiki.query.retrieval.rank_pages import Ranking

NOTE = 200
"""Characters of a note on words that stand nowhere, at most."""
WORD = re.compile(r"\w+")
_ENDS = (". ", "? ", "! ", "; ", "… ", "。", "？", "！")
"""How a sentence, or an item of a list in one line, ends."""


class SearchRow(NamedTuple):
    """One page that was found, with the passage for which it was."""

    card: Card
    score: int
    """In millionths; comparable within one search only."""
    parts: Mapping[str, int]
    """What it is made of."""
    passage: Passage
    """Its best passage and, behind ` … `, the other one of the page that adds most; where it was
    found by its names and links alone, its description in line 0."""
    reasons: tuple[str, ...] = ()
    """By which titles, links and names the page was reached."""
    mark: str | None = None
    """What tells the page from others of the same title among those found."""

    @property
    def path(self) -> str:
        """The page's file, below the wiki's root."""
        return self.card.path

    @property
    def title(self) -> str:
        """The page's title."""
        return self.card.title

    @property
    def type(self) -> str:
        """`concept`, `source` …; empty where the page says none."""
        return self.card.type

    @property
    def text(self) -> str:
        """The passage; the page's description where it was found by its names and links alone."""
        return self.passage.text

    @property
    def source(self) -> str | None:
        """The file below raw/ that the passage is a line of or quotes."""
        return next((path for path, _, _ in self.passage.places), None)

    @property
    def line(self) -> int | None:
        """Where the passage stands, from 1: in `source` if there is one, else in the page; None for
        a description."""
        first = next((first for _, first, _ in self.passage.places), 0)
        return first or self.passage.line or None

    @property
    def handle(self) -> str:
        """What a citation of the passage is written as."""
        return self.passage.handle

    @property
    def updated_by(self) -> tuple[str, ...]:
        """Of a claim: the handles of those that took its place or tell what has become of it since;
        of lines of a source, of the claim that took the place of one that quotes them."""
        return tuple(pointer.handle for pointer in self.passage.followed_by)

    @property
    def source_id(self) -> str | None:
        """The id of the source that the passage is a line of; None where it is one of a page."""
        return stem_of(self.path) if self.passage.kind == "source" else None

    @property
    def shown_title(self) -> str:
        """The page's title, with what tells it from others found."""
        return told_apart(self.title, self.mark)

    @property
    def place(self) -> str:
        """Where the passage stands: `raw/pump.md:8`, or a line of the page."""
        return f"{self.source or self.path}:{self.line}" if self.line else self.path


class SearchResult(NamedTuple):
    """What a search found."""

    question: str
    """The words in their normal form."""
    rows: tuple[SearchRow, ...]
    """Best first."""
    ranking: Ranking
    """What the ranks of pages are made of."""
    pages: int
    """How many pages the wiki has."""
    looked_for: frozenset[str]
    """The search terms that were looked for, in their base forms."""
    instead: Mapping[str, str]
    """Words that stand nowhere, each with the one that was looked for in its place."""
    nowhere: tuple[str, ...]
    """The other words that stand nowhere, as they were typed."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What is told of words that stand nowhere."""
        found = [f"nothing says {word}; this is for {near}" for word, near in self.instead.items()]
        if self.nowhere:
            found.append(f"nothing says {listed(self.nowhere)}")
        return tuple(cut(note, NOTE) for note in found)

    def excerpt(self, row: SearchRow, width: int) -> str:
        """The part of a row's text that holds most of the words, of `width` characters at most;
        without secrets."""
        return excerpt(redacted(row.text), self.looked_for, width)

    def pieces(self, text: str) -> list[tuple[str, bool]]:
        """A text in pieces, each with whether it is one of the words that were looked for."""
        found, end = [], 0
        for first, behind in marks(text, self.looked_for):
            if first >= end:
                found += [(text[end:first], False), (text[first:behind], True)]
                end = behind
        return [*found, (text[end:], False)]


def marks(text: str, looked_for: Collection[str]) -> Iterator[tuple[int, int]]:
    """Where the words of a search stand in a text: (first, behind the last) character.

    `looked_for` are those of `SearchResult`.
    """
    known: dict[str, list[tuple[int, int]]] = {}
    for found in WORD.finditer(text):
        if found[0] not in known:
            known[found[0]] = list(_marked(found[0], looked_for))
        yield from ((found.start() + first, found.start() + end) for first, end in known[found[0]])


def _marked(run: str, looked_for: Collection[str]) -> Iterator[tuple[int, int]]:
    """The same within a run of letters: all of it, or pairs of its characters."""
    for word in words(run):
        if is_cjk(word):
            at = max(run.find(word[0]), 0)
            pairs = ((i, i + 2) for i in range(max(len(word) - 1, 1)))
            yield from ((at + i, at + end) for i, end in pairs if word[i:end] in looked_for)
        elif any(base(term) in looked_for for term in terms_of(word)):
            yield 0, len(run)
            return


def excerpt(text: str, looked_for: Collection[str], width: int) -> str:
    """The part of a text of at most `width` characters that holds most of the words, where they
    stand closest; from the beginning of the sentence, if there is room for it."""
    if len(text) <= width:
        return text
    room = width - 4
    spans = list(marks(text, looked_for))
    held = [tuple(map(base, terms(text[first:behind]))) for first, behind in spans]
    inside: Counter[tuple[str, ...]] = Counter()
    best = start = left = 0
    closest = room
    end = min(room, len(text))
    for right, (last, behind) in enumerate(spans):
        inside[held[right]] += 1
        while left < right and (behind - spans[left][0] > room or inside[held[left]] > 1):
            inside[held[left]] -= 1
            left += 1
        count = sum(each > 0 for each in inside.values())
        apart = last - spans[left][0]
        if (count, -apart) > (best, -closest):
            best, closest, start, end = count, apart, spans[left][0], behind
    begin = _sentence_start(text, start)
    if end - begin > room:
        before = max(start - max(room - (end - start), 0) // 2, 0)
        begin = text.rfind(" ", 0, before) + 1 or before
        begin = begin if end - begin <= room else before
    while begin and len(text) - (earlier := _sentence_start(text, begin - 1)) <= room:
        begin = earlier
    end = text.rfind(" ", begin, begin + room + 1) if begin + room < len(text) else len(text)
    shown = text[begin : end if end > begin else begin + room]
    return f"{'… ' if begin else ''}{shown}{' …' if begin + len(shown) < len(text) else ''}"


def _sentence_start(text: str, at: int) -> int:
    """Where the sentence begins that a character stands in."""
    found = ((text.rfind(end, 0, at), len(end)) for end in _ENDS)
    return max((place + length for place, length in found if place >= 0), default=0)
