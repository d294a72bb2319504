"""Quotes looked up in the numbered text of a source, and where that stands in the original.

Converters leave markers in the text (docs/sources.md). Read back, they say what a person looks for
who opens the original, which has no numbered lines: `p. 12`, `sheet Prices, row 7`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple
from urllib.parse import quote as percent_encoded

from llmwiki.core.document import Document
from llmwiki.core.errors import WikiError
from llmwiki.core.language.figures_and_names import Support
from llmwiki.core.language.folded_text import FoldedText
from llmwiki.core.language.scripts import count_cjk
from llmwiki.core.language.sentences import split_sentences
from llmwiki.core.quick_to_load import lazy_pattern
from llmwiki.core.text import fold_quote, normalise
from llmwiki.git.repository import Repository
from llmwiki.pages.id_and_evidence_patterns import COUNTED, TIME, names
from llmwiki.pages.page import Claim, Evidence
from llmwiki.sources.read_source import document_at, with_blanks
from llmwiki.sources.strip_markup import is_restructured, without_markup

MAX_NAME = 60
"""Characters of a sheet's name that are told."""

_SAID = {mark.name: mark.said for mark in COUNTED}
_INNER = frozenset(mark.name for mark in COUNTED if mark.inner)
_COUNTED = re.compile(rf"\[(?P<kind>{names(COUNTED)}) (?P<number>\d{{1,7}})(?P<rest>[^\]]*)\]")
_SHEET = re.compile(r"\[sheet (?P<name>.+?)(?: hidden)?\]")
_TIME = re.compile(rf"\[(?P<time>{TIME})\] ")
_ROW = re.compile(r"(?P<place>(?:table \d{1,7} )?row \d{1,7})(?: \||$)")


class SourcePlaces:
    """The places of a converted text, looked up by line; built once, O(lines)."""

    def __init__(self, lines: Sequence[str], first: int = 1, *, pages_only: bool = False) -> None:
        """`first` is the line, from 1, that the text begins with.

        `pages_only`: other markers than those of pages are words of the document.
        """
        self._lines = lines
        self._pages_only = pages_only
        self._at: list[int] = []
        self._said: list[str] = []
        for number, said in _pages(lines, first) if pages_only else _marks(lines, first):
            self._at.append(number)
            self._said.append(said)

    def of(self, line: int) -> str:
        """The place of a line, from 1; empty where no marker says one."""
        index = bisect_right(self._at, line) - 1
        parts = [self._said[index]] if index >= 0 and self._said[index] else []
        row = None if self._pages_only else _ROW.match(self._lines[line - 1])
        return ", ".join([*parts, row["place"]] if row else parts)


def _pages(lines: Sequence[str], first: int) -> Iterator[tuple[int, str]]:
    page = 0
    for number, line in enumerate(lines[first - 1 :], start=first):
        if line == f"[page {page + 1}]":
            page += 1
            yield number, f"p. {page}"


def _marks(lines: Sequence[str], first: int) -> Iterator[tuple[int, str]]:
    """Each line at which the place changes, and what it is from there on."""
    counts: dict[str, int] = {}
    outer = ""
    for number, line in enumerate(lines[first - 1 :], start=first):
        if line.startswith("["):
            counted = _COUNTED.match(line)
            if counted:
                kind, count = counted["kind"], int(counted["number"])
                # Text that happens to look like a marker seldom also counts on.
                if count - counts.get(kind, 0) not in (0, 1):
                    continue
                counts[kind] = count
                if kind in _INNER:
                    yield number, ", ".join(filter(None, (outer, f"{_SAID[kind]} {count}")))
                    continue
                outer = f"{_SAID[kind]} {count}"
                notes = " notes" if counted["rest"].endswith(" notes") else ""
                yield number, outer + notes
            elif sheet := _SHEET.fullmatch(line):
                outer = f"sheet {' '.join(sheet['name'].split())[:MAX_NAME].strip()}"
                yield number, outer
            elif time := _TIME.match(line):
                yield number, ", ".join(filter(None, (outer, time["time"])))


# --- quotes ------------------------------------------------------------------------------------

MAX_WORDS = 60
MAX_CJK = 240
"""How long a quote may be, in words, or in characters where these are CJK."""
MIN_WORDS = 3
MIN_CHARACTERS = 12
"""A quote shorter than both must be a whole heading, field or row: less proves nothing."""

_ADDRESS = re.compile(r" \{#[\w:.-]{1,100}\}\Z")
_LINE_MARKS = re.compile(r"^(?:[#>*+\-|\s]|\d++[.)]\s)++")


@dataclass(frozen=True, slots=True)
class LocatedQuote:
    """A quote and the lines in which it really stands."""

    quote: str
    first: int
    last: int
    place: str = ""
    """Where the first line stands in the original, `p. 12`; empty for a text that is its own."""
    nth: int = 1
    """Which of the places it is where the text has the words several times."""


