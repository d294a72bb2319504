"""The graph as one HTML file: the viewer's template, the graph as compact columns in it, and the
pages as cleaned HTML in deflated parts, of which the viewer unpacks one when a page is opened.

Nothing in the file is fetched, and a policy in its head forbids fetching, and every script but its
own. What pages say reaches the file as JSON only.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import zlib
from collections.abc import Iterable, Sequence
from importlib import resources
from typing import Any

from llmwiki.core.text import cut, normalise
from llmwiki.graph.model import AMBIGUOUS, INFERRED, KINDS, Graph, GraphEdge

TITLE_CUT = 160
"""Characters of a title."""
DESCRIPTION_CUT = 300
"""Characters of a description, at most; see `DESCRIPTIONS_ALL`."""
CLAIM_CUT = 200
"""Characters of a claim."""
WHY_CUT = 200
"""Characters of a model's reason for an edge."""
TAG_CUT = 60
"""Characters of a tag or a type."""
TAGS_SHOWN = 12
"""Tags of a page."""
ALIASES_SHOWN = 8
"""Aliases of a page."""
PART = 60_000
"""Characters of pages from which a part is full: some twenty are unpacked to show one."""
DESCRIPTIONS_ALL = 8_000_000
"""Characters that all descriptions may take: at 100,000 pages each has 80."""
CLAIMS_ALL = 8_000_000
"""Characters that all claims may take: at 10,000 pages each page has 800, at 100,000 only 80."""
DEFLATE_LEVEL = 5
"""Half the time of zlib's own default, 6, for a twentieth more bytes."""

SCRIPTS = (
    "data.js", "search.js", "ways.js", "layout.js", "scene.js", "labels.js", "paint.js",
    "reader.js", "panel.js", "hands.js", "bars.js", "address.js", "main.js",
)  # fmt: skip
"""The viewer's parts, in the order in which they stand in the page's one script."""

_DIGIT = {kind: str(place) for place, kind in enumerate(KINDS)}
_SAID = (INFERRED, AMBIGUOUS)
_PLAIN_PATH = re.compile(
    r"wiki(?:/(?!\.\.?/)[^/\\\x00-\x1f\x7f\ud800-\udfff]+)*/[^/\\\x00-\x1f\x7f\ud800-\udfff]+\.md"
)
_PART_BLOCK = '<script type="text/plain" class="part">{}</script>'
_MARK = re.compile(r"\{\{(\w+)\}\}")


def render(graph: Graph, *, name: str, pages: Sequence[str | None] = ()) -> bytes:
    """The whole page. `name` is the wiki's, for the title; `pages` are the nodes as cleaned HTML,
    None where that is not in the file. The same graph gives the same bytes."""
    firsts, parts = _parts(pages)
    style = _part("viewer.css")
    script = "".join(_part(part) for part in SCRIPTS)
    script = f'(() => {{\n"use strict";\n{script}}})();\n'
    data = _json({**columns(graph, pages), "parts": firsts})
    values = {
        "name": html.escape(_line(name, TITLE_CUT) or "Wiki"),
        "policy": _policy(script, style),
        "style": style,
        "script": script,
        "data": _packed(data),
        "parts": "\n".join(map(_PART_BLOCK.format, parts)),
    }
    return _MARK.sub(lambda mark: values[mark[1]], _part("page.html")).encode()


