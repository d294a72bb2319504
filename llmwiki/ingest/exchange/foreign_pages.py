"""A foreign folder as readings of sources: each of its pages is a source.

A page is read as any document is without a model, and what it says is filed under its own name,
marked as reported by the folder.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from llmwiki.core.agent_files import is_agent_file
from llmwiki.core.document import Document
from llmwiki.core.errors import InputError, PolicyError, WikiError
from llmwiki.core.page_kinds import SECOND_HAND
from llmwiki.core.secrets import refuse
from llmwiki.core.text import counted, normalise, sha256_hex
from llmwiki.ingest.exchange.okf import OmittedFile, is_reserved, read_concept
from llmwiki.ingest.extraction.answer_limits import MAX_TITLE
from llmwiki.ingest.extraction.schema import DOCUMENT, DocumentFacts, Extraction, Subject
from llmwiki.ingest.extraction.types import ReadDocument
from llmwiki.ingest.extraction.without_model import read_without_model
from llmwiki.pages.front import PageError
from llmwiki.pages.lines import heading
from llmwiki.pages.scan import RunText, body_start, scan
from llmwiki.sources.converted import SourceLimits
from llmwiki.sources.document import read_document
from llmwiki.sources.find import expand
from llmwiki.sources.paths import is_source
from llmwiki.sources.plain_words import strip_markup

_EXPORTED = re.compile(rb"\s\^[cn]-[0-9a-z]{10,51}[ \t\r]*$|^> - c-[0-9a-z]{10,51} ", re.MULTILINE)
"""What stands on pages of this program alone: the id of a claim or note, a line of a record."""
_CLONE = "a page of another wiki of this program: clone that, or ingest its documents"


@dataclass(slots=True)
class ForeignFolder:
    """What lies in a folder."""

    pages: dict[str, bytes] = field(default_factory=dict)
    """Path from the folder, with `/`, to bytes; sorted."""
    documents: list[str] = field(default_factory=list)
    """The paths of other files."""
    left_out: list[OmittedFile] = field(default_factory=list)


@dataclass(slots=True)
class ForeignReadings:
    """What was read of a folder."""

    readings: dict[str, ReadDocument] = field(default_factory=dict)
    """By path in the folder."""
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


def read_folder(root: Path, place: Path, limits: SourceLimits, form: str) -> ForeignFolder:
    """The pages of a folder, as the files that an ingest would find there; `root` is the wiki's.

    Raises InputError where it is no folder or holds no file, PolicyError for a link in its place.
    """
    if place.is_symlink():
        raise PolicyError("is a link", where=str(place), fix="Name the folder itself.")
    if not place.is_dir():
        what = "is a file, not a folder" if place.exists() else "there is no such folder"
        raise InputError(what, where=str(place), fix="Name the folder that holds the pages.")
    found = ForeignFolder()
    taken: set[str] = set()
    for file in expand(root, [str(place)], place.parent, unfold=False):
        if file.refused is not None:
            path = file.path.split("/", 2)[-1]
            found.left_out.append(OmittedFile(path, file.refused.what))
            continue
        path = file.file.relative_to(place.resolve()).as_posix()
        if not path.casefold().endswith(".md"):
            found.documents.append(path)
        elif reason := _refusal(path, form, taken):
            found.left_out.append(OmittedFile(path, reason))
        else:
            taken.add(path.casefold())
            try:
                found.pages[path] = file.read(limits)
            except WikiError as error:
                found.left_out.append(OmittedFile(path, error.what))
    return found


def _refusal(path: str, form: str, taken: set[str]) -> str:
    """Why a page of the folder is not taken; empty: it is."""
    if is_agent_file(path):
        return "coding agents would obey it"
    if form == "okf" and is_reserved(path):
        return "indexes and logs are made anew here"
    return "it differs from another by case only" if path.casefold() in taken else ""


def read_foreign(folder: ForeignFolder, terms: ReadingTerms) -> ForeignReadings:
    """The readings of the pages of a folder."""
    found = ForeignReadings()
    for path, data in folder.pages.items():
        if _EXPORTED.search(data):
            found.left_out.append(OmittedFile(path, _CLONE))
            continue
        target = unicodedata.normalize("NFC", f"raw/imports/{terms.name}/{path}")
        document = _open_source(target, path, data, terms, found)
        if document is None:
            continue
        page = read_page(path, document, terms.form)
        if page.fault:
            found.left_out.append(OmittedFile(path, f"its frontmatter: {page.fault}"))
        extraction = _extraction(page, document, terms)
        if extraction.claims or page.description:
            found.readings[path] = ReadDocument(document, data, extraction)
        else:
            found.left_out.append(OmittedFile(path, "it says nothing in sentences"))
    if folder.documents:
        reason = f"{counted(len(folder.documents), 'document')}; `wiki ingest` reads it"
        found.left_out.append(OmittedFile(f"{folder.documents[0].partition('/')[0]}/", reason))
    return found


def _open_source(
    target: str, path: str, data: bytes, terms: ReadingTerms, found: ForeignReadings
) -> Document | None:
    """A file of the folder as a source of ours; None where it cannot be one, which is told."""
    if not is_source(target):
        found.left_out.append(OmittedFile(path, "its name is one that no source has"))
        return None
    try:
        document = read_document(target, data, limits=terms.limits)
        text = "\n".join(document.lines)
        refuse([text], allowed=terms.allowed_secrets, what="it", where=path)
    except WikiError as error:
        found.left_out.append(OmittedFile(path, error.what))
        return None
    return document


def _extraction(page: ForeignPage, document: Document, terms: ReadingTerms) -> Extraction:
    """What a page says, as a reading of it."""
    told = read_without_model(document)
    claims = [
        claim.model_copy(
            update={
                "subject": page.title[:MAX_TITLE] if page.kind else DOCUMENT,
                "stance": "reported",
                "speaker": terms.name,
            }
        )
        for claim in told.claims
    ]
    facts = DocumentFacts(
        title=f"{page.title} ({terms.name})" if page.kind else page.title,
        summary=told.document.summary,
        authors=list(page.authors),
        date=page.date or None,
        url=page.url or None,
        status=SECOND_HAND,
    )
    subject = Subject(
        name=page.title,
        kind="entity" if page.kind == "entity" else "concept",
        description=page.description or page.lead,
        lead=page.lead or None,
        tags=list(page.tags),
        aliases=list(page.aliases),
    )
    subjects = [subject] if page.kind else []
    update = {"document": facts, "subjects": subjects, "claims": claims, "questions": []}
    return told.model_copy(update=update)


def folder_name(name: str) -> str:
    """A folder's name as a part of a path: words in lower case, joined by `-`."""
    kept = "".join(sign if sign.isalnum() else " " for sign in unicodedata.normalize("NFC", name))
    return "-".join(kept.casefold().split())[:60] or sha256_hex(name.encode())[:8]


