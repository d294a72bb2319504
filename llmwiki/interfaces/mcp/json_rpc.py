"""Messages of JSON-RPC 2.0, one a line: how a line is read, how an answer is written, in which
version of the protocol.

What a client sends is trusted in nothing: lengths are bounded by the reader of lines, nesting by
the parser, types are checked here. Up to 2025-11-25 a client begins with `initialize`, and what is
agreed on there counts for the process. Since 2026-07-28 each request names its version and the
abilities of the client, and nothing is remembered. One process serves both.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from llmwiki.core.errors import fault_of
from llmwiki.version import __version__

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
NO_METHOD = -32601
INVALID_PARAMS = -32602
INTERNAL = -32603
NO_RESOURCE = -32002
"""No such resource, up to protocol 2025-11-25; INVALID_PARAMS since."""
NO_VERSION = -32022
"""A protocol version that is not served, since 2026-07-28."""

MessageId = str | int


class RpcError(Exception):
    """A request that gets an error of JSON-RPC for its answer."""

    def __init__(self, code: int, message: str, data: Mapping[str, Any] | None = None) -> None:
        self.code = code
        self.message = message
        self.data = data
        super().__init__(message)


class RpcMessage(NamedTuple):
    """A request, or a notification."""

    method: str
    params: Mapping[str, Any]
    id: MessageId | None
    """None: a notification, which gets no answer."""


def read_json(line: bytes) -> object:
    """The value of a line. Raises RpcError for what is no JSON in UTF-8."""
    try:
        return json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise RpcError(PARSE_ERROR, f"Parse error: {fault_of(error)}") from error


def id_in(value: object) -> MessageId | None:
    """The id of a message, whatever else is wrong with it; None where it has none that counts."""
    found = value.get("id") if isinstance(value, Mapping) else None
    return found if isinstance(found, (str, int)) and not isinstance(found, bool) else None


def read_message(value: object) -> RpcMessage | None:
    """The message that a value is; None for an answer, as nothing was asked of the client.

    Raises RpcError for what is no message of JSON-RPC 2.0.
    """
    if not isinstance(value, dict) or value.get("jsonrpc") != "2.0":
        raise RpcError(INVALID_REQUEST, 'Invalid request: not an object with "jsonrpc": "2.0"')
    if "method" not in value and ("result" in value or "error" in value):
        return None
    method, params = value.get("method"), value.get("params", {})
    if not isinstance(method, str):
        raise RpcError(INVALID_REQUEST, "Invalid request: `method` must be a string")
    if "id" in value and id_in(value) is None:
        raise RpcError(INVALID_REQUEST, "Invalid request: `id` must be a string or an integer")
    if params is not None and not isinstance(params, dict):
        raise RpcError(INVALID_PARAMS, "Invalid params: `params` must be an object")
    return RpcMessage(method, params or {}, id_in(value))


def result_of(ident: MessageId, result: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to a request."""
    return {"jsonrpc": "2.0", "id": ident, "result": result}


def error_of(ident: MessageId | None, error: RpcError) -> dict[str, Any]:
    """The answer to a request that failed; `ident` None: what came cannot be told apart."""
    told: dict[str, Any] = {"code": error.code, "message": error.message}
    if error.data is not None:
        told["data"] = error.data
    return {"jsonrpc": "2.0", "id": ident, "error": told}


def line_of(value: object) -> bytes:
    """A message as one line."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    # Half a surrogate pair, which JSON may hold and UTF-8 may not, becomes its escape.
    return text.encode("utf-8", "backslashreplace") + b"\n"


BY_HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Versions that begin with `initialize`, oldest first."""
BY_REQUEST = ("2026-07-28",)
"""Versions that each request names."""

_META = "io.modelcontextprotocol/"
SERVER = {"name": "llmwiki", "title": "Wiki with verified sources", "version": __version__}
CAPABILITIES: Mapping[str, Any] = {"tools": {}, "resources": {}}


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


def with_version_fields(
    result: Mapping[str, Any], version: str, kept_ms: int | None
) -> Mapping[str, Any]:
    """A result with what the version asks each result to say; `kept_ms` is how long a client may
    keep it, None where that is not said."""
    if version not in BY_REQUEST:
        return result
    told = {**result, "resultType": "complete", "_meta": {f"{_META}serverInfo": SERVER}}
    if kept_ms is not None:
        told |= {"ttlMs": kept_ms, "cacheScope": "private"}
    return told