def columns(graph: Graph, pages: Sequence[str | None] = ()) -> dict[str, Any]:
    """The graph as columns, one value a node or an edge; everything in it is JSON.

    A page that is among `pages` needs no claims beside it.

    `rank` is in hundredths of the average rank. An edge's ends are differences: `from` to the edge
    before, `to` to the edge before if that has the same source, else the target itself. A `stem`
    of 0 is the title; a `folder` of "" is of a page that gets no link.
    """
    nodes = graph.nodes
    types, of_type = _numbered(_line(node.type, TAG_CUT) or "page" for node in nodes)
    tags, of_tags = _numbered(
        _line(tag, TAG_CUT) for node in nodes for tag in node.tags[:TAGS_SHOWN]
    )
    places = [_place(node.path) for node in nodes]
    folders, of_folder = _numbered(folder for folder, _ in places)
    description = max(1, min(DESCRIPTION_CUT, DESCRIPTIONS_ALL // max(1, len(nodes))))
    claims = CLAIMS_ALL // max(1, len(nodes))
    titles = [_line(node.title, TITLE_CUT) or "(untitled)" for node in nodes]
    return {
        "title": titles,
        "types": types,
        "type": of_type,
        "folders": folders,
        "folder": of_folder,
        "stem": [
            0 if stem == title else stem for (_, stem), title in zip(places, titles, strict=True)
        ],
        "description": [_line(node.description, description) for node in nodes],
        "tags": tags,
        "tag": of_tags,
        "tagCount": [min(len(node.tags), TAGS_SHOWN) for node in nodes],
        "aliases": [
            [place, [_line(alias, TAG_CUT) for alias in node.aliases[:ALIASES_SHOWN]]]
            for place, node in enumerate(nodes)
            if node.aliases
        ],
        "claims": [
            [] if page is not None else _claims(node.claims, claims)
            for node, page in zip(nodes, pages or [None] * len(nodes), strict=True)
        ],
        "claimCount": [node.claim_count for node in nodes],
        "rank": [round(node.rank * len(nodes) * 100) for node in nodes],
        "community": [node.community for node in nodes],
        "communities": [_line(each.name, TITLE_CUT) or "(untitled)" for each in graph.communities],
        **_edges(graph.edges),
    }


def _line(text: str, length: int) -> str:
    """`text` as one normal line of at most `length` characters, an ellipsis where it was cut."""
    return cut(normalise(text[: 4 * length]), length)


def _numbered(values: Iterable[str]) -> tuple[list[str], list[int]]:
    """The different values, and for each value its place among them."""
    numbers: dict[str, int] = {}
    places = [numbers.setdefault(value, len(numbers)) for value in values]
    return list(numbers), places


def _place(path: str) -> tuple[str, str]:
    """Folder and stem of a page below wiki/; two empty strings for any other path."""
    folder, _, name = path.rpartition("/")
    if not _PLAIN_PATH.fullmatch(path):
        return "", ""
    return folder, name.removesuffix(".md")


def _claims(claims: tuple[str, ...], room: int) -> list[str]:
    """The first claims, while they fit into `room` characters."""
    shown = []
    for claim in claims:
        text = _line(claim, CLAIM_CUT)
        room -= len(text)
        if room < 0:
            break
        shown.append(text)
    return shown


def _edges(edges: tuple[GraphEdge, ...]) -> dict[str, Any]:
    sources, targets = [], []
    source = target = 0
    for edge in edges:
        if edge.source != source:
            target = 0
        sources.append(edge.source - source)
        targets.append(edge.target - target)
        source, target = edge.source, edge.target
    return {
        "from": sources,
        "to": targets,
        "kind": "".join(_DIGIT[edge.kind] for edge in edges),
        "weight": [
            [place, round(edge.weight, 3)]
            for place, edge in enumerate(edges)
            if edge.kind in _SAID and edge.weight != 1
        ],
        "why": [[place, _line(edge.why, WHY_CUT)] for place, edge in enumerate(edges) if edge.why],
    }


def _parts(pages: Sequence[str | None]) -> tuple[list[int], list[str]]:
    """The pages in deflated parts, each a JSON list, and the first page of each part."""
    firsts: list[int] = []
    parts: list[str] = []
    held: list[str | None] = []
    size = 0
    for place, page in enumerate(pages):
        if not held:
            firsts.append(place)
        held.append(page)
        size += len(page or "")
        if size >= PART:
            parts.append(_packed(_json(held)))
            held, size = [], 0
    if held:
        parts.append(_packed(_json(held)))
    return firsts, parts


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _packed(data: str) -> str:
    """Deflated, in base64: letters that mean nothing to HTML."""
    packed = zlib.compress(data.encode("utf-8", "replace"), DEFLATE_LEVEL)
    return base64.b64encode(packed).decode("ascii")


def _part(name: str) -> str:
    return (resources.files("llmwiki.graph") / "viewer" / name).read_text("utf-8")


def _policy(script: str, style: str) -> str:
    """What the page may do: run this script, use this style, and nothing else.

    An image may only be written in the page itself (its icon). Text becomes markup in one place of
    the script, by the trusted type `pages`, which is made there once.
    """
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'; trusted-types pages"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
