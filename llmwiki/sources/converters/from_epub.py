"""Books (.epub) to text: the package with lxml, chapters as pages of HTML.

Runs in the converting process only.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING
from urllib.parse import unquote

from llmwiki.core.errors import InputError
from llmwiki.sources.converters.html_elements import drop_hidden, parse, shape
from llmwiki.sources.converters.html_text import visible_text
from llmwiki.sources.converters.numbered_text_writer import Gathered
from llmwiki.sources.converters.zip_and_xml import Archive, child, local, part

if TYPE_CHECKING:
    from lxml.etree import _Element

_CONTAINER = "META-INF/container.xml"
_LOCKS = "META-INF/encryption.xml"
_PAGES = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml"})
_FACTS = (("title", "# "), ("creator", "Author: "), ("date", "Date: "))


def convert(data: bytes, out: Gathered) -> None:
    """The chapters in the order of the spine, after `# title`, `Author:` and `Date:` lines.

    Each begins with `[chapter N]`, N counting the files of the spine that hold text; its headings
    are `## …`, a table's row one line. Hidden text is left out. Raises InputError when the file is
    broken, encrypted, without chapters or something else, PolicyError when it unpacks to too much.
    """
    archive = Archive(data, "the book")
    if _CONTAINER not in archive.names:
        raise archive.broken("it is an archive of something else")
    package_path = _package_path(archive)
    package = part(archive, package_path)
    items = _items(package, package_path)
    spine = [
        items[name]
        for entry in child(package, "spine") or ()
        if local(entry) == "itemref" and (name := entry.get("idref", "")) in items
    ]
    chapters = [path for path, media_type in spine if media_type in _PAGES]
    _refuse_locked(archive, set(chapters))
    _write_facts(package, out)
    count = 0
    for path in dict.fromkeys(chapters):
        if path not in archive.names:
            raise archive.broken(f"it has no {path}")
        if text := _chapter(archive.read(path)):
            count += 1
            out.add(f"\n[chapter {count}]\n{text}")
    if not count:
        raise InputError(
            "the book has no text",
            fix="A book of pictures has to go through a text recognition first.",
        )


def _package_path(archive: Archive) -> str:
    for node in part(archive, _CONTAINER).iter():
        if local(node) == "rootfile" and (path := node.get("full-path")):
            return posixpath.normpath(str(path))
    raise archive.broken("it does not name its package")


def _items(package: _Element, package_path: str) -> dict[str, tuple[str, str]]:
    """The files of the book by id: path, media type."""
    return {
        node.get("id", ""): (_path(package_path, node.get("href", "")), node.get("media-type", ""))
        for node in child(package, "manifest") or ()
        if local(node) == "item"
    }


def _path(origin: str, href: str) -> str:
    plain = unquote(href.partition("#")[0])
    return posixpath.normpath(posixpath.join(posixpath.dirname(origin), plain))


def _write_facts(package: _Element, out: Gathered) -> None:
    """Title, authors and the date of publication; of several dates the first."""
    found: dict[str, list[str]] = {}
    for node in child(package, "metadata") or ():
        # The older form of the package wraps them once more.
        for each in (node, *node):
            if text := " ".join((each.text or "").split()):
                found.setdefault(local(each), []).append(text[:300])
    for name, label in _FACTS:
        values = found.get(name, [])[: 20 if name == "creator" else 1]
        out.fact(label, ", ".join(values))


def _chapter(data: bytes) -> str:
    if not data.strip():
        return ""
    tree = parse(data)
    drop_hidden(tree)
    shape(tree)
    return visible_text(tree).strip()


def _refuse_locked(archive: Archive, chapters: set[str]) -> None:
    """Fonts may be scrambled in any book; a chapter that is means rights management."""
    if _LOCKS not in archive.names:
        return
    for node in part(archive, _LOCKS).iter():
        if local(node) == "CipherReference" and unquote(node.get("URI", "")) in chapters:
            raise InputError(
                "the book is encrypted by its seller",
                fix="Ingest a copy without rights management.",
            )
