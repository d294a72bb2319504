"""Open Knowledge Format 0.2: its names and forms, and a page of ours as a concept."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from llmwiki.pages import links
from llmwiki.pages.front import PageError, in_blocks, load_yaml
from llmwiki.pages.link_targets import link_key
from llmwiki.pages.links import Link
from llmwiki.pages.page import Page, read_generated
from llmwiki.pages.scan import body_start
from llmwiki.pages.syntax import render_node

VERSION = "0.2"
VERSION_KEY = "okf_version"
RESERVED = frozenset({"index.md", "log.md"})
"""File names that are no concepts, in every folder."""
STATUSES = ("draft", "stable", "deprecated")
REFERENCES = "references"
"""The folder of a bundle that holds the documents its pages rest on."""
OWN_STATUS = "document_status"
"""The key for what a document says of its own status, in words that OKF does not know."""

_MARKER = re.compile(r"\ufeff?---[ \t]*\r?\n")


class OmittedFile(NamedTuple):
    """A file that is not taken along, or not as it is, and why."""

    path: str
    reason: str


class Concept(NamedTuple):
    """One Markdown file of a bundle, taken apart."""

    values: dict[str, object]
    """Its frontmatter; every scalar is a string."""
    body: str
    """What follows it."""
    has_front: bool


def read_concept(text: str) -> Concept:
    """A file's frontmatter and body. Raises PageError for frontmatter that cannot be read."""
    start = body_start(text)
    if not start:
        if _MARKER.match(text):
            raise PageError("the frontmatter does not end: a second line `---` is missing")
        return Concept({}, text, False)
    raw = text[:start].split("\n", 1)[1].rstrip()
    return Concept(load_yaml(raw.rpartition("\n")[0]), text[start:], True)


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
    marks = read_generated(held.pop("generated", ""))
    for key in (*_FIRST, *held):
        if key in held and key not in found:
            found[key] = held[key]
    items = listed if isinstance(listed, list) else [listed]
    found["sources"] = [_source(ref.id, sources) for ref in page.sources] + [
        item if isinstance(item, dict) else {"resource": str(item)} for item in items if item
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
    for link in links.scan(body):
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
