"""What Word's paragraph styles say of text: which are headings, which are lists."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from llmwiki.sources.converters.safe_xml import attribute, child, local, number

if TYPE_CHECKING:
    from lxml.etree import _Element

_HEADING = re.compile(r"heading ([1-9])")
_BODY = 9
"""The outline level that means body text (ISO 29500-1, §17.3.1.20)."""


@dataclass(frozen=True, slots=True)
class Style:
    """What a paragraph gets from its style."""

    heading: int = 0
    """Level from 1; 0 for body text."""
    list_id: str = ""
    level: int = 0
    """Of the list, from 0."""


def read_styles(root: _Element | None) -> dict[str, Style]:
    """The paragraph styles by id, with what they take from the styles they are based on."""
    nodes = {
        attribute(node, "styleId") or "": node
        for node in (() if root is None else root)
        if local(node) == "style"
    }
    found: dict[str, Style] = {}
    for name in nodes:
        chain: dict[str, None] = {}
        at = name
        # Styles based on one another in a ring end where they close.
        while at in nodes and at not in found and at not in chain:
            chain[at] = None
            at = attribute(child(nodes[at], "basedOn"), "val") or ""
        base = found.get(at, Style())
        for each in reversed(chain):
            base = found[each] = own_style(
                child(nodes[each], "pPr"),
                base,
                (attribute(child(nodes[each], "name"), "val") or "").lower(),
            )
    return found


def own_style(properties: _Element | None, base: Style, name: str = "") -> Style:
    """What paragraph properties make of a style; `name` is that of the style they define."""
    heading = base.heading
    if match := _HEADING.fullmatch(name):
        heading = int(match[1])
    elif name == "title":
        heading = 1
    outline = attribute(child(properties, "outlineLvl"), "val")
    if outline is not None:
        depth = number(outline, _BODY)
        heading = depth + 1 if depth < _BODY else 0
    listing = child(properties, "numPr")
    list_id = attribute(child(listing, "numId"), "val")
    level = attribute(child(listing, "ilvl"), "val")
    return Style(
        heading,
        base.list_id if list_id is None else "" if list_id == "0" else list_id,
        min(number(level, base.level), 8),
    )
