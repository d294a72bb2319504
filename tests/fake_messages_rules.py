"""What the Messages API refuses in a request, for the fake server: our bugs must show in tests."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FIELDS = frozenset(
    [
        "cache_control",
        "max_tokens",
        "messages",
        "metadata",
        "model",
        "output_config",
        "service_tier",
        "stop_sequences",
        "stream",
        "system",
        "thinking",
        "tool_choice",
        "tools",
    ]
)
SCHEMA_KEYWORDS = frozenset(
    [
        "type",
        "enum",
        "const",
        "description",
        "items",
        "properties",
        "required",
        "additionalProperties",
        "anyOf",
        "title",
        "minItems",
        "format",
    ]
)
IMAGES = {
    "image/png": b"\x89PNG\r\n\x1a\n",
    "image/jpeg": b"\xff\xd8\xff",
    "image/gif": b"GIF8",
    "image/webp": b"RIFF",
}
MAX_IMAGE = 5 * 1024 * 1024
"""Characters of base64."""
MAX_BREAKPOINTS = 4
MAX_OPTIONAL = 24
MAX_UNIONS = 16


class InvalidRequest(Exception):
    """The API would answer this status, 400 where nothing else is said."""

    def __init__(self, message: str, *, status: int = 400) -> None:
        self.status = status
        super().__init__(message)


def validate(headers: Mapping[str, str], body: Any, unsupported: tuple[str, ...]) -> None:
    """Raises InvalidRequest as the API would refuse the request."""
    if not headers.get("authorization", "").startswith("Bearer ") and "x-api-key" not in headers:
        raise InvalidRequest("authentication is missing", status=401)
    _demand("anthropic-version" in headers, "anthropic-version: header is required")
    _demand(isinstance(body, dict), "the body is not an object")
    for name in unsupported:
        _demand(f'"{name}"' not in _names(body), f"{name}: Extra inputs are not permitted")
    unknown = sorted(set(body) - FIELDS)
    _demand(not unknown, f"{', '.join(unknown)}: Extra inputs are not permitted")
    _demand(isinstance(body.get("model"), str) and bool(body["model"]), "model: required")
    limit = body.get("max_tokens", 1)
    _demand(isinstance(limit, int) and limit > 0, "max_tokens: must be above 0")
    _messages(body.get("messages"))
    _tools(body.get("tools", []))
    for block in _content(body.get("system", [])):
        _block(block, "system")
    _demand(len(list(breakpoints(body))) <= MAX_BREAKPOINTS, "cache_control: at most 4 blocks")
    _output_config(body.get("output_config", {}))


def breakpoints(body: Mapping[str, Any]) -> Iterator[list[Any]]:
    """What stands before each cache breakpoint, in order."""
    prefix: list[Any] = []
    parts = [("system", block) for block in _content(body.get("system", []))]
    for message in body.get("messages", []):
        parts += [(message["role"], block) for block in _content(message["content"])]
    for role, block in parts:
        prefix.append([role, {k: v for k, v in block.items() if k != "cache_control"}])
        if "cache_control" in block:
            yield list(prefix)


def _messages(messages: Any) -> None:
    _demand(isinstance(messages, list) and bool(messages), "messages: at least one is required")
    for message in messages:
        _demand(set(message) == {"role", "content"}, "messages: role and content")
        _demand(message["role"] in {"user", "assistant"}, "messages: role is user or assistant")
        _demand(bool(message["content"]), "messages: content must not be empty")
        for block in _content(message["content"]):
            _block(block, "messages", message["role"])
    _results(messages)
    _demand(messages[0]["role"] == "user", "messages: the first one must be the user's")
    _demand(messages[-1]["role"] == "user", "messages: prefill is not supported")


def _results(messages: list[Any]) -> None:
    """A tool that was asked for is answered first thing in the next turn, and no other is."""
    asked: list[str] = []
    for message in messages:
        content = _content(message["content"])
        results = [b["tool_use_id"] for b in content if b.get("type") == "tool_result"]
        leading = [b.get("type") for b in content[: len(results)]]
        _demand(sorted(results) == sorted(asked), "messages: tool_use without its tool_result")
        _demand(set(leading) <= {"tool_result"}, "messages: tool_result blocks come first")
        asked = [b["id"] for b in content if b.get("type") == "tool_use"]
    _demand(not asked, "messages: tool_use without its tool_result")


def _tools(tools: Any) -> None:
    for tool in tools:
        _demand(set(tool) == {"name", "description", "input_schema"}, "tools: fields")
        _demand(tool["input_schema"].get("type") == "object", "tools.input_schema: object")


def _tool(block: dict[str, Any], where: str, role: str) -> None:
    if block["type"] == "tool_use":
        _demand(role == "assistant", f"{where}: tool_use stands in turns of the assistant only")
        _demand(set(block) == {"type", "id", "name", "input"}, f"{where}: tool_use: fields")
        _demand(isinstance(block["input"], dict), f"{where}: tool_use.input: a dictionary")
        return
    _demand(role == "user", f"{where}: tool_result stands in turns of the user only")
    fields = {"type", "tool_use_id", "content", "is_error", "cache_control"}
    _demand(not set(block) - fields, f"{where}: tool_result: unknown field")
    _cache(block, where)


def _block(block: Any, where: str, role: str = "") -> None:
    _demand(isinstance(block, dict), f"{where}: a block is an object")
    if block.get("type") == "image":
        _demand(role == "user", f"{where}: images stand in turns of the user only")
        _image(block, where)
        return
    if block.get("type") in {"tool_use", "tool_result"}:
        _tool(block, where, role)
        return
    _demand(block.get("type") == "text", f"{where}: text, image and tool blocks only")
    _demand(not set(block) - {"type", "text", "cache_control"}, f"{where}: unknown field")
    text = block.get("text")
    _demand(isinstance(text, str) and bool(text.strip()), f"{where}: text must not be empty")
    _cache(block, where)


def _image(block: dict[str, Any], where: str) -> None:
    _demand(not set(block) - {"type", "source", "cache_control"}, f"{where}: unknown field")
    source: Any = block.get("source")
    _demand(isinstance(source, dict), f"{where}.source: required")
    _demand(set(source) == {"type", "media_type", "data"}, f"{where}.source: fields")
    _demand(source["type"] == "base64", f"{where}.source.type: base64")
    _demand(source["media_type"] in IMAGES, f"{where}.source.media_type: Input should be one of")
    try:
        data = base64.b64decode(source["data"], validate=True)
    except (binascii.Error, TypeError, ValueError):
        raise InvalidRequest(f"{where}.source.data: invalid base64") from None
    too_large = len(source["data"]) > MAX_IMAGE
    _demand(not too_large, f"{where}.source.base64: image exceeds 5 MB maximum")
    _demand(data.startswith(IMAGES[source["media_type"]]), f"{where}: Could not process image")
    _cache(block, where)


def _cache(block: dict[str, Any], where: str) -> None:
    if "cache_control" in block:
        _demand(block["cache_control"] == {"type": "ephemeral"}, f"{where}: cache_control: wrong")


def _output_config(config: Any) -> None:
    _demand(not set(config) - {"format", "effort"}, "output_config: unknown field")
    wanted = config.get("format")
    if wanted is None:
        return
    _demand(set(wanted) == {"type", "schema"}, "output_config.format: type and schema")
    _demand(wanted["type"] == "json_schema", "output_config.format.type: json_schema")
    nodes = list(_walk(wanted["schema"]))
    objects = [node for node in nodes if node.get("type") == "object"]
    _demand(nodes[0].get("type") == "object", "schema: the root must be an object")
    for node in nodes:
        strange = sorted(set(node) - SCHEMA_KEYWORDS)
        _demand(not strange, f"schema: {', '.join(strange)} not supported")
        typed = any(key in node for key in ("type", "enum", "const", "anyOf"))
        _demand(typed, "schema: a node needs a type")
        _demand(node.get("minItems", 0) in {0, 1}, "schema: minItems is 0 or 1")
    for node in objects:
        _demand(node.get("additionalProperties") is False, "schema: additionalProperties: false")
        _demand(set(node.get("required", [])) <= set(node["properties"]), "schema: required")
    optional = sum(len(set(node["properties"]) - set(node["required"])) for node in objects)
    _demand(optional <= MAX_OPTIONAL, "schema: Schema is too complex for compilation")
    unions = sum("anyOf" in node or isinstance(node.get("type"), list) for node in nodes)
    _demand(unions <= MAX_UNIONS, "schema: The compiled grammar is too large")


def _walk(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node.get("properties", {}).values():
        yield from _walk(child)
    if isinstance(node.get("items"), dict):
        yield from _walk(node["items"])
    for child in node.get("anyOf", []):
        yield from _walk(child)


def _names(value: Any) -> set[str]:
    """All keys anywhere in a value, in quotes."""
    if isinstance(value, dict):
        found = {f'"{key}"' for key in value}
        return found.union(*(_names(child) for child in value.values()))
    if isinstance(value, list):
        return set[str]().union(*(_names(child) for child in value))
    return set()


def _content(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _demand(holds: bool, message: str) -> None:
    if not holds:
        raise InvalidRequest(message)