# --- one page ------------------------------------------------------------------------------------

# fmt: off
_ENTITIES = frozenset((
    "entity", "entities", "person", "people", "organization", "organisation", "organizations",
    "organisations", "company", "companies", "product", "products", "project", "projects", "place",
    "places", "tool", "tools", "event", "events", "team", "dataset", "table",
))
_CONCEPTS = frozenset((
    "concept", "concepts", "topic", "topics", "idea", "ideas", "term", "terms", "theme", "themes",
    "method", "methods", "pattern", "patterns", "metric", "metrics", "policy", "policies",
))
_DOCUMENTS = frozenset((
    "source", "sources", "article", "articles", "paper", "papers", "clipping", "clippings",
    "synthesis", "syntheses", "query", "queries", "daily", "journal", "journals", "diary",
    "meeting", "meetings", "session", "sessions", "report", "reports", "question", "questions",
))
# fmt: on
"""Words of a type or a folder that say what its pages are about, themselves included."""
_MOST = 30
"""Words of one list."""
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_DATED = re.compile(r"\d{4}-?\d\d-?\d\d\b|\d{4}-W\d\d\b")
_LINKED = re.compile(r"!?\[\[([^\[\]|#\n]+)(?:[#|][^\[\]\n]*)?\]\]")


@dataclass(frozen=True, slots=True)
class ForeignPage:
    """A page of a foreign folder, as it is read."""

    title: str
    kind: str
    """`entity` or `concept`; empty: it is a document of its own, such as a diary."""
    description: str
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    authors: tuple[str, ...]
    date: str
    url: str
    lead: str
    """Its first paragraph, below one heading at most, without markup; empty where there is none."""
    fault: str
    """Why its frontmatter could not be read; empty where it could."""


