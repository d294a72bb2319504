"""What is served: the tools, and how a call of one is answered; pages and sources as resources."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from llmwiki.app.wiki_tools import TOOLS, ToolCaller, read_text
from llmwiki.core.errors import WikiError
from llmwiki.core.tool_declaration import LEAVING, Tool, ToolAnswer
from llmwiki.interfaces.mcp.json_rpc import INVALID_PARAMS, NO_RESOURCE, RpcError

if TYPE_CHECKING:
    from llmwiki.app.wiki import Wiki

LISTS_KEPT_MS = 3_600_000
"""How long a client may keep the lists of tools and resources, which do not change while the
program runs."""
KEPT_MS: Mapping[str, int] = {
    "server/discover": LISTS_KEPT_MS,
    "tools/list": LISTS_KEPT_MS,
    "resources/list": LISTS_KEPT_MS,
    "resources/templates/list": LISTS_KEPT_MS,
    "resources/read": 0,
}
"""How long it may keep an answer, by method; of the others nothing is said."""
_OFFERED = tuple(tool for tool in TOOLS if "mcp" in tool.serves)
_BY_NAME = {tool.name: tool for tool in _OFFERED}


def may_write(params: Mapping[str, Any]) -> bool:
    """Whether a `tools/call` with these parameters may write."""
    tool = _BY_NAME.get(str(params.get("name")))
    return tool is not None and tool.writes


def offered_tools(limit: str) -> list[dict[str, Any]]:
    """The tools as they are listed; without those that write where `limit` is `off`."""
    return [_listed(tool) for tool in _OFFERED if not tool.writes or limit != "off"]


def call_tool(
    open_wiki: Callable[[], Wiki], params: Mapping[str, Any], limit: str
) -> Mapping[str, Any]:
    """The result of `tools/call`: what cannot be done is told to the model, in words.

    Raises RpcError for a tool that there is not.
    """
    tool = _BY_NAME.get(str(params.get("name")))
    if tool is None or (tool.writes and limit == "off"):
        raise RpcError(INVALID_PARAMS, f"Unknown tool: {str(params.get('name'))[:80]}")
    given = params.get("arguments") or {}
    if not isinstance(given, dict):
        raise RpcError(INVALID_PARAMS, "Invalid params: `arguments` must be an object")
    try:
        checked = tool.checked(given)
        return _result(tool.run(ToolCaller(open_wiki(), limit), **checked))
    except WikiError as error:
        return _result(ToolAnswer(str(error), is_error=True))


def _listed(tool: Tool) -> dict[str, Any]:
    """A tool as `tools/list` tells it."""
    hints: dict[str, Any] = {"readOnlyHint": not tool.writes}
    if tool.writes:
        # What was there stays; the same input again changes nothing.
        hints |= {"destructiveHint": False, "idempotentHint": True}
    hints["openWorldHint"] = tool.effect in LEAVING
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.schema,
        "annotations": hints,
    }


def _result(answer: ToolAnswer) -> dict[str, Any]:
    told: dict[str, Any] = {"content": [{"type": "text", "text": answer.text}]}
    if answer.is_error:
        told["isError"] = True
    return told


# --- resources ---------------------------------------------------------------------------

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
