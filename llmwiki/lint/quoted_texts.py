"""The texts that quotes are compared with: those of the sources of one state of the wiki."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from llmwiki.core.document import Document
from llmwiki.core.errors import WikiError
from llmwiki.core.text import sha256_hex
from llmwiki.git.runner import NotFetched
from llmwiki.lint.own_and_foreign_pages import is_recorded
from llmwiki.lint.page_view import PageView, PlacedClaim
from llmwiki.lint.wiki_files import WikiFiles
from llmwiki.pages.page import Evidence, SourceRef
from llmwiki.sources.formats import converter_for
from llmwiki.sources.quotes import QuoteFinder
from llmwiki.sources.read_source import read_document, text_path

_KEPT = 32_000_000
"""Characters of texts that are held at once: sources of one folder are quoted by many pages."""

Fault = Literal["", "unrecorded", "missing", "changed", "elsewhere"]
"""Why quotes of a source cannot be compared with its text; empty: they can.

`unrecorded`: the page does not say which file below raw/, or with which SHA-256; `missing`: there
is no such file, or it, or the converted text that it is read through, is gone or cannot be read;
`changed`: its bytes are others than those the page records; `elsewhere`: a sparse checkout leaves
it out, and a partial clone has left its bytes at the remote.
"""


@dataclass(frozen=True)
class SourceText:
    """One source as a page records it, and its text where there is one to compare with."""

    path: str
    """Below raw/; as the page gives it where that is no such path."""
    fault: Fault
    why: str
    """The fault in words that go on from the path: `is missing`; empty without a fault."""
    document: Document | None = None

    def stands(self, quote: str) -> bool:
        """Whether the quote stands in the text."""
        return self._finder.find_nth(quote) is not None

    @cached_property
    def _finder(self) -> QuoteFinder:
        assert self.document is not None
        return QuoteFinder(self.document)

    @property
    def weight(self) -> int:
        """Characters it holds."""
        return sum(map(len, self.document.lines)) if self.document else 0


class LostQuote(NamedTuple):
    """A quote that does not stand in the text of its source."""

    claim: PlacedClaim
    evidence: Evidence
    line: int
    """Of the evidence, in the page."""
    text: SourceText


class UncomparedQuotes(NamedTuple):
    """Quotes of one source on one page that cannot be compared with its text."""

    source: str
    quotes: int
    line: int
    """Of the first of them, in the page."""
    why: str

    @property
    def message(self) -> str:
        """What is so, in words."""
        were = "quote was" if self.quotes == 1 else "quotes were"
        return f"{self.quotes} {were} not compared with the text: {self.why}"


class QuotesCompared(NamedTuple):
    """A page beside the texts that its claims and notes quote."""

    lost: tuple[LostQuote, ...]
    """The quotes that do not stand in the texts of their sources."""
    lacking: tuple[UncomparedQuotes, ...]
    """Those that nothing can be said of, by their source."""
    compared: int
    """How many pieces of evidence of its claims could be compared."""


Recorded = Callable[[str], SourceRef | None]
"""Id of a source to what its own page records of it; None where it has no page that does."""


def recorded_on(page: Callable[[str], PageView | None]) -> Recorded:
    """What the pages of sources record, where `page` gives the pages of a wiki by path."""

    def recorded(ident: str) -> SourceRef | None:
        view = page(f"wiki/sources/{ident}.md")
        return None if view is None else view.own_source

    return recorded


class Texts:
    """The texts of sources; a few of those read last are held.

    `recorded` tells what the page of a source says of it, None where it has none that does.
    """

    def __init__(self, files: WikiFiles, recorded: Recorded) -> None:
        self._files = files
        self._recorded = recorded
        self._held: dict[tuple[str, str], SourceText] = {}
        self._stamps: dict[tuple[str, str], str] = {}
        """What `identity` said: a source is quoted by many pages."""
        self._weight = 0
        self._last: tuple[PageView, QuotesCompared] | None = None

    def identity(self, ref: SourceRef) -> str:
        """A text that is another whenever what `text` says of `ref` may be; no file is read."""
        known = self._stamps.get((ref.resource, ref.sha256))
        if known is None:
            path = _path_of(ref)
            places = (path, text_path(ref.sha256.lower())) if path else ()
            states = " ".join(map(self._files.stamp, places))
            known = f"{ref.resource} {ref.sha256} {states}" if path else ""
            self._stamps[ref.resource, ref.sha256] = known
        return known

    def text(self, ref: SourceRef) -> SourceText:
        """The text of a source, of the bytes that `ref` records."""
        key = (ref.resource, ref.sha256.lower())
        found = self._held.pop(key, None)
        if found is None:
            found = _read(self._files, ref)
            self._weight += found.weight
        self._held[key] = found
        while self._weight > _KEPT and len(self._held) > 1:
            self._weight -= self._held.pop(next(iter(self._held))).weight
        return found

    def cited(self, view: PageView) -> dict[str, SourceText]:
        """The texts that the evidence on a page is taken from, by source id."""
        cited = {evidence.source for placed in quoting(view) for evidence, _line in placed.evidence}
        listed = self.listed(view) if cited else ()
        return {ref.id: self.text(ref) for ref in listed if ref.id in cited}

    def listed(self, view: PageView) -> tuple[SourceRef, ...]:
        """The sources that a page lists, each as its own page records it."""
        said = {ref.id: ref for ref in reversed(view.sources)}
        return tuple(self.recorded(ident, ref) for ident, ref in said.items())

    def recorded(self, ident: str, said: SourceRef) -> SourceRef:
        """A source as its own page records it; where none does, as another page says."""
        return self._recorded(ident) or said

    def compared(self, view: PageView) -> QuotesCompared:
        """The quotes of a page beside the texts of their sources."""
        if self._last is None or self._last[0] is not view:
            self._last = (view, self._compared(view))
        return self._last[1]

    def _compared(self, view: PageView) -> QuotesCompared:
        held = self.cited(view)
        lost: list[LostQuote] = []
        lacking: dict[str, list[int]] = {}
        compared = 0
        for placed in quoting(view):
            for evidence, line in placed.evidence:
                text = held.get(evidence.source)
                if view.broken or (text is not None and text.fault):
                    lacking.setdefault(evidence.source, []).append(line)
                elif text is not None:
                    compared += placed.claim.id.startswith("c-")
                    if not text.stands(evidence.quote):
                        lost.append(LostQuote(placed, evidence, line, text))
        found = []
        for source, at in lacking.items():
            text = held.get(source)
            why = f"{text.path} {text.why}" if text else f"{view.path} has broken frontmatter"
            found.append(UncomparedQuotes(source, len(at), at[0], why))
        return QuotesCompared(tuple(lost), tuple(found), compared)


def quoting(view: PageView) -> tuple[PlacedClaim, ...]:
    """The claims and notes of a page, whose evidence is compared."""
    return (*view.claims, *view.notes)


def _path_of(ref: SourceRef) -> str:
    """The file below raw/ that an entry of `sources` names; empty where it names none.

    Pages are data: what is no plain path of a source is never opened.
    """
    return ref.resource.removeprefix("/") if is_recorded(ref) else ""


def _read(files: WikiFiles, ref: SourceRef) -> SourceText:
    path = _path_of(ref)
    if not path:
        return SourceText(ref.resource, "unrecorded", "is recorded without a file or SHA-256")
    try:
        return _compared(files, path, ref)
    except NotFetched as error:
        return SourceText(path, "elsewhere", f"cannot be read: {error.what}. {error.fix}")
    except WikiError as error:
        what = error.what if error.where in ("", path) else f"{error.where} {error.what}"
        return SourceText(path, "missing", f"cannot be read: {what}")
    except (OSError, ValueError) as error:
        return SourceText(path, "missing", f"cannot be read: {type(error).__name__}")


def _compared(files: WikiFiles, path: str, ref: SourceRef) -> SourceText:
    """The text in `path`, or what keeps it from being compared. Raises WikiError, OSError and
    ValueError where it cannot be read."""
    data = files.read(path)
    if data is None:
        return SourceText(path, "missing", "is missing")
    digest = sha256_hex(data)
    if digest != ref.sha256.lower():
        return SourceText(path, "changed", "has changed since it was ingested")
    place = text_path(digest)
    kept = files.read(place)
    if kept is None and converter_for(path, data) is not None:
        return SourceText(path, "missing", f"has lost its numbered text, {place}")
    return SourceText(path, "", "", read_document(path, data, kept_text=kept))
