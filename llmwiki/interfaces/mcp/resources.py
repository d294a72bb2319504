"""Pages and sources of the wiki as resources, by address."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from llmwiki.app.tools.look_up import read_text
from llmwiki.core.errors import WikiError
from llmwiki.interfaces.mcp.wire import INVALID_PARAMS, NO_RESOURCE, RpcError

if TYPE_CHECKING:
    from llmwiki.app.wiki import Wiki

BUDGET = 20_000
"""Tokens of one resource; a host inserts it whole."""
_PAGE = "wiki://page/"
_SOURCE = "wiki://source/"
_RANGE = re.compile(r"lines=(\d{1,9})(?:-(\d{1,9}))?")

RESOURCES: tuple[Mapping[str, Any], ...] = (
    {
        "uri": f"{_PAGE}overview",
        "name": "overview",
        "title": "Overview",
        "description": "What this wiki holds, and the pages that most lead to.",
        "mimeType": "text/markdown",
    },
    {
        "uri": f"{_PAGE}index",
        "name": "index",
        "title": "Index",
        "description": "All pages by kind.",
        "mimeType": "text/markdown",
    },
)
TEMPLATES: tuple[Mapping[str, Any], ...] = (
    {
        "uriTemplate": _PAGE + "{+name}",
        "name": "page",
        "title": "A page, or a claim with its evidence",
        "description": "By title, alias, path or claim id.",
        "mimeType": "text/markdown",
    },
    {
        "uriTemplate": _SOURCE + "{+id}{?lines}",
        "name": "source",
        "title": "Numbered lines of a source",
        "description": "By id, title or path below raw/; `lines` such as 12-20.",
        "mimeType": "text/plain",
    },
)


def read_resource(
    open_wiki: Callable[[], Wiki], params: Mapping[str, Any], *, is_modern: bool
) -> dict[str, Any]:
    """The result of `resources/read`. Raises RpcError where there is no such resource."""
    uri = params.get("uri")
    if not isinstance(uri, str):
        raise RpcError(INVALID_PARAMS, "Invalid params: `uri` must be a string")
    name, kind = _named(uri)
    try:
        if not name:
            raise RpcError(INVALID_PARAMS, f"No such resource: {uri[:200]}")
        text = read_text(open_wiki(), name, 1, BUDGET)
    except (WikiError, RpcError) as error:
        code = INVALID_PARAMS if is_modern else NO_RESOURCE
        raise RpcError(code, f"Resource not found: {error}", {"uri": uri[:500]}) from error
    return {"contents": [{"uri": uri, "mimeType": kind, "text": text}]}


def _named(uri: str) -> tuple[str, str]:
    """What a resource's address names, as `read_text` takes it, and its type; '': nothing."""
    from urllib.parse import unquote

    if uri.startswith(_PAGE):
        name = unquote(uri.removeprefix(_PAGE))
        # Lines of a source have an address of their own.
        return ("" if name.startswith("raw/") or "#L" in name else name), "text/markdown"
    if not uri.startswith(_SOURCE):
        return "", ""
    source, mark, query = uri.removeprefix(_SOURCE).partition("?")
    lines = _RANGE.fullmatch(query) if mark else None
    if not source or (mark and not lines):
        return "", ""
    first, last = (lines[1], lines[2] or lines[1]) if lines else ("1", "999999999")
    return f"{unquote(source)}#L{first}-L{last}", "text/plain"
