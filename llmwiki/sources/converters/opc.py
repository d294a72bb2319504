"""Open Packaging Conventions: parts of an Office document, and which part means which."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING
from urllib.parse import unquote

from llmwiki.sources.converters.safe_xml import part

if TYPE_CHECKING:
    from lxml.etree import _Element

    from llmwiki.sources.converters.archive import Archive

_CORE = "docProps/core.xml"
_DC = "{http://purl.org/dc/elements/1.1/}"
_TERMS = "{http://purl.org/dc/terms/}"


def related(archive: Archive, name: str) -> dict[str, tuple[str, str]]:
    """The relationships of a part (the package itself: ``""``): id → (kind, path of the part).

    `kind` is the last word of the type, as in `slide`. Those that lead out of the package are
    left out, so that nothing of ours can follow them.
    """
    folder, base = posixpath.split(name)
    rels = posixpath.join(folder, "_rels", f"{base}.rels")
    if rels not in archive.names:
        return {}
    found: dict[str, tuple[str, str]] = {}
    for node in part(archive, rels):
        target = node.get("Target", "")
        if node.get("TargetMode") == "External" or not target:
            continue
        path = posixpath.normpath(posixpath.join("/" + folder, unquote(target))).lstrip("/")
        if path in archive.names:
            kind = node.get("Type", "").rpartition("/")[2]
            found[node.get("Id", "")] = (kind, path)
    return found


def main_part(archive: Archive, root: str) -> str:
    """The path of the part an Office program opens; its root element must be `root`.

    Raises InputError where there is none: another kind of archive.
    """
    for kind, path in related(archive, "").values():
        if kind == "officeDocument":
            if not path.startswith(root):
                break
            return path
    raise archive.broken("it is an archive of something else")


def named_id(entry: _Element) -> str:
    """The id of the relationship that a slide or sheet is listed with, "" without one."""
    # `id` without a namespace is its own number.
    return next((value for key, value in entry.items() if key.endswith("}id")), "")


def one_of(relations: dict[str, tuple[str, str]], kind: str) -> str | None:
    """The path of the first part of that kind, None if there is none."""
    return next((path for each, path in relations.values() if each == kind), None)


def facts(archive: Archive) -> list[str]:
    """What the document says of itself: `Author:` and `Modified:` lines, as far as it does."""
    if _CORE not in archive.names:
        return []
    root = part(archive, _CORE)
    date = _text(root, f"{_TERMS}modified") or _text(root, f"{_TERMS}created")
    lines = (("Author: ", _text(root, f"{_DC}creator")), ("Modified: ", date))
    return [label + value for label, value in lines if value]


def _text(root: _Element, tag: str) -> str:
    return " ".join((root.findtext(tag) or "").split())[:300]