def read_page(path: str, document: Document, form: str) -> ForeignPage:
    """The page at `path` of a folder of that form; never raises."""
    text = "\n".join(document.lines)
    try:
        values: Mapping[str, object] = read_concept(text).values
        fault = ""
    except PageError as error:
        values, fault = {}, error.what
    title = _title(path, text, values, form)
    url = next(
        (v for key in ("url", "resource", "source") if _is_address(v := _one(values, key))), ""
    )
    date = next((d[0] for key in ("date", "created", "published", "timestamp")
                 if (d := _DATE.match(_one(values, key)))), "")  # fmt: skip
    return ForeignPage(
        title=title,
        kind=_kind(path, title, _one(values, "type")),
        description=strip_markup(_one(values, "description") or _one(values, "summary")),
        aliases=_many(values, "aliases") or _many(values, "alias"),
        tags=tuple(tag.removeprefix("#") for tag in _many(values, "tags")),
        authors=_many(values, "authors") or _many(values, "author"),
        date=date,
        url=url,
        lead=_lead(text),
        fault=fault,
    )


def _lead(text: str) -> str:
    headings = 0
    for block in scan(text, body_start(text)):
        headings += block.leaves[:1] != [] and block.leaves[0].kind == "heading"
        if headings > 1:
            break
        if block.kind == "text" and block.leaves and block.leaves[0].kind == "paragraph":
            return strip_markup(RunText(text, block.leaves[0].spans).text)
    return ""


def _title(path: str, text: str, values: Mapping[str, object], form: str) -> str:
    told = normalise(_one(values, "title"))
    if told:
        return told
    stem = PurePosixPath(path).stem
    if form != "obsidian":
        for line in text.split("\n", 60)[:60]:
            found = heading(line)
            if found is not None and found[0] == 1 and strip_markup(found[1]):
                return strip_markup(found[1])
    return normalise(stem) or "Untitled"


def _kind(path: str, title: str, told: str) -> str:
    folders = PurePosixPath(path).parts[:-1]
    for word in (told, *reversed(folders)):
        plain = strip_markup(word).casefold()
        parts = {plain, *plain.split()}
        if parts & _DOCUMENTS:
            return ""
        if parts & _ENTITIES:
            return "entity"
        if parts & _CONCEPTS:
            return "concept"
    return "" if _DATED.match(title) else "concept"


def _one(values: Mapping[str, object], key: str) -> str:
    found = values.get(key)
    if isinstance(found, list) and found:
        found = found[0]
    return found.strip() if isinstance(found, str) else ""


def _many(values: Mapping[str, object], key: str) -> tuple[str, ...]:
    found = values.get(key)
    listed = re.split(r"[,\n]", found) if isinstance(found, str) else found
    words = (
        [_plain(each) for each in listed if isinstance(each, str)]
        if isinstance(listed, list)
        else []
    )
    return tuple(dict.fromkeys(word for word in words if word))[:_MOST]


def _plain(word: str) -> str:
    link = _LINKED.fullmatch(word.strip())
    return normalise(link[1].rpartition("/")[2] if link else word)


def _is_address(word: str) -> bool:
    return word.startswith(("https://", "http://"))
