"""A foreign folder as readings of sources: each of its pages is a source, and so are its documents.

What a page says is a claim with the page's own line for evidence, marked as reported by it. Where
the very words stand in a document of the folder that the page names, that document is the evidence.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePosixPath
from typing import NamedTuple

from llmwiki.core.agent_files import is_agent_file
from llmwiki.core.document import Document
from llmwiki.core.errors import WikiError
from llmwiki.core.page_kinds import SECOND_HAND
from llmwiki.core.secrets import refuse
from llmwiki.core.text import fold, sha256_hex
from llmwiki.exchange.folder import ForeignFolder, OmittedFile
from llmwiki.exchange.foreign_page import ForeignPage, read_page
from llmwiki.exchange.okf import RESERVED
from llmwiki.exchange.statements import ForeignStatement, SaidIn
from llmwiki.extraction.answer_limits import MAX_ITEMS, MAX_TITLE
from llmwiki.extraction.schema import (
    DOCUMENT,
    DocumentFacts,
    ExtractedClaim,
    ExtractedQuote,
    Extraction,
    SourceEcho,
    Subject,
)
from llmwiki.extraction.types import ReadDocument
from llmwiki.pages.ids import ID_AT_END
from llmwiki.sources.document import read_document
from llmwiki.sources.limits import SourceLimits
from llmwiki.sources.paths import is_source
from llmwiki.sources.quotes import QuoteFinder

_CATALOGUE = frozenset({"index.md", "log.md", "overview.md"})
_ALSO = 5
_FEWEST = 5
"""Words of a statement that are looked for in documents."""


class FolderPlan(NamedTuple):
    """Which files of a folder are what."""

    pages: tuple[str, ...]
    documents: tuple[str, ...]


@dataclass(frozen=True)
class OriginalDocument:
    """A document of the folder on which its pages rest."""

    document: Document
    data: bytes

    @cached_property
    def finder(self) -> QuoteFinder:
        """Where quotes stand in it."""
        return QuoteFinder(self.document)


@dataclass(slots=True)
class ForeignReadings:
    """What was read of a folder."""

    readings: list[ReadDocument] = field(default_factory=list)
    verified: dict[str, int] = field(default_factory=dict)
    """Path in the folder to the statements of that page that stand in a document."""
    second_hand: dict[str, int] = field(default_factory=dict)
    """The same to those that rest on the page alone."""
    documents: dict[str, str] = field(default_factory=dict)
    """Path below raw/ to the file of the folder that is copied there because claims rest on it."""
    places: dict[str, str] = field(default_factory=dict)
    """Path in the folder to the path below raw/ of each page that is read."""
    left_out: list[OmittedFile] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ReadingTerms:
    """How a folder is read."""

    form: str
    name: str
    """Its files stand below raw/imports/NAME/."""
    by: str
    limits: SourceLimits
    allowed_secrets: frozenset[str]


def plan_folder(folder: ForeignFolder, form: str) -> FolderPlan:
    """The pages of a folder and the documents they may rest on; the rest is told as left out."""
    base = "wiki/" if form == "llm-wiki-agent" and _has(folder.files, "wiki/") else ""
    catalogue = {"okf": RESERVED, "llm-wiki-agent": _CATALOGUE}.get(form, frozenset())
    pages, documents = [], []
    for path in folder.files:
        name = path.rpartition("/")[2].casefold()
        inside = path.removeprefix(base)
        if is_agent_file(path):
            folder.left_out.append(OmittedFile(path, "coding agents would obey it"))
        elif form == "llm-wiki-agent" and path.startswith("raw/"):
            documents.append(path)
        elif not path.startswith(base) or not name.endswith(".md"):
            if form == "okf":
                documents.append(path)
            else:
                folder.left_out.append(OmittedFile(path, "it is no page of the wiki"))
        elif name in catalogue and ("/" not in inside or form == "okf"):
            folder.left_out.append(OmittedFile(path, "indexes and logs are made anew here"))
        else:
            pages.append(path)
    return FolderPlan(tuple(pages), tuple(documents))


def _has(files: Iterable[str], start: str) -> bool:
    return any(path.startswith(start) and path.endswith(".md") for path in files)


def read_foreign(
    folder: ForeignFolder,
    plan: FolderPlan,
    terms: ReadingTerms,
    only: Mapping[str, tuple[ForeignStatement, ...]] | None = None,
) -> ForeignReadings:
    """The readings of the pages of a folder, and of the documents on which they rest.

    `only` gives what is read of a page, where that is not all of it.
    """
    found = ForeignReadings()
    pages: list[tuple[ForeignPage, Document]] = []
    for path in plan.pages:
        document = _open(folder, path, terms, found)
        if document is not None:
            page = read_page(path, document, terms.form)
            if only is not None and path in only:
                page = replace(page, says=page.says._replace(statements=only[path], too_long=()))
            pages.append((page, document))
    originals = _Originals(folder, plan, terms, found, [page for page, _ in pages])
    claims: dict[str, list[tuple[ForeignPage, ForeignStatement, SaidIn]]] = {}
    for page, document in pages:
        _tell_faults(page, found)
        second: list[ForeignStatement] = []
        for statement in page.says.statements[: MAX_ITEMS["claims"]]:
            place = originals.find(page, statement)
            if place is None:
                second.append(statement)
            else:
                claims.setdefault(place[0], []).append((page, statement, place[1]))
        found.verified[page.path] = len(page.says.statements[: MAX_ITEMS["claims"]]) - len(second)
        if second or (page.description and not found.verified[page.path]):
            found.second_hand[page.path] = len(second)
            found.places[page.path] = document.path
            found.readings.append(_page_reading(page, document, second, folder, terms, originals))
        elif not found.verified[page.path]:
            found.left_out.append(OmittedFile(page.path, "it says nothing in sentences"))
    if plan.documents and terms.form == "llm-wiki-agent":
        more = len(plan.documents) - len(claims)
        reason = f"{more} documents that no page quotes word for word; `wiki ingest` reads them"
        found.left_out += [OmittedFile("raw/", reason)] if more else []
    found.readings[:0] = [
        originals.reading(path, claims[path], terms.by) for path in sorted(claims)
    ]
    return found


def _tell_faults(page: ForeignPage, found: ForeignReadings) -> None:
    if page.fault:
        found.left_out.append(OmittedFile(page.path, f"its frontmatter: {page.fault}"))
    most = MAX_ITEMS["claims"]
    more = len(page.says.statements) - most
    if more > 0:
        reason = f"{more} of its sentences: a page gives at most {most} claims"
        found.left_out.append(OmittedFile(page.path, reason))
    if page.says.too_long:
        lines = ", ".join(f"L{line}" for line in page.says.too_long[:5])
        reason = f"{len(page.says.too_long)} sentences that are too long to quote ({lines})"
        found.left_out.append(OmittedFile(page.path, reason))


def _open(
    folder: ForeignFolder, path: str, terms: ReadingTerms, found: ForeignReadings
) -> Document | None:
    """A file of the folder as a source of ours; None where it cannot be one, which is told."""
    target = unicodedata.normalize("NFC", f"raw/imports/{terms.name}/{path}")
    if not is_source(target):
        found.left_out.append(OmittedFile(path, "its name is one that no source has"))
        return None
    try:
        document = read_document(target, folder.files[path], limits=terms.limits)
        text = ID_AT_END.sub("", "\n".join(document.lines))
        refuse([text], allowed=terms.allowed_secrets, what="it", where=path)
    except WikiError as error:
        found.left_out.append(OmittedFile(path, error.what))
        return None
    return document


def _page_reading(
    page: ForeignPage,
    document: Document,
    statements: Iterable[ForeignStatement],
    folder: ForeignFolder,
    terms: ReadingTerms,
    originals: _Originals,
) -> ReadDocument:
    claims = [
        _claim(page, statement, number, statement.quotes, originals, terms.name)
        for number, statement in enumerate(statements, start=1)
    ]
    title = f"{page.title} ({terms.name})" if page.kind else page.title
    data = folder.files[page.path]
    return _reading(document, data, title, page, claims, [page], terms.by, SECOND_HAND)


def _claim(
    page: ForeignPage,
    statement: ForeignStatement,
    number: int,
    quotes: Iterable[SaidIn],
    originals: _Originals,
    speaker: str,
) -> ExtractedClaim:
    """One claim; with a `speaker` it is what that folder reports, and nothing more is known."""
    return ExtractedClaim(
        id=f"k{number}",
        subject=page.title[:MAX_TITLE] if page.kind else DOCUMENT,
        also=originals.titles(statement.names, page)[:_ALSO],
        text=statement.text,
        evidence=[ExtractedQuote(quote=q.quote, lines=[q.first, q.last]) for q in quotes],
        stance="reported" if speaker else None,
        speaker=speaker or None,
    )


def _reading(
    document: Document,
    data: bytes,
    title: str,
    about: ForeignPage | None,
    claims: list[ExtractedClaim],
    pages: Iterable[ForeignPage],
    by: str,
    status: str | None = None,
) -> ReadDocument:
    facts = DocumentFacts(
        title=title,
        summary=(about.says.lead or about.description) if about else "",
        authors=list(about.authors) if about else [],
        date=(about.date or None) if about else None,
        url=(about.url or None) if about else None,
        status=status,
    )
    subjects = {
        fold(page.title): Subject(
            name=page.title,
            kind="entity" if page.kind == "entity" else "concept",
            description=page.description or page.says.lead,
            lead=page.says.lead or None,
            tags=list(page.tags),
            aliases=list(page.aliases),
        )
        for page in pages
        if page.kind
    }
    extraction = Extraction(
        source=SourceEcho(sha256=document.sha256),
        document=facts,
        subjects=list(subjects.values()),
        claims=claims,
        end=True,
    )
    return ReadDocument(document, data, extraction, by)


class _Originals:
    """The documents of a folder, and which of them its pages rest on."""

    def __init__(
        self,
        folder: ForeignFolder,
        plan: FolderPlan,
        terms: ReadingTerms,
        found: ForeignReadings,
        pages: list[ForeignPage],
    ) -> None:
        self._folder, self._terms, self._found = folder, terms, found
        self._titles: dict[str, str] = {}
        self._pages: dict[str, ForeignPage] = {}
        for page in pages:
            stem = PurePosixPath(page.path).stem
            for name in (page.path, page.path.rpartition("/")[2], stem, page.title):
                self._pages.setdefault(fold(name), page)
        self._documents: dict[str, str] = {}
        for path in plan.documents:
            for name in (path, path.removeprefix("raw/"), PurePosixPath(path).name,
                         PurePosixPath(path).stem):  # fmt: skip
                self._documents.setdefault(fold(name), path)
        self._opened: dict[str, OriginalDocument | None] = {}
        self._of_page: dict[str, tuple[str, ...]] = {}
        self._about: dict[str, ForeignPage] = {}
        """Path below raw/ to the page that is about that document."""

    def titles(self, names: Iterable[str], page: ForeignPage) -> list[str]:
        """The titles of the folder's pages that links of those names lead to."""
        held: list[str] = []
        for name in names:
            last = name.rpartition("/")[2]
            other = self._pages.get(fold(name)) or self._pages.get(fold(last))
            if other is not None and other is not page and other.kind:
                held.append(other.title[:MAX_TITLE])
        return list(dict.fromkeys(held))

    def find(self, page: ForeignPage, statement: ForeignStatement) -> tuple[str, SaidIn] | None:
        """The document, and the place in it, where the very words of a statement stand."""
        for path in self._resting(page):
            original = self._open(path)
            if original is None:
                continue
            last = len(original.document.lines)
            whole = " ".join(each.quote for each in statement.quotes[:1])
            for words in (statement.text, whole, statement.said):
                if len(words.split()) < _FEWEST or len(words.split()) > 60:
                    continue
                place = original.finder.find(words, 1, last)
                if place is not None:
                    return path, SaidIn(place.quote, place.first, place.last)
        return None

    def _resting(self, page: ForeignPage) -> tuple[str, ...]:
        """The documents that a page names, or that the pages of sources it names are about."""
        if page.path not in self._of_page:
            found: dict[str, None] = {}
            for name in page.rests_on:
                for path in self._named(name):
                    found.setdefault(path)
            if not page.kind and (own := self._documents.get(fold(PurePosixPath(page.path).stem))):
                found.setdefault(own)
            if not page.kind:
                for path in found:
                    self._about.setdefault(path, page)
            self._of_page[page.path] = tuple(found)
        return self._of_page[page.path]

    def _named(self, name: str) -> Iterator[str]:
        plain = name.lstrip("/")
        for key in (plain, plain.rpartition("/")[2]):
            path = self._documents.get(fold(key))
            if path is not None:
                yield path
                return
        other = self._pages.get(fold(plain)) or self._pages.get(fold(plain.rpartition("/")[2]))
        for inner in other.rests_on if other is not None else ():
            path = self._documents.get(fold(inner.lstrip("/"))) or self._documents.get(
                fold(inner.rpartition("/")[2])
            )
            if path is not None:
                yield path

    def _open(self, path: str) -> OriginalDocument | None:
        if path not in self._opened:
            document = _open(self._folder, path, self._terms, self._found)
            data = self._folder.files[path]
            self._opened[path] = OriginalDocument(document, data) if document else None
        return self._opened[path]

    def reading(
        self, path: str, said: list[tuple[ForeignPage, ForeignStatement, SaidIn]], by: str
    ) -> ReadDocument:
        """The reading of a document: what pages say in its very words."""
        original = self._opened[path]
        assert original is not None
        claims, pages = [], []
        for number, (page, statement, place) in enumerate(said, start=1):
            told = statement._replace(text=place.quote)
            claims.append(_claim(page, told, number, (place,), self, ""))
            pages.append(page)
        about = self._about.get(path)
        title = about.title if about else PurePosixPath(path).stem
        self._found.documents[original.document.path] = path
        return _reading(original.document, original.data, title, about, claims, pages, by)


def folder_name(name: str) -> str:
    """A folder's name as a part of a path: words in lower case, joined by `-`."""
    kept = "".join(sign if sign.isalnum() else " " for sign in unicodedata.normalize("NFC", name))
    return "-".join(kept.casefold().split())[:60] or sha256_hex(name.encode())[:8]
