"""Versions of the protocol: which are served, and in which one a request speaks.

Up to 2025-11-25 a client begins with `initialize`, and what is agreed on there counts for the
process. Since 2026-07-28 each request names its version and the abilities of the client, and
nothing is remembered. One process serves both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from llmwiki.mcp.wire import INVALID_PARAMS, NO_VERSION, RpcError, RpcMessage
from llmwiki.version import __version__

BY_HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Versions that begin with `initialize`, oldest first."""
BY_REQUEST = ("2026-07-28",)
"""Versions that each request names."""
WITH_BATCHES = "2025-03-26"
"""The only version in which several messages may come as one."""

_META = "io.modelcontextprotocol/"
CACHED_MS = 3_600_000
"""How long a client may keep what does not change while the program runs."""
_LASTING = frozenset(
    {"server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list"}
)
SERVER = {"name": "llmwiki", "title": "Wiki with verified sources", "version": __version__}
CAPABILITIES: Mapping[str, Any] = {"tools": {}, "resources": {}, "prompts": {}}


def agreed(params: Mapping[str, Any]) -> str:
    """The version that `initialize` ends in: the client's, or else the latest with a handshake.

    Raises RpcError where the client names none.
    """
    asked = params.get("protocolVersion")
    if not isinstance(asked, str):
        raise RpcError(INVALID_PARAMS, "Invalid params: `protocolVersion` must be a string")
    return asked if asked in BY_HANDSHAKE else BY_HANDSHAKE[-1]


def version_of(message: RpcMessage, by_handshake: str | None) -> str:
    """The version a request speaks; `by_handshake` is what `initialize` ended in, if it was sent.

    Raises RpcError for a version that is not served, and where neither names one.
    """
    meta = message.params.get("_meta")
    named = meta.get(f"{_META}protocolVersion") if isinstance(meta, Mapping) else None
    if named is None and by_handshake is not None:
        return by_handshake
    if not isinstance(meta, Mapping) or not isinstance(named, str):
        raise RpcError(
            INVALID_PARAMS,
            "Invalid params: send `initialize` first, or name the protocol in"
            f" `_meta` as `{_META}protocolVersion`",
        )
    if named not in BY_REQUEST:
        supported = [*reversed(BY_REQUEST), *reversed(BY_HANDSHAKE)]
        data = {"supported": supported, "requested": named[:100]}
        raise RpcError(NO_VERSION, "Unsupported protocol version", data)
    if not isinstance(meta.get(f"{_META}clientCapabilities"), Mapping):
        raise RpcError(
            INVALID_PARAMS, f"Invalid params: `_meta` lacks `{_META}clientCapabilities`, an object"
        )
    return named


def dressed(result: Mapping[str, Any], method: str, version: str) -> Mapping[str, Any]:
    """A result with what the version asks each result to say."""
    if version not in BY_REQUEST:
        return result
    told = {**result, "resultType": "complete", "_meta": {f"{_META}serverInfo": SERVER}}
    if method in _LASTING or method == "resources/read":
        lasts = CACHED_MS if method in _LASTING else 0
        told |= {"ttlMs": lasts, "cacheScope": "private"}
    return told
