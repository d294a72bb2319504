"""The tools that are served, and how a call of one is answered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from llmwiki.app.tools.caller import ToolCaller
from llmwiki.app.tools.table import TOOLS
from llmwiki.core.errors import WikiError
from llmwiki.core.tool import LEAVING, Tool, ToolAnswer
from llmwiki.interfaces.mcp.wire import INVALID_PARAMS, RpcError

if TYPE_CHECKING:
    from llmwiki.app.wiki import Wiki

_OFFERED = tuple(tool for tool in TOOLS if "mcp" in tool.serves)
_BY_NAME = {tool.name: tool for tool in _OFFERED}


def writes(params: Mapping[str, Any]) -> bool:
    """Whether a `tools/call` with these parameters may write."""
    tool = _BY_NAME.get(str(params.get("name")))
    return tool is not None and tool.writes


def offered(limit: str) -> list[dict[str, Any]]:
    """The tools as they are listed; without those that write where `limit` is `off`."""
    return [_listed(tool) for tool in _OFFERED if not tool.writes or limit != "off"]


def call(open_wiki: Callable[[], Wiki], params: Mapping[str, Any], limit: str) -> Mapping[str, Any]:
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
    if answer.facts is not None:
        told["structuredContent"] = dict(answer.facts)
    if answer.is_error:
        told["isError"] = True
    return told
