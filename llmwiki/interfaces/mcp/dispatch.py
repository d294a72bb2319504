"""What each request of the protocol gets for its answer, whatever brings it: a pipe or HTTP."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from llmwiki.interfaces.mcp import prompts, resources, tools, wire
from llmwiki.interfaces.mcp.wire import RpcError, RpcMessage

if TYPE_CHECKING:
    from llmwiki.app.wiki import Wiki

SLOW = frozenset({"tools/call", "resources/read"})
"""Methods that open the wiki; the others are answered at once."""
_LISTS: Mapping[str, Mapping[str, Any]] = {
    "prompts/list": {"prompts": prompts.PROMPTS},
    "resources/list": {"resources": resources.RESOURCES},
    "resources/templates/list": {"resourceTemplates": resources.TEMPLATES},
}


@dataclass(frozen=True, slots=True)
class Dispatcher:
    """Answers requests by a wiki."""

    open_wiki: Callable[[], Wiki]
    """Gives the wiki, each time it is needed, or raises WikiError."""
    limit: str = "commit"
    """What becomes of writes, of `writing.WRITES`."""

    def version(self, message: RpcMessage, agreed: str | None) -> str:
        """The version that a request speaks; `agreed` is what a handshake ended in.

        Raises RpcError for one that is not served, and where nothing names one.
        """
        if message.method == "initialize":
            return wire.agreed(message.params)
        if message.method == "ping" and "_meta" not in message.params:
            return agreed or wire.BY_HANDSHAKE[-1]
        return wire.version_of(message, agreed)

    def answer(self, message: RpcMessage, version: str) -> dict[str, Any]:
        """The answer to a request, whatever becomes of it."""
        assert message.id is not None
        try:
            result = self._result(message, version)
        except RpcError as error:
            return wire.error_of(message.id, error)
        except Exception as error:
            if os.environ.get("LLMWIKI_DEBUG"):
                raise
            # A bug of ours must not end what else the client is doing.
            told = f"Internal error: {type(error).__name__}. LLMWIKI_DEBUG=1 shows where."
            return wire.error_of(message.id, RpcError(wire.INTERNAL, told))
        return wire.result_of(message.id, wire.with_version_fields(result, message.method, version))

    def _result(self, message: RpcMessage, version: str) -> Mapping[str, Any]:
        method, params = message.method, message.params
        is_modern = version in wire.BY_REQUEST
        if method == "initialize" and not is_modern:
            return {"protocolVersion": version, **_about()}
        if method == "ping" and not is_modern:
            return {}
        if method == "server/discover" and is_modern:
            return {"supportedVersions": list(wire.BY_REQUEST), **_about()}
        if method == "tools/call":
            return tools.call(self.open_wiki, params, self.limit)
        if method == "resources/read":
            return resources.read_resource(self.open_wiki, params, is_modern=is_modern)
        if method == "prompts/get":
            return prompts.prompt(params)
        if method == "tools/list":
            return {"tools": tools.offered(self.limit)}
        if method in _LISTS:
            return _LISTS[method]
        raise RpcError(wire.NO_METHOD, f"Method not found: {method[:80]}")


def writes(message: RpcMessage) -> bool:
    """Whether a request may write."""
    return message.method == "tools/call" and tools.writes(message.params)


def _about() -> dict[str, Any]:
    return {
        "capabilities": wire.CAPABILITIES,
        "serverInfo": wire.SERVER,
        "instructions": prompts.INSTRUCTIONS,
    }
