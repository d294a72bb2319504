"""What each method of the protocol gives, whatever brings the request: a pipe or HTTP."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from llmwiki.mcp import prompts, resources, tools

if TYPE_CHECKING:
    from llmwiki.app.wiki import Wiki

SLOW = frozenset({"tools/call", "resources/read"})
"""Methods that open the wiki; the others are answered at once."""
_LISTS: Mapping[str, Mapping[str, Any]] = {
    "prompts/list": {"prompts": prompts.PROMPTS},
    "resources/list": {"resources": resources.RESOURCES},
    "resources/templates/list": {"resourceTemplates": resources.TEMPLATES},
}
METHODS = (*sorted(SLOW), "prompts/get", "tools/list", *_LISTS)
"""All that `done` has a result for."""


def done(
    open_wiki: Callable[[], Wiki],
    method: str,
    params: Mapping[str, Any],
    limit: str,
    *,
    is_modern: bool,
) -> Mapping[str, Any] | None:
    """The result of any method that both ways of serving have; None for another.

    `limit` is of `writing.WRITES`; `is_modern`: the request names its own version. Raises RpcError
    for what gets an error for its answer.
    """
    if method == "tools/call":
        return tools.call(open_wiki, params, limit)
    if method == "resources/read":
        return resources.read_resource(open_wiki, params, is_modern=is_modern)
    if method == "prompts/get":
        return prompts.prompt(params)
    if method == "tools/list":
        return {"tools": tools.offered(limit)}
    return _LISTS.get(method)
