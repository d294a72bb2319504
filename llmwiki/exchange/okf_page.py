"""One page of ours as a concept of OKF, and back: the same claims, other links and frontmatter."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple
from urllib.parse import unquote

from llmwiki.exchange.okf import OWN_STATUS, REFERENCES, STATUSES
from llmwiki.pages import file_links, links
from llmwiki.pages.escape import link_text, unescape
from llmwiki.pages.front import in_blocks, source_named
from llmwiki.pages.link_targets import link_key
from llmwiki.pages.links import Link
from llmwiki.pages.names import stem_of
from llmwiki.pages.page import GeneratedMarks, Page, read_generated
from llmwiki.pages.relink import bar_at
from llmwiki.pages.scan import body_start
from llmwiki.pages.syntax import render_node
from llmwiki.pages.write import FRONT_ORDER

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
    if page.type == "source" and page.stem in sources:
        # Its footnotes have its own id for a label.
        listed = [f"[[sources/{page.stem}]]", *(listed if isinstance(listed, list) else ())]
    if listed:
        items = listed if isinstance(listed, list) else [listed]
        found["sources"] = [_source(item, sources) for item in items]
    if str(marks):
        told = {"by": marks.by or "llmwiki", "at": at, "prose": marks.prose, "about": marks.about}
        found["generated"] = {key: value for key, value in told.items() if value}
    return {key: value for key, value in found.items() if value or key == "title"}


def _source(item: object, sources: Mapping[str, SourcePlace]) -> object:
    ident = source_named(item)
    place = sources.get(ident)
    if place is not None:
        return {"id": ident, "resource": place.resource, "title": place.title}
    if ident:
        return {"id": ident, "resource": f"/sources/{_encoded(ident)}.md"}
    return item if isinstance(item, dict) else {"resource": str(item)}


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


# --- and back -----------------------------------------------------------------------------------


def page_text(
    values: Mapping[str, object], body: str, stems: Mapping[str, str], ids: Mapping[str, str]
) -> str:
    """The text of the page of ours that a bundle's concept was made of.

    `stems` gives the file name here of the page at a path of the bundle, `ids` the id here of a
    source of the bundle, where it is another one.
    """
    found = _imported(values, ids)
    for old, new in sorted(ids.items()):
        body = body.replace(f"[^{old}]", f"[^{new}]")
    order = {name: place for place, name in enumerate(FRONT_ORDER)}
    keys = sorted(found, key=lambda key: order.get(key, len(order)))
    return f"{_front({key: found[key] for key in keys})}{_with_wikilinks(body, stems)}"


def _imported(values: Mapping[str, object], ids: Mapping[str, str]) -> dict[str, object]:
    found = dict(values)
    if found.get("type") == "source":
        resource = found.get("resource")
        if resource == found.get("url") or str(resource).startswith(f"/{REFERENCES}/"):
            found.pop("resource", None)
    if OWN_STATUS in found:
        found["status"] = found.pop(OWN_STATUS)
    listed = found.get("sources")
    if isinstance(listed, list):
        found["sources"] = [_source_link(item, ids) for item in listed]
    told = found.pop("generated", None)
    if isinstance(told, dict):
        by, prose, about = (str(told.get(key, "")) for key in ("by", "prose", "about"))
        found["generated"] = str(GeneratedMarks(by, prose, about))
    elif isinstance(told, str):
        found["generated"] = told
    return {key: value for key, value in found.items() if value}


def _source_link(item: object, ids: Mapping[str, str]) -> object:
    if not isinstance(item, dict):
        return item
    ident = source_named(item)
    if ident:
        return f"[[sources/{ids.get(ident, ident)}]]"
    return item["resource"] if set(item) == {"resource"} else item


def _with_wikilinks(body: str, stems: Mapping[str, str]) -> str:
    """The body with links from the bundle's root to its pages as wikilinks."""
    parts, last = [], 0
    for link in file_links.scan(body):
        stem = stems.get(link.to[1:]) if link.to.startswith("/") and not link.embed else None
        label = body[link.start + 1 : link.first - 2]
        is_plain = body[link.first - 2 : link.first] == "](" and body[link.last] == ")"
        if stem is None or not is_plain or "\n" in label or link.start < last:
            continue
        parts += [body[last : link.start], _wikilink(body, link.start, stem, label,
                                                     body[link.first : link.last])]  # fmt: skip
        last = link.last + 1
    return "".join([*parts, body[last:]])


def _wikilink(body: str, at: int, stem: str, label: str, address: str) -> str:
    path, _, anchor = address.partition("#")
    words = link_text(unescape(label)) if _ACTIVE.search(label) else label
    place = f"#{unquote(anchor)}" if anchor else ""
    name = f"sources/{stem}" if path.startswith("/sources/") and not place else stem
    if name == stem_of(f"{words}.md") and not place:
        return f"[[{name}]]"
    bar = bar_at(body, at)[0] or "|"
    return f"[[{name}{place}{bar}{words}]]"
