"""The graph as one HTML file: the viewer's template, and in it the graph as columns, with the
pages as cleaned HTML.

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
from collections.abc import Sequence
from importlib import resources
from typing import Any

from llmwiki.core.text import cut, normalise
from llmwiki.graph.nodes_and_edges import AMBIGUOUS, INFERRED, KINDS, Graph, GraphNode

TITLE_CUT = 160
"""Characters of a title."""
DESCRIPTION_CUT = 300
"""Characters of a description, at most; see `DESCRIPTIONS_ALL`."""
WHY_CUT = 200
"""Characters of a model's reason for an edge."""
TAG_CUT = 60
"""Characters of a tag or a type."""
TAGS_SHOWN = 12
"""Tags of a page."""
ALIASES_SHOWN = 8
"""Aliases of a page."""
DESCRIPTIONS_ALL = 8_000_000
"""Characters that all descriptions may take: at 100,000 pages each has 80."""
DEFLATE_LEVEL = 5
"""Half the time of zlib's own default, 6, for a twentieth more bytes."""

SCRIPTS = (
    "data.js", "search.js", "layout.js", "scene.js", "labels.js", "paint.js",
    "reader.js", "panel.js", "hands.js", "address.js", "main.js",
)  # fmt: skip
"""The viewer's parts, in the order in which they stand in the page's one script."""

_SAID = (INFERRED, AMBIGUOUS)
_PLAIN_PATH = re.compile(
    r"(?:(?!\.\.?/)[^/\\\x00-\x1f\x7f\ud800-\udfff]+/)*[^/\\\x00-\x1f\x7f\ud800-\udfff]+\.md"
)
_MARK = re.compile(r"\{\{(\w+)\}\}")


def render(graph: Graph, *, name: str, pages: Sequence[str | None] = ()) -> bytes:
    """The whole page. `name` is the wiki's, for the title; `pages` are the nodes as cleaned HTML,
    None where that is not in the file. The same graph gives the same bytes."""
    style = _part("viewer.css")
    script = "".join(_part(part) for part in SCRIPTS)
    script = f'(() => {{\n"use strict";\n{script}}})();\n'
    values = {
        "name": html.escape(_line(name, TITLE_CUT) or "Wiki"),
        "policy": _policy(script, style),
        "style": style,
        "script": script,
        "data": _packed(columns(graph, pages)),
    }
    return _MARK.sub(lambda mark: values[mark[1]], _part("page.html")).encode()


def columns(graph: Graph, pages: Sequence[str | None] = ()) -> dict[str, Any]:
    """The graph as columns, one value a node or an edge; everything in it is JSON.

    `rank` is in hundredths of the average rank; a `path` of "" is of a page that gets no link, one
    that ends in "/" of a page whose file has its title for a name.
    """
    nodes, edges = graph.nodes, graph.edges
    description = max(1, min(DESCRIPTION_CUT, DESCRIPTIONS_ALL // max(1, len(nodes))))
    titles = [_line(node.title, TITLE_CUT) or "(untitled)" for node in nodes]
    return {
        "title": titles,
        "type": [_line(node.type, TAG_CUT) or "page" for node in nodes],
        "path": list(map(_place, nodes, titles)),
        "description": [_line(node.description, description) for node in nodes],
        "tags": [[_line(tag, TAG_CUT) for tag in node.tags[:TAGS_SHOWN]] for node in nodes],
        "aliases": [
            [place, [_line(alias, TAG_CUT) for alias in node.aliases[:ALIASES_SHOWN]]]
            for place, node in enumerate(nodes)
            if node.aliases
        ],
        "pages": list(pages),
        "claimCount": [node.claim_count for node in nodes],
        "rank": [round(node.rank * len(nodes) * 100) for node in nodes],
        "community": [node.community for node in nodes],
        "communities": [_line(each.name, TITLE_CUT) or "(untitled)" for each in graph.communities],
        "from": [edge.source for edge in edges],
        "to": [edge.target for edge in edges],
        "kind": [KINDS.index(edge.kind) for edge in edges],
        "weight": [
            [place, round(edge.weight, 3)]
            for place, edge in enumerate(edges)
            if edge.kind in _SAID and edge.weight != 1
        ],
        "why": [[place, _line(edge.why, WHY_CUT)] for place, edge in enumerate(edges) if edge.why],
    }


def _place(node: GraphNode, title: str) -> str:
    """A node's `path` in the columns."""
    path = node.path if _PLAIN_PATH.fullmatch(node.path) else ""
    return path.removesuffix(f"{title}.md") if path.endswith(f"/{title}.md") else path


def _line(text: str, length: int) -> str:
    """`text` as one normal line of at most `length` characters, an ellipsis where it was cut."""
    return cut(normalise(text[: 4 * length]), length)


def _packed(value: object) -> str:
    """As JSON, deflated, in base64: letters that mean nothing to HTML."""
    data = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
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
