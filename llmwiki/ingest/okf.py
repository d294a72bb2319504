"""The wiki as a bundle of the Open Knowledge Format 0.2: each file's bytes, a function of the
pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from llmwiki.core.text import counted, fold
from llmwiki.pages import find_links
from llmwiki.pages.escape import escape, link_text
from llmwiki.pages.find_links import Link
from llmwiki.pages.frontmatter import PageError, in_blocks
from llmwiki.pages.link_targets import link_key
from llmwiki.pages.markdown_blocks import body_start
from llmwiki.pages.page import Page, read_generated
from llmwiki.pages.page_syntax import render_node

VERSION = "0.2"
VERSION_KEY = "okf_version"
RESERVED = frozenset({"index.md", "log.md"})
"""File names that are no concepts, in every folder."""
STATUSES = ("draft", "stable", "deprecated")
REFERENCES = "references"
"""The folder of a bundle that holds the documents its pages rest on."""
OWN_STATUS = "document_status"
"""The key for what a document says of its own status, in words that OKF does not know."""


class OmittedFile(NamedTuple):
    """A file that is not taken along, or not as it is, and why."""

    path: str
    reason: str


def is_reserved(path: str) -> bool:
    """Whether a bundle's file is an index or a log."""
    return path.rpartition("/")[2].casefold() in RESERVED


# --- a page of ours as a concept -----------------------------------------------------------------

_ACTIVE = re.compile(r"[\\`<>\[\]]")
"""What would be more than words between the brackets of a Markdown link."""
_UNSAFE = re.compile(r"[%\s<>()#?\\]")
_FIRST = ("type", "title", "description", "resource", "aliases", "tags", "status", OWN_STATUS)


class SourcePlace(NamedTuple):
    """Where a bundle shows a source that its pages cite."""

    title: str
    resource: str
    """The document in the bundle, else its address, else the page about it."""


def okf_text(
    page: Page,
    lead: Callable[[str], str | None],
    sources: Mapping[str, SourcePlace],
    at: str,
) -> str:
    """The page as a concept of a bundle.

    `lead` gives the bundle's file that a link of a key leads to, `sources` the places of sources by
    their ids; `at` is when the page was last changed, empty where that is not known.
    """
    values = _exported(page, sources, at)
    body = page.text[body_start(page.text) :]
    return f"{_front(values)}{_with_links(body, page.path, lead)}"


def _front(values: Mapping[str, object]) -> str:
    lines = "\n".join(render_node(node) for node in in_blocks(dict(values)))
    return f"---\n{lines}\n---\n"


def _exported(page: Page, sources: Mapping[str, SourcePlace], at: str) -> dict[str, object]:
    held = dict(page.values)
    found: dict[str, object] = {
        "type": page.type or "note",
        "title": page.title,
        "description": page.description,
    }
    if page.type == "source" and page.stem in sources:
        found["resource"] = sources[page.stem].resource
    status = held.pop("status", "")
    if status:
        found["status" if status in STATUSES else OWN_STATUS] = status
    listed = held.pop("sources", ())
    items = listed if isinstance(listed, list) else [listed]
    marks = read_generated(held.pop("generated", ""))
    for key in (*_FIRST, *held):
        if key in held and key not in found:
            found[key] = held[key]
    # A wikilink there is one to a source's page, of which the page's own footnotes tell.
    found["sources"] = [_source(ref.id, sources) for ref in page.sources] + [
        item if isinstance(item, dict) else {"resource": str(item)}
        for item in items
        if item and not str(item).startswith("[[")
    ]
    if str(marks):
        told = {"by": marks.by or "llmwiki", "at": at, "prose": marks.prose, "about": marks.about}
        found["generated"] = {key: value for key, value in told.items() if value}
    return {key: value for key, value in found.items() if value or key == "title"}


def _source(ident: str, sources: Mapping[str, SourcePlace]) -> object:
    place = sources.get(ident)
    if place is not None:
        return {"id": ident, "resource": place.resource, "title": place.title}
    return {"id": ident, "resource": f"/sources/{_encoded(ident)}.md"}


def _encoded(path: str) -> str:
    return _UNSAFE.sub(lambda found: f"%{ord(found[0]):02X}", path)


def _with_links(body: str, path: str, lead: Callable[[str], str | None]) -> str:
    """The body with wikilinks to pages of the bundle as Markdown links; others stay as they are."""
    parts, last = [], 0
    for link in find_links.scan(body):
        to = None if link.embed or not link.target else lead(link_key(link.target, path))
        words = _shown(link)
        if to is None or _ACTIVE.search(words):
            continue
        anchor = f"#^{link.block}" if link.block else f"#{link.heading}" if link.heading else ""
        address = f"/{_encoded(to)}{anchor[:1]}{_encoded(anchor[1:])}"
        parts += [body[last : link.start], f"[{words}]({address})"]
        last = link.end
    return "".join([*parts, body[last:]])


def _shown(link: Link) -> str:
    """What a reader sees of a wikilink."""
    name = link.target.rpartition("/")[2]
    return link.label or (f"{name} > {link.heading}" if link.heading else name)


# --- the bundle ----------------------------------------------------------------------------------

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
