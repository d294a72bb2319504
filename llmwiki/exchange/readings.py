"""A foreign folder as readings of sources: each of its pages is a source.

What a page says is a claim with the page's own line for evidence, marked as reported by it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import NamedTuple

from llmwiki.core.agent_files import is_agent_file
from llmwiki.core.document import Document
from llmwiki.core.errors import WikiError
from llmwiki.core.page_kinds import SECOND_HAND
from llmwiki.core.secrets import refuse
from llmwiki.core.text import counted, fold, sha256_hex
from llmwiki.exchange.folder import ForeignFolder, OmittedFile
from llmwiki.exchange.foreign_page import ForeignPage, read_page
from llmwiki.exchange.okf import RESERVED
from llmwiki.exchange.statements import ForeignStatement
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

_CATALOGUE = frozenset({"index.md", "log.md", "overview.md"})
_ALSO = 5


class FolderPlan(NamedTuple):
    """Which files of a folder are what."""

    pages: tuple[str, ...]
    documents: tuple[str, ...]


@dataclass(slots=True)
class ForeignReadings:
    """What was read of a folder."""

    readings: list[ReadDocument] = field(default_factory=list)
    second_hand: dict[str, int] = field(default_factory=dict)
    """Path in the folder to the statements of that page, which rest on the page alone."""
    verified: dict[str, int] = field(default_factory=dict)
    """Path in the folder to the claims that quote that document."""
    places: dict[str, str] = field(default_factory=dict)
    """Path in the folder to the path below raw/ of each page and document that is read."""
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
    """The pages of a folder and its documents; the rest is told as left out."""
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
    found: ForeignReadings,
    only: Mapping[str, tuple[ForeignStatement, ...]],
) -> None:
    """Adds the readings of the pages of a folder.

    `only` gives what is read of a page, where that is not all of it.
    """
    pages: list[tuple[ForeignPage, Document]] = []
    for path in plan.pages:
        target = unicodedata.normalize("NFC", f"raw/imports/{terms.name}/{path}")
        document = open_source(target, path, folder.files[path], terms, found)
        if document is not None:
            page = read_page(path, document, terms.form)
            if path in only:
                page = replace(page, says=page.says._replace(statements=only[path], too_long=()))
            pages.append((page, document))
    named = _by_name(page for page, _document in pages)
    for page, document in pages:
        _tell_faults(page, found)
        statements = page.says.statements[: MAX_ITEMS["claims"]]
        if statements or page.description:
            found.second_hand[page.path] = len(statements)
            found.places[page.path] = document.path
            found.readings.append(_reading(page, document, statements, folder, terms, named))
        else:
            found.left_out.append(OmittedFile(page.path, "it says nothing in sentences"))
    if plan.documents:
        reason = f"{counted(len(plan.documents), 'document')}; `wiki ingest` reads it"
        found.left_out.append(OmittedFile(f"{plan.documents[0].partition('/')[0]}/", reason))


def _by_name(pages: Iterable[ForeignPage]) -> dict[str, ForeignPage]:
    """The pages by all that a link may call them, folded."""
    found: dict[str, ForeignPage] = {}
    for page in pages:
        stem = PurePosixPath(page.path).stem
        for name in (page.path, page.path.rpartition("/")[2], stem, page.title):
            found.setdefault(fold(name), page)
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


def open_source(
    target: str, path: str, data: bytes, terms: ReadingTerms, found: ForeignReadings
) -> Document | None:
    """A file of the folder as a source of ours; None where it cannot be one, which is told."""
    if not is_source(target):
        found.left_out.append(OmittedFile(path, "its name is one that no source has"))
        return None
    try:
        document = read_document(target, data, limits=terms.limits)
        text = ID_AT_END.sub("", "\n".join(document.lines))
        refuse([text], allowed=terms.allowed_secrets, what="it", where=path)
    except WikiError as error:
        found.left_out.append(OmittedFile(path, error.what))
        return None
    return document


def _reading(
    page: ForeignPage,
    document: Document,
    statements: Iterable[ForeignStatement],
    folder: ForeignFolder,
    terms: ReadingTerms,
    named: Mapping[str, ForeignPage],
) -> ReadDocument:
    claims = [
        ExtractedClaim(
            id=f"k{number}",
            subject=page.title[:MAX_TITLE] if page.kind else DOCUMENT,
            also=_titles(statement.names, page, named)[:_ALSO],
            text=statement.text,
            evidence=[
                ExtractedQuote(quote=q.quote, lines=[q.first, q.last]) for q in statement.quotes
            ],
            stance="reported",
            speaker=terms.name,
        )
        for number, statement in enumerate(statements, start=1)
    ]
    facts = DocumentFacts(
        title=f"{page.title} ({terms.name})" if page.kind else page.title,
        summary=page.says.lead or page.description,
        authors=list(page.authors),
        date=page.date or None,
        url=page.url or None,
        status=SECOND_HAND,
    )
    subject = Subject(
        name=page.title,
        kind="entity" if page.kind == "entity" else "concept",
        description=page.description or page.says.lead,
        lead=page.says.lead or None,
        tags=list(page.tags),
        aliases=list(page.aliases),
    )
    extraction = Extraction(
        source=SourceEcho(sha256=document.sha256),
        document=facts,
        subjects=[subject] if page.kind else [],
        claims=claims,
        end=True,
    )
    return ReadDocument(document, folder.files[page.path], extraction, terms.by, embedded=True)


def _titles(names: Iterable[str], page: ForeignPage, named: Mapping[str, ForeignPage]) -> list[str]:
    """The titles of the folder's pages that links of those names lead to."""
    held: list[str] = []
    for name in names:
        other = named.get(fold(name)) or named.get(fold(name.rpartition("/")[2]))
        if other is not None and other is not page and other.kind:
            held.append(other.title[:MAX_TITLE])
    return list(dict.fromkeys(held))


def folder_name(name: str) -> str:
    """A folder's name as a part of a path: words in lower case, joined by `-`."""
    kept = "".join(sign if sign.isalnum() else " " for sign in unicodedata.normalize("NFC", name))
    return "-".join(kept.casefold().split())[:60] or sha256_hex(name.encode())[:8]
