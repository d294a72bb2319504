"""One page that another tool or a person wrote: its names, its kind, and what it says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from llmwiki.core.document import Document
from llmwiki.core.text import normalise
from llmwiki.exchange.okf import read_concept
from llmwiki.pages import file_links, links
from llmwiki.pages.front import PageError
from llmwiki.pages.lines import heading
from llmwiki.pages.scan import RunText, body_start, scan
from llmwiki.sources.plain_words import strip_markup

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

    path: str
    """In the folder."""
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
    links: tuple[str, ...]
    """Pages that it links to, as the links name them."""
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
        path=path,
        title=title,
        kind=_kind(path, title, _one(values, "type")),
        description=strip_markup(_one(values, "description") or _one(values, "summary")),
        aliases=_many(values, "aliases") or _many(values, "alias"),
        tags=tuple(tag.removeprefix("#") for tag in _many(values, "tags")),
        authors=_many(values, "authors") or _many(values, "author"),
        date=date,
        url=url,
        lead=_lead(text),
        links=tuple(_linked(text)),
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


def _linked(text: str) -> Iterator[str]:
    yield from (link.target for link in links.scan(text) if link.target and not link.embed)
    for file in file_links.scan(text):
        if file.to.endswith(".md") and not file.embed:
            yield file.to


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