class QuoteFinder:
    """Looks quotes up in one document; the whole text is folded once, O(text).

    White space, line breaks and typographic variants of quotes and dashes do not count; case and
    every other character do. In a text with inline markup of its own (`strip_markup.py`) a quote
    that does not stand there to the letter is looked for without that markup.
    """

    def __init__(self, document: Document) -> None:
        self._skip = 1 if document.text_path else 0
        self._path, self._lines = document.path, document.lines
        self._markup = is_restructured(document)
        self._folded = [fold_quote(line) for line in document.lines]
        self._text = FoldedText(self._folded, self._skip)
        self._places = _places(document, self._skip + 1)

    @cached_property
    def _bare(self) -> list[str]:
        return [fold_quote(without_markup(line)) for line in self._lines]

    @cached_property
    def _bare_text(self) -> FoldedText:
        return FoldedText(self._bare, self._skip)

    def find(self, quote: str, first: int, last: int) -> LocatedQuote | None:
        """Where the quote stands: in the named lines, else nearest to them; None: nowhere."""
        hits = self._hits(quote)
        if not hits:
            return None
        at = min(range(len(hits)), key=lambda at: (_distance(hits[at], first, last), at))
        return self._found(quote, hits, at)

    def find_nth(self, quote: str, nth: int = 1) -> LocatedQuote | None:
        """The place of that number, from 1, where the quote stands, or the last one; None:
        nowhere."""
        hits = self._hits(quote)
        return self._found(quote, hits, min(nth, len(hits)) - 1) if hits else None

    def located(self, evidence: Evidence) -> Evidence:
        """The evidence with its lines; as it is where the quote does not stand in the text."""
        found = self.find_nth(evidence.quote, evidence.nth)
        if found is None:
            return evidence
        return replace(evidence, first=found.first, last=found.last, place=found.place)

    def rest_of_sentence(self, quote: str) -> str:
        """What the text says after a quote up to the end of its sentence, or of the paragraph;
        empty where the quote ends one, and where it does not stand in the text."""
        found = self.find_nth(quote)
        if found is None:
            return ""
        last = found.last
        for line in self._folded[last:]:
            if not line or _LINE_MARKS.match(line):
                break
            last += 1
        text = fold_quote(" ".join(self._folded[found.first - 1 : last]))
        at = text.find(wanted := fold_quote(quote))
        if at < 0:
            return ""
        end = at + len(wanted)
        ends = (stop for _start, stop in split_sentences(text) if stop >= end)
        rest = text[end : next(ends, end)].strip()
        return rest if any(map(str.isalpha, rest)) else ""

    def _hits(self, quote: str) -> list[tuple[int, int]]:
        quote = with_blanks(quote)
        hits = self._text.hits(quote)
        if not hits and self._markup:
            hits = self._bare_text.hits(without_markup(quote))
        return hits

    def _found(self, quote: str, hits: Sequence[tuple[int, int]], at: int) -> LocatedQuote:
        start, end = hits[at]
        place = self._places.of(start) if self._places else ""
        return LocatedQuote(normalise(with_blanks(quote)), start, end, place, at + 1)

    @cached_property
    def support(self) -> Support:
        """The whole document and its path, as something to rest on."""
        return Support("\n".join((self._path, *self._lines)))

    def is_whole_line(self, quote: str, line: int) -> bool:
        """Whether the quote is all that a line says, list and table marks aside."""
        if not 1 <= line <= len(self._folded):
            return False
        wanted = fold_quote(with_blanks(quote))
        if _unmarked(wanted) == _unmarked(self._folded[line - 1]):
            return True
        if any(fold_quote(cell) == wanted for cell in self._lines[line - 1].split("|")):
            return True
        bare = fold_quote(without_markup(quote)) if self._markup else ""
        return bool(bare) and _unmarked(bare) == _unmarked(self._bare[line - 1])


def _places(document: Document, first: int) -> SourcePlaces | None:
    """None where no converter has left markers: what a picture shows may look like one."""
    if document.text_path is None or document.media_type.startswith("image/"):
        return None
    pages_only = document.media_type == "application/pdf"
    return SourcePlaces(document.lines, first, pages_only=pages_only)


def _unmarked(line: str) -> str:
    """A folded line without its list and table marks, and the address of a heading."""
    return _ADDRESS.sub("", _LINE_MARKS.sub("", line)).rstrip("|: ").strip()


def _distance(span: tuple[int, int], first: int, last: int) -> int:
    if span[0] >= first and span[1] <= last:
        return 0
    return 1 + min(abs(span[0] - first), abs(span[1] - last))


def is_short(quote: str) -> bool:
    """Whether a quote proves nothing unless it is all that its line says."""
    text = normalise(quote)
    few = len(text) < MIN_CHARACTERS and len(text.split()) < MIN_WORDS
    return few and count_cjk(text) < 4


