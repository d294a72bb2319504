"""The whole wiki as a bundle of OKF: each file's bytes, a function of the pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from llmwiki.core.text import counted, fold
from llmwiki.ingest.exchange.okf import (
    REFERENCES,
    VERSION,
    VERSION_KEY,
    OmittedFile,
    SourcePlace,
    is_reserved,
    okf_text,
)
from llmwiki.pages.escape import escape, link_text
from llmwiki.pages.front import PageError
from llmwiki.pages.page import Page

WIKI = "wiki/"


@dataclass(slots=True)
class Bundle:
    """The files of a bundle."""

    files: dict[str, bytes] = field(default_factory=dict)
    """Path below the bundle's root to bytes."""
    pages: int = 0
    claims: int = 0
    documents: int = 0
    left_out: list[OmittedFile] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class BundleInput:
    """What a bundle is made of."""

    pages: tuple[Page, ...]
    """Those that are taken along."""
    lead: Callable[[str, str], str | None]
    """(key of a link, path of the page it stands on) to the path of the page it leads to."""
    documents: Mapping[str, bytes]
    """Path below raw/ to bytes, of the sources that are taken along."""
    changed: Mapping[str, str]
    """Path of a page to the moment of its last change, in ISO 8601."""


class _Placed(NamedTuple):
    path: str
    """In the bundle."""
    page: Page


def make_bundle(given: BundleInput) -> Bundle:
    """The bundle: pages, documents, and an index a folder."""
    bundle = Bundle()
    placed = _places(given.pages, bundle.left_out)
    files = {each.page.path: each.path for each in placed}
    documents = document_places(given.documents)
    sources = {
        ref.id: _source_place(each.page, documents.get(ref.resource.removeprefix("/")))
        for each in placed
        if each.page.type == "source" and (ref := each.page.own_source) is not None
    }
    for path, page in placed:

        def lead(key: str, page: Page = page) -> str | None:
            return files.get(given.lead(key, page.path) or "")

        text = okf_text(page, lead, sources, given.changed.get(page.path, ""))
        bundle.files[path] = text.encode("utf-8", "surrogatepass")
        bundle.claims += len(page.claims)
    bundle.files |= {place: given.documents[path] for path, place in documents.items()}
    bundle.files |= _indexes(placed)
    bundle.pages, bundle.documents = len(placed), len(documents)
    return bundle


def document_places(documents: Iterable[str]) -> dict[str, str]:
    """Where a bundle holds the documents below raw/.

    Every Markdown file of a bundle is a concept, so that one of raw/ gets an ending more.
    """
    places: dict[str, str] = {}
    taken: set[str] = set()
    for path in sorted(documents):
        place = f"{REFERENCES}/{path.removeprefix('raw/')}"
        if place.casefold().endswith(".md"):
            place += ".txt"
        while place.casefold() in taken:
            place += ".txt"
        taken.add(place.casefold())
        places[path] = place
    return places


def _places(pages: Iterable[Page], left_out: list[OmittedFile]) -> list[_Placed]:
    """The pages that can stand in a bundle, by their places there."""
    placed: list[_Placed] = []
    taken: set[str] = set()
    for page in sorted(pages, key=lambda each: each.path):
        path = page.path.removeprefix(WIKI)
        reason = ""
        try:
            page.values  # noqa: B018  (raises PageError where the frontmatter is unreadable)
        except PageError as error:
            reason = error.what
        if is_reserved(path):
            reason = "OKF keeps this name for indexes and logs"
        elif path.casefold() in taken:
            reason = "another page has this name but for case"
        if reason:
            left_out.append(OmittedFile(page.path, reason))
            continue
        taken.add(path.casefold())
        placed.append(_Placed(path, page))
    return placed


def _source_place(page: Page, document: str | None) -> SourcePlace:
    resource = f"/{document}" if document else page.value("url")
    return SourcePlace(page.title, resource or f"/{page.path.removeprefix(WIKI)}")


def _indexes(placed: Iterable[_Placed]) -> dict[str, bytes]:
    """An index for each folder with pages, and the root's, which leads to all of them."""
    folders: dict[str, list[_Placed]] = {}
    for each in placed:
        folders.setdefault(each.path.rpartition("/")[0], []).append(each)
    found: dict[str, bytes] = {}
    for folder in sorted(folders):
        if folder:
            title = folder.rpartition("/")[2]
            text = f"# {escape(title[:1].upper() + title[1:])}\n\n{_items(folders[folder])}"
            found[f"{folder}/index.md"] = text.encode()
    text = f'---\n{VERSION_KEY}: "{VERSION}"\n---\n\n# Index\n'
    if "" in folders:
        text += f"\n## Pages\n\n{_items(folders[''])}"
    parts = [
        f"* [{link_text(folder)}](<{folder}/index.md>) - {counted(len(folders[folder]), 'page')}\n"
        for folder in sorted(folders) if folder
    ]  # fmt: skip
    if parts:
        text += "\n## Folders\n\n" + "".join(parts)
    found["index.md"] = text.encode()
    return found


def _items(placed: Iterable[_Placed]) -> str:
    lines = []
    for path, page in sorted(placed, key=lambda each: (fold(each.page.title), each.path)):
        name = path.rpartition("/")[2]
        place = f"<{name}>" if any(sign in name for sign in " ()") else name
        said = f" - {escape(page.description)}" if page.description else ""
        lines.append(f"* [{link_text(page.title)}]({place}){said}\n")
    return "".join(lines)
