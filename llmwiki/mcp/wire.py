"""Messages of JSON-RPC 2.0, one a line: how a line is read, how an answer is written.

What a client sends is trusted in nothing: lengths are bounded by the reader of lines, nesting by
the parser, types are checked here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from llmwiki.core.errors import fault_of

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