def too_long(quote: str) -> str:
    """By how much a normalised quote is too long, `74 words, and 60 are the most`; empty: it is
    not."""
    cjk, words = count_cjk(quote), len(quote.split())
    if cjk > MAX_CJK:
        return f"{cjk} characters, and {MAX_CJK} are the most"
    if cjk * 4 < len(quote) and words > MAX_WORDS:
        return f"{words} words, and {MAX_WORDS} are the most"
    return ""


def in_parts(quote: str) -> list[str]:
    """A quote that is too long in parts of whole sentences that are not; else itself.

    A sentence that alone is too long stays so.
    """
    if not too_long(quote):
        return [quote]
    parts: list[str] = []
    start = 0
    for begin, end in split_sentences(quote):
        if parts and not too_long(quote[start:end]):
            parts[-1] = quote[start:end]
        else:
            parts.append(quote[begin:end])
            start = begin
    return parts


# --- where quotes stand in the file of a source, and the address on a forge ----------------------

_MOST = 20_000_000
"""Bytes of sources that are looked through for one difference."""
_REMOTE = lazy_pattern(
    r"(?:(?:https?|ssh|git)://(?:[^/@\s]{1,200}@)?|(?:[\w.-]{1,100}@))"
    r"(?P<host>[A-Za-z0-9.-]{1,200})(?::\d{1,5}(?=/))?[:/]"
    r"(?P<name>[\w.-]{1,200}(?:/[\w.-]{1,200}){1,20})",
    re.ASCII,
)


class QuotePlace(NamedTuple):
    """Where a quote stands."""

    path: str
    """Of the source's file, from the wiki's root."""
    span: str
    """`L12–L14`, with the place in an original that has no lines; empty where it is not known."""
    url: str
    """Of these lines on a forge; empty where none is known."""


def forge_address(remote: str, commit: str, path: str, first: int, last: int) -> str:
    """The address of lines of a file in a commit, for a remote at GitHub or GitLab; `first` 0: of
    the whole file. Empty for any other remote."""
    found = _REMOTE.fullmatch(remote.strip().removesuffix("/").removesuffix(".git"))
    host = found["host"].lower() if found else ""
    labels = set(host.split("."))
    if found is None or not labels & {"github", "gitlab"}:
        return ""
    is_github = "github" in labels
    end = "" if last <= first else f"-L{last}" if is_github else f"-{last}"
    lines = f"#L{first}{end}" if first else ""
    folder = "blob" if is_github else "-/blob"
    return f"https://{host}/{found['name']}/{folder}/{commit}/{percent_encoded(path)}{lines}"


class QuotePlaces:
    """The places of quotes in one commit, or in the work tree where that is None."""

    def __init__(
        self,
        repo: Repository,
        commit: str | None,
        file: Callable[[str], str],
        *,
        most: int | None = _MOST,
    ) -> None:
        """`file` gives the file of a source's id from the wiki's root; empty where none is known.

        Each source is read once, about `most` bytes in all.
        """
        self._repo = repo
        self._commit = commit
        self._file = file
        self._remote = repo.settings.get("remote.origin.url") if commit else ""
        self._finders: dict[str, QuoteFinder | None] = {}
        self._room = most

    def located(self, evidence: Evidence) -> Evidence:
        """Evidence with its lines; as it is where the source is not at hand, or lacks the quote."""
        finder = self._finder(evidence.source)
        return finder.located(evidence) if finder else evidence

    def rest_of_sentence(self, source: str, quote: str) -> str:
        """What a source says after a quote up to the end of the sentence; empty where it is not at
        hand."""
        finder = self._finder(source)
        return finder.rest_of_sentence(quote) if finder else ""

    def claim(self, claim: Claim) -> Claim:
        """A claim whose evidence has its lines."""
        return replace(claim, evidence=tuple(map(self.located, claim.evidence)))

    def of(self, evidence: Evidence) -> QuotePlace:
        """The place of one quote, and its address on a forge."""
        path, found = self._file(evidence.source), self.located(evidence)
        url = ""
        if self._remote and self._commit and path:
            lines = (0, 0) if found.place else (found.first, found.last)
            url = forge_address(self._remote, self._commit, self._repo.prefix + path, *lines)
        return QuotePlace(path or evidence.source, found.span, url)

    def of_all(self, evidence: Iterable[Evidence]) -> dict[tuple[str, str], QuotePlace]:
        """The places by source and folded quote."""
        return {each.identity: self.of(each) for each in evidence}

    def _finder(self, source: str) -> QuoteFinder | None:
        path = self._file(source)
        if path and path not in self._finders:
            try:
                self._finders[path] = self._read(path)
            except WikiError:
                # A clone may lack the bytes, and a person may have put anything there.
                self._finders[path] = None
        return self._finders.get(path)

    def _read(self, path: str) -> QuoteFinder | None:
        document = document_at(self._repo, self._commit, path, most=self._room)
        if document is None:
            return None
        if self._room is not None:
            self._room -= sum(len(line) + 1 for line in document.lines)
        return QuoteFinder(document)
